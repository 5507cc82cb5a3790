// Package reach is reachability testing (Lei and Carver, IEEE TSE 32(6), 2006). It exercises every
// partially ordered synchronisation sequence of a program exactly once. It keeps no history of
// sequences, only a stack of variants.
//
// An execution is a sequence of events. Its extensions are events that could have happened instead:
// receiving events with other sending partners (section 5). A race variant adds some extensions and
// keeps all events that do not come after an event that these remove (section 6). An execution
// replays the variant and completes it freely, except for events all of whose causes are old
// (section 7). docs/design/reach.md says what is as in the paper and what Go adds.
package reach

import (
	"cmp"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// Options configure a search. The zero value explores everything.
type Options struct {
	// PV ignores races that a V of a counting semaphore has won (section 7).
	PV bool
	// Twins takes goroutines as interchangeable where that is known (docs/design/symmetry.md).
	// Executions must tell (trace.Trace.Twins).
	Twins bool
	// Symmetry takes goroutines as interchangeable if one goroutine started them by the same go
	// statement with equal arguments (trace.Trace.Twins). Of those with the same pending operation
	// at the same place the oldest is first.
	Symmetry bool
	// OneOrder, if not nil, reports whether the receivers of a channel made at that place ignore
	// the order of values.
	OneOrder func(made trace.Site) bool
	// Ways, if not 0, bounds the extensions in all rows on the way from the first sequence: every
	// combination of so many reversed races is exercised, and no greater one.
	Ways int
	// Expired, if not nil, is called now and then during Done. The search ends when it returns
	// true.
	Expired func() bool
	// Loose: executions are made with trace.Schedule.Loose, so that no order inside the standard
	// library hides a race.
	Loose bool
	// Order is how an execution continues after its variant.
	Order Order
	// Seed is the seed of Order Random.
	Seed uint64
}

// Stats are counts of a search.
type Stats struct {
	Sequences   int // complete executions
	Partial     int // executions that could not be completed without an old event
	Transitions int // operations on objects that no variant replayed (Fig. 13)
	Depth       int // greatest number of variants on the stack
}

// Strategy is reachability testing. It implements explore.Strategy.
type Strategy struct {
	opt    Options
	stats  Stats
	tab    *transition.Table
	seq    *sequence // the sequence of the last execution
	find   finder
	stack  []*node
	free   []*node
	v      variant
	guide  guide
	begun  bool
	failed why.Reason // why it ended before everything was exercised
	short  why.Reason // why something may be missing
	at     []int32    // the index in the sequence of each event of the variant

	part     bool    // the search is a part of another
	outdated bool    // see Outdated
	given    []*rest // stack entries to be executed again
	making   *rest   // the entry that is executed again
	whole    variant // of Split

	wit         witnessing
	witnessed   int      // events in witnesses
	unwitnessed bool     // they took too much time or memory
	decided     bool     // a row was exercised behind a witness, or left out because it has none
	addressed   int      // objects that are known by their address
	paper       bool     // as in the paper: executions are broken off instead
	by          *witness // see plan
	without     set

	twins     twins  // for Symmetry
	unordered []bool // for OneOrder, by transition.Object
}

// Bounds on memory. A sequence has two sets for each event, n²/4 bytes in all: longest, the largest
// number of its steps, is 1 GiB. The sequences of the stack may take four times that. A shape takes
// 40 bytes, and the communications of n events may have n²/16. They are variables for tests.
var (
	longest    = 1 << 16
	mostWords  = 1 << 29
	mostShapes = 1 << 24
)

// New returns a strategy with nothing explored.
func New(opt Options) *Strategy {
	s := &Strategy{opt: opt, tab: transition.NewTable()}
	s.find.reduce, s.find.expired = s.reduction(), opt.Expired
	s.paper = opt.Ways > 0 // witnesses of rows come from longer rows, some of which are left out
	s.guide.tab, s.guide.order, s.guide.rng = s.tab, opt.Order, splitmix.Stream(splitmix.Mix(opt.Seed))
	if opt.Symmetry {
		s.guide.twins = &s.twins
	} else if opt.Twins {
		s.tab.Interchange(transition.First)
		s.guide.line = transition.NewLine(s.tab)
	}
	s.v.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Strict: true, Loose: opt.Loose,
		Awaits: true}
	return s
}

