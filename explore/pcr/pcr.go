// Package pcr is the strategy map, pattern constraint reduction. It looks at an execution for
// memory-access patterns that the execution could have shown and did not, and asks package order
// for a schedule that shows them (Zhao, Wang, Liu, Sun, Chen, Chen, "Achieving High MAP-Coverage
// through Pattern Constraint Reduction").
//
//	executed ──► create    Algorithm 3: candidates; rules 1 to 6 exclude most
//	             queue     the longest pattern first
//	             refute    Algorithm 4: is the core of an earlier refutation among the constraints?
//	             solve     package order: happens-before, locks, data validity, and the pattern
//	             extend    what the formula leaves open stays as it was
//	         ◄── schedule  none twice
//
// With Rule 4 alone and patterns of length 2 it is maximal causality reduction, the strategy mcr
// (Huang, PLDI 2015): every schedule makes a read see a new value, or swaps two writes. It ends
// when there is nothing new to see, and can be split (Split, Expand).
package pcr

import (
	"context"
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/explore/why"
	"heddle/order"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// Options configure a Strategy.
type Options struct {
	Seed    uint64        // of the first execution's policy; 0: without preemptions
	Rules   Rules         // the rules that exclude patterns
	Longest int           // length of the longest pattern
	Limit   time.Duration // time for one formula; 0: no limit; a formula that takes longer is undecided

	// Expired, if not nil, is asked during the search for the next schedule, which ends when it
	// returns true.
	Expired func() bool

	// Then: continue as MCR when no pattern is left. A statement that is executed several times
	// covers a pattern once (Rule 2), so its later executions are left over.
	Then bool

	// Cheap is the number of random executions before each one is examined. They are only executed
	// and counted, which takes a small part of the time of examining and solving.
	Cheap int
}

// Map returns the options of the strategy map.
func Map() Options {
	return Options{Rules: AllRules, Longest: mapcov.MaxSteps, Limit: DefaultLimit, Then: true}
}

// MCR returns the options of the strategy mcr.
func MCR() Options { return Options{Rules: OldState, Longest: 2, Limit: DefaultLimit} }

// DefaultLimit is the time for one formula.
const DefaultLimit = 3 * time.Second

// Stats are the counts of an exploration.
type Stats struct {
	explore.Formulas
	Filtered map[Rules]int
}

// A Strategy is one exploration. It implements explore.Strategy.
type Strategy struct {
	opt     Options
	set     *mapcov.Set
	queue   queue // of patterns of memory
	syncs   queue // of patterns with other variables, which come after these
	bare    []bare
	cycles  []cycle         // deadlocks to aim at
	aimed   map[string]bool // those that were, by goroutines and places
	kept    []*execution    // see further
	cores   [2]*cores       // by index of execution.problems
	seen    map[uint64]bool // states that the schedules so far reach
	told    map[uint64]bool // states that other strategies have reached, see Know
	result  explore.Result
	stats   Stats
	held    why.Reason
	trunc   bool
	short   bool // time was over before all candidates of an execution were found
	asMCR   bool // no pattern is left: it goes on as MCR
	asMap   int  // of kept: those that patterns were looked for in
	turn    bool // see pop
	fates   map[mapcov.Key]fate
	order   []int // events of the last schedule, in the trace that it was made from
	started bool
	over    bool       // no schedule is left
	target  *candidate // of the last schedule
	reached uint64     // the state that the last schedule reaches
	plans   []plan     // schedules that Foresee has returned
	cheap   int        // random executions that come before the next schedule is looked for
	quick   bool       // the last schedule was one of them
	later   *execution // it is examined after them
	rng     splitmix.Stream
	seed    uint64 // the seed of the last schedule
	s       trace.Schedule

	// Check, if not nil, is called with every formula that a core refutes. For tests.
	Check func(p *order.Problem, g order.Goal)
	// solve solves a formula; tests replace it.
	solve func(ctx context.Context, p *order.Problem, g order.Goal) order.Answer
}

// An item is a candidate with the execution that it comes from.
type item struct {
	candidate
	from *execution
	at   int // index among the candidates of that execution
}

// A queue has candidates by the length of their pattern, in the order of discovery.
type queue [mapcov.MaxSteps + 1][]item

// An execution is a trace with what was computed from it.
type execution struct {
	t     *trace.Trace
	state uint64 // the state at its end
	seed  uint64 // of its schedule
	view  *view
	c     *creation
	named *named

	problems [2]*order.Problem // made by problem
}

// questions returns the number of problems, which are asked in turn.
func (x *execution) questions() int {
	if x.t.Flow != nil {
		return 2
	}
	return 1
}

// problem returns the i-th problem. In the first every operation depends on all earlier reads of
// its goroutine, so that nothing changes beside the goal. In the second, if data flow was recorded,
// it depends on the reads that its value came from. A problem is made when it is first asked: that
// takes longer than a short execution.
func (x *execution) problem(i int) *order.Problem {
	if x.problems[i] == nil {
		opt := order.Options{}
		if i == 1 {
			opt.Dependent = x.view.dependent
		}
		x.problems[i] = order.New(x.t, opt)
	}
	return x.problems[i]
}

// New returns a strategy before its first execution.
func New(opt Options) *Strategy {
	return &Strategy{
		opt: opt, set: mapcov.NewSet(), cores: [2]*cores{newCores(), newCores()},
		seen: make(map[uint64]bool), aimed: make(map[string]bool),
		fates: make(map[mapcov.Key]fate),
		stats: Stats{Filtered: make(map[Rules]int)}, rng: splitmix.Stream(opt.Seed),
		solve: func(ctx context.Context, p *order.Problem, g order.Goal) order.Answer {
			return p.Solve(ctx,
				g)
		},
	}
}

// Coverage returns the patterns that were covered.
func (s *Strategy) Coverage() *mapcov.Set { return s.set }

// Sites implements explore.Sighted.
func (s *Strategy) Sites() []trace.Site { return s.set.Names.Sites() }

// Stats returns the counts so far.
func (s *Strategy) Stats() Stats { return s.stats }

// Counts implements explore.Counting: the random executions before one that is examined.
func (s *Strategy) Counts() bool { return s.quick }

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	if !s.started {
		s.started = true
		s.s = trace.Schedule{Policy: "first", Exhaustive: true}
		if s.opt.Seed != 0 {
			s.s.Policy, s.s.Seed = "random", s.opt.Seed
		}
		s.seed = s.s.Seed
		return &s.s
	}
	s.seed = 0
	if s.quick = s.cheap > 0; s.quick {
		s.cheap--
		s.s = trace.Schedule{Policy: "random", Seed: s.rng.Next()>>1 + 1, Exhaustive: true}
		return &s.s
	}
	if s.later != nil {
		s.examine(s.later)
		s.later = nil
	}
	if next := s.planned(); next != nil {
		return next
	}
	if next := s.nextCycle(); next != nil {
		return next
	}
	for s.opt.Expired == nil || !s.opt.Expired() {
		k, ok := s.pop()
		if !ok && s.opt.Then && s.further() {
			continue
		}
		if !ok {
			next := s.nextBare()
			s.over = next == nil
			return next
		}
		if s.opt.Rules.has(Covered) && s.set.HasKey(k.key) {
			continue
		}
		if next := s.schedule(&k); next != nil {
			s.target = &k.candidate
			return next
		}
	}
	s.held = why.Of(why.TimeOver)
	return nil
}

