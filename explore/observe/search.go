package observe

import (
	"encoding/binary"
	"slices"
	"strings"

	"heddle/explore/transition"
	"heddle/trace"
)

// A search goes through the states that the program can be in, as far as executions have shown what
// its goroutines do. In each state it takes the steps of a persistent set (Godefroid, LNCS 1032,
// 1996): a set of goroutines such that nothing the others can do from here on depends on the next
// steps of these. So every maximal trace has a representative, and states that were seen before
// need not be seen again.
type search struct {
	p      *program
	s      state
	frames []frame
	path   []step
	seen   digests
	ends   map[string]bool    // what was left in the ends of executions, by signature
	raced  map[pair]bool      // races that an execution was made for
	sorted map[stretch]window // long windows in the order of their cells

	pending step // after path, of want edges
	most    int  // states that a pass may have
	doubt   int  // after how many states of a pass it is asked whether it will have too many
	aside   int  // steps of frames that are still to be taken
	took    int  // steps of this pass
	rests   int  // states of this pass in which no step is possible
	passes  int

	// unclear: two accesses may race, or not, in the state that it has come to; see state.knows
	unclear bool

	// skips: a step that no execution has shown is passed over. skipped: this pass has done so
	skips, skipped bool

	// stale: the program has grown since the pass began; what was left out may matter. grownAt is
	// how many states the pass had then
	stale   bool
	grownAt int

	// of the state at the top
	ready  []step // all that are possible, as far as was looked
	firsts []int  // by Proc, as far: where its steps begin in ready, and where all end
	feet   []foot // by Proc
	chosen choice // a persistent set
	turn   int    // of feet

	one          []step // memory for section
	alone        choice
	work         []int
	from         []int32 // nodes of goroutines that are alike, from which a set was looked for
	inner, outer items
	met          items // see innerMet
}

// A frame is a state on the way of the depth-first search, with the steps that are taken there.
type frame struct {
	steps []step
	i     int    // the next of them; -1: they were not chosen
	late  []step // those that are not known yet; see search.skips
	trail int    // the length of the state's trail
	path  int    // and of the path
	state digest // the state's
}

// A pair is a race: two places and what they do there.
type pair struct {
	a, b           trace.Site
	writeA, writeB bool
}

// dear is how many states a search may expect to have without a doubt.
const dear = 1 << 19

// firstDoubt is after how many states a search is doubted for the first time.
const firstDoubt = 1024

func newSearch(p *program) *search {
	return &search{p: p, ends: map[string]bool{}, raced: map[pair]bool{}, sorted: map[stretch]window{}}
}

// begin begins a pass.
func (x *search) begin(early []transition.Proc) {
	x.s.begin(x.p, early)
	x.frames, x.path = x.frames[:0], x.path[:0]
	x.seen.clear()
	x.stale, x.skipped = false, false
	x.aside, x.took, x.rests = 0, 0, 0
	x.passes++
	x.push()
}

// push adds a frame for the state that the search has come to.
func (x *search) push() {
	n := len(x.frames)
	if n < cap(x.frames) {
		x.frames = x.frames[:n+1]
	} else {
		x.frames = append(x.frames, frame{})
	}
	f := &x.frames[n]
	*f = frame{steps: f.steps[:0], late: f.late[:0], i: -1, path: len(x.path), state: x.s.census.digest}
}

// A want says why the search has to wait for an execution.
type want uint8

const (
	nothing  want = iota // the pass is over
	stopped              // there are more states than it may have
	edges                // the execution shows what the last step of path leads to
	end                  // it shows what is left at the end of path
	race                 // it shows a race at the end of path
	broke                // the time is up
	doubtful             // it is not likely to come to its end; the next call goes on
	outdated             // another pass is needed, and this one has a long way to go
	endless              // the program may come to a state again and again
	unclear              // whether two accesses race depends on more than the state
)