var _ explore.Strategy = (*Strategy)(nil)

// Next returns the schedule of the next variant, nil if there is none.
func (s *Strategy) Next() *trace.Schedule {
	v := &s.v
	if !s.failed.None() {
		return nil
	}
	switch {
	case !s.begun:
		v.schedule.Steps, v.events, v.from, v.sleepers = v.schedule.Steps[:0], v.events[:0], v.from[:0],
			v.sleepers[:0]
		v.old, v.black, v.by, v.given, v.parted = nil, nil, nil, v.given[:0], false
	case s.advance():
	case s.failed.None() && len(s.given) > 0:
		s.remake()
		return &v.schedule
	default:
		return nil
	}
	v.schedule.Guide = nil
	if len(v.sleepers) > 0 || s.opt.Symmetry || s.tab.Paired() || s.opt.Order != First ||
		v.schedule.Names != nil {
		s.guide.begin(v)
		v.schedule.Guide = &s.guide
	}
	return &v.schedule
}

// advance makes the next variant from the stack, and reports whether there is one.
func (s *Strategy) advance() bool {
	for len(s.stack) > 0 {
		n := s.stack[len(s.stack)-1]
		s.find.look(n)
		if n.pending || s.move(n) {
			n.pending = false
			how := s.plan()
			s.find.look(n)
			s.decided = s.decided || how == behind || how == nothing
			if how == nothing {
				continue
			}
			if how != behind {
				s.by = nil
			}
			s.v.derive(n, &s.find, s.by, s.without, how == asleep)
			return true
		}
		if s.find.late {
			s.failed = why.Of(why.TimeOver)
			return false
		}
		s.pop()
	}
	return false
}

// move makes n's next row.
func (s *Strategy) move(n *node) bool {
	if len(n.wit) > 0 {
		name := n.named()
		for _, w := range n.wit[name] {
			s.witnessed -= len(w.ids)
		}
		delete(n.wit, name)
	}
	if s.opt.Ways > 0 {
		s.find.ways = s.opt.Ways
		for _, below := range s.stack[:len(s.stack)-1] {
			s.find.ways -= len(below.row)
		}
		if s.find.ways <= 0 {
			return false
		}
	}
	return n.next(&s.find)
}

// Done takes the trace of the last schedule.
func (s *Strategy) Done(t *trace.Trace) {
	v := &s.v
	s.begun = true
	switch {
	case t.Verdict == trace.Diverged:
		s.failed = why.With(why.Limit, "a variant could not be replayed")
		return
	case t.Verdict == trace.Bounded:
		s.failed = why.Of(why.StepBound)
	case t.Verdict == trace.Crowded:
		s.failed = why.Ended(t.Verdict)
	default:
		s.short = cmp.Or(explore.Held(t), s.short)
	}
	if long := explore.TooLong(t, longest); !long.None() {
		s.failed = long
		return
	}
	n := s.newNode()
	s.seq = &n.seq
	if s.words(len(t.Steps)) > mostWords {
		s.failed = why.Of(why.TooLong)
		return
	}
	if err := s.seq.Read(t, 0); err != nil {
		s.failed = why.From(err)
		return
	}
	if s.tab.Changed {
		s.free = append(s.free, n)
		s.restart()
		return
	}
	if s.making != nil {
		n.seq.read()
		s.learn(t)
		if err := s.remade(n, t); err != nil {
			s.failed = why.From(err)
			return
		}
		s.stack = append(s.stack, n)
		return
	}
	if s.short.None() && s.seq.Hidden(t, s.opt.Loose) {
		s.short = why.Of(why.Hidden)
	}
	if s.short.None() && aliased(t) {
		s.short = why.With(why.Limit,
			"which operations on files are about one depends on when a link was made or a folder renamed, and extensions count on one order")
	}
	n.seq.read()
	s.learn(t)
	if s.moves() {
		s.free = append(s.free, n)
		s.restart()
		return
	}
	s.at = s.at[:0]
	if !s.check() {
		s.failed = why.With(why.Limit, "a variant was not replayed faithfully")
		return
	}
	if !s.sameMemory() {
		s.failed = why.Of(why.Nameless)
		return
	}
	s.stats.Transitions += s.operations()
	if v.schedule.Guide != nil && s.guide.partial {
		s.stats.Partial++
	} else {
		s.stats.Sequences++
	}
	n.old, n.black = s.mark(n.old, v.old), s.mark(n.black, v.black)
	n.elders, n.parted = n.elders[:0], false
	if len(s.stack) > 0 && len(v.events) > 0 {
		n.inherit(s.stack[len(s.stack)-1], v.parted)
	}
	s.find.look(n)
	n.shapes, n.row, n.done, n.apart, n.pending = s.find.shapes(n.shapes[:0]), n.row[:0], 0, false, false
	if len(n.shapes) > mostShapes {
		s.failed = why.Of(why.TooLong)
		return
	}
	s.stack = append(s.stack, n)
	if s.seekWitnesses(); s.unwitnessed && s.asPrinted() {
		s.restart()
		return
	}
	s.stats.Depth = max(s.stats.Depth, len(s.stack))
}