// A bare is an order of a formula without an extension: events that are sure to come can prevent
// others. Where no state may be lost, bare orders are executed as well, after everything else.
type bare struct {
	from *execution
	core []int
}

func (s *Strategy) nextBare() *trace.Schedule {
	for len(s.bare) > 0 {
		b := s.bare[0]
		s.bare = s.bare[1:]
		if next := s.alone(b); next != nil {
			return next
		}
	}
	return nil
}

// alone returns the schedule of an order without an extension, nil if it reaches a state that an
// earlier one reaches.
func (s *Strategy) alone(b bare) *trace.Schedule {
	ext := newExtension(b.from.view, b.from.c, s.set.Names)
	ext.do(b.core)
	return s.once(b.from, ext)
}

// further continues as MCR from all executions so far. It returns false if it was called before.
func (s *Strategy) further() bool {
	if !s.opt.Rules.has(Covered) {
		return false
	}
	s.asMCR, s.asMap = true, len(s.kept)
	mcr := MCR()
	s.opt.Rules, s.opt.Longest = mcr.Rules, mcr.Longest
	for _, x := range s.kept {
		s.create(x)
	}
	return true
}

// maxKept bounds the executions that are kept for further.
const maxKept = 200

// pop takes the next candidate: the longest of memory first, then the others. mcr, which seldom
// comes to the end of the values of memory, takes them by turns.
func (s *Strategy) pop() (item, bool) {
	queues := [2]*queue{&s.queue, &s.syncs}
	if s.turn = !s.turn && !s.opt.Rules.has(Covered); s.turn {
		queues = [2]*queue{&s.syncs, &s.queue}
	}
	for _, of := range queues {
		for n := mapcov.MaxSteps; n > 1; n-- {
			if q := of[n]; len(q) > 0 {
				k := q[0]
				q[0] = item{}
				of[n] = q[1:]
				return k, true
			}
		}
	}
	return item{}, false
}

