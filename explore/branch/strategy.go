// Package branch executes only orders that may send a branch another way: Setiadi, Ohsuga &
// Maekawa, "Efficient Execution Path Exploration for Detecting Races in Concurrent Programs". The
// numbers of sections, algorithms and theorems are the paper's.
package branch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/order"
	"heddle/trace"
)

// Options configure a Strategy.
type Options struct {
	Context context.Context // ends the search for orders; nil: nothing does
	Nodes   int             // largest variant graph that is drawn; 0: drawnNodes; -1: none
	Orders  int             // bound on the orders of one branch's operations; 0: mostOrders

	// Spare, if not nil, reports whether executions are to be sampled when nothing else is left.
	Spare func() bool
	Early bool   // of these, let timers fire early in some
	Seed  uint64 // of these
}

const (
	drawnNodes = 2000
	mostOrders = 2000

	// mostRelated bounds the operations that a branch depends on: pairs of them distinguish orders.
	mostRelated = 1000

	// candidatesKept bounds the candidates that are kept after their groups were tested.
	candidatesKept = 5000
)

// A Strategy is Algorithm 4: it executes one variant of every branch-affect group whose outcome is
// unknown, until all groups or all combinations of outcomes are tested. It needs traces with data
// flow in which every access to memory is a step.
//
// Six things differ from the paper. A group counts as tested as soon as any execution has
// performed its operations in its order. A round of a branch in a loop waits if it depends on the
// same statements as the round before: it is examined only if testing the earlier round gave new
// MANNERS. When all groups are tested, every select is made to take its other cases (choice.go),
// and every draw on which a branch depends has its other outcomes (draw.go). Then checks of the
// runtime, and what addresses lead to, are branches too (deepen). The strategy continues with
// combinations of outcomes that were seen one at a time (combine.go); step 2 of the algorithm ends
// without them, and Theorem 1 does not hold then. The rest of the budget goes to samples
// (sample.go).
type Strategy struct {
	opt     Options
	tab     *Table
	started bool
	running *candidate // the candidate that is executed; nil: the first execution, or one for a suspicion
	byID    map[int]*candidate
	last    int // candidate
	groups  map[string]*openGroup
	open    []*openGroup
	runs    []*run
	manners map[string]bool
	waiting map[string][]*source       // by name of a branch: executions with rounds that wait for it
	active  map[string]bool            // names of branches that no longer wait
	classes map[string]map[string]bool // by branch without the round: the orders of its statements seen
	checked map[string]bool            // names of checks, without rounds, that interleaving affects
	deep    bool                       // checks are branches
	seed    uint64                     // of the schedule that Next returned last
	suspicions
	choices
	redraws
	combinations
	samples
	sites   []trace.Site
	bad     why.Reason // why the result is incomplete
	bounded bool       // a bound has ended an execution
	count   Counts
}

// Counts are what an exploration has counted.
type Counts struct {
	Executions int
	// executions until the outcomes of all groups were known, or all combinations were tested,
	// without those for broken locking and choices; 0: not yet
	Settled    int
	Choices    int     // executions in which a select took another case
	Goroutines int     // this count and the next four are of the first execution
	Accesses   int     // to shared variables that are not read-shared
	Shared     int     // variables used by several goroutines
	ReadShared int     // of those, read-shared
	Branches   int     // that depend on values read
	Pairs      float64 // test cases by the criterion TPAIR, see Pairs
	Affected   int     // branches, without rounds, that interleaving affects in some execution
	Groups     int     // of these branches: orders of their statements, without rounds
	Manners    int     // different MANNERS
}

// A candidate is a variant that may be executed. Until the solver is asked it is only a group.
type candidate struct {
	id     int
	from   *source
	branch int
	group  Group
	found  bool
	Variant

	asked    bool // the solver was asked
	verdict  order.Verdict
	foreseen bool
}

// An openGroup is a group of unknown outcome, with what shows that an execution has performed its
// order.
type openGroup struct {
	branch, key string
	sees        []sight // its operations see these versions,
	before      []pair  // or all related operations are in this order
}

// New returns a strategy before its first execution.
func New(o Options) *Strategy {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Nodes == 0 {
		o.Nodes = drawnNodes
	}
	if o.Orders == 0 {
		o.Orders = mostOrders
	}
	return &Strategy{opt: o, tab: NewTable(), byID: map[int]*candidate{}, groups: map[string]*openGroup{},
		manners: map[string]bool{},
		waiting: map[string][]*source{}, active: map[string]bool{}, classes: map[string]map[string]bool{},
		checked:      map[string]bool{},
		suspicions:   newSuspicions(),
		choices:      choices{due: map[string]int{}, had: map[string]bool{}},
		redraws:      redraws{drew: map[string]bool{}},
		combinations: combinations{tried: map[string]bool{}}}
}

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	q := s.next()
	if q != nil {
		s.seed = q.Seed
	}
	return q
}

