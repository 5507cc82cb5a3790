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

// Options of a Strategy.
type Options struct {
	Context context.Context // ends the search for orders; nil: nobody does
	Nodes   int             // a variant graph is drawn up to this size, 0: drawnNodes; -1: never
	Orders  int             // of one branch's operations, at most; 0: mostOrders
}

const (
	drawnNodes = 2000
	mostOrders = 2000

	// mostRelated bounds the operations that a branch depends on: orders are told apart by pairs of
	// them.
	mostRelated = 1000

	// candidatesKept bounds those that are kept though their groups are tested.
	candidatesKept = 5000
)

// A Strategy is Algorithm 4: it executes one variant of every branch-affect group whose outcome is
// not known, until all combinations of outcomes or all groups are tested. It wants traces with data
// flow and every access to memory a step.
//
// Four things are not as printed. A group counts as tested as soon as an execution, made for
// whatever reason, has done its operations in its order. And of a branch in a loop a round waits if
// it depends on the same statements as the round before: it is looked at only if testing that one
// gave new MANNERS. And when all groups are tested it goes on, as long as it is asked, with
// combinations of what was seen one at a time (combine.go): step 2 ends the algorithm without them,
// and Theorem 1 does not hold then. Before that every select is let take its other cases
// (choice.go).
type Strategy struct {
	opt     Options
	tab     *Table
	started bool
	running *candidate // nil: the first execution, or one for a suspicion
	byID    map[int]*candidate
	last    int // candidate
	groups  map[string]*openGroup
	open    []*openGroup
	runs    []*run
	manners map[string]bool
	waiting map[string][]*source       // executions with rounds that wait for a branch, by its name
	active  map[string]bool            // branches that do not wait any more
	classes map[string]map[string]bool // by place of a branch: the orders of its statements that were seen
	suspicions
	choices
	combinations
	sites   []trace.Site
	bad     why.Reason // why not everything was covered
	bounded bool       // a bound has ended an execution before its end
	count   Counts
}

// Counts says what an exploration has seen.
type Counts struct {
	Executions int
	// executions until the outcomes of all groups were known, or all combinations tested, without
	// those made for broken locking and choices; 0: not yet
	Settled    int
	Choices    int     // executions in which a select took another case
	Goroutines int     // this and what follows: in the first execution
	Accesses   int     // to shared variables that are not read-shared
	Shared     int     // variables used by several goroutines
	ReadShared int     // of them
	Branches   int     // that depend on values read
	Pairs      float64 // test cases by the criterion TPAIR, see Pairs
	Affected   int     // places of branches that interleaving affects, in any execution
	Groups     int     // of these branches: orders of their statements, whatever the round
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
	related []*related     // by branch, where it was asked for
	chain   [][]uint64     // by counter: see version
	due     []int          // see considered
	stamp   int
}

// A related is BranchRelOP of a branch.
type related struct {
	ops      []int32
	affected bool
}

// A candidate is a variant that may be executed. One that the solver has not been asked for yet has
// a group alone.
type candidate struct {
	id     int
	from   *source
	branch int
	group  Group
	found  bool
	Variant

	asked    bool // the solver was
	verdict  order.Verdict
	foreseen bool
}

// An openGroup is a group with what tells that an execution has done what it stands for.
type openGroup struct {
	branch, key string
	sees        []sight // its operations see these versions, ...
	before      []pair  // ... or all related ones are in this order
}

// A sight says which version an operation sees: a hash of all that changed it.
type sight struct{ op, version uint64 }

// A pair is two operations of which one comes before the other.
type pair struct{ a, b uint64 }

// A run is an execution by what its operations saw, and when.
type run struct {
	saw      map[uint64]uint64
	at       map[uint64]int
	outcomes map[string]int64
}

// New returns the strategy.
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
			s.find(c) // and then perhaps another one is due
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
			s.bad = why.With(why.Limit, "the solver could not tell for some orders")
		}
		s.drop(c)
		return
	}
	c.found = true
	s.classify(c)
}

// ask asks the solver, once.
func (s *Strategy) ask(c *candidate) {
	if !c.found && !c.asked {
		c.asked = true
		c.Variant, c.verdict = c.from.seeker.Find(s.opt.Context, c.branch, c.group)
	}
}

// possible reports whether there is a variant; the solver was asked.
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

// visit notes where shared memory is accessed.
func (s *Strategy) visit(x *Execution) {
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		if (e.Op == trace.OpRead || e.Op == trace.OpWrite) && x.vars[x.variable[i]].shared &&
			!slices.Contains(s.sites, e.Site.Plain()) {
			s.sites = append(s.sites, e.Site.Plain())
		}
	}
}

