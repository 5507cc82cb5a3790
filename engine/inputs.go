package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// The search for inputs of a fuzz target (generational search: Godefroid, Levin & Molnar,
// "Automated whitebox fuzz testing", NDSS 2008): every branch of an execution that depends on the
// input is asked to go the other way, and what the solver finds is executed. Each input is
// explored by the strategy of the configuration: other schedules take other branches, and those
// are asked about too. The strategy unfold explores inputs and schedules together, as far as it
// can: see together.go.

// perInput is in how many executions a strategy that does not end by itself
// explores an input at first; when there are no new ones, four times as many.
const perInput = 24

// mostSeeds is how many inputs of the corpus are explored. Of more, those that take new branches
// are, when they were executed once; the branches of the others are not asked about.
const mostSeeds = 64

// A witness sees the executions with an input.
type witness interface {
	see(input []string, ex *Execution)
}

// inputs explores a fuzz target: each input by search, which explores one. A test that has nothing
// of what is named is explored by whole.
func (e *exploration) inputs(search, whole func() (string, bool, why.End)) (result string, complete bool,
	end why.End) {
	p, err := newPaths(e.cfg.Solver)
	if err != nil {
		e.note("%v", err)
		return search()
	}
	first := &trace.Schedule{Policy: "first"}
	ex := e.execute(&wire.Request{Schedule: *first, Corpus: true, Show: e.showOnce()}, explore.Needs{})
	seeds, property := ex.Corpus, ex.Property
	e.look(ex, first, "")
	switch {
	case e.cfg.Fuzz == wire.Named && (len(seeds) == 0 || property):
		return whole()
	case e.ended() || len(seeds) == 0: // it does not come to F.Fuzz
		return search()
	}
	if property {
		seeds = e.draw(seeds, firstDrawn)
	}
	e.n-- // it has called the target with nothing
	e.paths = p
	defer func() { e.paths, e.input, e.most = nil, nil, 0 }()
	if e.unit.Inputs {
		result, complete, end, ok := e.exploreTogether(p, seeds)
		if ok && (complete || e.share != nil || e.cfg.Solved || e.ended() || e.late()) {
			return result, complete, end
		}
		if ok { // there are inputs that it cannot find
			p.forget()
		}
	}
	few := seeds[1:]
	if !e.cfg.Solved {
		few = append(few, e.inputsKept(seeds[0])...)
	}
	if _, crew := e.x.(InputCrew); len(few) > mostSeeds && !e.cfg.Solved && (crew || e.here != nil) {
		few, p.seeds, p.cut = few[:mostSeeds], few[mostSeeds:], true
	}
	for _, s := range few {
		p.add(s, nil)
	}
	p.add(seeds[0], nil) // that of zeros
	if n := len(seeds); n > mostSeeds && e.late() {
		e.note("the %d inputs of the corpus took all of the time to read (-budget): none was explored", n)
	}
	x := &inputSearch{e: e, p: p, search: search, sampling: !e.unit.Ends, total: e.n, began: time.Now()}
	if crew, ok := e.x.(InputCrew); ok {
		x.crew, p.solvers = crew, newSolvers(crew.Solvers())
		defer p.solvers.close()
		x.teach(e.knowledge())
	}
	x.toEnd()
	if e.share != nil {
		return "", false, end
	}
	x.gather()
	e.estimate = 0 // it is of one input
	e.tellConcrete(p)
	return e.result("pass"), false, x.reason()
}

// An inputSearch is one search for inputs.
type inputSearch struct {
	e        *exploration
	p        *paths
	search   func() (result string, complete bool, end why.End)
	sampling bool // it has no end by itself
	total    int  // executions
	explored []job
	complete int // inputs that were covered
	open     int // and those of which more executions could be made
	cuts     wire.Cuts
	began    time.Time
	short    bool // to explore an input takes too little time for others to do it

	// Of inputs that were explored and are explored again: those that come next, and by how many
	// executions.
	later []job
	most  int

	chance      *chance // of this process; nil: it has made no input by chance
	offered     int     // of those explored, how many were offered to it
	chances     int     // executions with inputs by chance
	due         float64 // of these before the next input of the solver; less than 0: too many came
	paid        int     // executions with inputs of the solver that were paid for, see pay
	tookChances time.Duration
	idle        int // so many inputs of the solver one after the other took no new branch

	handing
}

