package symbolic

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"time"

	"heddle/order/sat"
)

// A Status is an answer: satisfiable, unsatisfiable or unknown.
type Status = sat.Status

// Options of a Solver.
type Options struct {
	// Limit is the longest time for one question; after it the answer is Unknown. 0: DefaultLimit.
	Limit time.Duration
	// Backend decides formulas. nil: bit-blasting.
	Backend Backend
}

// DefaultLimit is enough for most branches of programs, and bounds the time for those with wide
// multiplications.
const DefaultLimit = 2 * time.Second

// A Backend decides whether conditions can all be true. If the answer is Sat, the model has the
// variables with other values than in near, and perhaps others. The backend should prefer the
// values in near. If it is Unsat, core may have some of the conditions that exclude each other.
type Backend interface {
	Solve(t *Table, conditions []Term, near Model, limit Limit) (status Status, m Model, core []Term,
		err error)
}

// A Limit is how much may be spent on a question.
type Limit struct {
	Time time.Duration
	// Steps bounds the propagations of the solver, if it counts them; 0: they are not bounded. With
	// enough time the answer does not depend on the machine.
	Steps int
}

// Stats counts the questions to a Solver.
type Stats struct {
	Questions           int
	Cached              int // answered from the cache
	Sat, Unsat, Unknown int
}

// A Solver decides conditions over the terms of a table and caches the answers. The model that it
// returns does not depend on earlier questions, so questions may be asked ahead of time.
type Solver struct {
	Stats Stats

	t      *Table
	opt    Options
	known  map[string]Status // by conditions, if there is no model
	models map[string]Model  // by conditions and preferred values
	vars   map[Term][]Term   // by condition
	// sets of conditions that exclude each other, by the greatest of them
	cores map[Term][][]Term
}

// mostCores is how many sets are remembered by one condition.
const mostCores = 64

// NewSolver returns a solver for terms of t.
func NewSolver(t *Table, opt Options) *Solver {
	if opt.Limit == 0 {
		opt.Limit = DefaultLimit
	}
	if opt.Backend == nil {
		opt.Backend = Blast{}
	}
	return &Solver{t: t, opt: opt, known: map[string]Status{}, models: map[string]Model{},
		vars: map[Term][]Term{}, cores: map[Term][][]Term{}}
}

// Solve decides whether all conditions, terms of width 1, can be true together. It prefers the
// values in near; variables in no condition have these values in the model. The answer Unknown
// is cached like the others. The error is the backend's.
func (s *Solver) Solve(conditions []Term, near Model) (Status, Model, error) {
	return s.Answer(s.Ask(conditions, near))
}

// SolveLast is Solve for conditions that hold under near, except perhaps the last. It leaves out
// the conditions that share no variable with the last, directly or through others, because they
// hold already.
func (s *Solver) SolveLast(conditions []Term, near Model) (Status, Model, error) {
	return s.Answer(s.AskLast(conditions, near))
}

// AskLast is SolveLast, as a Question.
func (s *Solver) AskLast(conditions []Term, near Model) *Question {
	last := conditions[len(conditions)-1]
	if v, known := s.t.IsConst(last); known && v == 0 {
		return s.Ask([]Term{last}, near)
	}
	return s.Ask(s.connected(conditions, last), near)
}

// A Question is Solve in three steps. Ask looks for the answer in what is known, a Worker finds it
// otherwise, perhaps while the table gets other terms, and Answer keeps and returns it.
type Question struct {
	conditions []Term
	near       Model
	key        string // of the conditions
	whole      string // with the preferred values

	table   Table // as it was when it was asked, without what is noted while it is walked
	backend Backend
	limit   Limit

	asked  bool // of the backend
	done   bool
	status Status
	model  Model
	core   []Term
	err    error
	took   time.Duration
}

