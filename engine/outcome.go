package engine

import (
	"heddle/rt/wire"
	"heddle/trace"
)

// A chosen is the case of a select that an event completes.
type chosen struct {
	n  int // from 0
	of int // how many cases wait beside it, itself included; 0: n counts all cases
}

// chosenCases returns, by the index of a send or receive, the case of its select. A select that
// waits arrives at each of its cases; nil channels are not among them.
func chosenCases(t *trace.Trace) map[int]chosen {
	cases := map[int]chosen{}
	arrived := map[trace.GID][]*trace.Event{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op == trace.OpArrive {
			if as := arrived[e.G]; len(as) > 0 && as[0].Site.Loud() != e.Site.Loud() {
				arrived[e.G] = nil
			}
			arrived[e.G] = append(arrived[e.G], e)
			continue
		}
		if e.Op == trace.OpSend || e.Op == trace.OpRecv {
			if c, ok := caseOf(t, e, arrived[e.G]); ok {
				cases[i] = c
			}
		}
		if e.Op == trace.OpSelect && i+1 < len(t.Events) && e.Arg >= 0 {
			cases[i+1] = chosen{n: int(e.Arg)}
		}
		if e.Op != trace.OpResume {
			delete(arrived, e.G)
		}
	}
	return cases
}

// caseOf returns the case that a send or receive completes, by its step or by what its goroutine
// has arrived at.
func caseOf(t *trace.Trace, e *trace.Event, arrived []*trace.Event) (c chosen, ok bool) {
	if k := int(e.Step); k >= 0 && k < len(t.Steps) {
		switch st := &t.Steps[k]; {
		case st.G == e.G && st.Case > 0:
			return chosen{n: int(st.Case) - 1}, true
		case st.With == int32(e.G)+1 && st.WithCase > 0:
			return chosen{n: int(st.WithCase) - 1}, true
		}
	}
	for n, a := range arrived {
		if a.Obj == e.Obj && trace.Op(a.Arg) == e.Op && a.Site.Loud() == e.Site.Loud() {
			return chosen{n, len(arrived)}, true
		}
	}
	return c, false
}

// outcomes fills in what came of the steps of an execution from an index on: whether the goroutine
// waits, which case its select took, the argument of WaitGroup.Add.
func outcomes(t *trace.Trace, from int, steps []wire.Step) {
	cases := chosenCases(t)
	took := map[trace.GID]chosen{} // by the last send or receive of a goroutine in a select
	k := 0
	resumes := func(until int) { // the steps before until
		for ; k < until; k++ {
			st := &t.Steps[k]
			if c, ok := took[st.G]; ok && st.Op == trace.OpResume && k >= from {
				choose(&steps[k-from], c)
			}
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Step < 0 || int(e.Step) >= len(t.Steps) {
			continue
		}
		resumes(int(e.Step))
		c, ok := cases[i]
		if ok {
			took[e.G] = c
		} else if e.Op == trace.OpSend || e.Op == trace.OpRecv {
			delete(took, e.G)
		}
		if at := int(e.Step) - from; at >= 0 && t.Steps[e.Step].G == e.G {
			cameOf(&steps[at], &t.Steps[e.Step], e)
			if ok && t.Steps[e.Step].Op == trace.OpSelect {
				choose(&steps[at], c)
			}
		}
	}
	resumes(len(t.Steps))
	for k := range steps[:max(len(steps)-1, 0)] {
		w, next := &steps[k], &t.Steps[from+k+1]
		if w.Came == wire.CameWaits && w.Op == "arrive" && next.Op == trace.OpLock &&
			next.G == t.Steps[from+k].G {
			w.Came = wire.CameArrives
		}
	}
}

// cameOf adds to a step what an event of it by its goroutine says.
func cameOf(w *wire.Step, st *trace.Step, e *trace.Event) {
	if st.Op == e.Op && (e.Op == trace.OpSelect || e.Op == trace.OpWGAdd) {
		n := e.Arg
		w.Arg = &n
	}
	switch {
	case st.Site.Loud() != e.Site.Loud():
	case e.Op != trace.OpArrive:
		w.Came = wire.CameDone
	case w.Came == "":
		w.Came = wire.CameWaits
	}
}

// choose notes the case of a select.
func choose(w *wire.Step, c chosen) {
	n := int64(c.n)
	w.Arg, w.Cases = &n, c.of
}
