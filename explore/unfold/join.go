package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Waits for goroutines. A Wait of a WaitGroup tells its goroutine that the others have called Done,
// and nothing of what they did before. So its event follows merged conditions: one for each Add or
// Done, whatever its goroutine did before. Ten independent pairs of two histories each, and a Wait
// for all of them, have one such event and not 1,024.
//
// What comes after the Wait has as many histories. An operation chooses among them by the
// conditions that it takes and reads. Plain memory has no conditions: unseen.go.

// A token is what a merged condition stands for: Adds of one goroutine to one group. They may have
// different histories.
type token struct {
	obj    transition.Object
	proc   transition.Proc
	before net.Cond // the merged condition of its Add before, None if it is the first
	delta  net.Value
	seen   string // the writes before it that are told apart, see Strategy.told
}

// joins has what is known of the Adds of WaitGroups.
type joins struct {
	of     map[token]net.Cond   // merged condition
	tokens map[net.Cond]token   // by merged condition
	kids   map[token][]net.Cond // by token with delta 0 and no writes: those that it may be
	last   map[lastKey]net.Cond // the merged condition of the last Add up to a goroutine's condition
	procs  map[transition.Object][]transition.Proc

	joined   []bool       // by event: it has several histories
	doubtful []net.Event  // events of which no history is known yet
	stuck    [][]net.Cond // deadlocks of which no history is known yet
	more     bool         // members were added since they were last looked at
	lined    bool         // a channel has a line

	waits, check *net.Config
	memory       memories
}

type lastKey struct {
	at  net.Cond
	obj transition.Object
}

func newJoins(n *net.Net) joins {
	return joins{of: map[token]net.Cond{}, tokens: map[net.Cond]token{}, kids: map[token][]net.Cond{},
		last: map[lastKey]net.Cond{}, procs: map[transition.Object][]transition.Proc{},
		waits: net.NewConfig(n), check: net.NewConfig(n), memory: newMemories()}
}

// merges reports whether Waits follow merged conditions. With inputs, where time passes, and where
// channels have lines, histories are kept: branches on the input have to be satisfiable together, a
// jump of the clock reads where every goroutine stands, and a poll where those of the line do.
func (s *Strategy) merges() bool { return s.opt.Inputs == nil && !s.apart }

// parts reports whether an execution has shown that histories have to be kept, where they were
// merged. reason is what add has returned.
func (s *Strategy) parts(t *trace.Trace, reason string) bool {
	if s.merges() && len(s.joins.of) > 0 {
		s.apart = s.clock.used || s.joins.lined || reason == unmerged || len(t.Plain) == trace.MostPlain
		return s.apart
	}
	return false
}

// joinsAt reports whether c is a Wait that follows merged conditions.
func (s *Strategy) joinsAt(c *call) bool {
	return c.op == trace.OpWGWait && s.merges() && s.counts(c)
}

// gather makes x, which event e gave beside a group, a member of its merged condition.
func (s *Strategy) gather(e net.Event, x net.Cond, obj transition.Object) {
	if !s.merges() || s.objects[obj].kind != trace.ObjWaitGroup {
		return
	}
	j, t := &s.joins, s.net.Arcs(e)[0].Cond()
	k := token{obj: obj, proc: s.procOf[s.net.Place(t)], before: s.tokenBefore(t, obj), delta: s.net.Value(x),
		seen: s.toldBefore(e)}
	m, ok := j.of[k]
	if !ok {
		m = s.net.NewMerged(s.net.Place(x), k.delta)
		j.of[k], j.tokens[m] = m, k
		if j.kids[k.place()] = append(j.kids[k.place()], m); !slices.Contains(j.procs[obj], k.proc) {
			j.procs[obj] = append(j.procs[obj], k.proc)
		}
	}
	j.more = j.more || ok
	s.net.Merge(m, x)
	first, _ := s.net.Given(e)
	j.last[lastKey{first, obj}] = m
}

// place returns the token without what its alternatives differ in.
func (k token) place() token { return token{obj: k.obj, proc: k.proc, before: k.before} }