// words returns how many words the sets of the stack take, with those of a sequence of so many
// steps.
func (s *Strategy) words(steps int) int {
	all := 2 * steps * words(steps)
	for _, n := range s.stack {
		all += len(n.seq.past) + len(n.seq.future)
	}
	return all
}

// moves looks whether objects that are known by their address are at other addresses now: events of
// two executions cannot be compared then. It reports whether the search has to begin again, because
// witnesses have decided about rows.
func (s *Strategy) moves() bool {
	was := s.addressed
	s.addressed = s.tab.Addressed()
	if s.paper || len(s.stack) == 0 || s.addressed == was {
		return false
	}
	return s.asPrinted() || s.decided
}

// asPrinted makes the search go on as in the paper, without witnesses: executions may be broken
// off. It reports whether the search has to begin again for that.
func (s *Strategy) asPrinted() (again bool) {
	s.paper, s.unwitnessed = true, false
	for _, n := range s.stack {
		s.forget(n)
		again = again || len(n.elders) > 0
	}
	return again
}

// aliased reports whether names stopped identifying files in t (rt/sched/file.go). An extension is
// assumed to access the objects that its call accessed before.
func aliased(t *trace.Trace) bool {
	for i := range t.Events {
		if e := &t.Events[i]; e.Op == trace.OpMapStore && e.Arg == trace.AllFiles {
			return true
		}
	}
	return false
}

// operations counts the operations on objects that the variant did not replay.
func (s *Strategy) operations() (n int) {
	for i := len(s.v.events); i < s.seq.n; i++ {
		if len(s.seq.At(i).Accesses) > 0 {
			n++
		}
	}
	return n
}

// pop removes a node from the stack after all of its variants were exercised.
func (s *Strategy) pop() {
	k := len(s.stack) - 1
	n := s.stack[k]
	s.stack, s.free = s.stack[:k], append(s.free, n)
	s.forget(n)
	if k > 0 && !n.apart {
		s.stack[k-1].done += n.done + 1
	}
}

// forget drops the witnesses of n.
func (s *Strategy) forget(n *node) {
	for _, ws := range n.wit {
		for _, w := range ws {
			s.witnessed -= len(w.ids)
		}
	}
	n.wit = nil
}

func (s *Strategy) newNode() *node {
	if n := len(s.free); n > 0 {
		x := s.free[n-1]
		s.free = s.free[:n-1]
		return x
	}
	n := new(node)
	n.seq.Path = transition.NewPath(s.tab)
	return n
}

// restart begins the search anew, when more operations turned out to be dependent.
func (s *Strategy) restart() {
	s.tab.Changed = false
	if s.part {
		s.outdated, s.failed, s.making = true, why.With(why.Limit,
			"more operations turned out to depend on each other"), nil
		return
	}
	for _, n := range s.stack {
		s.forget(n)
	}
	s.free = append(s.free, s.stack...)
	s.stack = s.stack[:0]
	s.begun, s.decided = false, false
	s.stats = Stats{}
}

// check verifies that the sequence is the variant's: it has its events, and every other event comes
// after a changed one.
func (s *Strategy) check() bool {
	q, v := s.seq, &s.v
	if len(v.events) == 0 {
		return true
	}
	if !s.locate() {
		return false
	}
	changed, new := q.alive.set(q.w), q.alive.set(q.w)
	for i := range q.n {
		new.add(i)
	}
	for j, at := range s.at {
		new.remove(int(at))
		switch {
		case v.from[j] == given:
			changed.add(int(at))
		case v.from[j] < 0:
			changed.add(int(at))
			if !s.came(j, int(at)) {
				return false
			}
		}
	}
	// reduced events may come anyway
	for i := new.next(0); i >= 0 && s.find.reduce == nil; i = new.next(i + 1) {
		if !q.before(i).meets(changed) {
			return false
		}
	}
	return true
}

