package engine

import (
	"cmp"
	"slices"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
)

// exploreTogether explores the inputs and the schedules of a fuzz target in one net, beginning
// with the inputs seeds. ok is false where there is no such net: one input is to be explored after
// the other then.
func (e *exploration) exploreTogether(p *paths, seeds [][]string) (result string, complete bool, end why.End,
	ok bool) {
	in := &symbolic.Inputs{Table: p.table, Solver: p.solver}
	for i, s := range seeds {
		if slices.ContainsFunc(seeds[:i], func(x []string) bool { return slices.Equal(x, s) }) {
			continue
		}
		values, err := corpus.Values(s)
		if err != nil {
			return "", false, end, false
		}
		in.Corpus = append(in.Corpus, values)
	}
	var last inputStrategy
	e.together, e.input, p.together = in, seeds[0], true
	result, complete, end = e.think(e.unit, func() explore.Strategy {
		last = e.unit.New(e.startOf(e.unit)).(inputStrategy)
		if e.together != nil {
			last.Search(e.together)
		}
		return last
	})
	reason := last.Yields()
	if e.together == nil {
		reason = cmp.Or(end.Details(), "what an execution does is not up to its input and its schedule alone")
	}
	e.together, p.together = nil, false
	if e.share != nil {
		return result, complete, end, true
	}
	if reason != "" && e.move == "" && !e.ended() {
		e.note("inputs and schedules are explored one after the other: %s", reason)
		p.forget()
		return "", false, end, false
	}
	e.tellConcrete(p)
	e.tellUnsolved(last)
	if !complete {
		end = why.Sampled(why.With(why.Inputs, "%s", p.counts()+", "+end.Details()))
	}
	return result, complete, end, true
}

// count notes an input that was executed, and the path that it took.
func (p *paths) count(input []string, ex *Execution) {
	if key := inputKey(input); !p.known[key] {
		p.known[key] = true
		p.executed++
	}
	p.note(hashOfPath(symbolic.PathOf(p.table, ex.Trace, mostBranches)))
}

// forget forgets the inputs and paths that were counted.
func (p *paths) forget() {
	clear(p.known)
	clear(p.seenPath)
	p.executed, p.paths = 0, 0
}

// tellUnsolved says of what it is not known whether an input gets there.
func (e *exploration) tellUnsolved(u explore.InputSearch) {
	sites := u.Unsolved()
	for i, s := range sites {
		if i == mostConcrete {
			e.note("nor is it known of %d other places", len(sites)-i)
			return
		}
		at := e.x.Resolve(s)
		e.send(&wire.Record{Type: "note", Test: e.test, Place: &at, Text: "whether an input gets here in a way that was foreseen is not known: the conditions were not solved in time"})
	}
}
