// Package rff is greybox fuzzing of schedules by what reads from where (Wolff, Shi, Duck, Mathur
// and Roychoudhury, "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024).
//
// An abstract schedule is a set of constraints: at this place in the source an operation reads what
// was written at that place, or it does not. Executions are fuzzed by mutating abstract schedules.
// One that shows a pair of a write and a read that no execution had shown, or pairs in a new
// combination, is kept. A kept one is mutated the more often the rarer its combination is, and not
// at all while it is more frequent than the mean.
//
//	kept ──► choose (power schedule) ──► mutate ──► execute, the guide holds back what breaks a constraint
//	  ▲                                                │
//	  └───────── new pairs, new combination? ◄─────────┘
//
// Where the paper has memory and locks, every operation on an object counts here that is a
// scheduling point: what it reads from is the last operation before it that changed the object.
// Beneath the constraints goroutines go on by partial order sampling, as in the paper (see package
// policy, pos).
package rff

import (
	"slices"

	"heddle/explore"
	"heddle/model"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// A pair is a place where something is read, with the place where it was written; 0: nowhere, it is
// what the object began with.
type pair struct{ read, write trace.Site }

// A constraint is a pair that is to be seen, or not.
type constraint struct {
	pair
	not bool
}

// An abstract schedule is kept with the combination of pairs that it led to.
type kept struct {
	constraints []constraint
	combination uint64
	chosen      int // how often it was chosen
	energy      int // how often it is still to be mutated before the next one's turn
}

const (
	mostConstraints = 12
	mostEnergy      = 64
	mostKept        = 10_000
)

// A Strategy is one exploration. It implements explore.Strategy and trace.Guide, and never ends.
type Strategy struct {
	rng    splitmix.Stream
	result explore.Result
	s      trace.Schedule

	kept    []kept
	turn    int // of kept, whose turn it is
	seen    map[pair]bool
	often   map[uint64]int // executions of each combination
	reads   []trace.Site   // places where something is read
	writers map[trace.Site][]trace.Site

	// Of the execution that is made.
	constraints []constraint
	events      int
	last        map[trace.ObjID]trace.Site // where each object was changed last
	had         map[trace.Site]bool        // places that it has come to
	odds        []odds                     // by goroutine
	held        int                        // choices that the constraints narrowed, in this execution
}

// odds are the priority of a goroutine's pending operation.
type odds struct {
	has bool
	at  uint64
}

// New returns a strategy that has executed nothing yet.
func New(seed uint64) *Strategy {
	return &Strategy{
		rng: splitmix.Stream(seed), kept: []kept{{}}, seen: map[pair]bool{}, often: map[uint64]int{},
		writers: map[trace.Site][]trace.Site{}, last: map[trace.ObjID]trace.Site{},
		had: map[trace.Site]bool{},
	}
}

func (s *Strategy) below(n int) int { return int(s.rng.Next() >> 1 % uint64(n)) }

// Next implements explore.Strategy. The first execution has no constraints.
func (s *Strategy) Next() *trace.Schedule {
	s.constraints = s.mutate(s.choose())
	s.events, s.odds, s.held = 0, s.odds[:0], 0
	clear(s.last)
	clear(s.had)
	s.s = trace.Schedule{Policy: "first", Exhaustive: true, Seed: s.rng.Next() | 1, Guide: s}
	return &s.s
}

// choose returns the abstract schedule whose turn it is (AFLFast's power schedule with a cut-off,
// as in the paper).
func (s *Strategy) choose() []constraint {
	if k := &s.kept[s.turn]; k.energy > 0 {
		k.energy--
		return k.constraints
	}
	mean := float64(s.result.Executions) / float64(max(len(s.often), 1))
	for range s.kept {
		s.turn = (s.turn + 1) % len(s.kept)
		k := &s.kept[s.turn]
		if float64(s.often[k.combination]) > mean {
			continue
		}
		k.energy = min(1<<min(k.chosen, 30), mostEnergy) - 1
		k.chosen++
		return k.constraints
	}
	return s.kept[s.turn].constraints
}

// mutate returns constraints with one more, one less, one that is turned round, or one that has
// another writer.
func (s *Strategy) mutate(of []constraint) []constraint {
	cs := slices.Clone(of)
	if len(s.reads) == 0 {
		return cs
	}
	read := func(c *constraint) { c.write = s.writers[c.read][s.below(len(s.writers[c.read]))] }
	add := func() {
		c := constraint{not: s.below(2) == 0}
		c.read = s.reads[s.below(len(s.reads))]
		read(&c)
		cs = slices.DeleteFunc(cs, func(d constraint) bool {
			return d.pair == c.pair || !d.not && !c.not && d.read == c.read
		})
		cs = append(cs, c)
	}
	if len(cs) == 0 {
		add()
		return cs
	}
	switch i := s.below(len(cs)); s.below(4) {
	case 0:
		if len(cs) < mostConstraints {
			add()
		}
	case 1:
		cs = slices.Delete(cs, i, i+1)
	case 2:
		cs[i].not = !cs[i].not
	case 3:
		read(&cs[i])
	}
	return cs
}

// changes reports whether an operation can change its object: two of those that only look commute.
func changes(op trace.Op) bool { return model.MayConflict(op, op) }

// looks reports whether what comes of an operation depends on its object.
func looks(op trace.Op) bool { return op != trace.OpWrite && op != trace.OpAtomicStore }

// mostHeld is how many choices the constraints of an execution narrow at most: a loop may end
// only after a case that they forbid.
const mostHeld = 4096

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, _ trace.GID, ways []trace.Way) int {
	for ; s.events < len(t.Events); s.events++ {
		e := &t.Events[s.events]
		if e.Quiet || e.Obj == 0 {
			continue
		}
		if s.had[e.Site.Plain()] = true; changes(e.Op) {
			s.last[e.Obj] = e.Site.Plain()
		}
	}
	best, same, narrowed := -1, 0, false
	for _, allowed := range []bool{true, false} {
		for i := range ways {
			if allowed && s.held < mostHeld && s.breaks(&ways[i]) {
				narrowed = true
				continue
			}
			if best >= 0 && ways[i].G == ways[best].G { // cases of a select are drawn, as Go does
				if same++; s.below(same) == 0 {
					best = i
				}
			} else if best < 0 || s.priority(&ways[i]) > s.priority(&ways[best]) {
				best, same = i, 1
			}
		}
		if best >= 0 {
			break
		}
	}
	if narrowed {
		s.held++
	}
	w := &ways[best]
	for i := range ways {
		if v := &ways[i]; v.G != w.G && v.Obj == w.Obj && v.Obj != 0 && (changes(v.Op) || changes(w.Op)) {
			s.forget(v.G)
		}
	}
	s.forget(w.G)
	return best
}

