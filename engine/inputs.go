package engine

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/order/sat"
	"heddle/rt/splitmix"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
	"heddle/symbolic/fair"
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

// mostBranches bounds what is asked about one execution.
const mostBranches = 2000

// mostValues is how many values of one number (a length, an index) are tried after the same
// branches. A byte has no more.
const mostValues = 256

// paths is what is known of a target's inputs.
type paths struct {
	table   *symbolic.Table
	never   symbolic.Term
	solver  *symbolic.Solver
	solvers *solvers // nil: questions are answered when their turn comes

	queue []job
	found [2][]job        // by chance, see wire.Fresh: others, and first ones
	since int             // so many questions were asked since one of those was taken
	known map[string]bool // inputs, executed or waiting
	turns *fair.Queue[class, *turn]
	tried map[uint64]bool // questions, see turn
	taken map[uint64]bool // beginnings of paths
	// which values something had after the same beginning, see symbolic.Branch.Pinned
	values   map[uint64][]symbolic.Term
	covered  map[side]bool
	executed int // inputs
	paths    int // different sequences of branches
	seenPath map[uint64]bool
	sides    map[string]uint64 // of inputs that were explored: what the first execution takes, see sidesOf

	current  job
	astray   map[string]bool // inputs of which no execution has taken the branch they were made for
	unknown  int             // questions without an answer
	lost     bool            // there was a value that was not followed to where it went
	many     bool            // there are more values than are tried, see mostValues
	cut      bool            // an execution had more branches than are looked at
	seeds    [][]string      // of a large corpus: that were not executed yet
	err      error
	together bool // the strategy does the search: only what it does is counted here
	cases    bool // inputs are not searched for: those that properties drew are all

	concrete map[trace.Site]bool // where values are no longer followed
}

// A job is an input to be explored.
type job struct {
	input []string
	want  *symbolic.Branch // the branch that it was made for, as it was before; nil: it is of the corpus
}

// A walk is a path with the input that took it.
type walk struct {
	input  []any
	path   *symbolic.Path
	length int                         // of the input's texts
	sides  uint64                      // hash of the set of sides that it takes
	limits [len(texts)][]symbolic.Term // of what is looked for instead, see texts
	within [len(texts)]*symbolic.Path  // the same path for texts of these limits; nil: path
}

// texts is how long texts are at most that are looked for first, and then: short ones are executed
// fast, and easy to read.
var texts = [...]int{16, 32, 128, symbolic.MostText}

// A turn is a branch of a walk to be taken the other way, by an input with texts of that level.
// What is asked about it is asked once, in its turn or before.
type turn struct {
	*walk
	n, level int
	tries    int // without an answer
	// hash of the path as far as that branch, taken the other way; of values, as far as before it
	way uint64
	// of which values it is none, if the branch says which one something has: that of the walk is
	// the last
	not []symbolic.Term

	question *symbolic.Question // nil: not asked
	asked    bool               // and answered
	status   symbolic.Status
	found    []string // the input, if there is one
	err      error
}

// inputKey is what an input is known by.
func inputKey(input []string) string { return strings.Join(input, "\n") }

// A side is a branch with its outcome.
type side struct {
	site  trace.Site
	taken bool
}

// A class is what turns have in common that are equally promising: the side that they are to take,
// how long texts may be, and how often there was no answer in time.
type class struct {
	side
	level int
	tries int
}

func newPaths(solver string) (*paths, error) {
	p := &paths{table: symbolic.NewTable(), turns: fair.New[class, *turn](weight), known: map[string]bool{},
		tried: map[uint64]bool{}, taken: map[uint64]bool{}, values: map[uint64][]symbolic.Term{},
		covered: map[side]bool{}, seenPath: map[uint64]bool{},
		sides: map[string]uint64{}, astray: map[string]bool{}, concrete: map[trace.Site]bool{}}
	var o symbolic.Options
	if solver == "z3" {
		z, err := symbolic.NewZ3()
		if err != nil {
			return nil, err
		}
		o.Backend = z
	}
	if dir := os.Getenv("HEDDLE_QUESTIONS"); dir != "" { // for go run ./bench -solvers
		o.Backend = &symbolic.Kept{Backend: cmp.Or[symbolic.Backend](o.Backend, symbolic.Blast{}), Dir: dir}
	}
	p.solver, p.never = symbolic.NewSolver(p.table, o), p.table.Bool(false)
	return p, nil
}

