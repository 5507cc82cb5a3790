// Package maptest is the baseline that the paper on pattern constraint reduction measures itself
// by: MAPTest (Wang et al., "MAP-coverage: a novel coverage criterion for testing thread-safe
// classes"), random testing with a pattern in mind. Every execution chooses a pattern of statements
// that was covered seldom or never, whether it is possible or not, and lets goroutines go on at
// random; whoever is about to do a step of the pattern that is not due is held back as long as
// others can go on, and the step that is due is done at once.
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
	sites   map[trace.Site]bool
	known   map[mapcov.Step]bool
	steps   []mapcov.Step // statements that access shared variables
	vars    map[int32][]mapcov.Step
	ids     []int32                // of vars, in the order in which they were found
	tried   map[mapcov.Pattern]int // how often a pattern was intended
	rng     splitmix.Stream
	result  explore.Result
	s       trace.Schedule
	target  mapcov.Pattern
	due     int // the step of the target that comes next
	intends int // executions that intended a pattern
	covers  int // and have shown it
}

// New returns a strategy that has executed nothing yet.
func New(seed uint64) *Strategy {
	return &Strategy{
		set: mapcov.NewSet(), sites: make(map[trace.Site]bool), known: make(map[mapcov.Step]bool),
		vars:  make(map[int32][]mapcov.Step),
		tried: make(map[mapcov.Pattern]int), rng: splitmix.Stream(seed),
	}
}

// Coverage returns what has been covered.
func (s *Strategy) Coverage() *mapcov.Set { return s.set }

// Intended returns how many executions intended a pattern, and how many of them have shown it.
func (s *Strategy) Intended() (executions, covered int) { return s.intends, s.covers }

// Sites returns the places at which shared variables were accessed.
func (s *Strategy) Sites() (sites []trace.Site) {
	for _, st := range s.steps {
		if x := trace.Site(st.Site); s.sites[x] {
			sites = append(sites, x)
		}
	}
	return sites
}

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

// choices is among how many patterns the one is chosen that was intended the least.
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

// less prefers what was not covered, and then what was intended less often.
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

// twoThreads reports whether no third goroutine is in it.
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

// stepOf returns which step of the target from the due one on a way would be, -1 if none.
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
		s.sites[trace.Site(a.Site)] = true
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

// Result implements explore.Strategy. It does not say how far it came: it never ends.
func (s *Strategy) Result() explore.Result { return s.result }