func (s *Strategy) next() *trace.Schedule {
	s.running, s.sampling = nil, false
	if !s.started {
		return &trace.Schedule{Policy: "first", Exhaustive: true}
	}
	if q := s.check(); q != nil {
		return q
	}
	for s.opt.Context.Err() == nil {
		ids := s.tab.Next()
		if len(ids) == 0 {
			if q := s.choose(); q != nil {
				return q
			}
			if q := s.redraw(); q != nil {
				return q
			}
			if s.count.Settled == 0 {
				s.count.Settled = s.count.Executions - s.confronted - s.made - s.redrawn
			}
			if s.deepen() {
				continue
			}
			if q := s.combine(); q != nil {
				return q
			}
			return s.sample()
		}
		c := s.byID[ids[0]]
		if !c.found {
			s.find(c) // after which another candidate may be due
			continue
		}
		s.running = c
		return c.from.seeker.Schedule(&c.Variant)
	}
	return nil
}

// find asks the solver for a variant of a candidate's group.
func (s *Strategy) find(c *candidate) {
	if s.ask(c); c.verdict != order.Found {
		if c.verdict == order.Unknown {
			s.bad = why.With(why.Limit, "the solver did not decide some orders")
		}
		s.drop(c)
		return
	}
	c.found = true
	s.classify(c)
}

// ask asks the solver once.
func (s *Strategy) ask(c *candidate) {
	if !c.found && !c.asked {
		c.asked = true
		c.Variant, c.verdict = c.from.seeker.Find(s.opt.Context, c.branch, c.group)
	}
}

// possible reports whether there is a variant, after ask.
func (c *candidate) possible() bool { return c.found || c.verdict == order.Found }

func (s *Strategy) drop(c *candidate) {
	s.tab.Drop(c.id)
	delete(s.byID, c.id)
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	c := s.running
	s.count.Executions++
	s.bounded = s.bounded || t.Verdict == trace.Bounded || t.Verdict == trace.Crowded
	if t.Verdict == trace.Diverged {
		s.bad = why.With(why.Limit, "an execution left its schedule")
		if c != nil {
			s.drop(c)
		}
		return
	}
	if s.looks(t); s.sampling && s.unlike {
		return
	}
	x := newExecution(t.Clone(), true, s.deep)
	m := MannersText(Manners(x.Trace, x.Shared))
	fresh := !s.manners[m]
	s.manners[m] = true
	if s.sampling && !fresh {
		return
	}
	s.take(newSource(x, s.seed), c, m, fresh)
}

// take takes an execution with MANNERS m. c is the candidate that it was made for, or nil.
func (s *Strategy) take(f *source, c *candidate, m string, fresh bool) {
	r := f.run()
	s.runs = append(s.runs, r)
	s.sources = append(s.sources, f)
	s.selects(f, fresh)
	s.draws(f)
	s.suspect(f)
	s.visit(f.x)
	if !s.started {
		s.started = true
		s.first(f.x.Trace)
	}
	id := -len(s.runs)
	if c != nil {
		id = c.id
	}
	for _, b := range s.considered(f) {
		s.tab.Branch(f.names[b], false)
	}
	s.tab.Executed(id, r.outcomes, m)
	delete(s.byID, id)
	s.open = slices.DeleteFunc(s.open, func(g *openGroup) bool { return s.settled(g, r) })
	s.derive(f, s.considered(f))
	if c != nil && fresh {
		s.wake(c)
	}
}

// deepTraces bounds the executions whose checks are considered.
const deepTraces = 100

// deepen makes checks branches too, in all executions so far, and begins Algorithm 4 again with
// what these executions have tested. It returns false if nothing changes: checks are branches
// already, or interleaving affects none of them.
//
// Before, checks would be in the way: for every access through a pointer that interleaving affects,
// more operations would count whose version may not change.
func (s *Strategy) deepen() bool {
	if s.deep {
		return false
	}
	s.deep = true
	n := New(s.opt)
	n.started, n.deep, n.count, n.bad, n.bounded = true, true, s.count, s.bad, s.bounded
	n.manners, n.classes, n.checked, n.sites, n.last = s.manners, s.classes, s.checked, s.sites, s.last
	n.suspicions, n.choices, n.redraws, n.samples = s.suspicions, s.choices, s.redraws, s.samples
	for _, f := range s.sources[:min(len(s.sources), deepTraces)] {
		if s.late() {
			return false
		}
		x := newExecution(f.x.Trace, true, true)
		n.take(newSource(x, f.seed), nil, MannersText(Manners(x.Trace, x.Shared)), false)
	}
	if len(n.checked) == 0 {
		return false
	}
	*s = *n
	return true
}