// run goes on until the pass is over or an execution is needed: of x.path. The step of want edges,
// pending, has not been taken. If x skips, the next call goes on beside it; it comes back to it
// after the other steps of the same state, when it may be known.
func (x *search) run(expired func() bool) want {
	x.s.countAll()
	for len(x.frames) > 0 {
		if x.stale && x.seen.n >= longAgo*x.grownAt {
			return outdated
		}
		f := &x.frames[len(x.frames)-1]
		if f.i < 0 {
			if expired() {
				return broke
			}
			w := x.open(f)
			if w == edges && x.skips { // which steps there are is not known
				x.skipped = true
				x.frames = x.frames[:len(x.frames)-1]
			}
			if w != nothing {
				return w
			}
			continue
		}
		if f.i > 0 { // back from the step before
			x.path = x.path[:f.path]
			x.s.back(f.trail)
		}
		if f.i == len(f.steps) && len(f.late) > 0 {
			x.skipLate(f)
		}
		if f.i == len(f.steps) {
			x.frames = x.frames[:len(x.frames)-1]
			continue
		}
		st := f.steps[f.i]
		f.i++
		if x.skips && !x.s.shown(&st) {
			x.pending = st
			f.late = append(f.late, st)
			return edges
		}
		x.aside--
		x.took++
		raced := x.take(&st)
		if x.seen.add(x.s.census.digest) {
			if x.seen.n > x.most {
				x.skipped = true
				return stopped
			}
			x.push()
			raced = x.races(&x.s, &st) || raced
			if x.seen.n >= x.doubt && !raced {
				if x.expected() > min(float64(x.most), dear) {
					return doubtful
				}
				x.doubt *= 2
			}
		} else if x.p.joins > 0 && x.circles() {
			return endless
		}
		if x.unclear {
			return unclear
		}
		if raced {
			return race
		}
	}
	return nothing
}

// circles reports whether the search has come to a state that is on its way there. Persistent sets
// need that there is none: they could leave out a goroutine for ever.
func (x *search) circles() bool {
	for i := len(x.frames) - 1; i > 0; i-- { // no step leads to the first
		if x.frames[i].state == x.s.census.digest {
			return true
		}
	}
	return false
}

// longAgo is how many times the states of a pass must have become since the program has grown for
// it to begin anew. Most programs grow in the first few executions: then few states are lost.
const longAgo = 4

// grow notes that the program has grown.
func (x *search) grow() { x.stale, x.grownAt = true, x.seen.n }

// skipLate makes the steps of a frame that were not known the next ones, as far as they are known
// now. The others are left for another pass.
func (x *search) skipLate(f *frame) {
	for _, st := range f.late {
		if x.s.shown(&st) {
			f.steps = append(f.steps, st)
		} else {
			x.skipped = true
			x.aside--
		}
	}
	f.late = nil
}

// expected estimates how many states the pass will have, from the part of its tree that it has gone
// through. It errs towards too many: states that were seen cut off more of the rest.
func (x *search) expected() float64 {
	done, part := 0.0, 1.0
	for i := range x.frames {
		if f := &x.frames[i]; len(f.steps) > 0 && f.i > 0 {
			part /= float64(len(f.steps))
			done += part * float64(f.i-1)
		}
	}
	if done == 0 { // it still goes straight ahead for the first time
		return 0
	}
	return float64(x.seen.n) / done
}

// take makes a step, with all that follow it in its critical section. It reports whether one but
// the last of them shows a race for which no execution was made.
func (x *search) take(st *step) (raced bool) {
	x.s.take(st)
	x.path = append(x.path, *st)
	if !st.section {
		return false
	}
	for {
		n := x.s.local[st.proc]
		if n.holds == 0 && n.arrives == 0 {
			return raced
		}
		raced = x.races(&x.s, st) || raced
		x.one = x.s.steps(x.one[:0], st.proc)
		*st = x.one[0]
		st.section = true
		x.s.take(st)
		x.path = append(x.path, *st)
	}
}

// mostTried bounds the goroutines from which a persistent set is looked for in a state.
const mostTried = 16

