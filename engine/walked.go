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
	e, in := w.e, w.item.Input
	p := &walked{table: symbolic.NewTable(), seen: map[uint64]bool{}, concrete: map[trace.Site]bool{}}
	e.know(w.item.Know)
	e.real, e.nondet, e.whole, e.paths, e.called = in.Real, in.Nondet, e.isWhole(), p, e.hurry
	defer func() { e.whole, e.paths, e.input, e.most, e.called = true, nil, nil, 0, nil }()
	e.takeUp(in.Values, in.Most)
	x := &wire.Explored{}
	_, x.Complete, x.Why = e.searchingOne()()
	x.Paths, x.Concrete = p.paths, slices.Sorted(maps.Keys(p.concrete))
	w.explored(x)
}

// explored gives x back, with what holds for every input.
func (w *Worker) explored(x *wire.Explored) {
	e, r := w.e, w.worked
	x.Move, x.MoveAt, x.Places = e.move, e.moveAt, map[trace.Site]wire.Place{}
	for _, s := range append(x.Concrete[:len(x.Concrete):len(x.Concrete)], x.MoveAt) {
		if s.PC() != 0 {
			x.Places[s] = e.x.Resolve(s)
		}
	}
	k := e.knowledge()
	r.Know, r.Explored = &k, x
	r.Tally.Executions = e.n
}