// visit records the sites of accesses to shared memory.
func (s *Strategy) visit(x *Execution) {
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		if (e.Op == trace.OpRead || e.Op == trace.OpWrite) && x.vars[x.variable[i]].shared &&
			!slices.Contains(s.sites, e.Site.Plain()) {
			s.sites = append(s.sites, e.Site.Plain())
		}
	}
}

// first counts what the first execution has, whether a branch depends on it or not.
func (s *Strategy) first(t *trace.Trace) {
	x := Read(t)
	s.count.Goroutines = len(x.Trace.Goroutines) - 1 // without the timers
	s.count.Branches = len(x.Branches)
	s.count.Pairs = min(Pairs(x), math.MaxFloat64)
	for v := range x.vars {
		users := map[trace.GID]bool{}
		for _, e := range x.accesses[v] {
			if IsAccess(x.Trace.Events[e].Op) {
				users[x.Trace.Events[e].G] = true
			}
		}
		if len(users) < 2 {
			continue
		}
		s.count.Shared++
		if !x.vars[v].shared {
			s.count.ReadShared++
		}
	}
	for i := range x.Ops {
		if IsAccess(x.event(i).Op) {
			s.count.Accesses++
		}
	}
}

// settled reports whether the outcome of a group is known after r.
func (s *Strategy) settled(g *openGroup, r *run) bool {
	if s.tab.Settled(g.branch, g.key) {
		return true
	}
	if !r.seen(g.sees) && !r.did(g.before) {
		return false
	}
	s.tab.Covered(g.branch, g.key, r.outcomes)
	return true
}

// considered returns the branches that interleaving affects and that do not wait.
func (s *Strategy) considered(f *source) []int {
	if f.stamp == len(s.active)+1 {
		return f.due
	}
	f.stamp, f.due = len(s.active)+1, nil
	waits := map[string]bool{} // by branch without the round
	for b := range f.names {
		place := placeOf(f.names[b])
		if !s.active[f.names[b]] {
			waits[place] = waits[place] || s.repeats(f, b)
			if waits[place] {
				continue
			}
		}
		switch r := f.rel(b); {
		case r.affected && len(r.ops) > mostRelated:
			s.bad = why.With(why.Limit, "a branch depends on too many operations")
		case r.affected:
			f.due = append(f.due, b)
		}
	}
	return f.due
}

// repeats reports whether a branch depends on the same statements as in the round before. Then it
// and all later rounds wait for that round.
func (s *Strategy) repeats(f *source, b int) bool {
	before := f.nth(b, f.x.Branches[b].Nth-1)
	if before < 0 || !slices.Equal(f.statements(b), f.statements(before)) {
		return false
	}
	name := f.names[before]
	if !slices.Contains(s.waiting[name], f) {
		s.waiting[name] = append(s.waiting[name], f)
	}
	return true
}

// note counts the order of a group, as an order of statements.
func (s *Strategy) note(f *source, b int, g *Group) {
	var pairs []string
	f.inOrder(b, g, func(p, q int32) { pairs = append(pairs, f.statement(p)+" "+f.statement(q)) })
	slices.Sort(pairs)
	place := placeOf(f.names[b])
	if f.x.Branches[b].Check {
		s.checked[place] = true
		return
	}
	if s.classes[place] == nil {
		s.classes[place] = map[string]bool{}
	}
	s.classes[place][strings.Join(slices.Compact(pairs), "\n")] = true
}

// derive adds the groups of these branches that an execution gives.
func (s *Strategy) derive(f *source, branches []int) {
	for _, b := range branches {
		s.tab.Branch(f.names[b], false)
		s.note(f, b, &Group{Order: f.rel(b).ops})
	}
	if len(branches) == 0 {
		return
	}
	if s.opt.Nodes > 0 && f.x.Drawable() {
		if g, ok := Draw(f.x, s.opt.Nodes); ok {
			for _, v := range g.Variants {
				s.classify(s.add(&candidate{from: f, found: true, Variant: v}))
			}
			return
		}
	}
	for _, b := range branches {
		if s.late() {
			return
		}
		groups, ok := f.seeker.Orders(b, false, s.opt.Orders)
		if !ok {
			s.bad = why.With(why.Limit, "a branch's operations have too many orders")
		}
		for _, g := range groups {
			if s.late() {
				return
			}
			if key, wanted := s.enter(f, b, &g, f.guess(b, &g)); wanted {
				s.tab.Classify(f.names[b], key, s.add(&candidate{from: f, branch: b, group: g}).id)
			}
		}
	}
}

// late reports whether the time is up. Then not all orders are known.
func (s *Strategy) late() bool {
	if s.opt.Context.Err() == nil {
		return false
	}
	s.bad = why.With(why.NotAll, "orders of what branches depend on")
	return true
}