// forget lets a goroutine draw a priority anew.
func (s *Strategy) forget(g trace.GID) {
	if int(g) < len(s.odds) {
		s.odds[g].has = false
	}
}

// priority returns that of a way: a goroutine's operation keeps it until something that conflicts
// with it was done.
func (s *Strategy) priority(w *trace.Way) uint64 {
	for int(w.G) >= len(s.odds) {
		s.odds = append(s.odds, odds{})
	}
	o := &s.odds[w.G]
	if !o.has {
		*o = odds{has: true, at: s.rng.Next()}
	}
	return o.at
}

// breaks reports whether a way breaks a constraint: it reads what it is not to read, or it changes
// what is as it is to be read, and was not read yet.
func (s *Strategy) breaks(w *trace.Way) bool {
	if w.Obj == 0 {
		return false
	}
	at := w.Site.Plain()
	for _, c := range s.constraints {
		met := (s.last[w.Obj] == c.write) != c.not // by a read now
		if at == c.read && looks(w.Op) && !met {
			return true
		}
		spoils := at != c.read && changes(w.Op) && (at == c.write) == c.not
		if met && spoils && !s.had[c.read] && slices.Contains(s.writers[c.read], at) {
			return true
		}
	}
	return false
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	fresh, combination := s.read(t)
	if s.often[combination]++; (fresh || s.often[combination] == 1) && len(s.kept) < mostKept {
		s.kept = append(s.kept, kept{constraints: s.constraints, combination: combination})
	}
}

// read takes the pairs of an execution: whether one is new, and a hash of them all.
func (s *Strategy) read(t *trace.Trace) (fresh bool, combination uint64) {
	last, had := map[trace.ObjID]trace.Site{}, map[pair]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Obj == 0 || e.Step < 0 {
			continue
		}
		at := e.Site.Plain()
		if looks(e.Op) {
			if p := (pair{at, last[e.Obj]}); !had[p] {
				had[p] = true
				combination += splitmix.Mix(splitmix.Mix(uint64(p.read)) ^ uint64(p.write))
				fresh = s.note(p) || fresh
			}
		}
		if changes(e.Op) {
			last[e.Obj] = at
		}
	}
	// What one place writes to an object every place may read that reads the object.
	sites := map[trace.ObjID][2][]trace.Site{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Obj == 0 || e.Step < 0 {
			continue
		}
		u := sites[e.Obj]
		if at := e.Site.Plain(); looks(e.Op) && !slices.Contains(u[0], at) {
			u[0] = append(u[0], at)
		}
		if at := e.Site.Plain(); changes(e.Op) && !slices.Contains(u[1], at) {
			u[1] = append(u[1], at)
		}
		sites[e.Obj] = u
	}
	for id := range t.Objects { // in their order, not the map's
		u := sites[trace.ObjID(id)]
		for _, r := range u[0] {
			for _, w := range u[1] {
				s.may(pair{r, w})
			}
		}
	}
	return fresh, combination
}

// note notes a pair that was seen, and reports whether it is new.
func (s *Strategy) note(p pair) bool {
	s.may(p)
	fresh := !s.seen[p]
	s.seen[p] = true
	return fresh
}

// may notes a pair that may be seen.
func (s *Strategy) may(p pair) {
	if s.writers[p.read] == nil {
		s.reads = append(s.reads, p.read)
	}
	if !slices.Contains(s.writers[p.read], p.write) {
		s.writers[p.read] = append(s.writers[p.read], p.write)
	}
}

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result { return s.result }
