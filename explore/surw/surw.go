// Package surw is the selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury,
// "Selectively Uniform Concurrency Testing", ASPLOS 2025).
//
// A random walk that chooses among goroutines with equal odds prefers interleavings in which short
// goroutines are early. If each goroutine is chosen with odds proportional to how many events it
// still has, all interleavings of goroutines that never wait are equally likely: that is how many
// interleavings begin with it. The events of goroutines that were not started yet count for the
// goroutine that starts them. How many events a goroutine has is not known before an execution: it
// is estimated by its mean in the executions before.
//
// With many events even a uniform sample of all interleavings is thin. So each execution selects
// some events, here the operations on one object that several goroutines use, and samples uniformly
// among the interleavings of these alone: the goroutine with the next selected event is drawn by
// how many of these each goroutine still has; the others are held at theirs, and go on at random
// until then.
//
// We differ in one thing: where all goroutines that can go on are held, since the drawn one waits,
// another is drawn.
package surw

import (
	"slices"

	"heddle/explore"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// A Strategy is one exploration. It implements explore.Strategy and trace.Guide, and never ends.
type Strategy struct {
	rng    splitmix.Stream
	all    bool // all events are selected
	result explore.Result
	s      trace.Schedule

	// What the executions so far were like.
	ids     map[string]int // goroutines by name
	parents []int          // of each, -1 for main
	counts  []map[trace.Site]float64
	objects [][]trace.Site // of each object that several goroutines used: where
	known   map[string]bool

	// Of the execution that is made.
	selected map[trace.Site]bool // nil: all
	of       []int               // the goroutine of each trace.GID
	left     []float64           // selected events that each goroutine still has, more or less
	rest     []float64           // and others
	started  []bool
	steps    int // steps that were counted
	next     int // the goroutine that has the next selected event; -1: not drawn
}

// New returns a strategy that has executed nothing yet. all: every event is selected.
func New(seed uint64, all bool) *Strategy {
	return &Strategy{rng: splitmix.Stream(seed), all: all, ids: map[string]int{}, known: map[string]bool{}}
}

// Next implements explore.Strategy. The first execution is one without preemptions, to count.
func (s *Strategy) Next() *trace.Schedule {
	s.s = trace.Schedule{Policy: "first", Exhaustive: true}
	if s.result.Executions == 0 {
		return &s.s
	}
	s.s.Seed, s.s.Guide = s.rng.Next()|1, s
	s.selected = nil
	if n := len(s.objects); n > 0 && !s.all {
		s.selected = map[trace.Site]bool{}
		for _, x := range s.objects[s.below(n)] {
			s.selected[x] = true
		}
	}
	s.of, s.steps, s.next = s.of[:0], 0, -1
	n := len(s.ids)
	s.left, s.rest, s.started = make([]float64, n), make([]float64, n), make([]bool, n)
	for id, sites := range s.counts {
		for x, n := range sites {
			if mean := n / float64(s.result.Executions); s.selects(x) {
				s.left[id] += mean
			} else {
				s.rest[id] += mean
			}
		}
	}
	return &s.s
}

func (s *Strategy) below(n int) int { return int(s.rng.Next() >> 1 % uint64(n)) }

// uniform returns a number from 0 to 1, without 1.
func (s *Strategy) uniform() float64 { return float64(s.rng.Next()>>11) / (1 << 53) }

func (s *Strategy) selects(x trace.Site) bool { return s.selected == nil || s.selected[x.Plain()] }

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, _ trace.GID, ways []trace.Way) int {
	s.see(t)
	held := func(w *trace.Way) bool { return s.selected != nil && s.selects(w.Site) && s.of[w.G] != s.next }
	if s.next < 0 {
		s.next = s.draw(s.live())
	}
	free := s.goroutines(ways, func(w *trace.Way) bool { return !held(w) })
	if len(free) == 0 { // the one that was drawn cannot go on
		free = s.goroutines(ways, func(*trace.Way) bool { return true })
		s.next = s.draw(free)
		free = []int{s.next}
	}
	g := s.walk(free)
	var mine []int
	for i := range ways {
		if s.of[ways[i].G] == g && !held(&ways[i]) {
			mine = append(mine, i)
		}
	}
	return mine[s.below(len(mine))]
}