// open chooses the steps of a new frame.
func (x *search) open(f *frame) want {
	s := &x.s
	f.trail = len(s.trail)
	x.path = x.path[:f.path]
	x.ready, x.firsts = x.ready[:0], append(x.firsts[:0], 0)
	x.turn++
	for len(x.feet) < len(s.at) {
		x.feet = append(x.feet, foot{})
	}
	x.chosen.size(len(s.at))
	x.alone.size(len(s.at))
	if st, w := x.lone(); w != nothing {
		return w
	} else if st != nil {
		f.steps = append(f.steps[:0], *st)
		return x.goInto(f)
	}
	x.look()
	all, best, last, tried := 0, -1, -1, 0
	x.from = x.from[:0]
	for i := range x.ready {
		proc := int(x.ready[i].proc) // a receiver's step is the sender's
		if i > 0 && x.ready[i-1].proc == x.ready[i].proc {
			continue
		}
		if n := s.at[proc]; s.p.kin.alike(x.ready[i].proc) {
			if slices.Contains(x.from, n) { // the set would be that of one that is alike
				continue
			}
			x.from = append(x.from, n)
		}
		if !x.persistent(proc) {
			return edges // then this frame is opened again
		}
		last = proc
		if n := x.count(); best < 0 || n < all {
			best, all = proc, n
		}
		if tried++; all == 1 || tried == mostTried {
			break
		}
	}
	f.steps = f.steps[:0]
	if best < 0 {
		st, ok, known := s.atRest()
		if ok {
			if x.ticks() || s.ticksOn() {
				return endless
			}
			f.steps = append(f.steps, st)
			return x.goInto(f)
		}
		f.i = 0
		x.rests++
		if !known && !x.ends["rest"] {
			x.ends["rest"] = true
			return end
		}
		if sign := s.left(); sign != "" && !x.ends[sign] {
			x.ends[sign] = true
			return end
		}
		return nothing
	}
	if last != best {
		x.persistent(best)
	}
	for i := range x.ready {
		if st := x.ready[i]; x.chosen.in[st.proc] {
			st.section = x.feet[st.proc].section
			f.steps = append(f.steps, st)
		}
	}
	return x.goInto(f)
}

// goInto begins with the steps of a frame, if they are known.
func (x *search) goInto(f *frame) want {
	for i := range f.steps {
		if !x.skips && !x.s.shown(&f.steps[i]) {
			x.pending = f.steps[i]
			return edges
		}
	}
	f.i = 0
	x.aside += len(f.steps)
	return nothing
}

// look finds the steps that are possible in the state.
func (x *search) look() { x.lookUpTo(len(x.s.at)) }

// lookUpTo is look for the first n goroutines.
func (x *search) lookUpTo(n int) {
	for len(x.firsts) <= n {
		x.ready = x.s.steps(x.ready, transition.Proc(len(x.firsts)-1))
		x.firsts = append(x.firsts, len(x.ready))
	}
}

// stepsOf returns the steps of a goroutine.
func (x *search) stepsOf(proc int) []step {
	x.lookUpTo(proc + 1)
	return x.ready[x.firsts[proc]:x.firsts[proc+1]]
}

// mostLone bounds the goroutines that are asked in a state whether one alone is a persistent set.
const mostLone = 64

// lone finds a goroutine that is a persistent set, and can make one step. nil: the first of those
// that can make a step are none. It returns edges if an execution is needed; see foot.
func (x *search) lone() (st *step, w want) {
	tried := 0
	for proc, n := range x.s.local {
		list := x.stepsOf(proc)
		if len(list) == 0 {
			continue
		}
		if tried++; tried > mostLone {
			break
		}
		if len(list) > 1 || list[0].with != transition.NoProc || x.s.meeting(n) {
			continue
		}
		if !x.foot(proc) {
			return nil, edges
		}
		if x.unmet(proc) {
			list[0].section = x.feet[proc].section
			return &list[0], nothing
		}
	}
	return nil, nothing
}

// meeting reports whether a goroutine in node n can take a step together with another one.
func (s *state) meeting(n *node) bool {
	op := &n.op
	return op.class == comm &&
		slices.ContainsFunc(op.cases, func(c offer) bool { return s.p.tab.Cap(c.obj) == 0 && !s.settled(&c) })
}

