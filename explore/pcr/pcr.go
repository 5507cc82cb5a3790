// Package pcr is the strategy map, pattern constraint reduction: it looks at an execution for
// memory-access patterns that it could have shown and did not, and asks package order for a
// schedule that shows them (Zhao, Wang, Liu, Sun, Chen, Chen, "Achieving High MAP-Coverage through
// Pattern Constraint Reduction").
//
//	executed ──► create    Algorithm 3: candidates; rules 1 to 6 leave most out
//	             queue     the longest pattern first
//	             refute    Algorithm 4: is the core of an earlier refutation among the constraints?
//	             solve     package order: must happen before, locks, data validity, and the pattern
//	             extend    what nobody asked about stays as it was
//	         ◄── schedule  none twice
//
// With Rule 4 alone and patterns of length 2 it is maximal causality reduction, the strategy mcr
// (Huang, PLDI 2015): every schedule lets a read see a value that it has not seen, or two writes
// change places. It then ends when there is nothing new to see, and can be split (Split, Expand).
package pcr

import (
	"context"
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/explore/why"
	"heddle/order"
	"heddle/trace"
)

// Options of a Strategy.
type Options struct {
	Seed    uint64        // of the first execution's policy; 0: it is not preempted
	Rules   Rules         // that leave patterns out
	Longest int           // pattern
	Limit   time.Duration // for one formula, 0: none; past it counts as not known

	// Expired, if not nil, ends the search for the next schedule: the time is over.
	Expired func() bool

	// Then: when no pattern is left, go on as MCR does. A statement that is executed several times
	// covers a pattern once (Rule 2), and what it does the next time is left over.
	Then bool
}

// Map returns the options of the strategy map.
func Map() Options {
	return Options{Rules: AllRules, Longest: mapcov.MaxSteps, Limit: DefaultLimit, Then: true}
}

// MCR returns the options of the strategy mcr.
func MCR() Options { return Options{Rules: OldState, Longest: 2, Limit: DefaultLimit} }

// DefaultLimit is how long one formula may take.
const DefaultLimit = 3 * time.Second

// Stats says what an exploration took.
type Stats struct {
	explore.Formulas
	Filtered map[Rules]int
}

// A Strategy is one exploration. It implements explore.Strategy.
type Strategy struct {
	opt     Options
	set     *mapcov.Set
	queue   [mapcov.MaxSteps + 1][]item // by length, in the order in which they were found
	bare    []bare
	kept    []*execution    // see further
	cores   [2]*cores       // of the problems of executions
	seen    map[uint64]bool // states that schedules lead to
	told    map[uint64]bool // and those that others' do, see Know
	result  explore.Result
	stats   Stats
	sites   map[trace.Site]bool
	held    why.Reason
	trunc   bool
	started bool
	over    bool       // nothing is left to be executed
	target  *candidate // of the schedule last given
	reached uint64     // the state that it leads to
	plans   []plan     // schedules that were foreseen
	seed    uint64     // and its seed
	s       trace.Schedule

	// Check, if not nil, is told of every formula that a core refutes, before it is skipped. For
	// tests.
	Check func(p *order.Problem, g order.Goal)
	// Solve is how formulas are solved; tests replace it.
	solve func(ctx context.Context, p *order.Problem, g order.Goal) order.Answer
}

// An item is a candidate with the execution that it comes from.
type item struct {
	candidate
	from *execution
	at   int // among the candidates of that execution
}

// An execution is a trace with what is known of it.
type execution struct {
	t     *trace.Trace
	state uint64 // at its end
	seed  uint64 // of its schedule
	view  *view
	c     *creation
	named *named

	// problems are asked in turn: in the first all that a goroutine does depends on all that it has
	// read, so that nothing changes but what the goal is about; in the second, where data flow was
	// recorded, on what it does depend on.
	problems []*order.Problem
}

// New returns a strategy that has executed nothing yet.
func New(opt Options) *Strategy {
	return &Strategy{
		opt: opt, set: mapcov.NewSet(), cores: [2]*cores{newCores(), newCores()},
		seen: make(map[uint64]bool), sites: make(map[trace.Site]bool),
		stats: Stats{Filtered: make(map[Rules]int)},
		solve: func(ctx context.Context, p *order.Problem, g order.Goal) order.Answer {
			return p.Solve(ctx,
				g)
		},
	}
}

// Coverage returns what has been covered.
func (s *Strategy) Coverage() *mapcov.Set { return s.set }

// Sites returns the places at which shared variables were accessed.
func (s *Strategy) Sites() []trace.Site {
	sites := make([]trace.Site, 0, len(s.sites))
	for x := range s.sites {
		sites = append(sites, x)
	}
	slices.Sort(sites)
	return sites
}

