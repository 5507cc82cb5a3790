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
	"encoding/binary"
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
	sites   map[trace.Site]int
	counts  [][]float64 // steps of each goroutine by site
	objects [][]int     // sites of each object that several goroutines used
	known   map[string]bool

	// Of the execution that is made.
	every    bool         // all sites are selected
	selected []bool       // by site; sites that are not known yet are not selected
	of       []int        // the goroutine of each trace.GID
	left     []float64    // selected events that each goroutine still has, more or less
	rest     []float64    // and others
	later    [2][]float64 // the same of goroutines that were not started, at the one that will start them
	started  []bool
	running  []int // goroutines that were started
	steps    int   // steps that were counted
	next     int   // the goroutine that has the next selected event; -1: not drawn

	// Scratch.
	free []int
	mine []int
}

// New returns a strategy that has executed nothing yet. all: every event is selected.
func New(seed uint64, all bool) *Strategy {
	return &Strategy{rng: splitmix.Stream(seed), all: all, ids: map[string]int{}, sites: map[trace.Site]int{},
		known: map[string]bool{}}
}

// Next implements explore.Strategy. The first execution is one without preemptions, to count.
func (s *Strategy) Next() *trace.Schedule {
	s.s = trace.Schedule{Policy: "first", Exhaustive: true}
	if s.result.Executions == 0 {
		return &s.s
	}
	s.s.Seed, s.s.Guide = s.rng.Next()|1, s
	s.selected = cleared(s.selected, len(s.sites))
	if n := len(s.objects); n > 0 && !s.all {
		s.every = false
		for _, x := range s.objects[s.below(n)] {
			s.selected[x] = true
		}
	} else {
		s.every = true
	}
	s.of, s.running, s.steps, s.next = s.of[:0], s.running[:0], 0, -1
	n := len(s.ids)
	s.left, s.rest, s.started = cleared(s.left, n), cleared(s.rest, n), cleared(s.started, n)
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

// cleared returns n zero values, in the memory of list if there is enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n, 2*n)
	}
	list = list[:n]
	clear(list)
	return list
}

func (s *Strategy) below(n int) int { return int(s.rng.Next() >> 1 % uint64(n)) }

// uniform returns a number from 0 to 1, without 1.
func (s *Strategy) uniform() float64 { return float64(s.rng.Next()>>11) / (1 << 53) }

// selects reports whether the events at a site are selected; -1 is a site that is not known.
func (s *Strategy) selects(site int) bool {
	return s.every || site >= 0 && site < len(s.selected) && s.selected[site]
}

// site returns the number of a site, -1 if it is not known.
func (s *Strategy) site(x trace.Site) int {
	if n, ok := s.sites[x.Plain()]; ok {
		return n
	}
	return -1
}

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, _ trace.GID, ways []trace.Way) int {
	s.see(t)
	if s.next < 0 {
		s.next = s.draw(s.running, 0)
	}
	s.open(ways, true)
	if len(s.free) == 0 { // the one that was drawn cannot go on
		s.open(ways, false)
		s.next = s.draw(s.free, 0)
		s.free = append(s.free[:0], s.next)
	}
	kind := 1
	if s.every {
		kind = 0
	}
	g := s.draw(s.free, kind)
	s.mine = s.mine[:0]
	for i := range ways {
		if s.of[ways[i].G] == g && !s.held(&ways[i]) {
			s.mine = append(s.mine, i)
		}
	}
	return s.mine[s.below(len(s.mine))]
}

// held reports whether a way is held back: it is selected, and another goroutine's turn.
func (s *Strategy) held(w *trace.Way) bool {
	return !s.every && s.of[w.G] != s.next && s.selects(s.site(w.Site))
}

// open sets free to the goroutines that have a way to go on, in their order; unheld: one that is
// not held back. The ways of a goroutine are side by side.
func (s *Strategy) open(ways []trace.Way, unheld bool) {
	s.free = s.free[:0]
	last := -1
	for i := range ways {
		if id := s.of[ways[i].G]; id != last && !(unheld && s.held(&ways[i])) {
			s.free, last = append(s.free, id), id
		}
	}
}