// see counts what was done since it was called last.
func (s *Strategy) see(t *trace.Trace) {
	for g := len(s.of); g < len(t.Goroutines); g++ {
		id := s.id(t, trace.GID(g))
		s.of = append(s.of, id)
		s.started[id] = true
	}
	for ; s.steps < len(t.Steps); s.steps++ {
		st := &t.Steps[s.steps]
		if id := s.of[st.G]; s.selects(st.Site) {
			s.left[id]--
			s.next = -1
		} else {
			s.rest[id]--
		}
	}
}

// id returns the number of a goroutine.
func (s *Strategy) id(t *trace.Trace, g trace.GID) int {
	name := t.Name(g)
	id, ok := s.ids[name]
	if !ok {
		id = len(s.ids)
		s.ids[name] = id
		parent := -1
		if p := t.Goroutines[g].Parent; p != trace.NoG {
			parent = s.id(t, p)
		}
		s.parents, s.counts = append(s.parents, parent), append(s.counts, map[trace.Site]float64{})
	}
	for len(s.left) < len(s.ids) {
		s.left, s.rest, s.started = append(s.left, 0), append(s.rest, 0), append(s.started, false)
	}
	return id
}

// live returns the goroutines that were started.
func (s *Strategy) live() (ids []int) {
	for id, yes := range s.started {
		if yes {
			ids = append(ids, id)
		}
	}
	return ids
}

// goroutines returns those that have one of such ways to go on, in their order.
func (s *Strategy) goroutines(ways []trace.Way, such func(*trace.Way) bool) (ids []int) {
	for i := range ways {
		if id := s.of[ways[i].G]; such(&ways[i]) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// least is the weight of a goroutine that has had all events it was expected to have.
const least = 0.25

// draw draws one of some goroutines by how many selected events they still have, with those that
// they will start.
func (s *Strategy) draw(ids []int) int { return s.byWeight(ids, s.withUnstarted(s.left)) }

// walk draws one of some goroutines that can go on: by how many events they still have.
func (s *Strategy) walk(ids []int) int {
	if s.selected == nil {
		return s.byWeight(ids, s.withUnstarted(s.left))
	}
	return s.byWeight(ids, s.withUnstarted(s.rest))
}

func (s *Strategy) byWeight(ids []int, weights []float64) int {
	sum := 0.0
	for _, id := range ids {
		sum += max(weights[id], least)
	}
	x := s.uniform() * sum
	for _, id := range ids {
		if x -= max(weights[id], least); x < 0 {
			return id
		}
	}
	return ids[len(ids)-1]
}

// withUnstarted adds what goroutines have that were not started yet to the ones that start them.
func (s *Strategy) withUnstarted(of []float64) []float64 {
	sum := make([]float64, len(of))
	for id, n := range of {
		at := id
		for !s.started[at] && s.parents[at] >= 0 {
			at = s.parents[at]
		}
		sum[at] += max(n, 0)
	}
	return sum
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	for i := range t.Steps {
		s.counts[s.id(t, t.Steps[i].G)][t.Steps[i].Site.Plain()]++
	}
	type use struct {
		sites  []trace.Site
		by     trace.GID
		shared bool
	}
	uses := map[trace.ObjID]*use{}
	var order []*use
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Obj == 0 || e.Step < 0 {
			continue
		}
		u := uses[e.Obj]
		if u == nil {
			u = &use{by: e.G}
			uses[e.Obj] = u
			order = append(order, u)
		}
		u.shared = u.shared || u.by != e.G
		if x := t.Steps[e.Step].Site.Plain(); !slices.Contains(u.sites, x) {
			u.sites = append(u.sites, x)
		}
	}
	for _, u := range order {
		s.add(u.sites, u.shared)
	}
}

// mostObjects bounds the sets of sites that are drawn from.
const mostObjects = 1000

// add notes where an object was used.
func (s *Strategy) add(sites []trace.Site, shared bool) {
	if !shared || len(s.objects) == mostObjects {
		return
	}
	slices.Sort(sites)
	var key []byte
	for _, x := range sites {
		for range 8 {
			key = append(key, byte(x))
			x >>= 8
		}
	}
	if !s.known[string(key)] {
		s.known[string(key)] = true
		s.objects = append(s.objects, sites)
	}
}

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result { return s.result }
