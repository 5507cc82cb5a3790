package drive

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/order/sat"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// The search for inputs of a fuzz target (generational search: Godefroid, Levin
// & Molnar, "Automated whitebox fuzz testing", NDSS 2008): every branch of an execution that depends on
// the input is asked to go the other way, and what the solver finds is executed.
// Each input is explored by the strategy of the configuration: other schedules
// take other branches, and those are asked about too. The strategy unfold explores
// inputs and schedules together, as far as it can: see together.go.

// perInput is in how many executions a strategy that does not end by itself
// explores an input at first; when there are no new ones, four times as many.
const perInput = 24

// mostBranches bounds what is asked about one execution.
const mostBranches = 2000

// paths is what is known of a target's inputs.
type paths struct {
	table  *symbolic.Table
	solver *symbolic.Solver

	queue    []job
	known    map[string]bool // inputs, executed or waiting
	fresh    []turn          // branches to a side that no execution has taken
	rest     []turn
	tried    map[uint64]bool // questions, see turn
	covered  map[side]bool
	executed int // inputs
	paths    int // different sequences of branches
	seenPath map[uint64]bool

	current  job
	checked  bool // current was compared with what the solver expected
	diverged int  // inputs that did not take the branch they were made for
	unknown  int  // questions without an answer
	cut      bool // an execution had more branches than are looked at
	err      error
	together bool // the strategy does the search: only what it does is counted here

	concrete map[trace.Site]bool // where values are no longer followed
}

// A job is an input to be explored.
type job struct {
	input []string
	want  symbolic.Term // the branch that it was made for, None: it is of the corpus
}

// A turn is a branch to be taken the other way.
type turn struct {
	input []any
	path  *symbolic.Path
	n     int
}

// A side is a branch with its outcome.
type side struct {
	site  trace.Site
	taken bool
}

func newPaths(solver string) (*paths, error) {
	p := &paths{table: symbolic.NewTable(), known: map[string]bool{}, tried: map[uint64]bool{}, covered: map[side]bool{}, seenPath: map[uint64]bool{},
		concrete: map[trace.Site]bool{}}
	var o symbolic.Options
	if solver == "z3" {
		z, err := symbolic.NewZ3()
		if err != nil {
			return nil, err
		}
		o.Backend = z
	}
	p.solver = symbolic.NewSolver(p.table, o)
	return p, nil
}

// add puts an input into the queue, if it is a new one.
func (p *paths) add(input []string, want symbolic.Term) bool {
	key := strings.Join(input, "\n")
	if p.known[key] {
		return false
	}
	p.known[key] = true
	p.queue = append(p.queue, job{input, want})
	return true
}

// see takes the branches of an execution.
func (p *paths) see(input []string, ex *Execution) {
	for _, s := range ex.Concrete {
		p.concrete[s] = true
	}
	if p.together {
		p.count(input, ex)
		return
	}
	path := symbolic.PathOf(p.table, ex.Trace, mostBranches)
	p.cut = p.cut || len(path.Branches) == mostBranches
	if !p.checked {
		p.checked = true
		if !p.expected(path) {
			p.diverged++
		}
	}
	values, err := corpus.Values(input)
	if err != nil {
		return
	}
	h := uint64(hashOf)
	for n, b := range path.Branches {
		p.covered[side{b.Site, b.Taken}] = true
		if q := h*hashBy ^ uint64(p.table.Negate(b.Cond)); !p.tried[q] {
			p.tried[q] = true
			if t := (turn{values, path, n}); p.covered[side{b.Site, !b.Taken}] {
				p.rest = append(p.rest, t)
			} else {
				p.fresh = append(p.fresh, t)
			}
		}
		h = h*hashBy ^ uint64(b.Cond)
	}
	p.note(h)
}

// note counts a path, of which h is the hash.
func (p *paths) note(h uint64) {
	if !p.seenPath[h] {
		p.seenPath[h] = true
		p.paths++
	}
}