// toEnd explores inputs until there are no others, or the budget is spent: those that the solver
// finds, with some by chance between them, and when there are none for the moment those that were
// explored already by more executions, and more by chance.
func (x *inputSearch) toEnd() {
	x.most = 4 * perInput
	for i := 0; ; i++ {
		x.fresh()
		if x.over() {
			return
		}
		closed := x.p.closed()
		if !x.sampling || x.open == 0 {
			if closed || !x.byChance(64*perInput) {
				return
			}
			continue
		}
		if i >= len(x.explored) {
			i, x.most = 0, 4*x.most
		}
		if x.p.cases {
			x.drawOthers(perCase)
			x.fresh()
		} else if !closed { // first: what is explored again takes ever longer
			x.byChance(perChance * x.most)
		}
		x.later = x.explored[i+1:]
		x.explore(x.explored[i], x.most)
	}
}

// over reports whether there is to be no other execution.
func (x *inputSearch) over() bool {
	e := x.e
	return e.ended() || e.share != nil || e.cfg.Runs > 0 && x.total >= e.cfg.Runs || e.late()
}

// An input of the solver, with the questions before it, is paid for with as much time for inputs by
// chance; where the number of executions is bounded with perChance executions for each, so that the
// search is the same each time. As long as the inputs of the solver take no new branches more is
// due, after perIdle inputs twice as much, and so on up to mostIdle times.
const (
	perChance = 4
	perIdle   = 8
	mostIdle  = 8
)

// pay makes inputs by chance due for what was made of the solver's, which took so long.
func (x *inputSearch) pay(took time.Duration) {
	solved := x.total - x.chances
	due := float64(perChance * (solved - x.paid))
	if x.paid = solved; x.e.cfg.Runs == 0 && x.tookChances > 0 {
		due = took.Seconds() / x.tookChances.Seconds() * float64(x.chances)
	}
	x.due += due * float64(min(1+x.idle/perIdle, mostIdle))
}

// fresh explores inputs as long as there are new ones, and makes others by chance between them.
func (x *inputSearch) fresh() {
	if x.crew != nil && !x.e.cfg.Solved && x.e.cfg.Runs == 0 {
		x.asItComes()
		return
	}
	for !x.over() && !x.shares() {
		began := time.Now()
		j, ok := x.p.next(x.e.late)
		if !ok {
			return
		}
		x.note(j)
		x.explore(j, perInput)
		if x.pay(time.Since(began)); x.due >= 1 && !x.p.closed() {
			before := x.chances
			x.byChance(int(x.due))
			x.due -= float64(x.chances - before)
		}
	}
}

// note notes an input that is about to be explored for the first time.
func (x *inputSearch) note(j job) {
	p, key := x.p, inputKey(j.input)
	p.executed++
	p.known[key] = true
	if j.want != nil {
		p.astray[key] = true
	}
	x.explored = append(x.explored, j)
}

// explore explores one input, by most executions where the search has no end by itself, else for
// its part of the time.
func (x *inputSearch) explore(j job, most int) {
	e := x.e
	x.p.current = j
	most = x.bound(most)
	if x.crew != nil {
		x.let(j, most)
		return
	}
	whole, found := e.deadline, e.found
	e.deadline = x.deadline()
	e.takeUp(j.input, most)
	_, complete, end := x.search()
	x.count(e.n, e.cuts, complete, end)
	if found == e.found || e.whole { // else what was found has shortened it
		e.deadline = whole
	}
}

