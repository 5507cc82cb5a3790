package predict

import (
	"slices"

	"heddle/trace"
)

// Misuse of a WaitGroup. The counter must be above zero from the first Add to the last Done, and an
// Add at zero must happen before every Wait. The order relation of the graph is of no use for that,
// since there a Wait comes after everything before it in the trace: the solver counts.

var (
	// EarlyWait is a Wait that may return before an Add that came before it in the trace. The Add,
	// from zero, is then concurrent with the Wait; if it was meant for the next round, the
	// WaitGroup is reused before the Wait has returned.
	EarlyWait = &Pattern{Name: "Wait before Add", Kind: "misuse"}
	// Negative is a Done that may come before its Add.
	Negative = &Pattern{Name: "negative counter", Kind: "misuse"}
)

// maxNear bounds the operations on each side of one that are combined with it.
const maxNear = 64

// WaitGroups returns misuses of WaitGroups that another order may show.
func (g *Graph) WaitGroups() []Candidate {
	c := &collection{t: g.Trace}
	g.Limit.Within(func() { c.waitGroups(g, g.waiting()) })
	return c.out
}

func (c *collection) waitGroups(g *Graph, w *waits) {
	type uses struct{ waits, adds, dones []int32 }
	by := map[trace.ObjID]*uses{}
	var objs []trace.ObjID
	for i := range g.Trace.Events {
		g.Limit.Check()
		e := &g.Trace.Events[i]
		if e.Op != trace.OpWGAdd && e.Op != trace.OpWGWait || e.Quiet || e.Step < 0 {
			continue
		}
		u := by[e.Obj]
		if u == nil {
			u = new(uses)
			by[e.Obj] = u
			objs = append(objs, e.Obj)
		}
		switch {
		case e.Op == trace.OpWGWait:
			u.waits = append(u.waits, int32(i))
		case e.Arg > 0:
			u.adds = append(u.adds, int32(i))
		case e.Arg < 0:
			u.dones = append(u.dones, int32(i))
		}
	}
	for _, o := range objs {
		u := by[o]
		for _, wait := range u.waits {
			g.Limit.Check()
			for _, add := range around(u.adds, wait, maxNear) {
				if w.together(wait, add) {
					c.add(Anomaly{Pattern: EarlyWait, Events: []int32{wait, add}})
				}
			}
		}
		if w.eachAdded(u.adds, u.dones) {
			continue
		}
		for _, done := range u.dones {
			if slices.ContainsFunc(around(u.adds, done, maxNear), func(a int32) bool {
				return a < done &&
					!w.mustBefore(a, done)
			}) {
				c.add(Anomaly{Pattern: Negative, Events: []int32{done}})
			}
		}
	}
}

// eachAdded reports whether each Done has an Add of its own that must come before it: the counter
// is never below zero then, whatever the order. adds and dones are in the order of the trace.
func (w *waits) eachAdded(adds, dones []int32) bool {
	by := make(map[trace.GID]*tally)
	for _, a := range adds {
		g := w.events[a].G
		if by[g] == nil {
			by[g] = new(tally)
		}
		by[g].add(a, w.events[a].Arg)
	}
	for _, d := range dones {
		need := -w.events[d].Arg
		for g, before := w.events[d].G, d; need > 0; g = w.events[before].G {
			if t := by[g]; t != nil {
				need -= t.take(before, need)
			}
			if before = w.births[g]; before < 0 {
				break
			}
		}
		if need > 0 {
			return false
		}
	}
	return true
}

// A tally has the Adds of one goroutine, and what is left of each.
type tally struct {
	at   []int32
	left []int64
	last []int // by Add: the last one up to it, or near it, of which something is left; -1: none
}

func (t *tally) add(event int32, n int64) {
	t.last = append(t.last, len(t.at))
	t.at, t.left = append(t.at, event), append(t.left, n)
}

// take takes up to n from the latest Adds before an event, and returns how much.
func (t *tally) take(before int32, n int64) (taken int64) {
	i, _ := slices.BinarySearch(t.at, before)
	for i = t.upTo(i - 1); i >= 0 && taken < n; i = t.upTo(i) {
		k := min(n-taken, t.left[i])
		taken += k
		if t.left[i] -= k; t.left[i] == 0 {
			t.last[i] = i - 1
		}
	}
	return taken
}

// upTo returns the last Add up to i of which something is left, or -1.
func (t *tally) upTo(i int) int {
	for i >= 0 && t.last[i] != i {
		if j := t.last[i]; j >= 0 {
			t.last[i] = t.last[j]
		}
		i = t.last[i]
	}
	return i
}

// A collection gathers anomalies of events into candidates, by their sites.
type collection struct {
	t     *trace.Trace
	out   []Candidate
	known map[string]int // index in out, plus 1
}

func (c *collection) add(a Anomaly) {
	var sites []trace.Site
	key := []byte(a.Pattern.Name)
	for _, e := range a.Events {
		x := c.t.Events[e].Site
		sites = append(sites, x)
		for range 8 {
			key = append(key, byte(x))
			x >>= 8
		}
	}
	if a.Take != nil {
		key = append(key, byte(a.Take.Case), byte(a.Take.Case>>8))
	}
	if c.known == nil {
		c.known = make(map[string]int)
	}
	i := c.known[string(key)]
	if i == 0 {
		c.out = append(c.out, Candidate{Pattern: a.Pattern, Sites: sites})
		i = len(c.out)
		c.known[string(key)] = i
	}
	if o := &c.out[i-1]; len(o.Instances) < maxInstances {
		o.Instances = append(o.Instances, a)
	}
}
