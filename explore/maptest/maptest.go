// Package maptest is the baseline of the paper on pattern constraint reduction: MAPTest (Wang et
// al., "MAP-coverage: a novel coverage criterion for testing thread-safe classes"), random testing
// that aims at a pattern. Every execution chooses a pattern of statements that was covered rarely
// or never, possible or not, and schedules goroutines at random. A goroutine whose next operation
// is a step of the pattern that is not due is held back as long as others are enabled; the step
// that is due is performed at once.
package maptest

import (
	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// A Strategy is one exploration. It implements explore.Strategy and trace.Guide, and never ends.
type Strategy struct {
	set     *mapcov.Set
	known   map[mapcov.Step]bool
	steps   []mapcov.Step // statements that access shared variables
	vars    map[int32][]mapcov.Step
	ids     []int32                // keys of vars, in order of discovery
	tried   map[mapcov.Pattern]int // number of executions that aimed at a pattern
	rng     splitmix.Stream
	result  explore.Result
	s       trace.Schedule
	target  mapcov.Pattern
	due     int // index of the target's next step
	intends int // executions that aimed at a pattern
	covers  int // executions that showed their pattern
}

// New returns a strategy before its first execution.
func New(seed uint64) *Strategy {
	return &Strategy{
		set: mapcov.NewSet(), known: make(map[mapcov.Step]bool),
		vars:  make(map[int32][]mapcov.Step),
		tried: make(map[mapcov.Pattern]int), rng: splitmix.Stream(seed),
	}
}

// Coverage returns the patterns that were covered.
func (s *Strategy) Coverage() *mapcov.Set { return s.set }

// Intended returns the number of executions that aimed at a pattern, and of those that showed it.
func (s *Strategy) Intended() (executions, covered int) { return s.intends, s.covers }

// Sites implements explore.Sighted.
func (s *Strategy) Sites() []trace.Site { return s.set.Names.Sites() }

// random returns a number below n.
func (s *Strategy) random(n int) int { return int(s.rng.Next() >> 1 % uint64(n)) }

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	s.s = trace.Schedule{Policy: "random", Seed: uint64(s.random(1<<62)) + 1, Exhaustive: true}
	s.target, s.due = mapcov.Pattern{}, 0
	if len(s.steps) > 0 {
		s.choose()
		s.s.Guide = s
	}
	return &s.s
}

// choices is the number of patterns drawn, of which the one with the fewest executions is chosen.
const choices = 8

// choose draws patterns until some fit Table 1.
func (s *Strategy) choose() {
	found := 0
	for range 200 {
		p, ok := s.draw()
		if !ok {
			continue
		}
		if found == 0 || s.less(p, s.target) {
			s.target = p
		}
		if found++; found == choices {
			break
		}
	}
	if s.target.Row != 0 {
		s.tried[s.target]++
		s.intends++
	}
}

// less prefers patterns that were not covered, then those with fewer executions.
func (s *Strategy) less(p, q mapcov.Pattern) bool {
	if a, b := s.set.Has(p), s.set.Has(q); a != b {
		return b
	}
	return s.tried[p] < s.tried[q]
}

// draw draws two to four statements.
func (s *Strategy) draw() (mapcov.Pattern, bool) {
	row := mapcov.Table[s.random(len(mapcov.Table))]
	x, y := s.ids[s.random(len(s.ids))], s.ids[s.random(len(s.ids))]
	var steps []mapcov.Step
	for i := 0; i < len(row.Steps); i += 4 {
		v := x
		if row.Steps[i+2] == 'y' {
			v = y
		}
		list := s.vars[v]
		steps = append(steps, list[s.random(len(list))])
	}
	p := mapcov.MakePattern(steps...)
	return p, int(p.Row) == row.ID && twoThreads(steps)
}

// twoThreads reports whether the steps belong to at most two goroutines.
func twoThreads(steps []mapcov.Step) bool {
	other := int32(0)
	for _, st := range steps {
		switch {
		case st.Thread == steps[0].Thread:
		case other == 0:
			other = st.Thread
		case st.Thread != other:
			return false
		}
	}
	return true
}

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, prev trace.GID, ways []trace.Way) int {
	var free []int
	for i := range ways {
		switch k := s.stepOf(t, &ways[i]); {
		case k == s.due && k >= 0:
			s.due++
			return i
		case k < s.due:
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return s.random(len(ways))
	}
	return free[s.random(len(free))]
}

// stepOf returns the index of the first step of the target, from the due one on, that an operation
// would be; -1 if none.
func (s *Strategy) stepOf(t *trace.Trace, w *trace.Way) int {
	for k := s.due; k < s.target.Len(); k++ {
		st := &s.target.Steps[k]
		if mapcov.Place(w.Site.Plain()) == st.Site && s.set.Names.Thread(t, w.G) == st.Thread {
			return k
		}
	}
	return -1
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	as := s.set.Names.Read(t)
	for i := range as.All {
		a := &as.All[i]
		for _, write := range [2]bool{false, true} {
			if write && a.Write || !write && a.Read {
				s.note(as.Step(int32(i), write))
			}
		}
	}
	had := s.set.Has(s.target)
	s.set.AddAccesses(as)
	if s.target.Row == 0 {
		return
	}
	shown := !had && s.set.Has(s.target)
	if had {
		as.Each(func(p mapcov.Pattern) { shown = shown || p == s.target })
	}
	if shown {
		s.covers++
	}
}

func (s *Strategy) note(st mapcov.Step) {
	if s.known[st] {
		return
	}
	s.known[st] = true
	s.steps = append(s.steps, st)
	if len(s.vars[st.Var]) == 0 {
		s.ids = append(s.ids, st.Var)
	}
	s.vars[st.Var] = append(s.vars[st.Var], st)
}

// Result implements explore.Strategy. The exploration never ends.
func (s *Strategy) Result() explore.Result { return s.result }