// Ask is Solve, as a Question.
func (s *Solver) Ask(conditions []Term, near Model) *Question {
	s.Stats.Questions++
	q := &Question{near: near}
	for _, c := range conditions {
		switch v, known := s.t.IsConst(c); {
		case known && v == 0:
			q.status, q.done = sat.Unsat, true
			return q
		case !known:
			q.conditions = append(q.conditions, c)
		}
	}
	slices.Sort(q.conditions)
	q.conditions = slices.Compact(q.conditions)
	if s.recall(q); !q.done {
		q.asked, q.table = true, s.t.asItIs()
		q.backend, q.limit = s.opt.Backend, Limit{Time: s.opt.Limit}
	}
	return q
}

// Within bounds the steps to an answer that is still to be found, see Limit.
func (q *Question) Within(steps int) { q.limit.Steps = steps }

// Open reports whether the answer is still to be found.
func (q *Question) Open() bool { return !q.done }

// Took returns how long the answer took.
func (q *Question) Took() time.Duration { return q.took }

// A Worker answers questions, one at a time, in a goroutine of its own.
type Worker struct {
	table Table
}

// Work finds the answer to an open question.
func (w *Worker) Work(q *Question) {
	w.table.nodes, w.table.names = q.table.nodes, q.table.names
	q.work(&w.table)
}

func (q *Question) work(t *Table) {
	began := time.Now()
	q.status, q.model, q.core, q.err = q.backend.Solve(t, q.conditions, q.near, q.limit)
	q.done, q.table, q.took = true, Table{}, time.Since(began)
}

// Answer returns the answer to a question, which it finds if no Worker did.
func (s *Solver) Answer(q *Question) (Status, Model, error) {
	if q.Open() {
		q.work(s.t)
	}
	if q.err != nil {
		return sat.Unknown, nil, q.err
	}
	if q.asked {
		s.keep(q)
	}
	switch q.status {
	case sat.Sat:
		s.Stats.Sat++
		return sat.Sat, over(q.near, q.model), nil
	case sat.Unsat:
		s.Stats.Unsat++
	default:
		s.Stats.Unknown++
	}
	return q.status, nil, nil
}

// SolveParts is Solve with a separate question for each set of conditions that share variables.
// Unless the status is Sat, bad has the conditions of one set that is unsatisfiable or unknown.
func (s *Solver) SolveParts(conditions []Term, near Model) (status Status, m Model, bad []Term, err error) {
	m = Model{}
	maps.Copy(m, near)
	for _, part := range s.parts(conditions) {
		status, found, err := s.Solve(part, near)
		if err != nil || status != sat.Sat {
			return status, nil, part, err
		}
		for _, c := range part {
			for _, v := range s.variables(c) {
				m[v] = found[v]
			}
		}
	}
	return sat.Sat, m, nil, nil
}

// parts partitions conditions: those that share variables, directly or through others, are
// together.
func (s *Solver) parts(conditions []Term) (parts [][]Term) {
	of := map[Term]int{} // by variable
	for _, c := range conditions {
		mine := len(parts)
		parts = append(parts, []Term{c})
		for _, v := range s.variables(c) {
			other, ok := of[v]
			if of[v] = mine; !ok || other == mine || parts[other] == nil {
				continue
			}
			parts[mine] = append(parts[mine], parts[other]...)
			for _, c := range parts[other] {
				for _, v := range s.variables(c) {
					of[v] = mine
				}
			}
			parts[other] = nil
		}
	}
	return slices.DeleteFunc(parts, func(p []Term) bool { return p == nil })
}

// connected returns last and the conditions that share variables with it, directly or through
// others.
func (s *Solver) connected(conditions []Term, last Term) []Term {
	in := map[Term]bool{}
	for _, v := range s.variables(last) {
		in[v] = true
	}
	out, left := []Term{last}, slices.Clone(conditions[:len(conditions)-1])
	for more := true; more; {
		more = false
		rest := left[:0]
		for _, c := range left {
			vs := s.variables(c)
			if !slices.ContainsFunc(vs, func(v Term) bool { return in[v] }) {
				rest = append(rest, c)
				continue
			}
			for _, v := range vs {
				in[v] = true
			}
			out, more = append(out, c), true
		}
		left = rest
	}
	return out
}

func (s *Solver) variables(c Term) []Term {
	vs, ok := s.vars[c]
	if !ok {
		s.t.Variables([]Term{c}, func(v Term) { vs = append(vs, v) })
		s.vars[c] = vs
	}
	return vs
}

