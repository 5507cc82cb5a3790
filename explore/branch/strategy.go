// Package branch executes only orders that may send a branch another way: Setiadi, Ohsuga &
// Maekawa, "Efficient Execution Path Exploration for Detecting Races in Concurrent Programs". The
// numbers of sections, algorithms and theorems are the paper's.
package branch

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
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
// Four things differ from the paper. A group counts as tested as soon as any execution has
// performed its operations in its order. A round of a branch in a loop waits if it depends on the
// same statements as the round before: it is examined only if testing the earlier round gave new
// MANNERS. When all groups are tested, every select is made to take its other cases (choice.go).
// Then the strategy continues with combinations of outcomes that were seen one at a time
// (combine.go); step 2 of the algorithm ends without them, and Theorem 1 does not hold then.
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
	suspicions
	choices
	combinations
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

// A source is an execution that variants are derived from.
type source struct {
	x       *Execution
	seeker  *Seeker
	objects *names
	ops     []uint64       // by op: its name
	names   []string       // by branch
	round   map[string]int // by name: the branch
	related []*related     // by branch, once computed
	chain   [][]uint64     // by counter: see version
	due     []int          // see considered
	stamp   int
}

// A related is the BranchRelOP of a branch.
type related struct {
	ops      []int32
	affected bool
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

// A sight is an operation with the version that it sees: a hash of all changes before it.
type sight struct{ op, version uint64 }

// A pair is two operations, a before b.
type pair struct{ a, b uint64 }

// A run is an execution: what its operations saw, and when.
type run struct {
	saw      map[uint64]uint64
	at       map[uint64]int
	outcomes map[string]int64
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
		suspicions:   newSuspicions(),
		choices:      choices{due: map[string]int{}, had: map[string]bool{}},
		combinations: combinations{tried: map[string]bool{}}}
}

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	s.running = nil
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
			if s.count.Settled == 0 {
				s.count.Settled = s.count.Executions - s.confronted - s.made
			}
			return s.combine()
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
	f := read(t.Clone())
	m := MannersText(Manners(f.x.Trace, f.x.Shared))
	fresh := !s.manners[m]
	s.manners[m] = true
	r := f.run()
	s.runs = append(s.runs, r)
	s.sources = append(s.sources, f)
	s.selects(f, fresh)
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

// seen reports whether an execution has these sights.
func (r *run) seen(sees []sight) bool {
	for _, x := range sees {
		if v, ok := r.saw[x.op]; !ok || v != x.version {
			return false
		}
	}
	return true
}

// did reports whether an execution has these pairs in their order.
func (r *run) did(before []pair) bool {
	for _, p := range before {
		a, ok := r.at[p.a]
		b, both := r.at[p.b]
		if !ok || !both || a > b {
			return false
		}
	}
	return len(before) > 0
}

func read(t *trace.Trace) *source {
	x := ReadRelevant(t)
	names := newNames(t)
	f := &source{x: x, seeker: NewSeeker(x), objects: names}
	nth := map[string]uint64{}
	for i := range x.Ops {
		name := t.Name(x.Ops[i].G) + " " + names.op(int(x.Ops[i].Event))
		nth[name]++
		f.ops = append(f.ops, hashOf([]byte(name), nth[name]))
	}
	f.round = map[string]int{}
	for i := range x.Branches {
		name := branchName(t, &x.Branches[i], x.Branches[i].Nth)
		f.names = append(f.names, name)
		f.round[name] = i
	}
	f.related = make([]*related, len(x.Branches))
	f.makeChains()
	return f
}

