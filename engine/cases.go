package engine

import (
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// Properties, whose arguments generators draw (testing/quick, pgregory.net/rapid), are called once
// in an execution: a hundred calls in one would have the interleavings of each a hundred times.
// What they draw from is the input of the test. With -fuzz inputs are searched for, as those of a
// fuzz target are. Without, each of mostCases inputs that the generators draw by -seed is explored
// by itself, and others as long as there is time for more executions of these.

// firstDrawn is how many inputs a search for others begins with, beside that of zeros; mostCases
// how many are explored where there is no search, and perCase how many others for each that is
// explored again.
const (
	firstDrawn = 16
	mostCases  = 100
	perCase    = 4
)

// draw returns seeds, and up to n different inputs that the properties of the test draw, by
// seeds of their own.
func (e *exploration) draw(seeds [][]string, n int) [][]string {
	known := map[string]bool{}
	for _, s := range seeds {
		known[inputKey(s)] = true
	}
	begun := time.Now()
	for range n {
		e.draws++
		if e.err != nil || e.late() || e.slow(begun) {
			break
		}
		ex := e.execute(&wire.Request{Schedule: trace.Schedule{Policy: "first"}, Corpus: true,
			Draw: mix(e.cfg.Seed, uint64(e.draws))}, explore.Needs{})
		e.n--
		if len(ex.Corpus) != 1 || !ex.Property || len(ex.Corpus[0]) != len(seeds[0]) {
			continue // it ended before it had drawn all
		}
		if key := inputKey(ex.Corpus[0]); !known[key] {
			known[key] = true
			seeds = append(seeds, slices.Clone(ex.Corpus[0]))
		}
	}
	return seeds
}

// slow reports whether a quarter of the budget has been spent since.
func (e *exploration) slow(begun time.Time) bool {
	return e.cfg.Budget > 0 && time.Since(begun) > time.Duration(e.cfg.Budget)/4
}

// drawOthers adds inputs that the properties draw to those that are to be explored.
func (x *inputSearch) drawOthers(n int) {
	none := make([]string, len(x.explored[0].input))
	for _, s := range x.e.draw([][]string{none}, n)[1:] {
		x.p.add(s, nil)
	}
}

// cases explores a test that may have properties: each input that they draw by search, which
// explores one, or all of the test by whole if there are none.
func (e *exploration) cases(search, whole func() (string, bool, why.End)) (result string, complete bool,
	end why.End) {
	first := &trace.Schedule{Policy: "first"}
	ex := e.execute(&wire.Request{Schedule: *first, Corpus: true, Show: e.showOnce()}, explore.Needs{})
	seeds := ex.Corpus
	e.look(ex, first, "")
	if e.ended() || len(seeds) == 0 || !ex.Property {
		return whole()
	}
	if seeds = e.draw(seeds, mostCases); len(seeds) == 1 || e.ended() { // nothing is drawn
		return whole()
	}
	p, err := newPaths("")
	if err != nil {
		e.note("%v", err)
		return whole()
	}
	e.n--
	p.cases = true
	defer func() { e.input, e.most = nil, 0 }()
	for _, s := range seeds[1:] {
		p.add(s, nil)
	}
	p.add(seeds[0], nil) // that of zeros
	x := &inputSearch{e: e, p: p, search: search, sampling: !e.unit.Ends, total: e.n, began: time.Now()}
	x.toEnd()
	e.estimate = 0 // it is of one input
	return e.result("pass"), false, x.reason()
}