// sameMemory reports whether the events that the variant shares with its origin access the same
// memory, by name.
func (s *Strategy) sameMemory() bool {
	isMemory := func(a *transition.Access) bool { return a.Op == trace.OpRead || a.Op == trace.OpWrite }
	for j, at := range s.at {
		if s.v.from[j] < 0 {
			continue
		}
		was, is := s.stack[len(s.stack)-1].seq.At(int(s.v.from[j])).Accesses, s.seq.At(int(at)).Accesses
		for k := range min(len(was), len(is)) {
			if isMemory(&was[k]) && isMemory(&is[k]) && was[k].Obj != is[k].Obj {
				return false
			}
		}
	}
	return true
}

// came reports whether event j of the variant, an extension, is event at of the sequence: exactly
// its history happened before it.
func (s *Strategy) came(j, at int) bool {
	x := s.chosen(j)
	past := s.seq.alive.copy(s.seq.before(at))
	past.remove(at)
	return past.equal(s.expected(x)) && (x.op != trace.OpAtomicCAS ||
		s.seq.At(at).Accesses[0].Mode == x.accesses[0].Mode)
}

// locate finds the variant's events in the sequence. The sequence begins with them, except for
// draws that may follow a changed one.
func (s *Strategy) locate() bool {
	q, v := s.seq, &s.v
	s.at = s.at[:0]
	i := 0
	for j := range v.events {
		for ; i < q.n && !v.events[j].is(q.At(i)); i++ {
			if q.At(i).Choices == 0 {
				return false
			}
		}
		if i == q.n {
			return false
		}
		s.at = append(s.at, int32(i))
		i++
	}
	return true
}

// is reports whether t performs e.
func (e *event) is(t *transition.Transition) bool {
	return t.Barrier == e.barrier && t.Proc == e.proc && t.With == e.with && t.Case == e.at &&
		t.WithCase == e.theirs && t.Choice == e.choice
}

// chosen returns the extension that is event j of the variant.
func (s *Strategy) chosen(j int) *pick {
	n := s.stack[len(s.stack)-1]
	return &n.row[-s.v.from[j]-1]
}

// expected returns the history that x must have.
func (s *Strategy) expected(x *pick) set {
	h := s.seq.alive.set(s.seq.w)
	for k, i := range s.v.from {
		if i >= 0 && x.history.has(int(i)) {
			h.add(int(s.at[k]))
		}
	}
	return h
}

// mark translates a set of the variant's events into one of the sequence's.
func (s *Strategy) mark(to, from set) set {
	to = to[:0]
	for range s.seq.w {
		to = append(to, 0)
	}
	for j, at := range s.at {
		if from.has(j) {
			to.add(int(at))
		}
	}
	return to
}

// Table returns the names and the dependence that the strategy uses.
func (s *Strategy) Table() *transition.Table { return s.tab }

// Depth returns how many variants lead from the first sequence to the last.
func (s *Strategy) Depth() int { return max(0, len(s.stack)-1) }

// Stats returns the counts so far.
func (s *Strategy) Stats() Stats { return s.stats }

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result {
	r := explore.Result{Executions: s.stats.Sequences, Aborted: s.stats.Partial, Reason: s.failed}
	switch {
	case !s.failed.None():
	case !s.short.None():
		r.Reason = s.short
	case s.opt.Symmetry:
		r.Reason = why.With(why.Wished, "goroutines were taken to be interchangeable (option vouched)")
	case s.opt.OneOrder != nil:
		r.Reason = why.With(why.Wished, "orders of values were taken not to matter (option one-order)")
	case s.opt.Ways > 0:
		r.Reason = why.With(why.Wished, "at most %d reversed races were combined (option ways)",
			s.opt.Ways)
	default:
		r.Complete = s.begun && len(s.stack)+len(s.given) == 0
	}
	if r.Estimate = s.estimate(); s.begun && len(s.stack)+len(s.given) == 0 {
		r.Estimate = float64(r.Executions)
	}
	return r
}
