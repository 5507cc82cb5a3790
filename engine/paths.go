package engine

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"heddle/order/sat"
	"heddle/rt/splitmix"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
	"heddle/symbolic/fair"
	"heddle/trace"
)

// Paths: what is known of the inputs of a target, which branches are still to be taken the other
// way, and in which order (inputs.go has the search that goes by them).

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

// closed reports whether every branch on an input was tried both ways, so that other inputs would
// show nothing else.
func (p *paths) closed() bool {
	return !p.cases && p.waiting() == 0 && p.unknown == 0 && len(p.astray) == 0 &&
		len(p.concrete) == 0 &&
		!p.lost && !p.cut && !p.many && p.err == nil
}

// counts says how many inputs and paths there were.
func (p *paths) counts() string { return count(p.executed, "input") + ", " + count(p.paths, "path") }