// schedule returns a schedule that shows k, nil if there is none, or none that reaches a new state.
func (s *Strategy) schedule(k *item) *trace.Schedule {
	x, what := k.from, wasRefuted
	for _, g := range s.goals(k) {
		for i := range x.questions() {
			a := s.answer(k, i, g)
			if a.Verdict == order.Unknown {
				what = wasUndecided
			}
			if a.Verdict != order.Found {
				continue
			}
			s.note(k, wasLed)
			core := append(a.Order, g.At...)
			if !s.opt.Rules.has(Covered) {
				s.bare = append(s.bare, bare{x, slices.Clone(core)})
			}
			return s.extended(x, core, s.rest(k, &g))
		}
	}
	s.note(k, what)
	return nil
}

// extended returns the schedule of an order, then what is tried after it, then what is sure to
// come.
func (s *Strategy) extended(x *execution, core, rest []int) *trace.Schedule {
	ext := newExtension(x.view, x.c, s.set.Names)
	last := core[len(core)-1]
	ext.do(core[:len(core)-1])
	ext.hold(last)
	ext.goOn()
	ext.hold(-1)
	ext.do([]int{last})
	ext.bring(rest)
	ext.goOn()
	return s.once(x, ext)
}

// once returns the schedule of what an extension has performed, nil if it reaches a state that an
// earlier one reaches.
func (s *Strategy) once(x *execution, ext *extension) *trace.Schedule {
	key := ext.key()
	if s.seen[key] || s.told[key] {
		s.stats.Duplicates++
		return nil
	}
	s.seen[key], s.reached, s.order = true, key, ext.order
	next, _ := x.problem(0).Schedule(ext.order, nil)
	next.Strict, next.Policy = false, "first"
	return next
}

// goals returns the goals for a candidate, in the order in which they are tried: the whole pattern
// with a new state for sure; the part of it that depends on nothing else, with an attempt at the
// rest; the pattern whatever is read.
func (s *Strategy) goals(k *item) []order.Goal {
	c := k.from.c
	if !s.opt.Rules.has(OldState) {
		return []order.Goal{c.goal(&k.candidate, k.n, false)}
	}
	n := c.certain(&k.candidate)
	if !s.opt.Rules.has(Covered) {
		return []order.Goal{c.goal(&k.candidate, n, true)}
	}
	gs := []order.Goal{c.goal(&k.candidate, k.n, true)}
	if n < k.n {
		gs = append(gs, c.goal(&k.candidate, n, true))
	}
	if len(gs[0].Sees) > 0 {
		gs = append(gs, c.goal(&k.candidate, k.n, false))
	}
	return gs
}

// rest returns the accesses of a candidate after those of a goal.
func (s *Strategy) rest(k *item, g *order.Goal) (events []int) {
	if !s.opt.Rules.has(Covered) {
		return nil
	}
	for i := k.n - 1; i >= 0 && k.event(k.from.c, i) != g.At[0]; i-- {
		events = append([]int{k.event(k.from.c, i)}, events...)
	}
	return events
}

// answer is patternConstraintSolving (Algorithm 4) for the i-th problem of an execution.
func (s *Strategy) answer(k *item, i int, g order.Goal) order.Answer {
	x := k.from
	if !k.part && s.cores[i].refute(x.named, &g) {
		s.stats.Skipped++
		if s.Check != nil {
			s.Check(x.problem(i), g)
		}
		return order.Answer{Verdict: order.Impossible}
	}
	start := time.Now()
	ctx := deadline{Context: context.Background(), over: s.opt.Expired}
	if s.opt.Limit > 0 {
		ctx.at = start.Add(s.opt.Limit)
	}
	a := s.solve(ctx, x.problem(i), g)
	s.stats.Solving += time.Since(start)
	s.stats.Solved++
	switch a.Verdict {
	case order.Found:
		s.stats.Found++
	case order.Impossible:
		s.stats.Refuted++
		if !k.part {
			s.cores[i].keep(x.named, &g, a.Core)
		}
	default:
		s.stats.Unknown = append(s.stats.Unknown,
			explore.Unknown{Pattern: s.set.Names.Pattern(k.key), Reason: a.Reason})
	}
	return a
}