// rel returns BranchRelOP of a branch, see RelatedOP.
func (f *source) rel(b int) *related {
	if f.related[b] == nil {
		r := new(related)
		r.ops, r.affected = f.x.RelatedOP(b)
		f.related[b] = r
	}
	return f.related[b]
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

// branchName returns the name of the nth evaluation of a branch.
func branchName(t *trace.Trace, b *Branch, nth int32) string {
	return t.Name(b.G) + " " + siteName(t.Events[b.Event].Site) + " " + siteName(trace.Site(nth))
}

// placeOf returns the name of a branch without the round.
func placeOf(name string) string { return name[:strings.LastIndexByte(name, ' ')] }

func hashOf(text []byte, numbers ...uint64) uint64 {
	h := fnv.New64a()
	h.Write(text)
	for _, n := range numbers {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

// run returns what the operations of an execution saw.
func (f *source) run() *run {
	r := &run{map[uint64]uint64{}, map[uint64]int{}, map[string]int64{}}
	for op := range f.x.Ops {
		r.at[f.ops[op]] = op
		r.saw[f.ops[op]] = f.version(int32(op), func(w int32) bool { return w < int32(op) })
	}
	for b, name := range f.names {
		r.outcomes[name] = f.x.Branches[b].Outcome
	}
	return r
}

// makeChains hashes the changes of every counter: chain[c][k] is the hash of the first k.
func (f *source) makeChains() {
	f.chain = make([][]uint64, f.x.counters)
	for c := range f.chain {
		f.chain[c] = []uint64{uint64(c)}
		at := uint64(0)
		for _, w := range f.x.bumpers(int32(c)) {
			at = hashOf(nil, at, f.ops[w])
			f.chain[c] = append(f.chain[c], at)
		}
		f.chain[c][0] = 0
	}
}

// version returns the version that an operation sees after the operations for which done holds: of
// each counter, the first changes, as many as are done.
func (f *source) version(op int32, done func(int32) bool) uint64 {
	var all []uint64
	for _, c := range f.x.Ops[op].sees {
		k, own, changers := 0, -1, f.x.bumpers(c)
		for k < len(changers) && (changers[k] == op || done(changers[k])) {
			if changers[k] == op {
				own = k
			}
			k++
		}
		if own < 0 || own == k-1 {
			if own >= 0 {
				k--
			}
			all = append(all, f.chain[c][k])
			continue
		}
		at := f.chain[c][own] // it comes later than in the trace, after these
		for _, w := range changers[own+1 : k] {
			at = hashOf(nil, at, f.ops[w])
		}
		all = append(all, at)
	}
	return hashOf(nil, all...)
}

// sees returns the sights of the operations of a group. done reports which of the other operations
// are done.
func (f *source) sees(g *Group, done func(int32) bool) (sees []sight) {
	unchanged := g.Order
	if g.Changed {
		op := g.Order[len(g.Order)-1]
		unchanged = g.Order[:len(g.Order)-1]
		sees = append(sees, sight{f.ops[op], f.version(op,
			func(w int32) bool { return slices.Contains(unchanged, w) || done(w) })})
	}
	for _, op := range unchanged {
		sees = append(sees, sight{f.ops[op], f.version(op, func(w int32) bool { return w < op })})
	}
	slices.SortFunc(sees, func(a, b sight) int {
		if a.op < b.op {
			return -1
		}
		return 1
	})
	return sees
}

func keyOf(sees []sight) string {
	var b []byte
	for _, x := range sees {
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, x.op), x.version)
	}
	return string(b)
}

// orders returns the order of a group, completed as in the trace, as far as it matters: the pairs
// of operations that do not commute.
func (f *source) orders(b int, g *Group) (before []pair) {
	f.inOrder(b, g, func(p, q int32) { before = append(before, pair{f.ops[p], f.ops[q]}) })
	return before
}

// inOrder calls do for the ordered pairs of operations.
func (f *source) inOrder(b int, g *Group, do func(p, q int32)) {
	full := g.Full(f.rel(b).ops)
	for i, p := range full {
		for _, q := range full[i+1:] {
			if f.x.Ops[p].G == f.x.Ops[q].G || f.x.conflict(p, q) {
				do(p, q)
			}
		}
	}
}

// note counts the order of a group, as an order of statements.
func (s *Strategy) note(f *source, b int, g *Group) {
	var pairs []string
	f.inOrder(b, g, func(p, q int32) { pairs = append(pairs, f.statement(p)+" "+f.statement(q)) })
	slices.Sort(pairs)
	place := placeOf(f.names[b])
	if s.classes[place] == nil {
		s.classes[place] = map[string]bool{}
	}
	s.classes[place][strings.Join(slices.Compact(pairs), "\n")] = true
}

// statement returns the name of an operation as in the paper: location, operation, operand.
func (f *source) statement(op int32) string {
	return f.x.Trace.Name(f.x.Ops[op].G) + ":" + f.objects.op(int(f.x.Ops[op].Event))
}

// conflict reports whether one of two operations changes what the other sees.
func (x *Execution) conflict(p, q int32) bool {
	meets := func(a, b []int32) bool {
		return slices.ContainsFunc(a, func(c int32) bool { return slices.Contains(b, c) })
	}
	return meets(x.Ops[p].bumps, x.Ops[q].sees) || meets(x.Ops[q].bumps, x.Ops[p].sees)
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

// nth returns the nth evaluation of branch b, -1 if there is none.
func (f *source) nth(b int, nth int32) int {
	if i, ok := f.round[branchName(f.x.Trace, &f.x.Branches[b], nth)]; ok {
		return i
	}
	return -1
}

// statements returns BranchRelOP as in the paper: location, operation, operand, without duplicates.
func (f *source) statements(b int) (list []string) {
	for _, op := range f.rel(b).ops {
		list = append(list, f.statement(op))
	}
	slices.Sort(list)
	return slices.Compact(list)
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
	if c.Affected == 0 && c.Choices == 0 && c.Settled > 0 && !s.bounded {
		return fmt.Sprintf("none of %d branches is affected by interleaving", c.Branches)
	}
	text := fmt.Sprintf("%d of %d branches are affected by interleaving, %d orders of what they depend on",
		c.Affected, max(c.Branches, c.Affected), c.Groups)
	switch {
	case c.Settled == 0:
		return text + ", not all tested"
	case s.bounded:
		text += ", all tested as far as the step bound"
	default:
		text += ", all tested"
	}
	if c.Choices > 0 {
		text += fmt.Sprintf(", other cases of selects %d times", c.Choices)
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