// bound returns how many executions an input may have; 0: as many as it takes.
func (x *inputSearch) bound(most int) int {
	if !x.sampling {
		most = 0
	}
	if left := x.e.cfg.Runs - x.total; x.e.cfg.Runs > 0 && (most == 0 || most > left) {
		most = left
	}
	return most
}

// deadline returns until when an input may be explored.
func (x *inputSearch) deadline() time.Time {
	if x.sampling {
		return x.e.deadline
	}
	return x.e.slice(len(x.p.queue) + x.p.manyFound())
}

// takeUp begins with an input: what executions with others were like does not matter to it, but
// for what is found out about the program (knowledge). So it makes no difference which process
// explores it, and what that has explored before.
func (e *exploration) takeUp(input []string, most int) {
	e.input, e.most, e.n, e.before = input, most, 0, e.found
	e.timers, e.bubble, e.choices, e.cuts, e.suspected = false, false, false, wire.Cuts{}, nil
	if x, ok := e.x.(Process); ok {
		x.SetLengths(nil, 0)
	}
}

// count counts an input that was explored by n executions.
func (x *inputSearch) count(n int, cuts wire.Cuts, complete bool, end why.End) {
	switch {
	case complete:
		x.complete++
	case end.Open():
		x.open++
	}
	x.cuts.Add(cuts)
	x.total += n
	x.e.n = x.total
}

// count says how many there are of something.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// reason says how far the search came.
func (x *inputSearch) reason() why.End {
	p, code := x.p, why.Inputs
	parts := []string{p.counts()}
	if p.cases {
		parts, code = []string{count(p.executed, "case")}, why.Cases
	}
	if x.chances > 0 {
		parts = append(parts, count(x.chances, "execution")+" with inputs by chance")
	}
	if p.executed > 0 && x.complete == p.executed && x.cuts == (wire.Cuts{}) {
		parts = append(parts, "all interleavings of each")
	}
	if p.unknown > 0 {
		parts = append(parts, count(p.unknown, "condition")+" not solved in time")
	}
	if n := len(p.astray); n > 0 {
		parts = append(parts, count(n, "input")+" went another way than expected")
	}
	if p.cases {
		if len(p.queue) > 0 {
			parts = append(parts, fmt.Sprintf("%d others not explored yet", len(p.queue)))
		}
	} else if p.waiting() > 0 {
		parts = append(parts, "not all branches tried both ways")
	} else if p.closed() {
		parts, code = append(parts, "every branch on an input tried both ways"), why.AllInputs
	}
	if p.many {
		parts = append(parts, fmt.Sprintf("of some lengths or indices only %d values tried", mostValues))
	}
	if p.lost && len(p.concrete) == 0 { // those are told with their places
		parts = append(parts, "not every value that depends on the input is followed")
	}
	if p.err != nil {
		x.e.note("%v", p.err)
	}
	return why.Sampled(why.With(code, "%s", strings.Join(parts, ", ")))
}

// mostConcrete is how many of the places are told where inputs are no longer followed.
const mostConcrete = 5

// tellConcrete says where values went into code that is not followed.
func (e *exploration) tellConcrete(p *paths) {
	var places []wire.Place
	numbers := false
	for s := range p.concrete {
		if s.Package() == trace.PackageHash("strconv") {
			numbers = true
			continue
		}
		at := e.x.Resolve(s)
		at.Site = uint64(s)
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b wire.Place) int {
		return cmp.Or(-cmp.Compare(min(len(a.File), 1), min(len(b.File), 1)), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Site, b.Site))
	})
	for i := range places[:min(mostConcrete, len(places))] {
		e.send(&wire.Record{Type: "note", Test: e.test, Place: &places[i], Text: "what depends on the input is taken as it is here: what the branches behind it depend on is not known"})
	}
	if n := len(places); n > mostConcrete {
		e.note("what depends on the input is taken as it is in %d other places too", n-mostConcrete)
	}
	if numbers {
		e.note("what depends on the input is taken as it is in package strconv: of what it reads, decimal numbers of at most 18 digits (floats: 15) and conditions are followed")
	}
}