// first counts what is in the first execution, whether it matters to a branch or not.
func (s *Strategy) first(t *trace.Trace) {
	x := Read(t)
	s.count.Goroutines = len(x.Trace.Goroutines) - 1 // the timers
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

// settled reports whether the outcome of a group is known, now that r has been made.
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

// seen reports whether operations saw that in an execution.
func (r *run) seen(sees []sight) bool {
	for _, x := range sees {
		if v, ok := r.saw[x.op]; !ok || v != x.version {
			return false
		}
	}
	return true
}

// did reports whether an execution had operations in that order.
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
	waits := map[string]bool{} // by place
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

// repeats reports whether a branch depends on the same statements as in the round before: it and
// all later rounds wait for that.
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

// branchName names the nth evaluation of a branch.
func branchName(t *trace.Trace, b *Branch, nth int32) string {
	return t.Name(b.G) + " " + siteName(t.Events[b.Event].Site) + " " + siteName(trace.Site(nth))
}

// placeOf is the name of a branch without the round.
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

// run says what the operations of an execution saw.
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

// makeChains hashes the changes of every counter: chain[c][k] stands for the first k.
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

// version is the version that an operation sees when those that done tells have been done: of each
// counter, the first so many changes.
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
		at := f.chain[c][own] // it comes later than it did, after these
		for _, w := range changers[own+1 : k] {
			at = hashOf(nil, at, f.ops[w])
		}
		all = append(all, at)
	}
	return hashOf(nil, all...)
}

// sees says what the operations of a group see. done tells of those that are not in the group.
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

// orders returns the order that a group stands for, completed as the trace has it, where it
// matters: pairs of operations that do not commute.
func (f *source) orders(b int, g *Group) (before []pair) {
	f.inOrder(b, g, func(p, q int32) { before = append(before, pair{f.ops[p], f.ops[q]}) })
	return before
}

// inOrder calls do for the operations of which the first comes before the second.
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

// note counts the order that a group stands for, as one of statements.
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

// statement names an operation as the paper does: location, operation, operand.
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

// derive adds what an execution tells of these branches: their groups.
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

// late reports whether time is over, and that not all orders are known then.
func (s *Strategy) late() bool {
	if s.opt.Context.Err() == nil {
		return false
	}
	s.bad = why.With(why.NotAll, "orders of what branches depend on")
	return true
}

// guess says which operations that have nothing to do with a branch are done before a group's
// changed one: as in the trace, but for what makes it see another version.
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

// enter makes a group known and reports whether it is to be tested: of one that an execution has
// done the outcome is known.
func (s *Strategy) enter(f *source, b int, g *Group, done func(int32) bool) (key string, wanted bool) {
	sees := f.sees(g, done)
	key = keyOf(sees)
	name := f.names[b]
	s.tab.Branch(name, false) // it may have waited until now for the round before it
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

// classify puts a variant into its group of every branch that interleaving affects (Algorithm 3).
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

// nth returns the nth evaluation of the branch that b is one of, -1 if there is none.
func (f *source) nth(b int, nth int32) int {
	if i, ok := f.round[branchName(f.x.Trace, &f.x.Branches[b], nth)]; ok {
		return i
	}
	return -1
}

// statements returns BranchRelOP as the paper has it: location, operation, operand, each once.
func (f *source) statements(b int) (list []string) {
	for _, op := range f.rel(b).ops {
		list = append(list, f.statement(op))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// wake lets the rounds go on that wait for a branch, where testing one of its groups has given new
// MANNERS.
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

// changes reports whether a variant changes what a branch depends on.
func (s *Strategy) changes(c *candidate, b int) bool {
	return slices.Contains(c.from.rel(b).ops, c.Changed)
}

// Sites returns where shared memory is accessed, as far as executions have shown.
func (s *Strategy) Sites() []trace.Site { return s.sites }

// Result implements explore.Strategy. It is never complete: race-equivalence
// keeps MANNERS, and neither final values nor deadlocks.
func (s *Strategy) Result() explore.Result {
	return explore.Result{Executions: s.count.Executions, Reason: cmp.Or(s.bad,
		why.With(why.Came, "%s", s.came()))}
}

// came says how many of the orders of what branches depend on were tested.
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

// Counts says what has been seen so far.
func (s *Strategy) Counts() Counts {
	c := s.count
	c.Manners = len(s.manners)
	for _, classes := range s.classes {
		c.Groups += len(classes)
	}
	c.Affected, c.Choices = len(s.classes), s.made
	return c
}