// add puts an input into the queue, if it is a new one.
func (p *paths) add(input []string, want *symbolic.Branch) bool {
	key := inputKey(input)
	if p.known[key] {
		return false
	}
	p.known[key] = true
	p.queue = append(p.queue, job{input, want})
	return true
}

// addFound puts an input that was found by chance into a queue, if it is a new one.
func (p *paths) addFound(f wire.Fresh) {
	key := inputKey(f.Values)
	if p.known[key] {
		return
	}
	p.known[key] = true
	if j := (job{input: f.Values}); f.First {
		p.found[1] = append(p.found[1], j)
	} else {
		p.found[0] = append(p.found[0], j)
	}
}

// perFound is how many questions are asked for an input that was found by chance: at first there
// are hundreds of these, and each brings questions that none of them may ever answer.
const perFound = 4

// ready reports whether there is an input whose turn it is.
func (p *paths) ready() bool {
	return len(p.queue) > 0 || p.manyFound() > 0 && (p.since >= perFound || p.turns.Len() == 0)
}

// take takes the input whose turn it is. Of those that were found by chance the latest one to take
// a branch first is next, as that was the hardest to come to, and then the oldest of the others.
func (p *paths) take() (j job) {
	switch n := len(p.found[1]); {
	case len(p.queue) > 0:
		j, p.queue = p.queue[0], p.queue[1:]
		return j
	case n > 0:
		j, p.found[1] = p.found[1][n-1], p.found[1][:n-1]
	default:
		j, p.found[0] = p.found[0][0], p.found[0][1:]
	}
	p.since = 0
	return j
}

// manyFound returns how many inputs found by chance wait for their turns.
func (p *paths) manyFound() int { return len(p.found[0]) + len(p.found[1]) }

// waiting returns how many inputs and questions wait for their turns.
func (p *paths) waiting() int { return p.turns.Len() + len(p.queue) + p.manyFound() }

// see takes the branches of an execution.
func (p *paths) see(input []string, ex *Execution) {
	for _, s := range ex.Concrete {
		p.concrete[s] = true
	}
	if f := ex.Trace.Flow; f != nil && (f.Foreign > 0 || f.Full) {
		p.lost = true
	}
	if p.together {
		p.count(input, ex)
		return
	}
	path := symbolic.PathOf(p.table, ex.Trace, mostBranches)
	p.cut = p.cut || len(path.Branches) == mostBranches
	if len(p.astray) > 0 && p.expected(path) {
		delete(p.astray, inputKey(p.current.input))
	}
	values, err := corpus.Values(input)
	if err != nil {
		return
	}
	w := &walk{input: values, path: path, length: symbolic.Length(values)}
	near := p.table.Near(values)
	h := uint64(hashOf)
	w.sides = sidesOf(path)
	if key := inputKey(input); p.sides[key] == 0 {
		p.sides[key] = w.sides
	}
	for n, b := range path.Branches {
		p.cover(side{b.Site, b.Taken})
		p.lost = p.lost || p.table.Eval(b.Cond, near) == 0 // its expression is not what was computed
		if q := h*hashBy ^ uint64(p.table.Negate(b.Cond)); b.Pinned {
			p.another(w, n, h*hashBy^uint64(b.Site))
		} else if !p.tried[q] && !p.taken[q] {
			p.tried[q] = true
			p.put(&turn{walk: w, n: n, way: q})
		}
		h = h*hashBy ^ uint64(b.Cond)
		p.taken[h] = true
	}
	if p.seenPath[h] {
		return
	}
	// All terms are made now: what the solver finds depends on their order, and must not on when
	// it is asked.
	for i, most := range texts {
		w.limits[i] = p.table.Limits(values, most)
		if path.Sought && most < trace.MostSought && w.length <= most {
			w.within[i] = symbolic.PathWithin(p.table, ex.Trace, mostBranches, ends(values, most))
			for _, b := range w.within[i].Branches {
				p.table.Negate(b.Cond)
			}
		}
	}
	p.note(h)
}

