package predict

import "heddle/trace"

// A Director brings the goroutines of an anomaly to its events one after the other, whatever they
// do on the way. It is for anomalies without a fitting schedule: in another order of the events the
// goroutines do other things between them. The goroutine whose event is due runs as long as it can;
// then the goroutines outside the anomaly run, then the others, except for accesses that would be
// events out of turn. An execution that takes much longer than the recorded one is given up. The
// caller judges the result of the execution. A Director is a trace.Guide of one execution, without
// randomness.
type Director struct {
	t    *Tester
	gs   []string // by event: its goroutine's name
	skip int      // how often the first event's goroutine passes its site before it counts
	left int      // number of steps left

	// After, if not 0, bounds the steps after the last event.
	After int
}

// NewDirector returns a director for a, an anomaly of g with events: a race or an instance of a
// pattern. With exact, the first event is the access with the same index at its site as in the
// trace, and otherwise the first access there.
func NewDirector(g *Graph, a *Anomaly, exact bool) *Director {
	d := &Director{t: NewTester(g, a, 0), left: 4*len(g.Trace.Steps) + 1000}
	for _, n := range a.Nodes {
		d.gs = append(d.gs, g.Trace.Name(g.Nodes[n].G))
	}
	if first := &g.Nodes[a.Nodes[0]]; exact {
		for _, n := range g.seqs[first.G][:first.Pos] {
			if g.Nodes[n].Site == first.Site && g.Nodes[n].Op == first.Op {
				d.skip++
			}
		}
	}
	return d
}

// Choose implements trace.Guide.
func (d *Director) Choose(t *trace.Trace, prev trace.GID, ways []trace.Way) int {
	if d.left--; d.left < 0 {
		return -1 // a goroutine loops without end
	}
	best, rank := 0, unwanted+1
	for i := range ways {
		r := d.rank(t, &ways[i])
		if r < rank || r == rank && (ways[i].G == prev) == (r != yielding) {
			best, rank = i, r
		}
	}
	w := &ways[best]
	if d.due(t, w) {
		if d.t.due == 0 && d.skip > 0 {
			d.skip--
		} else {
			e := &d.t.events[d.t.due]
			d.t.actor[e.T], d.t.loc[e.SV] = w.G, w.Obj
			d.t.due++
			if d.t.due == len(d.gs) && d.After > 0 {
				d.left = d.After
			}
		}
	}
	return best
}

// Priorities of goroutines, highest first.
const (
	dueNow = iota // the goroutine whose event is due
	outside
	inside
	yielding // a goroutine that polls lets others run
	unwanted
)

func (d *Director) rank(t *trace.Trace, w *trace.Way) int {
	switch {
	case w.Op == trace.OpGosched:
		return yielding
	case d.t.due == len(d.gs):
		return outside
	}
	name := t.Name(w.G)
	if name == d.gs[d.t.due] {
		return dueNow
	}
	for k := d.t.due + 1; k < len(d.gs); k++ {
		if name != d.gs[k] {
			continue
		}
		if d.t.is(k, w) {
			return unwanted
		}
		return inside
	}
	return outside
}

// due reports whether w is the event that is due.
func (d *Director) due(t *trace.Trace, w *trace.Way) bool {
	return d.t.due < len(d.gs) && d.t.inTurn(w) && t.Name(w.G) == d.gs[d.t.due]
}