// A deadline is a context that ends at a time, or when over, if not nil, returns true. (A context's
// own timer would be the program's, in virtual time.)
type deadline struct {
	context.Context
	at   time.Time // zero: never
	over func() bool
}

func (d deadline) Err() error {
	if !d.at.IsZero() && time.Now().After(d.at) || d.over != nil && d.over() {
		return context.DeadlineExceeded
	}
	return nil
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	if held := explore.Held(t); !held.None() {
		s.held = held
	}
	if s.quick {
		s.set.Add(t)
		return
	}
	x := s.begin(t)
	s.set.AddAccesses(x.c.as)
	if s.target != nil && !s.set.HasKey(s.target.key) && s.target.row != 0 {
		s.stats.Missed++
	}
	s.target = nil
	if s.cheap = s.opt.Cheap; s.cheap > 0 {
		s.later = x
		return
	}
	s.examine(x)
}

// examine finds the candidates of an execution.
func (s *Strategy) examine(x *execution) {
	s.readOn(x)
	if s.seen[x.state] {
		return // all of its candidates were examined
	}
	s.seen[x.state] = true
	s.aim(x)
	s.create(x)
	if s.opt.Then && len(s.kept) < maxKept {
		s.kept = append(s.kept, x)
	}
}

// read makes an execution of a trace.
func (s *Strategy) read(t *trace.Trace) *execution {
	x := s.begin(t)
	s.readOn(x)
	return x
}

// begin makes an execution of a trace with its accesses alone.
func (s *Strategy) begin(t *trace.Trace) *execution {
	t = t.Clone()
	return &execution{t: t, seed: s.seed, c: &creation{as: s.set.Names.Read(t), set: s.set}}
}

// readOn computes the rest of what an execution has.
func (s *Strategy) readOn(x *execution) {
	x.view = newView(x.t)
	x.c.problem = x.problem(0)
	x.c.findSources()
	ext := newExtension(x.view, x.c, s.set.Names)
	for e := range x.t.Events {
		ext.event(e)
	}
	x.state = ext.key() ^ wholeTrace
	x.named = newNamed(ext)
}

// create adds the candidates of an execution to the queue.
func (s *Strategy) create(x *execution) {
	x.c.expired = s.opt.Expired
	for i, k := range s.candidates(x) {
		of := &s.queue
		if s.set.Names.Syncs(k.key) {
			of = &s.syncs
		}
		of[k.n] = append(of[k.n], item{k, x, i})
	}
}

// candidates returns the candidates of an execution.
func (s *Strategy) candidates(x *execution) []candidate {
	x.c.rules, x.c.longest, x.c.found = s.opt.Rules, s.opt.Longest, nil
	ks := x.c.create()
	s.stats.Candidates += len(ks)
	for r, n := range x.c.filtered {
		s.stats.Filtered[r] += n
	}
	s.trunc = s.trunc || x.c.truncated
	if x.c.over {
		s.short = true
		s.held = why.Of(why.TimeOver)
	}
	return ks
}

// wholeTrace distinguishes the states at the end of executions from the states that schedules
// reach.
const wholeTrace = 0x5bd1e995

// Result implements explore.Strategy. It never claims to have covered every interleaving: it
// considers patterns, values and the traces of its executions alone.
func (s *Strategy) Result() explore.Result {
	r := s.result
	switch {
	case !s.held.None():
		r.Reason = s.held
	case s.trunc:
		r.Reason = why.With(why.Limit, "more patterns than are looked at")
	case len(s.stats.Unknown) > 0:
		r.Reason = why.With(why.Limit, undecided)
	case !s.over:
	case s.opt.Rules.has(Covered):
		r.Reason = why.With(why.Came, "every pattern that could be covered was")
	default:
		r.Reason = why.Of(why.Exhausted)
	}
	return r
}