// guess returns which operations unrelated to a branch are assumed done before the changed
// operation of a group: as in the trace, except for what makes the operation see another version.
func (f *source) guess(branch int, g *Group) func(int32) bool {
	op := g.Order[len(g.Order)-1]
	related := f.rel(branch).ops
	state := func(w int32) doneness {
		switch {
		case slices.Contains(g.Order[:len(g.Order)-1], w):
			return isDone
		case slices.Contains(related, w):
			return notDone
		}
		return either
	}
	causes := f.x.otherwise(op, state)
	return func(w int32) bool {
		if len(causes) > 0 && causes[0].op == w {
			return causes[0].done
		}
		return state(w) == either && w < op
	}
}

func (s *Strategy) add(c *candidate) *candidate {
	s.last++
	c.id = s.last
	s.byID[c.id] = c
	return c
}

// enter registers a group. It reports whether the group is to be tested: no execution has performed
// its order.
func (s *Strategy) enter(f *source, b int, g *Group, done func(int32) bool) (key string, wanted bool) {
	sees := f.sees(g, done)
	key = keyOf(sees)
	name := f.names[b]
	s.tab.Branch(name, false) // it may have waited for the round before until now
	if s.groups[name+key] == nil {
		before := f.orders(b, g)
		o := &openGroup{name, key, sees, before}
		s.groups[name+key] = o
		if !slices.ContainsFunc(s.runs, func(r *run) bool { return s.settled(o, r) }) {
			s.open = append(s.open, o)
		}
	}
	return key, !s.tab.Settled(name, key)
}

// classify adds a variant to its group of every branch that interleaving affects (Algorithm 3).
func (s *Strategy) classify(c *candidate) {
	f := c.from
	kept := len(s.byID) <= candidatesKept // for combinations of outcomes
	for _, b := range s.considered(f) {
		name := f.names[b]
		g, ok := f.x.groupOf(b, f.rel(b).ops, &c.Variant)
		if !ok {
			continue
		}
		if g.Changed {
			s.note(f, b, &g)
		}
		key, wanted := s.enter(f, b, &g, func(w int32) bool { o := &f.x.Ops[w]; return o.At < c.Cut[o.G] })
		s.tab.Classify(name, key, c.id)
		kept = kept || wanted
	}
	if !kept {
		s.drop(c)
	}
}

// wake ends the waiting of rounds for a branch, after testing one of its groups gave new MANNERS.
func (s *Strategy) wake(c *candidate) {
	for b, name := range c.from.names {
		if len(s.waiting[name]) == 0 || !s.changes(c, b) {
			continue
		}
		for _, f := range s.waiting[name] {
			br := f.round[name]
			next := f.nth(br, f.x.Branches[br].Nth+1)
			if next < 0 || s.active[f.names[next]] {
				continue
			}
			s.active[f.names[next]] = true
			if f.rel(next).affected {
				s.derive(f, []int{next})
			}
		}
	}
}

// changes reports whether a variant changes an operation that a branch depends on.
func (s *Strategy) changes(c *candidate, b int) bool {
	return slices.Contains(c.from.rel(b).ops, c.Changed)
}

// Sites implements explore.Sighted.
func (s *Strategy) Sites() []trace.Site { return s.sites }

// Result implements explore.Strategy. It is never complete: race-equivalence preserves MANNERS, not
// final values and not deadlocks.
func (s *Strategy) Result() explore.Result {
	return explore.Result{Executions: s.count.Executions, Reason: cmp.Or(s.bad,
		why.With(why.Came, "%s", s.came()))}
}

// came says how many of the orders of related operations were tested.
func (s *Strategy) came() string {
	c := s.Counts()
	var text string
	if c.Affected == 0 && c.Choices == 0 && c.Settled > 0 && !s.bounded {
		text = fmt.Sprintf("none of %d branches is affected by interleaving", c.Branches)
	} else {
		text = fmt.Sprintf("%d of %d branches are affected by interleaving, %d orders of what they depend on",
			c.Affected, max(c.Branches, c.Affected), c.Groups)
		switch {
		case c.Settled == 0:
			return text + ", not all tested"
		case s.bounded:
			text += ", all tested as far as the step bound"
		default:
			text += ", all tested"
		}
	}
	for _, also := range []struct {
		n    int
		text string
	}{
		{c.Choices, "other cases of selects %d times"},
		{s.redrawn, "other draws %d times"},
		{len(s.checked), "%d checks and addresses are affected too"},
		{s.sampled, "%d samples"},
	} {
		if also.n > 0 {
			text += ", " + fmt.Sprintf(also.text, also.n)
		}
	}
	return text
}

// Counts returns the counts so far.
func (s *Strategy) Counts() Counts {
	c := s.count
	c.Manners = len(s.manners)
	for _, classes := range s.classes {
		c.Groups += len(classes)
	}
	c.Affected, c.Choices = len(s.classes), s.made
	return c
}