// over returns the values of m, and those of near for other variables.
func over(near, m Model) Model {
	out := make(Model, len(near)+len(m))
	maps.Copy(out, near)
	maps.Copy(out, m)
	return out
}

// recall looks for the answer in the cache.
func (s *Solver) recall(q *Question) {
	key := make([]byte, 0, 4*len(q.conditions))
	for _, c := range q.conditions {
		key = binary.LittleEndian.AppendUint32(key, uint32(c))
	}
	q.key = string(key)
	for _, c := range q.conditions {
		for _, v := range s.variables(c) {
			key = binary.LittleEndian.AppendUint64(key, q.near[v])
		}
	}
	q.whole = string(key)
	if status, ok := s.known[q.key]; ok {
		q.status, q.done = status, true
	} else if m, ok := s.models[q.whole]; ok {
		q.status, q.model, q.done = sat.Sat, m, true
	} else if s.excluded(q.conditions) {
		q.status, q.done = sat.Unsat, true
	}
	if q.done {
		s.Stats.Cached++
	}
}

// keep puts the backend's answer into the cache.
func (s *Solver) keep(q *Question) {
	if len(q.core) > 0 {
		slices.Sort(q.core)
		core := slices.Compact(q.core)
		last := core[len(core)-1]
		s.cores[last] = append(s.cores[last][max(0, len(s.cores[last])-mostCores+1):], core)
	}
	switch {
	case q.status == sat.Unknown && q.limit.Steps > 0:
	case q.status != sat.Sat:
		s.known[q.key] = q.status
	case !s.t.Holds(q.conditions, over(q.near, q.model)):
		panic("symbolic: a model that does not satisfy the formula")
	default:
		s.models[q.whole] = q.model
	}
}

// excluded reports whether it is known that some of the conditions, in ascending order, exclude
// each other.
func (s *Solver) excluded(cs []Term) bool {
	for i, c := range cs {
		for _, core := range s.cores[c] {
			if subset(core, cs[:i+1]) {
				return true
			}
		}
	}
	return false
}

// subset reports whether all of a are among b; both ascend.
func subset(a, b []Term) bool {
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != x {
			return false
		}
	}
	return true
}

// Blast is the Backend that needs no other program.
type Blast struct{}

// Solve implements Backend: by guess, where something is multiplied or divided by values given one
// after the other, else by translation.
func (b Blast) Solve(t *Table, conditions []Term, near Model, limit Limit) (Status, Model, []Term, error) {
	if status, m, core := t.guess(conditions, near); status != sat.Unknown {
		return status, m, core, nil
	}
	if status, m := t.enumerate(conditions, near); status != sat.Unknown {
		return status, m, nil, nil
	}
	known := t.spansOf(conditions)
	if known.never {
		return sat.Unsat, nil, conditions, nil
	}
	if known.hard {
		if status, m, core := t.assign(conditions, near, known, assignSteps(limit)); status != sat.Unknown {
			return status, m, core, nil
		}
	}
	status, m, core := b.translate(t, conditions, near, known, limit)
	return status, m, core, nil
}

// mostRounds is how often conditions are added that a model does not satisfy; then all are.
const mostRounds = 8

// translate makes a new solver for each question: in a common one each question would pay for the
// clauses of all others. Of the conditions it translates those at first that near does not satisfy,
// then those that the model does not that it found: most are about other parts of the input, and
// stay true.
func (Blast) translate(t *Table, conditions []Term, near Model, known *spans, limit Limit) (Status, Model,
	[]Term) {
	deadline := time.Now().Add(limit.Time)
	var s *sat.Solver
	late := func() bool {
		return limit.Steps > 0 && s.Stats.Propagations > limit.Steps || time.Now().After(deadline)
	}
	s = sat.New(sat.Options{Stop: late, Proof: true})
	b := newBlaster(t, s, known)
	b.stop = late
	unsat := func() (Status, Model, []Term) {
		core := slices.Clone(known.by)
		for _, i := range s.Core() {
			core = append(core, conditions[i])
		}
		return sat.Unsat, nil, core
	}
	q := question{b: b, conditions: conditions, used: make([]bool, len(conditions))}
	_, status := q.add(near)
	for status == sat.Sat {
		vars := b.vars(near)
		if status = s.Solve(); status != sat.Sat {
			break
		}
		more := false
		if more, status = q.add(over(near, b.model(vars))); more {
			continue
		}
		m := b.nearest(vars, near)
		if more, status = q.add(over(near, m)); !more {
			if b.opaque && !t.Holds(conditions, over(near, m)) {
				return sat.Unknown, nil, nil
			}
			return sat.Sat, m, nil
		}
	}
	if status == sat.Unsat {
		return unsat()
	}
	return sat.Unknown, nil, nil
}

