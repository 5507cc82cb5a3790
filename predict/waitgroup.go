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
	g.Limit.Within(func() { c.waitGroups(g, newWaits(g)) })
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