// Hashes of paths are FNV-1a.
const (
	hashOf = 14695981039346656037
	hashBy = 1099511628211
)

// expected reports whether the path has the branch that the input was made for.
func (p *paths) expected(path *symbolic.Path) bool {
	if p.current.want == symbolic.None {
		return true
	}
	for _, b := range path.Branches {
		if b.Cond == p.current.want {
			return true
		}
	}
	return false
}

// next returns an input that was not executed yet. What no execution has taken comes first.
func (p *paths) next(late func() bool) (job, bool) {
	for p.err == nil {
		if len(p.queue) > 0 {
			j := p.queue[0]
			p.queue = p.queue[1:]
			return j, true
		}
		t, ok := p.turn()
		if !ok || late() {
			return job{}, false
		}
		p.solve(t)
	}
	return job{}, false
}

// turn takes the next branch to be asked about.
func (p *paths) turn() (turn, bool) {
	for len(p.fresh) > 0 {
		t := p.fresh[0]
		p.fresh = p.fresh[1:]
		if b := t.path.Branches[t.n]; !p.covered[side{b.Site, !b.Taken}] {
			return t, true
		}
		p.rest = append(p.rest, t)
	}
	if len(p.rest) == 0 {
		return turn{}, false
	}
	t := p.rest[0]
	p.rest = p.rest[1:]
	return t, true
}

// solve asks for an input that takes a branch the other way.
func (p *paths) solve(t turn) {
	var status symbolic.Status
	var m symbolic.Model
	var err error
	for _, most := range []int{16, 128, symbolic.MostText} { // short texts are executed fast, and easy to read
		cs := append(p.table.Limits(t.input, most), t.path.Conditions(p.table, t.n)...)
		if status, m, err = p.solver.SolveLast(cs, p.table.Near(t.input)); status != sat.Unsat || err != nil {
			break
		}
	}
	switch {
	case err != nil:
		p.err = err
	case status == sat.Unknown:
		p.unknown++
	case status == sat.Sat:
		p.add(corpus.Texts(p.table.Values(m, t.input)), p.table.Negate(t.path.Branches[t.n].Cond))
	}
}

// inputs explores a fuzz target: each input by search, which explores one.
func (e *exploration) inputs(search func() (string, bool, string)) (result string, complete bool, reason string) {
	p, err := newPaths(e.cfg.Solver)
	if err != nil {
		e.note("%v", err)
		return search()
	}
	first := &trace.Schedule{Policy: "first"}
	ex := e.execute(&wire.Request{Schedule: *first, Corpus: true, Show: e.showOnce()})
	seeds := ex.Corpus
	e.look(ex, first, "")
	if e.ended() || len(seeds) == 0 { // it does not come to F.Fuzz
		return search()
	}
	e.n-- // it has called the target with nothing
	e.paths = p
	defer func() { e.paths, e.input, e.most = nil, nil, 0 }()
	if e.cfg.Strategy == "unfold" {
		if result, complete, reason, ok := e.unfoldTogether(seeds); ok {
			return result, complete, reason
		}
	}
	for _, s := range seeds[1:] {
		p.add(s, symbolic.None)
	}
	p.add(seeds[0], symbolic.None) // that of zeros
	x := &inputSearch{e: e, p: p, search: search, sampling: exhaustive[e.cfg.Strategy] == nil, total: e.n, reasons: map[string]int{}}
	x.fresh()
	for most := 4 * perInput; x.sampling && x.reasons["sampled"] > 0 && !x.over(); most *= 4 {
		for i := 0; i < len(x.explored) && !x.over(); i++ {
			x.explore(x.explored[i], most)
			x.fresh()
		}
	}
	e.tellConcrete(p)
	e.tellFloats(seeds)
	return e.result("pass"), false, e.inputsReason(p, x.reasons)
}

// An inputSearch is one search for inputs.
type inputSearch struct {
	e        *exploration
	p        *paths
	search   func() (result string, complete bool, reason string)
	sampling bool // it has no end by itself
	total    int  // executions
	explored []job
	reasons  map[string]int // that search ended with
}