// A question is a set of conditions of which some are translated.
type question struct {
	b          *blaster
	conditions []Term
	used       []bool
	rounds     int
}

// add translates the conditions that m does not satisfy, after mostRounds all, and reports whether
// there were any. Unsat: they exclude others; Unknown: that was stopped.
func (q *question) add(m Model) (some bool, status Status) {
	q.rounds++
	for i, c := range q.conditions {
		if q.used[i] || q.rounds <= mostRounds && q.b.t.Eval(c, m) != 0 {
			continue
		}
		some, q.used[i] = true, true
		ls := q.b.of(c)
		if ls == nil {
			return true, sat.Unknown
		}
		if !q.b.s.Add(i, ls[0]) {
			return true, sat.Unsat
		}
	}
	return some, sat.Sat
}

// vars returns the variables of what was translated, in ascending order. Those that are new are to
// have their values in near.
func (b *blaster) vars(near Model) (vars []Term) {
	for x, ls := range b.bits {
		if b.t.nodes[x].op != OpVar {
			continue
		}
		if vars = append(vars, x); b.preferred[x] {
			continue
		}
		b.preferred[x] = true
		for i, l := range ls {
			if near[x]>>i&1 == 1 {
				b.s.Prefer(l)
			}
		}
	}
	slices.Sort(vars)
	return vars
}

// mostConflicts bounds what a model that is nearer may take.
const mostConflicts = 1000

// nearest returns a model that has the values of near, as far as that is easily had: an input that
// differs in little goes the same way behind the branch that is to be another. Lengths come first.
func (b *blaster) nearest(vars []Term, near Model) Model {
	var assumed []sat.Lit
	m := b.model(vars)
	try := func(ls []sat.Lit) bool {
		if b.s.Stats.Conflicts > mostConflicts || b.s.Solve(append(assumed, ls...)...) != sat.Sat {
			return false
		}
		assumed, m = append(assumed, ls...), b.model(vars)
		return true
	}
	keep := func(x Term) bool {
		var ls []sat.Lit
		for i, l := range b.bits[x] {
			if near[x]>>i&1 == 0 {
				l = l.Not()
			}
			ls = append(ls, l)
		}
		if m[x] == near[x] {
			assumed = append(assumed, ls...)
			return true
		}
		return try(ls)
	}
	for _, x := range vars {
		if !strings.HasSuffix(b.t.Name(x), lenSuffix) || keep(x) {
			continue
		}
		least := try([]sat.Lit{b.less(b.constant(near[x], b.t.Width(x)), b.bits[x])})
		for i := b.t.Width(x) - 1; i >= 0; i-- { // the least above it, or the greatest below
			l := b.bits[x][i]
			if least {
				l = l.Not()
			}
			if (m[x]>>i&1 == 0) == least {
				assumed = append(assumed, l)
			} else if !try([]sat.Lit{l}) {
				assumed = append(assumed, l.Not())
			}
		}
	}
	for _, x := range vars {
		if !strings.HasSuffix(b.t.Name(x), lenSuffix) {
			keep(x)
		}
	}
	return m
}

// model returns the values of variables in the last model.
func (b *blaster) model(vars []Term) Model {
	m := Model{}
	for _, x := range vars {
		v := uint64(0)
		for i, l := range b.bits[x] {
			if b.s.True(l) {
				v |= 1 << i
			}
		}
		m[x] = v
	}
	return m
}