// unmet reports whether nothing that other goroutines can do depends on the next step of proc; see
// persistent.
func (x *search) unmet(proc int) bool {
	s, f := &x.s, &x.feet[proc]
	c, n := &s.census, s.local[proc]
	t, own := s.soonAll(proc)
	if t.meets(&f.items, own, &f.but) || c.before.meets(&f.items, &n.before, &nothingElse) {
		return false
	}
	if n.before.empty() {
		return true
	}
	for other, m := range s.local {
		if s.at[other] != 0 && other != proc && n.by != transition.Proc(other) &&
			n.before.meets(&m.future) {
			return false
		}
	}
	return true
}

// count returns the number of steps of the chosen goroutines.
func (x *search) count() (n int) {
	for i := range x.ready {
		if x.chosen.in[x.ready[i].proc] {
			n++
		}
	}
	return n
}

// persistent chooses proc, and all goroutines that may do something before a step of a chosen one
// which depends on that step, or enables it. It reports whether these steps are known; see foot.
func (x *search) persistent(proc int) (known bool) {
	s, k := &x.s, &x.chosen
	clear(k.in)
	k.drop()
	x.work = x.work[:0]
	choose := func(c int) bool {
		k.in[c], k.known = true, false
		k.hold(s.local[c])
		x.work = append(x.work, c)
		return x.foot(c)
	}
	if !choose(proc) {
		return false
	}
	for i := 0; i < len(x.work); i++ {
		b := x.work[i]
		for i := range x.ready { // a step of a receiver is one of its sender
			if st := &x.ready[i]; int(st.with) == b && !k.in[st.proc] && !choose(int(st.proc)) {
				return false
			}
		}
		r := x.rivals(b)
		for c, may := range r.all {
			if may && !k.in[c] && (r.soon[c] || k.passes(s, s.local[c])) && k.lets(x, c) && !choose(c) {
				return false
			}
		}
	}
	return true
}

// rivals finds the goroutines that may do what conflicts with the next step of b, which is known.
func (x *search) rivals(b int) *rivals {
	s, f := &x.s, &x.feet[b]
	r := &f.meets
	if r.turn == x.turn {
		return r
	}
	r.turn = x.turn
	r.soon, r.all = r.soon[:0], r.all[:0]
	from := s.local[b]
	for c, other := range s.local {
		soon, all := false, false
		if s.at[c] != 0 && c != b {
			// what a goroutine had accessed before it started another one does not race with itself
			before := other.by != transition.Proc(b) && f.items.meets(&other.before, &nothingElse)
			meets := func(future *reach) bool {
				return before || f.items.meets(future, &f.but) ||
					from.by != transition.Proc(c) && from.before.meets(future)
			}
			soon = meets(&other.soon)
			all = soon || !other.awaits.empty() && meets(&other.future)
		}
		r.soon, r.all = append(r.soon, soon), append(r.all, all)
	}
	return r
}

// counted returns what is certain of the counter that the next step of a goroutine adds to. Until
// that step the counter is at least what it is now, less what all others can take off it.
func (s *state) counted(proc int) exception {
	op := &s.local[proc].op
	switch {
	case !op.sums:
		return nothingElse
	case op.class == comm:
		return s.sure(proc, &op.cases[0])
	}
	def, o := s.p.model(op.item)
	counter, _, _ := def.Sum(o, op.op, op.arg)
	least := s.counts[op.item][counter] - s.census.losses[op.item] + s.p.worst(s.at[proc], op.item)
	x := nothingElse
	if least < s.p.worst(s.at[proc], op.item) {
		x.ordered = op.item
	}
	if least > 0 && op.op == trace.OpWGAdd {
		if op.arg < 0 {
			x.summed = op.item
		} else {
			x.firsts = s.p.itemOf[itemKey{obj: op.obj, n: first}]
		}
	}
	return x
}