// over reports whether there is to be no other execution.
func (x *inputSearch) over() bool {
	e := x.e
	return e.ended() || e.cfg.Runs > 0 && x.total >= e.cfg.Runs || e.late()
}

// fresh explores inputs as long as there are new ones.
func (x *inputSearch) fresh() {
	for !x.over() {
		j, ok := x.p.next(x.e.late)
		if !ok {
			return
		}
		x.p.executed++
		x.explored = append(x.explored, j)
		x.explore(j, perInput)
	}
}

// explore explores one input, by most executions where the search has no end by itself, else for its part of the time.
func (x *inputSearch) explore(j job, most int) {
	e, whole := x.e, x.e.deadline
	if !x.sampling {
		most, e.deadline = 0, e.slice(len(x.p.queue))
	}
	if left := e.cfg.Runs - x.total; e.cfg.Runs > 0 && (most == 0 || most > left) {
		most = left
	}
	x.p.current, x.p.checked = j, false
	e.input, e.most, e.n = j.input, most, 0
	found := e.found
	_, complete, reason := x.search()
	if complete {
		reason = "complete"
	}
	x.reasons[reason]++
	x.total += e.n
	e.n = x.total
	if found == e.found || e.whole { // else what was found has shortened it
		e.deadline = whole
	}
}

// slice returns until when one input may be explored while others wait: for an equal part of what is left, and an eighth at least.
func (e *exploration) slice(waiting int) time.Time {
	if e.deadline.IsZero() {
		return e.deadline
	}
	left := time.Until(e.deadline)
	return time.Now().Add(max(left/8, left/time.Duration(1+waiting)))
}

// inputsReason says how far the search came.
func (e *exploration) inputsReason(p *paths, reasons map[string]int) string {
	parts := []string{fmt.Sprintf("%d inputs, %d paths", p.executed, p.paths)}
	if n := reasons["complete"]; n == p.executed && e.cuts == (wire.Cuts{}) {
		parts = append(parts, "all interleavings of each")
	}
	if p.unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d conditions not solved in time", p.unknown))
	}
	if p.diverged > 0 {
		parts = append(parts, fmt.Sprintf("%d inputs went another way than expected", p.diverged))
	}
	if len(p.fresh)+len(p.rest)+len(p.queue) > 0 {
		parts = append(parts, "not all branches tried both ways")
	} else if p.unknown == 0 && p.diverged == 0 && len(p.concrete) == 0 && !p.cut {
		parts = append(parts, "every branch on an input tried both ways")
	}
	if p.err != nil {
		e.note("%v", p.err)
	}
	return "sampled; " + strings.Join(parts, ", ")
}

// tellFloats says that floats are not searched for, if the target takes some: they are what the corpus has.
func (e *exploration) tellFloats(seeds [][]string) {
	if slices.ContainsFunc(seeds[0], func(s string) bool { return strings.HasPrefix(s, "float") }) {
		e.note("floats of the input are only those of the corpus: add some with f.Add")
	}
}

// mostConcrete is how many of the places are told where inputs are no longer followed.
const mostConcrete = 5

// tellConcrete says where values went into code that is not followed.
func (e *exploration) tellConcrete(p *paths) {
	n := 0
	for s := range p.concrete {
		if n++; n > mostConcrete {
			continue
		}
		at := e.x.Resolve(s)
		if strings.HasSuffix(at.File, "strconv/heddle.go") { // instrument/std
			e.note("what depends on the input is taken as it is where package strconv reads more than 18 digits or another base than 10")
			continue
		}
		e.send(&wire.Record{Type: "note", Test: e.test, Place: &at, Text: "what depends on the input is taken as it is here: what the branches behind it depend on is not known"})
	}
	if n > mostConcrete {
		e.note("what depends on the input is taken as it is in %d other places too", n-mostConcrete)
	}
}