// tokenBefore returns the merged condition of the last Add to obj by the goroutine at t, None if
// there is none.
func (s *Strategy) tokenBefore(t net.Cond, obj transition.Object) net.Cond {
	for ; t != net.None; t = s.net.Up(t) {
		if m, ok := s.joins.last[lastKey{t, obj}]; ok {
			return m
		}
	}
	return net.None
}

// fromAdd adds the extensions after y, what an Add or Done gave, of the goroutines that wait.
func (s *Strategy) fromAdd(y net.Cond, waiting []net.Cond) {
	if len(s.net.Members(s.net.Merged(y))) > 1 {
		return // settle does the rest
	}
	for _, t := range waiting {
		c, _ := s.callAt(t)
		s.fromJoin(t, c)
	}
}

// A joining is a search for the ways to perform a Wait.
type joining struct {
	*Strategy
	t      net.Cond
	obj    transition.Object
	in     *net.Config // the past of t
	follow []net.Cond
	at     map[transition.Proc]net.Cond // the last merged condition of each goroutine
	has    map[net.Cond]bool
	procs  []transition.Proc
	least  []net.Value // by index of procs: how much the sum may still fall
	most   []net.Value // and rise
}

// joiningAt returns the search for the goroutine at t, with the sum of the Adds in its past.
func (s *Strategy) joiningAt(t net.Cond, obj transition.Object) (j *joining, sum net.Value) {
	in := s.joins.waits
	in.Begin()
	if !in.AddCond(t) || !in.Keep(t) {
		panic("unfold: a goroutine's past cannot happen")
	}
	j = &joining{Strategy: s, t: t, obj: obj, in: in, at: map[transition.Proc]net.Cond{},
		has: map[net.Cond]bool{}, procs: s.joins.procs[obj]}
	in.Aside(s.object(obj).beside, func(x net.Cond) { sum += j.add(x, s.net.Merged(x)) })
	in.Wants(func(m net.Cond) {
		if s.joins.tokens[m].obj == obj {
			sum += j.add(m, m)
		}
	})
	return j, sum
}

// add makes the Wait follow x, which is merged condition m or a member of it. It returns the delta.
func (j *joining) add(x, m net.Cond) net.Value {
	if j.has[m] {
		return 0
	}
	j.has[m], j.follow = true, append(j.follow, x)
	k := j.joins.tokens[m]
	if at, ok := j.at[k.proc]; !ok || j.after(m, at) {
		j.at[k.proc] = m
	}
	return k.delta
}

// after reports whether merged condition a is of a later Add than b, of one goroutine.
func (j *joining) after(a, b net.Cond) bool {
	for a = j.joins.tokens[a].before; a != net.None; a = j.joins.tokens[a].before {
		if a == b {
			return true
		}
	}
	return false
}

// kids returns the merged conditions of the next Add of a goroutine after m.
func (j *joining) kids(p transition.Proc, m net.Cond) []net.Cond {
	return j.joins.kids[token{obj: j.obj, proc: p, before: m}]
}

// lastOf returns the last merged condition of a goroutine in t's past, None if there is none.
func (j *joining) lastOf(p transition.Proc) net.Cond {
	if m, ok := j.at[p]; ok {
		return m
	}
	return net.None
}

// fromJoin adds the extensions in which the goroutine at t has waited.
func (s *Strategy) fromJoin(t net.Cond, c *call) {
	j, sum := s.joiningAt(t, c.obj)
	n := len(j.procs)
	j.least, j.most = make([]net.Value, n+1), make([]net.Value, n+1)
	for i := n - 1; i >= 0; i-- {
		least, most := j.spread(j.procs[i], j.lastOf(j.procs[i]))
		j.least[i], j.most[i] = j.least[i+1]+least, j.most[i+1]+most
	}
	j.from(0, sum)
}

// spread returns how much the Adds of a goroutine after m can change the sum.
func (j *joining) spread(p transition.Proc, m net.Cond) (least, most net.Value) {
	for _, kid := range j.kids(p, m) {
		a, b := j.spread(p, kid)
		d := j.joins.tokens[kid].delta
		least, most = min(least, d+a), max(most, d+b)
	}
	return least, most
}

