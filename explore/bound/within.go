package bound

import (
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// A cost is what the switches of an interleaving cost.
type cost struct{ preemptions, delays int }

func (c cost) plus(d cost) cost { return cost{c.preemptions + d.preemptions, c.delays + d.delays} }

// sum returns what all switches cost together.
func (c cost) sum() int { return c.preemptions + c.delays }

// most reports whether c is at most d.
func (c cost) most(d cost) bool { return c.preemptions <= d.preemptions && c.delays <= d.delays }

// Each execution pays for so many states that are looked at for its reversals, and more are never
// saved up. Where that is not enough, no bound counts for a reversal.
const (
	statesEach = 1 << 12
	mostStates = 1 << 15
)

// within searches the interleavings of the prefixes of one execution for those within bounds.
//
// It never takes an interleaving for dearer than it is: where it is uncertain whether a goroutine
// is enabled, a switch away from it is free.
type within struct {
	p     *transition.Path
	c     *classes
	opt   Options
	late  func() bool
	waits []bool // by Proc: it has not ended, and no transition of Path.Left says what it waits for
	left  []int  // by Proc: its index in Path.Left plus 1
	polls bool

	made   []transition.Candidate // by transition, where known
	known  []bool
	rest   transition.Candidate
	prefix transition.Prefix

	paid int // states that may be looked at

	// Of one reversal, or of all: if all states of the path within the bounds are few, each
	// reversal has those of them that leave out what it does.
	all      int8 // 0: not tried, 1: too many, 2: states has them
	pause    int  // executions for which that is not tried
	searches int  // reversals that had a search of their own

	needs []int32 // by transition, Proc: the transitions of the goroutine that must come before
	draws bool    // the path has a draw

	states []state
	cheap  [][]int32 // states to look at, by what they cost together
	least  int       // none costs less
	news   []int32   // the states that expand has added
	cuts   []int32   // of states
	seen   seen
	key    []byte
	ends   []int32 // the states after which the candidate may come
	order  []transition.Proc
	cut    []int32
}

// A state is the end of an interleaving.
type state struct {
	cut  []int32         // by Proc: how many of its transitions it has
	cur  transition.Proc // made the last step
	ran  int32           // the last transition, -1
	up   int32           // the state before it
	cost cost
	held int8   // whether cur is enabled: 0: not asked yet, 1: no, 2: yes
	draw bool   // a draw follows at once
	hash uint64 // of cut
}

// allFrom is how many reversals of an execution have searches of their own before it is tried to
// look at all states at once. Mostly there are one or two, and their searches leave out more.
const allFrom = 4

// begin prepares for the reversals of a path, which was read from t.
func (w *within) begin(p *transition.Path, t *trace.Trace, gid func(trace.GID) transition.Proc) {
	if w.all, w.searches = 0, 0; w.pause > 0 {
		w.pause--
		w.all = 1
	}
	w.p, w.polls, w.paid = p, false, min(max(0, w.paid)+statesEach, mostStates)
	n := p.Procs()
	w.waits, w.left = slices.Grow(w.waits[:0], n)[:n], slices.Grow(w.left[:0], n)[:n]
	clear(w.waits)
	clear(w.left)
	for i := range t.Left {
		w.waits[gid(t.Left[i].G)] = true
		w.polls = w.polls || t.Left[i].Op == trace.OpAwait
	}
	for i := range p.Left() {
		w.left[p.Left()[i].Proc] = i + 1
	}
	for i := range p.Len() {
		w.polls = w.polls || p.At(i).Op == trace.OpAwait
	}
	for len(w.made) < p.Len() {
		w.made, w.known = append(w.made, transition.Candidate{}), append(w.known, false)
	}
	clear(w.known)
	w.needs, w.draws = w.needs[:0], false
	for i := range p.Len() {
		t := p.At(i)
		w.draws = w.draws || t.Choice >= 0
		for g := range n {
			k := int32(p.Knows(i, transition.Proc(g)))
			if t.Involves(transition.Proc(g)) {
				k--
			}
			w.needs = append(w.needs, k)
		}
	}
}

// A way is an order of transitions after which a candidate comes.
type way struct {
	order []int32
	cut   []int32
}

// ways returns the ways to come to c within the bounds: after all transitions of end, or else after
// as many of them as there can be, for every choice of those to leave out. whole: they have all of
// end, or the search was too long, and no bound counts. draw: c is an outcome of a draw.
func (w *within) ways(end []int32, c *transition.Candidate, draw, other bool) (ways []way, whole bool) {
	if w.inOrder(end, c, draw) {
		return nil, true
	}
	if w.searches++; w.all == 0 && w.searches > allFrom {
		w.tryAll()
	}
	w.ends = w.ends[:0]
	if w.all == 2 {
		for at := range w.states {
			st := &w.states[at]
			if contains(end, st.cut) && w.comes(st, c, draw) {
				w.ends = append(w.ends, int32(at))
				if slices.Equal(st.cut, end) {
					return []way{w.way(int32(at))}, true
				}
			}
		}
		return w.largest(c, draw, other), false
	}
	w.start()
	for at := w.pop(); at >= 0; at = w.pop() {
		if w.paid--; w.paid < 0 || w.late() {
			return nil, true
		}
		st := w.states[at]
		if w.comes(&st, c, draw) {
			if slices.Equal(st.cut, end) {
				return []way{w.way(at)}, true
			}
			w.ends = append(w.ends, at)
		}
		w.expand(at, &st, end, c)
		w.queue()
	}
	return w.largest(c, draw, other), false
}

// tryAll looks at all states of the path within the bounds, if they are few.
func (w *within) tryAll() {
	end := make([]int32, w.p.Procs())
	for g := range end {
		end[g] = int32(len(w.c.turns[g]))
	}
	w.start()
	w.all = 2
	for at := w.pop(); at >= 0; at = w.pop() {
		if len(w.states) > statesEach || w.late() {
			w.all, w.pause = 1, 31
			return
		}
		st := w.states[at]
		w.expand(at, &st, end, nil)
		w.queue()
	}
}

// inOrder reports whether all transitions of end, in the order of the path, and then c are within
// the bounds.
func (w *within) inOrder(end []int32, c *transition.Candidate, draw bool) bool {
	if w.opt.Delays >= 0 {
		return false
	}
	w.cut = append(w.cut[:0], make([]int32, len(end))...)
	st := state{cut: w.cut, cur: transition.NoProc, ran: -1, up: -1}
	for i := range w.p.Len() {
		if !w.in(i, end) {
			continue
		}
		t := w.p.At(i)
		if t.Choice < 0 && !t.Barrier {
			if st.cost = st.cost.plus(w.price(&st, t)); !st.cost.most(w.opt.cost()) {
				return false
			}
			st.cur = t.Proc
		}
		st.ran, st.held = int32(i), 0
		st.cut[t.Proc]++
		if t.With != transition.NoProc {
			st.cut[t.With]++
		}
	}
	return w.comes(&st, c, draw)
}

// start begins a search with the state before the first step.
func (w *within) start() {
	w.states, w.cuts, w.least = w.states[:0], w.cuts[:0], 0
	for n := range w.cheap {
		w.cheap[n] = w.cheap[n][:0]
	}
	w.seen.reset()
	w.news = w.news[:0]
	w.push(state{cut: make([]int32, w.p.Procs()), cur: transition.NoProc, ran: -1, up: -1})
	w.queue()
}

// queue has the states in news looked at, the last one first.
func (w *within) queue() {
	for _, at := range w.news {
		n := w.states[at].cost.sum()
		for len(w.cheap) <= n {
			w.cheap = append(w.cheap, nil)
		}
		w.cheap[n] = append(w.cheap[n], at)
	}
	w.news = w.news[:0]
}

// pop returns the next state to look at, -1 if there is none: one of those that cost least.
func (w *within) pop() int32 {
	for ; w.least < len(w.cheap); w.least++ {
		for n := len(w.cheap[w.least]); n > 0; n-- {
			at := w.cheap[w.least][n-1]
			w.cheap[w.least] = w.cheap[w.least][:n-1]
			if w.opt.Delays >= 0 || w.draws || !w.seen.dearer(w, at) {
				return at
			}
		}
	}
	return -1
}

// comes reports whether c may come after st, within the bounds, as far as is known without asking
// whether it is enabled.
func (w *within) comes(st *state, c *transition.Candidate, draw bool) bool {
	if draw {
		return st.ran >= 0 && w.p.At(int(st.ran)).Proc == c.Proc &&
			st.cut[c.Proc] == int32(w.p.Knows(c.Done, c.Proc))-1
	}
	if w.drawn(st) >= 0 {
		return false
	}
	for _, a := range c.Announced {
		if a >= 0 && !w.in(a, st.cut) {
			return false
		}
	}
	return st.cost.plus(w.price(st, &c.Transition)).most(w.opt.cost())
}

// in reports whether transition i is in a cut.
func (w *within) in(i int, cut []int32) bool {
	g := w.p.At(i).Proc
	return int32(w.p.Knows(i, g)) <= cut[g]
}

// drawn returns the draw that follows the last step of st at once, -1 if there is none.
func (w *within) drawn(st *state) int32 {
	if st.ran < 0 {
		return -1
	}
	g := w.p.At(int(st.ran)).Proc
	if x := w.next(g, st.cut); x >= 0 && w.p.At(int(x)).Choice >= 0 {
		return x
	}
	return -1
}

// next returns the transition of g after a cut, -1 if there is none.
func (w *within) next(g transition.Proc, cut []int32) int32 {
	if ts := w.c.turns[g]; int(cut[g]) < len(ts) {
		return ts[cut[g]]
	}
	return -1
}

// expand adds the states after st, which has number at. The next step of the goroutine that made
// the last one is looked at first. For a candidate c some are left out that are no loss.
func (w *within) expand(at int32, st *state, end []int32, c *transition.Candidate) {
	if x := w.drawn(st); x >= 0 {
		if w.ready(x, st.cut, end) {
			w.add(at, st, x, cost{})
		}
		return
	}
	if x := w.next(transition.Timers, st.cut); x >= 0 && w.p.At(int(x)).Barrier && w.ready(x, st.cut, end) {
		w.add(at, st, x, cost{})
		return
	}
	stay := int32(-1)
	if st.cur != transition.NoProc {
		if x := w.next(st.cur, st.cut); x >= 0 && w.p.At(int(x)).Proc == st.cur && w.ready(x, st.cut, end) {
			if stay = x; c != nil && (w.alone(x, st.cut) || w.runs(st.cur, st.cut, end, c)) {
				w.add(at, st, x, cost{})
				return
			}
		}
	}
	for g := range st.cut {
		x := w.next(transition.Proc(g), st.cut)
		if x < 0 || x == stay || w.p.At(int(x)).Proc != transition.Proc(g) || w.p.At(int(x)).Barrier ||
			!w.ready(x, st.cut, end) {
			continue
		}
		price := w.price(st, w.p.At(int(x)))
		if c != nil && price == (cost{}) && w.runs(transition.Proc(g), st.cut, end, c) {
			w.news = w.news[:0]
			w.add(at, st, x, price)
			return
		}
		w.add(at, st, x, price)
	}
	w.sort(w.news, end, c)
	if stay >= 0 {
		w.add(at, st, stay, cost{})
	}
}

// sort sorts states such that the one to look at first is the last: the one of least cost, and of
// these one whose goroutine goes on to its end.
func (w *within) sort(states []int32, end []int32, c *transition.Candidate) {
	rank := func(at int32) int {
		st := &w.states[at]
		n := 4 * (st.cost.preemptions + st.cost.delays)
		switch {
		case c != nil && c.Involves(st.cur):
			n += 2
		case int(end[st.cur]) < len(w.c.turns[st.cur]):
			n++
		}
		return n
	}
	slices.SortStableFunc(states, func(a, b int32) int { return rank(b) - rank(a) })
}

// runs reports whether it is no loss that g goes on to its end now, if that costs nothing. What it
// does until then needs no other goroutine, and either enables and disables none, or depends on
// nothing that the others may do next.
func (w *within) runs(g transition.Proc, cut, end []int32, c *transition.Candidate) bool {
	ts := w.c.turns[g]
	if w.polls || w.opt.Delays >= 0 || w.waits[g] || int(end[g]) < len(ts) || c.Involves(g) {
		return false
	}
	last := int(ts[len(ts)-1])
	for h, n := range cut {
		if transition.Proc(h) != g && int32(w.p.Knows(last, transition.Proc(h))) > n {
			return false
		}
	}
	secret := true
	for _, x := range ts[cut[g]:] {
		t := w.p.At(int(x))
		if t.Proc != g || t.With != transition.NoProc || t.Choice >= 0 {
			return false
		}
		secret = secret && private(t.Op)
	}
	return secret && private(c.Op) || w.apart(g, cut, end, c)
}

// apart reports whether what g does after a cut is independent of all that others do until end, of
// what they do next, and of c.
func (w *within) apart(g transition.Proc, cut, end []int32, c *transition.Candidate) bool {
	for h, n := range end {
		ts := w.c.turns[h]
		n = min(n, int32(len(ts))-1)
		if transition.Proc(h) != g && n >= 0 && int32(w.p.Knows(int(ts[n]), g)) > cut[g] {
			return false
		}
	}
	for _, x := range w.c.turns[g][cut[g]:] {
		t := w.p.At(int(x))
		if w.p.Tab.Dependent(t, &c.Transition) {
			return false
		}
		for k := range w.p.Left() {
			if w.p.Tab.Dependent(t, &w.p.Left()[k]) {
				return false
			}
		}
	}
	return true
}

// ready reports whether transition x can follow a cut, and is before end.
func (w *within) ready(x int32, cut, end []int32) bool {
	t := w.p.At(int(x))
	if int32(w.p.Knows(int(x), t.Proc)) > end[t.Proc] {
		return false
	}
	return w.follows(x, cut)
}

// follows reports whether all that happens before x is in a cut.
func (w *within) follows(x int32, cut []int32) bool {
	for g, n := range w.needs[int(x)*len(cut) : (int(x)+1)*len(cut)] {
		if n > cut[g] {
			return false
		}
	}
	return true
}

// add adds the state after transition x, unless it is out of bounds, or known at no greater cost.
func (w *within) add(at int32, st *state, x int32, c cost) {
	t := w.p.At(int(x))
	next := state{cur: t.Proc, ran: x, up: at, cost: st.cost.plus(c), hash: st.hash + weight(t.Proc)}
	if !next.cost.most(w.opt.cost()) {
		return
	}
	if t.Barrier {
		next.cur = st.cur
	}
	from := len(w.cuts)
	if cap(w.cuts)-from < len(st.cut) { // the cuts of earlier states keep the memory that they have
		w.cuts, from = make([]int32, 0, 1<<10+len(st.cut)), 0
	}
	w.cuts = append(w.cuts, st.cut...)
	next.cut = w.cuts[from:len(w.cuts):len(w.cuts)]
	next.cut[t.Proc]++
	if t.With != transition.NoProc {
		next.cut[t.With]++
		next.hash += weight(t.With)
	}
	w.push(next)
}

func (w *within) push(st state) {
	st.draw = w.drawn(&st) >= 0
	if !w.seen.add(w, &st) {
		return
	}
	w.news = append(w.news, int32(len(w.states)))
	w.states = append(w.states, st)
}

// alone reports whether it is no loss that the goroutine which goes on with x does so now: x takes
// no other goroutine's step away, and gives none.
func (w *within) alone(x int32, cut []int32) bool {
	t := w.p.At(int(x))
	if w.polls || !private(t.Op) || len(t.Starts) > 0 && w.opt.Delays >= 0 {
		return false
	}
	if y := int(cut[t.Proc]) + 1; y < len(w.c.turns[t.Proc]) {
		u := w.p.At(int(w.c.turns[t.Proc][y]))
		return u.Proc == t.Proc && (private(u.Op) || u.Op == trace.OpLock || u.Op == trace.OpUnlock ||
			u.Op == trace.OpRUnlock || u.Op == trace.OpWGAdd || u.Op == trace.OpWGWait)
	}
	return !w.waits[t.Proc]
}

// private reports whether no goroutine is enabled or disabled by op.
func private(op trace.Op) bool {
	switch op {
	case trace.OpStart, trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore,
		trace.OpAtomicRMW, trace.OpAtomicCAS:
		return true
	}
	return false
}

// free reports whether a goroutine that is about to perform op is always enabled.
func free(op trace.Op) bool {
	switch op {
	case trace.OpClose, trace.OpUnlock, trace.OpTryLock, trace.OpRUnlock, trace.OpTryRLock, trace.OpSignal,
		trace.OpBroadcast, trace.OpWGAdd, trace.OpOnceDone, trace.OpMapLoad, trace.OpMapStore,
		trace.OpMapRange, trace.OpPoolGet, trace.OpPoolPut, trace.OpRelease:
		return true
	}
	return private(op)
}

// price returns what it costs at least to go on with t after st.
func (w *within) price(st *state, t *transition.Transition) (c cost) {
	if st.cur == transition.NoProc && w.opt.Delays < 0 || t.Involves(st.cur) {
		return c
	}
	if w.opt.Preemptions >= 0 && st.cur != transition.NoProc && w.holds(st) {
		c.preemptions = 1
	}
	if w.opt.Delays >= 0 {
		c.delays = w.passed(st, t.Proc)
	}
	return c
}

// holds reports whether the goroutine that made the last step of st is enabled.
func (w *within) holds(st *state) bool {
	if st.held == 0 {
		st.held = 1
		if w.enabled(st.cur, st.cut) {
			st.held = 2
		}
	}
	return st.held == 2
}

// passed returns how many enabled goroutines a step of g passes over, at least.
func (w *within) passed(st *state, g transition.Proc) (n int) {
	order := w.started(st)
	from := max(0, slices.Index(order, st.cur))
	for k := range order {
		h := order[(from+k)%len(order)]
		if h == g {
			break
		}
		if w.enabled(h, st.cut) {
			n++
		}
	}
	return n
}

// started returns the goroutines in the order of their creation.
func (w *within) started(st *state) []transition.Proc {
	var ran []int32
	for at := st; at.ran >= 0; at = &w.states[at.up] {
		ran = append(ran, at.ran)
	}
	w.order = append(append(w.order[:0], transition.Main, transition.Timers), w.p.Early()...)
	for k := len(ran) - 1; k >= 0; k-- {
		w.order = append(w.order, w.p.At(int(ran[k])).Starts...)
	}
	return w.order
}

// enabled reports whether g is enabled after a cut, for certain.
func (w *within) enabled(g transition.Proc, cut []int32) bool {
	x := w.next(g, cut)
	if x < 0 {
		if w.left[g] == 0 {
			return false
		}
		w.p.Leftover(&w.rest, w.left[g]-1)
		w.p.Cut(&w.prefix, cut)
		return w.prefix.May(&w.rest, false)
	}
	t := w.p.At(int(x))
	if t.Proc != g || t.Alone() {
		return false
	}
	if w.follows(x, cut) {
		return true
	}
	if !w.known[x] {
		w.p.Executed(&w.made[x], int(x))
		w.known[x] = true
	}
	c := &w.made[x]
	for _, a := range c.Announced {
		if a >= 0 && !w.in(a, cut) {
			return false
		}
	}
	switch t.Op {
	case trace.OpLock, trace.OpRLock, trace.OpSend, trace.OpRecv, trace.OpSelect, trace.OpWGWait,
		trace.OpOnce, trace.OpAcquire, trace.OpArrive:
		w.p.Cut(&w.prefix, cut)
		return w.prefix.May(c, false)
	}
	return free(t.Op)
}

// largest returns the ways to the ends that no other end contains, among those after which c is
// enabled.
func (w *within) largest(c *transition.Candidate, draw, other bool) (ways []way) {
	size := func(at int32) (n int32) {
		for _, k := range w.states[at].cut {
			n += k
		}
		return n
	}
	slices.SortStableFunc(w.ends, func(a, b int32) int { return int(size(b) - size(a)) })
	tried := map[string]bool{}
next:
	for _, at := range w.ends {
		cut := w.states[at].cut
		w.key = w.key[:0]
		for _, n := range cut {
			w.key = append(w.key, byte(n), byte(n>>8))
		}
		if tried[string(w.key)] {
			continue
		}
		tried[string(w.key)] = true
		for k := range ways {
			if contains(ways[k].cut, cut) {
				continue next
			}
		}
		w.p.Cut(&w.prefix, cut)
		if draw || w.prefix.May(c, other) {
			ways = append(ways, w.way(at))
		}
	}
	return ways
}

// contains reports whether b is a part of a.
func contains(a, b []int32) bool {
	for g := range b {
		if b[g] > a[g] {
			return false
		}
	}
	return true
}

// way returns the way to a state.
func (w *within) way(at int32) way {
	x := way{cut: w.states[at].cut}
	for ; at >= 0 && w.states[at].ran >= 0; at = w.states[at].up {
		x.order = append(x.order, w.states[at].ran)
	}
	slices.Reverse(x.order)
	return x
}