// see counts what was done since it was called last.
func (s *Strategy) see(t *trace.Trace) {
	if len(s.of) < len(t.Goroutines) {
		for g := len(s.of); g < len(t.Goroutines); g++ {
			id := s.id(t, trace.GID(g))
			s.of = append(s.of, id)
			if !s.started[id] {
				s.started[id] = true
				s.running = append(s.running, id)
			}
		}
		s.attribute()
	}
	for ; s.steps < len(t.Steps); s.steps++ {
		st := &t.Steps[s.steps]
		if id := s.of[st.G]; s.selects(s.site(st.Site)) {
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
		s.parents, s.counts = append(s.parents, -1), append(s.counts, nil)
		if p := t.Goroutines[g].Parent; p != trace.NoG {
			parent := s.id(t, p)
			s.parents[id] = parent
		}
	}
	for len(s.left) < len(s.ids) {
		s.left, s.rest, s.started = append(s.left, 0), append(s.rest, 0), append(s.started, false)
	}
	return id
}

// attribute sets later: what goroutines have that were not started yet counts for the ones that
// start them.
func (s *Strategy) attribute() {
	for i, of := range [2][]float64{s.left, s.rest} {
		s.later[i] = cleared(s.later[i], len(of))
		for id, n := range of {
			at := id
			for !s.started[at] && s.parents[at] >= 0 {
				at = s.parents[at]
			}
			if at != id {
				s.later[i][at] += max(n, 0)
			}
		}
	}
}

// least is the weight of a goroutine that has had all events it was expected to have.
const least = 0.25

// draw draws one of some goroutines by how many events they still have, with those that they will
// start: selected ones (kind 0) or others (1).
func (s *Strategy) draw(ids []int, kind int) int {
	of, later := s.left, s.later[kind]
	if kind == 1 {
		of = s.rest
	}
	weight := func(id int) float64 { return max(max(of[id], 0)+later[id], least) }
	sum := 0.0
	for _, id := range ids {
		sum += weight(id)
	}
	x := s.uniform() * sum
	for _, id := range ids {
		if x -= weight(id); x < 0 {
			return id
		}
	}
	return ids[len(ids)-1]
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	of := make([]int, len(t.Goroutines))
	for g := range of {
		of[g] = s.id(t, trace.GID(g))
	}
	at := make([]int, len(t.Steps)) // sites
	for i := range t.Steps {
		x := t.Steps[i].Site.Plain()
		n, ok := s.sites[x]
		if !ok {
			n = len(s.sites)
			s.sites[x] = n
		}
		at[i] = n
		counts := &s.counts[of[t.Steps[i].G]]
		for len(*counts) <= n {
			*counts = append(*counts, 0)
		}
		(*counts)[n]++
	}
	type use struct {
		sites  []int
		by     trace.GID
		shared bool
	}
	uses := make([]use, len(t.Objects))
	var order []trace.ObjID
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Obj <= 0 || int(e.Obj) >= len(uses) || e.Step < 0 {
			continue
		}
		u := &uses[e.Obj]
		if u.sites == nil {
			u.by = e.G
			order = append(order, e.Obj)
		}
		u.shared = u.shared || u.by != e.G
		if x := at[e.Step]; !slices.Contains(u.sites, x) {
			u.sites = append(u.sites, x)
		}
	}
	for _, o := range order {
		s.add(uses[o].sites, uses[o].shared)
	}
}

// mostObjects bounds the sets of sites that are drawn from.
const mostObjects = 1000

// add notes where an object was used.
func (s *Strategy) add(sites []int, shared bool) {
	if !shared || len(s.objects) == mostObjects {
		return
	}
	slices.Sort(sites)
	var key []byte
	for _, x := range sites {
		key = binary.AppendUvarint(key, uint64(x))
	}
	if !s.known[string(key)] {
		s.known[string(key)] = true
		s.objects = append(s.objects, sites)
	}
}

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result { return s.result }