// ends returns how long texts are at most, by input.
func ends(values []any, most int) []int {
	out := make([]int, len(values))
	for i := range out {
		out[i] = most
	}
	return out
}

// cover notes that a side was taken: where it is looked for again those come first that were not.
func (p *paths) cover(s side) {
	if !p.covered[s] {
		p.covered[s] = true
		p.turns.Charge(class{side: s})
	}
}

// another lets a turn wait to the values that nothing had after that beginning of the path, if
// that of the walk is new.
func (p *paths) another(w *walk, n int, way uint64) {
	is := w.path.Branches[n].Cond
	switch {
	case slices.Contains(p.values[way], is):
	case len(p.values[way]) == mostValues:
		p.many = true
	default:
		p.values[way] = append(p.values[way], is)
		p.put(&turn{walk: w, n: n, way: way, not: slices.Clone(p.values[way])})
	}
}

// idle reports whether a turn would find nothing new: there was an input for it, or there is
// another turn to the values that are left.
func (p *paths) idle(t *turn) bool { return p.taken[t.way] || len(t.not) < len(p.values[t.way]) }

// put lets a turn wait. Of those to the same side walks that take other sides have turns one after
// the other, so what was combined for the first time comes before what a loop repeats. Of walks
// that take the same sides that of the shortest texts is next.
func (p *paths) put(t *turn) {
	for t.level < len(texts)-1 && t.length > texts[t.level] {
		t.level++
	}
	p.turns.AddOf(t.class(), t.sides, t.length, t)
}

// class returns the class of a turn.
func (t *turn) class() class {
	b := &t.path.Branches[t.n]
	return class{side{b.Site, !b.Taken}, t.level, t.tries}
}

// anew returns a turn to the same, of another level or after so many tries.
func (t *turn) anew(level, tries int) *turn {
	return &turn{walk: t.walk, n: t.n, way: t.way, not: t.not, level: level, tries: tries}
}

// longPath is for how many branches before it a turn costs as much as another one.
const longPath = 16

// sidesOf returns the hash of the set of sides that a path takes in code that does more than to
// compute. It is not 0.
func sidesOf(path *symbolic.Path) uint64 {
	h, seen := uint64(1), map[side]bool{}
	for _, b := range path.Branches {
		if s := (side{b.Site, b.Taken}); !seen[s] && !s.site.Quiet() {
			seen[s] = true
			x := uint64(b.Site)*2 + 1
			if b.Taken {
				x++
			}
			h += splitmix.Mix(x)
		}
	}
	return max(h, 1)
}

// patience is how many steps of the solver a question may take at first (about 50 ms), and when it
// waited again (0: as many as it likes, see symbolic.DefaultLimit); a turn costs slowly times as
// much then. Steps, as what is found must not depend on how fast the machine is.
var patience = [...]int{250_000, 2_000_000, 0}

const slowly = 8

// library is how many times as much a turn costs to a branch inside of a package of the standard
// library that only computes.
const library = 4

// dearness is what a turn costs, by its level.
var dearness = [len(texts)]int{1, 2, 4, 16}