// left says what is left in a state in which no step is possible; "" if nothing is, or if the
// program crashes there: that is what it shows then.
func (s *state) left() string {
	var each []string
	for proc, n := range s.local {
		if s.at[proc] == 0 || n.op.class == ended {
			continue
		}
		op := &n.op
		if op.class == crashed {
			return ""
		}
		if op.class == firing && s.due[proc] >= never {
			continue
		}
		b := binary.AppendUvarint(nil, uint64(s.p.kin.first(transition.Proc(proc)))+1)
		b = append(b, byte(op.op), byte(op.class))
		b = binary.AppendUvarint(b, uint64(op.obj))
		b = binary.AppendUvarint(b, uint64(op.site))
		for _, c := range op.cases {
			b = binary.AppendUvarint(b, uint64(c.obj))
		}
		each = append(each, string(append(b, 0)))
	}
	slices.Sort(each) // goroutines that are alike in any order
	return strings.Join(each, "")
}

// races reports whether the step that was just made races with what another goroutine did since its
// last one, in a way for which no execution was made.
func (x *search) races(s *state, st *step) (found bool) {
	found = x.racesOf(s, st.proc)
	if st.with != transition.NoProc {
		found = x.racesOf(s, st.with) || found
	}
	return found
}

func (x *search) racesOf(s *state, proc transition.Proc) (found bool) {
	w := s.local[proc].window
	if !s.contested(w) {
		return false
	}
	for other, n := range s.local {
		if s.at[other] == 0 || transition.Proc(other) == proc || len(n.window) == 0 {
			continue
		}
		if s.past[other] != 0 {
			if !s.knows(proc, transition.Proc(other)) {
				x.eachPair(w, n.window, func(a, b *touch) { x.unclear = x.unclear || a.races(b) })
			}
			continue
		}
		from, fromOther := s.since(proc, transition.Proc(other)), s.since(transition.Proc(other), proc)
		x.eachPair(w, n.window, func(a, b *touch) {
			if a.starts < from || !a.races(b) || b.starts < fromOther ||
				a.group != 0 && !s.misused(a, proc, transition.Proc(other)) ||
				s.released(proc, a.starts) || s.released(transition.Proc(other), b.starts) {
				return
			}
			q := pair{a.site, b.site, a.write, b.write}
			if q.a > q.b {
				q = pair{b.site, a.site, b.write, a.write}
			}
			if !x.raced[q] {
				x.raced[q], found = true, true
			}
		})
	}
	return found
}

// contested reports whether another goroutine has accessed, since its last step, what the one did
// that w is of, and one of them has written it.
func (s *state) contested(w window) bool {
	found := false
	for i := range w {
		s.touch(&w[i], -1)
	}
	for i := range w {
		c := w[i].cell
		found = found || s.changed[c] > 0 || w[i].write && s.touched[c] > 0
	}
	for i := range w {
		s.touch(&w[i], 1)
	}
	return found
}

// misused reports whether the step that proc just made, and an earlier one of other, misuse a
// WaitGroup: an Add from zero beside the call of a Wait, in any order if the Wait has to wait. a is
// what proc did.
func (s *state) misused(a *touch, proc, other transition.Proc) bool {
	if a.write {
		return s.zero[other] && s.counts[a.group-1][0] != 0
	}
	return s.zero[proc]
}

// released reports whether a goroutine that proc started in its last step, after the first n of
// them, has made a step: what proc did before it may happen before anything then.
func (s *state) released(proc transition.Proc, n int16) bool {
	for k := int32(n) + 1; ; k++ {
		c, ok := s.p.kids[kid{s.at[proc], k}]
		if !ok {
			return false
		}
		if s.at[c.proc] != c.node {
			return true
		}
	}
}

// since returns how many goroutines proc must have started in its last step before an access of
// that step can be concurrent with what other does.
func (s *state) since(proc, other transition.Proc) int16 {
	for other != transition.Main && s.at[other] != 0 {
		o := s.origin[other]
		if o == s.at[proc] {
			for k := int32(1); ; k++ {
				c, ok := s.p.kids[kid{o, k}]
				if !ok {
					return 0
				}
				if c.proc == other {
					return int16(k)
				}
			}
		}
		if s.p.node(o).proc == other {
			break
		}
		other = s.p.node(o).proc
	}
	return 0
}
