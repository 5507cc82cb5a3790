package predict

import "heddle/trace"

// OtherCase is a select that may take another case, or its default, so that its partner in the
// trace finds none.
var OtherCase = &Pattern{Name: "another case of a select", Kind: "leak"}

// A Take is another outcome of a select, which is the last event of its goal.
type Take struct {
	Case  int16 // index + 1 of the case; 0: the default
	Meets bool  // its partner is the goroutine at the goal's first event, over a channel without a buffer
	Polls bool  // the select has a default
}

// Leaks returns the selects of the trace whose partner, over a channel without a buffer, may be
// left alone: another case could be taken as well, or the select polls and could have come first.
func (g *Graph) Leaks() []Candidate {
	c := &collection{t: g.Trace}
	g.Limit.Within(func() { c.leaks(g, g.waiting()) })
	return c.out
}

func (c *collection) leaks(g *Graph, w *waits) {
	for i := range g.Trace.Events {
		g.Limit.Check()
		e := &g.Trace.Events[i]
		if e.Op != trace.OpSend && e.Op != trace.OpRecv || e.Quiet || e.Partner < 0 ||
			g.Trace.Events[e.Partner].Step != e.Step {
			continue
		}
		if w.polls(e.Partner) {
			continue // the partner polls: it is not left
		}
		cases := w.casesOf(int32(i))
		if len(cases) > 0 && cases[0].Poll {
			c.add(Anomaly{Pattern: OtherCase, Events: []int32{int32(i)}, Take: &Take{Polls: true}})
		}
		for _, o := range cases {
			if o.Obj != 0 && o.Obj != e.Obj && o.Case > 0 {
				c.others(w, int32(i), o)
			}
		}
	}
}

// others adds the ways in which the select of event i takes case o.
func (c *collection) others(w *waits, i int32, o trace.Offer) {
	side := helpReceiver
	if o.Send {
		side = helpSender
	}
	for _, h := range w.helps[helpKey{o.Obj, side}] {
		if h.g == c.t.Events[i].G {
			continue
		}
		for _, x := range around(h.at, i, maxInstances) {
			if w.mustBefore(i, x) {
				continue
			}
			meets := c.t.Events[x].Op != trace.OpClose && c.t.Objects[o.Obj].Cap == 0
			if meets && w.polls(x) {
				continue
			}
			c.add(Anomaly{Pattern: OtherCase, Events: []int32{x, i}, Take: &Take{Case: o.Case, Meets: meets,
				Polls: o.Poll}})
		}
	}
}

// take appends the step in which the last event of goal, a select, has the outcome goal.Take. ids
// are the numbers of goroutines in o.
func (s *Solver) take(o *trace.Schedule, ids []trace.GID, goal Goal) {
	t := goal.Take
	a := s.problem.Side(int(s.inThin[goal.Events[len(goal.Events)-1]]))
	st := trace.Step{G: ids[a.G], Op: trace.OpSelect, Choice: -1, Site: a.Site, Case: t.Case}
	if t.Meets {
		b := s.problem.Side(int(s.inThin[goal.Events[0]]))
		st.With, st.WithCase = int32(ids[b.G])+1, b.Case
		if b.Send && !t.Polls { // the sender makes the step
			st = trace.Step{G: ids[b.G], Op: b.Op, Choice: -1, Site: b.Site, With: int32(ids[a.G]) + 1,
				Case: b.Case, WithCase: t.Case}
		}
	}
	o.Steps = append(o.Steps, st)
}