// from chooses what the Wait follows of the goroutines from the i-th on.
func (j *joining) from(i int, sum net.Value) {
	if sum+j.least[i] > 0 || sum+j.most[i] < 0 || j.late() {
		return
	}
	if i == len(j.procs) {
		follow := slices.Sorted(slices.Values(j.follow))
		j.foresee(way{0, j.waitArcs(j.t, j.obj, follow)})
		return
	}
	j.from(i+1, sum)
	j.further(i, j.lastOf(j.procs[i]), sum)
}

// further lets the Wait follow further Adds of the i-th goroutine, after m.
func (j *joining) further(i int, m net.Cond, sum net.Value) {
	kids := j.kids(j.procs[i], m)
	for _, kid := range kids {
		at, k := j.in.Mark(), len(j.follow)
		j.in.Want(kid)
		j.follow = append(j.follow, kid)
		if len(kids) == 1 || j.fits() {
			now := sum + j.joins.tokens[kid].delta
			j.from(i+1, now)
			j.further(i, kid, now)
		}
		j.follow = j.follow[:k]
		j.in.Undo(at)
	}
}

// fits reports whether what the Wait follows can happen.
func (j *joining) fits() bool {
	at := j.in.Mark()
	ok := j.in.Resolve(j.late)
	j.in.Undo(at)
	return ok
}

// waitArcs returns the arcs of a Wait.
func (s *Strategy) waitArcs(t net.Cond, obj transition.Object, follow []net.Cond) []net.Arc {
	arcs := []net.Arc{net.To(t, net.Takes), net.To(s.net.Root(s.object(obj).beside), net.Watches)}
	return s.followAll(arcs, follow)
}

// waited returns the arcs of the Wait by which the goroutine at t has come after the Adds in the
// execution that is read.
func (s *Strategy) waited(t net.Cond, obj transition.Object) ([]net.Arc, bool) {
	j, sum := s.joiningAt(t, obj)
	s.run.Aside(s.object(obj).beside, func(x net.Cond) {
		m := s.net.Merged(x)
		sum += j.add(m, m)
	})
	slices.Sort(j.follow)
	return s.waitArcs(t, obj, j.follow), sum == 0
}

// unmerged says that a goroutine did something else than in another execution that it cannot tell
// apart. It should not come about.
const unmerged = "a goroutine has observed more than the net knows"

// isJoined reports whether e has several histories: it follows a merged condition, or comes after
// an event that does.
func (s *Strategy) isJoined(e net.Event) bool {
	j := &s.joins
	if len(j.of) == 0 {
		return false
	}
	for k := net.Event(len(j.joined)); k <= e; k++ {
		j.joined = append(j.joined, slices.ContainsFunc(s.net.Arcs(k), func(a net.Arc) bool {
			by := s.net.By(a.Cond())
			return by != net.None && j.joined[by] || a.Use() == net.Follows && s.net.IsMerged(a.Cond())
		}))
	}
	return j.joined[e]
}

// possible reports whether e has a history.
func (s *Strategy) possible(e net.Event) bool {
	in := s.joins.check
	in.Begin()
	return in.Add(e) && in.Resolve(s.late)
}

// canMeet reports whether conditions of goroutines that have several histories can be marked
// together.
func (s *Strategy) canMeet(set []net.Cond) bool {
	if !slices.ContainsFunc(set, func(t net.Cond) bool {
		return s.net.By(t) != net.None && s.isJoined(s.net.By(t))
	}) {
		return true
	}
	in := s.joins.check
	in.Begin()
	return reach(in, set) && in.Resolve(s.late)
}

// settle looks again at what had no history, if there are more histories now. It returns false if
// that leads to no target.
func (s *Strategy) settle() bool {
	j := &s.joins
	if !j.more {
		return false
	}
	j.more = false
	some := false
	j.doubtful = slices.DeleteFunc(j.doubtful, func(e net.Event) bool {
		if s.net.Shown(e) {
			return true
		}
		if s.late() || !s.possible(e) {
			return false
		}
		s.hope(e)
		some = true
		return true
	})
	j.stuck = slices.DeleteFunc(j.stuck, func(set []net.Cond) bool {
		if s.late() || !s.canMeet(set) {
			return false
		}
		s.stuck, some = append(s.stuck, set), true
		return true
	})
	return some
}