// Stats returns what it took so far.
func (s *Strategy) Stats() Stats { return s.stats }

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
	if next := s.planned(); next != nil {
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
		if s.opt.Rules.has(Covered) && s.set.Has(k.pattern) {
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

// A bare is an order that a formula has, with nothing after it: what is sure to come can keep out
// what else could. Where no state is to be lost these are tried too, when nothing else is left.
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

// alone returns the schedule of an order with nothing after it, nil if it leads where an earlier
// one led.
func (s *Strategy) alone(b bare) *trace.Schedule {
	ext := newExtension(b.from.view, b.from.c, s.set.Names)
	ext.do(b.core)
	return s.once(b.from, ext)
}

// further goes on as MCR does, from all executions made so far. It returns false if that was done
// already.
func (s *Strategy) further() bool {
	if !s.opt.Rules.has(Covered) {
		return false
	}
	mcr := MCR()
	s.opt.Rules, s.opt.Longest = mcr.Rules, mcr.Longest
	for _, x := range s.kept {
		s.create(x)
	}
	s.kept = nil
	return true
}

// maxKept bounds the executions that are kept for that.
const maxKept = 200

func (s *Strategy) pop() (item, bool) {
	for n := mapcov.MaxSteps; n > 1; n-- {
		if q := s.queue[n]; len(q) > 0 {
			k := q[0]
			q[0] = item{}
			s.queue[n] = q[1:]
			return k, true
		}
	}
	return item{}, false
}

// schedule returns a schedule that shows k, nil if there is none, or none that leads anywhere new.
func (s *Strategy) schedule(k *item) *trace.Schedule {
	x := k.from
	for _, g := range s.goals(k) {
		for i := range x.problems {
			a := s.answer(k, i, g)
			if a.Verdict != order.Found {
				continue
			}
			core := append(a.Order, g.At...)
			if !s.opt.Rules.has(Covered) {
				s.bare = append(s.bare, bare{x, slices.Clone(core)})
			}
			return s.extended(x, core, s.rest(k, &g))
		}
	}
	return nil
}

// extended returns the schedule of an order, of what is tried after it, and of what is sure to
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

// once returns the schedule of what an extension has done, nil if it leads where an earlier one
// led.
func (s *Strategy) once(x *execution, ext *extension) *trace.Schedule {
	key := ext.key()
	if s.seen[key] || s.told[key] {
		s.stats.Duplicates++
		return nil
	}
	s.seen[key], s.reached = true, key
	next, _ := x.c.problem.Schedule(ext.order, nil)
	next.Strict, next.Policy = false, "first"
	return next
}

// goals returns what is asked for a candidate, one after the other until there is an order: that it
// shows whole, with a new state for sure; that it shows as far as that depends on nothing else, and
// what follows is tried; that it shows, whatever is read.
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

// rest returns the accesses of a candidate that come after those of a goal.
func (s *Strategy) rest(k *item, g *order.Goal) (events []int) {
	if !s.opt.Rules.has(Covered) {
		return nil
	}
	for i := k.n - 1; i >= 0 && k.event(k.from.c, i) != g.At[0]; i-- {
		events = append([]int{k.event(k.from.c, i)}, events...)
	}
	return events
}

// answer is patternConstraintSolving (Algorithm 4), for the i-th problem of an execution.
func (s *Strategy) answer(k *item, i int, g order.Goal) order.Answer {
	x := k.from
	if s.cores[i].refute(x.named, &g) {
		s.stats.Skipped++
		if s.Check != nil {
			s.Check(x.problems[i], g)
		}
		return order.Answer{Verdict: order.Impossible}
	}
	start := time.Now()
	ctx := deadline{Context: context.Background(), over: s.opt.Expired}
	if s.opt.Limit > 0 {
		ctx.at = start.Add(s.opt.Limit)
	}
	a := s.solve(ctx, x.problems[i], g)
	s.stats.Solving += time.Since(start)
	s.stats.Solved++
	switch a.Verdict {
	case order.Found:
		s.stats.Found++
	case order.Impossible:
		s.stats.Refuted++
		s.cores[i].keep(x.named, &g, a.Core)
	default:
		s.stats.Unknown = append(s.stats.Unknown, explore.Unknown{Pattern: k.pattern, Reason: a.Reason})
	}
	return a
}

// A deadline is a context that ends at a time, or when over, if not nil, says so. (Contexts with
// timers are the program's under test, in its time.)
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
	x := s.read(t)
	s.set.AddAccesses(x.c.as)
	if s.target != nil && !s.set.Has(s.target.pattern) && s.target.pattern.Row != 0 {
		s.stats.Missed++
	}
	s.target = nil
	if s.seen[x.state] {
		return // all that could come of it was asked
	}
	s.seen[x.state] = true
	s.create(x)
	if s.opt.Then && s.opt.Rules.has(Covered) && len(s.kept) < maxKept {
		s.kept = append(s.kept, x)
	}
}

// read makes an execution of a trace.
func (s *Strategy) read(t *trace.Trace) *execution {
	t = t.Clone()
	as := s.set.Names.Read(t)
	for _, x := range as.Sites() {
		s.sites[x] = true
	}
	x := &execution{t: t, view: newView(t), seed: s.seed}
	x.c = &creation{as: as, set: s.set}
	x.c.problem = order.New(t, order.Options{})
	x.problems = []*order.Problem{x.c.problem}
	if t.Flow != nil {
		x.problems = append(x.problems, order.New(t, order.Options{Dependent: x.view.dependent}))
	}
	x.c.findSources()
	ext := newExtension(x.view, x.c, s.set.Names)
	for e := range t.Events {
		ext.event(e)
	}
	x.state = ext.key() ^ wholeTrace
	x.named = newNamed(ext)
	return x
}

// create puts the candidates of an execution into the queue.
func (s *Strategy) create(x *execution) {
	x.c.expired = s.opt.Expired
	for i, k := range s.candidates(x) {
		s.queue[k.n] = append(s.queue[k.n], item{k, x, i})
	}
}

// candidates returns those of an execution.
func (s *Strategy) candidates(x *execution) []candidate {
	x.c.rules, x.c.longest, x.c.found = s.opt.Rules, s.opt.Longest, nil
	ks := x.c.create()
	s.stats.Candidates += len(ks)
	for r, n := range x.c.filtered {
		s.stats.Filtered[r] += n
	}
	s.trunc = s.trunc || x.c.truncated
	if x.c.over {
		s.held = why.Of(why.TimeOver)
	}
	return ks
}

// wholeTrace tells the states at the end of executions from those that schedules lead to.
const wholeTrace = 0x5bd1e995

// Result implements explore.Strategy. It never claims to have covered every
// interleaving: patterns, values and traces that were executed is what it goes by.
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