// weight is what a turn of a class costs: short texts are executed fast, and easy to read.
func weight(c class) int {
	w := dearness[c.level]
	if c.side.site.Quiet() {
		w *= library
	}
	for range c.tries {
		w *= slowly
	}
	return w
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

// hashOfPath returns what note knows a path by.
func hashOfPath(path *symbolic.Path) uint64 {
	h := uint64(hashOf)
	for _, b := range path.Branches {
		h = h*hashBy ^ uint64(b.Cond)
	}
	return h
}

// expected reports whether the path has the branch that the input was made for.
func (p *paths) expected(path *symbolic.Path) bool {
	want := p.current.want
	return want == nil ||
		slices.ContainsFunc(path.Branches, func(b symbolic.Branch) bool { return p.table.OtherWay(want, &b) })
}

// next returns an input that was not executed yet.
func (p *paths) next(late func() bool) (job, bool) {
	for p.err == nil {
		if p.ready() {
			return p.take(), true
		}
		if late() {
			return job{}, false
		}
		t, ok := p.turns.Next()
		if !ok {
			return job{}, false
		}
		if !p.idle(t) {
			p.charge(t)
			p.solve(t)
		}
	}
	return job{}, false
}

// charge makes a class pay for a turn that is taken: for one with many conditions more, as it takes
// longer to solve.
func (p *paths) charge(t *turn) {
	p.since++
	for range t.n / longPath {
		p.turns.Charge(t.class())
	}
}

// ask asks for an input that takes a branch the other way. It changes nothing but the turn.
func (p *paths) ask(t *turn) {
	p.begin(t)
	p.settle(t)
}

// begin makes the question of a turn, and reports whether a solver is to be asked.
func (p *paths) begin(t *turn) bool {
	if t.question == nil {
		cs := slices.Clone(t.limits[t.level])
		for _, is := range t.not {
			cs = append(cs, p.table.Negate(is))
		}
		t.question = p.solver.AskLast(append(cs, p.conditions(t)...), p.table.Near(t.input))
		t.question.Within(patience[t.tries])
	}
	return t.question.Open()
}

// conditions returns those of the branches before that of a turn, and the other way of that.
func (p *paths) conditions(t *turn) []symbolic.Term {
	short := t.within[t.level]
	if short == nil {
		return t.path.Conditions(p.table, t.n)
	}
	if cs := short.ConditionsAt(p.table, t.path.Branches[t.n].Event); cs != nil {
		return cs
	}
	return []symbolic.Term{p.never} // texts of that length go no other way there
}

// settle takes the answer to a turn's question.
func (p *paths) settle(t *turn) {
	if t.asked {
		return
	}
	t.asked = true
	var m symbolic.Model
	t.status, m, t.err = p.solver.Answer(t.question)
	if t.err == nil && t.status == sat.Sat {
		t.found = corpus.Texts(p.table.Values(m, t.input))
	}
}

// solve takes a turn: the input that takes the branch the other way, if there is one, is to be
// explored.
func (p *paths) solve(t *turn) {
	p.ask(t)
	p.solved(t)
}

// solved takes what became of a turn.
func (p *paths) solved(t *turn) {
	switch {
	case t.err != nil:
		p.err = t.err
	case t.status == sat.Unknown && t.tries < len(patience)-1:
		u := t.anew(t.level, t.tries+1)
		p.turns.Charge(u.class()) // it is not the next one because no such turn was before
		p.put(u)
	case t.status == sat.Unknown:
		p.unknown++
	case t.status == sat.Sat:
		j := p.jobOf(t)
		p.add(j.input, j.want)
	case t.level < len(texts)-1 && len(t.limits[t.level]) > 0:
		p.put(t.anew(t.level+1, 0))
	}
}

// jobOf returns the input that was found.
func (p *paths) jobOf(t *turn) job { return job{t.found, &t.path.Branches[t.n]} }

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
	e.timers, e.choices, e.cuts, e.suspected = false, false, wire.Cuts{}, nil
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

// closed reports whether every branch on an input was tried both ways, so that other inputs would
// show nothing else.
func (p *paths) closed() bool {
	return !p.cases && p.waiting() == 0 && p.unknown == 0 && len(p.astray) == 0 &&
		len(p.concrete) == 0 &&
		!p.lost && !p.cut && !p.many && p.err == nil
}

// counts says how many inputs and paths there were.
func (p *paths) counts() string { return count(p.executed, "input") + ", " + count(p.paths, "path") }

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
