package engine

import (
	"maps"
	"slices"

	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/trace"
)

// walked are the paths that executions with one input have taken, for the process that solves
// their conditions. It implements witness.
type walked struct {
	table    *symbolic.Table
	seen     map[uint64]bool // hashes of paths
	paths    [][]byte
	concrete map[trace.Site]bool
}

func (p *walked) see(_ []string, ex *Execution) {
	for _, s := range ex.Concrete {
		p.concrete[s] = true
	}
	if h := hashOfPath(symbolic.PathOf(p.table, ex.Trace, mostBranches)); !p.seen[h] {
		p.seen[h] = true
		t := trace.Trace{Verdict: ex.Trace.Verdict, Events: ex.Trace.Events, Flow: ex.Trace.Flow}
		p.paths = append(p.paths, t.Append(nil))
	}
}

// inputOn explores the input of the Item.
func (w *Worker) inputOn() {
	e, in, r := w.e, w.item.Input, w.worked
	if in.Chance > 0 {
		w.chanceOn()
		return
	}
	p := &walked{table: symbolic.NewTable(), seen: map[uint64]bool{}, concrete: map[trace.Site]bool{}}
	e.know(w.item.Know)
	e.real, e.nondet, e.whole, e.paths, e.called = in.Real, in.Nondet, e.isWhole(), p, e.hurry
	defer func() { e.whole, e.paths, e.input, e.most, e.called = true, nil, nil, 0, nil }()
	e.takeUp(in.Values, in.Most)
	x := &wire.Explored{Places: map[trace.Site]wire.Place{}}
	_, x.Complete, x.Why = e.searchingOne()()
	x.Paths, x.Concrete, x.Move, x.MoveAt = p.paths, slices.Sorted(maps.Keys(p.concrete)), e.move, e.moveAt
	for _, s := range append(x.Concrete[:len(x.Concrete):len(x.Concrete)], x.MoveAt) {
		if s.PC() != 0 {
			x.Places[s] = e.x.Resolve(s)
		}
	}
	k := e.knowledge()
	r.Know, r.Explored = &k, x
	r.Tally.Executions = e.n
}
