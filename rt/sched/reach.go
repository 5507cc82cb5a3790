package sched

import (
	"slices"
	"unsafe"

	"heddle/rt/sched/addrs"
	"heddle/trace"
)

// What goroutines can still reach. When a test is over, or waits while the clock lets others go on,
// a goroutine is stuck for good only if no goroutine that can still go on could reach what it waits
// for. A collector knows that: it is what their stacks, the functions of the timers that run, and
// the package-level variables lead to. So memory is walked as a conservative collector does (every
// word that is the address of a heap object keeps it), from the goroutines that can go on. What
// waits for what was reached may go on too, and its stack is walked next, until nothing is added.
// What is left waits for good. Nothing is collected within an execution, so the walk needs no
// barrier.
//
// The walk errs on one side: a stale word on a stack keeps an object, and a goroutine that is stuck
// is taken for one that is not.

// reachMost bounds the words that a walk looks at. Where it is reached everything counts as
// reachable.
const reachMost = 1 << 24

// smallNoPointers is up to which size objects without pointers are looked into: a weak pointer
// hides an address in a number.
const smallNoPointers = 16

// A reach is a walk over memory.
type reach struct {
	seen  addrs.Table // objects, by where they begin
	heap  memoryRange
	todo  []memoryRange
	words int
}

type memoryRange struct{ lo, hi uintptr }

// begin makes r a walk that has not reached anything. It does not enter what the scheduler keeps of
// the execution, which knows all.
func (r *reach) begin(s *Sched) {
	r.heap.lo, r.heap.hi = heapBounds()
	r.seen.Empty()
	r.todo, r.words = r.todo[:0], 0
	for _, g := range s.gs[:cap(s.gs)] {
		if g != nil {
			r.skip(unsafe.Pointer(g))
			r.skip(unsafe.Pointer(g.w))
		}
	}
	for _, w := range s.coros.free {
		r.skip(unsafe.Pointer(w))
	}
	for _, o := range s.objs.all[:cap(s.objs.all)] {
		r.skip(unsafe.Pointer(o))
	}
	r.skip(unsafe.Pointer(s))
}

func (r *reach) skip(p unsafe.Pointer) {
	if base, _, _, _ := heapObject(uintptr(p)); base != 0 {
		r.seen.Insert(base)
	}
}

// add walks what is in a range of memory, except within the range without.
func (r *reach) add(lo, hi uintptr, without memoryRange) {
	if without.lo >= lo && without.hi <= hi {
		r.push(lo, without.lo)
		lo = without.hi
	}
	r.push(lo, hi)
	r.walk()
}

func (r *reach) push(lo, hi uintptr) {
	const word = unsafe.Sizeof(uintptr(0))
	lo = (lo + word - 1) &^ (word - 1)
	if lo+word <= hi {
		r.todo = append(r.todo, memoryRange{lo, hi})
	}
}

// pointTo walks what a pointer leads to.
func (r *reach) pointTo(p uintptr) {
	r.word(p)
	r.walk()
}

func (r *reach) word(p uintptr) {
	if p < r.heap.lo || p >= r.heap.hi {
		return
	}
	base, size, noscan, _ := heapObject(p)
	if base == 0 || !r.seen.Insert(base) {
		return
	}
	if !noscan || size <= smallNoPointers {
		r.push(base, base+size)
	}
}

func (r *reach) walk() {
	for len(r.todo) > 0 && r.words <= reachMost {
		m := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for p := m.lo; p+unsafe.Sizeof(p) <= m.hi; p += unsafe.Sizeof(p) {
			r.words++
			r.word(wordAt(p))
		}
	}
}

// wordAt returns the word at an address.
func wordAt(p uintptr) uintptr {
	return **(**uintptr)(unsafe.Pointer(&p))
}

// reached reports whether the object that an address is in was reached, or whether that is not
// known.
func (r *reach) reached(p uintptr) bool {
	base, _, _, _ := heapObject(p)
	return base == 0 || r.seen.Has(base) || r.words > reachMost
}

// stuck returns which goroutines wait for good: for what no goroutine that can go on, and no timer,
// can reach. lives are those that can go on, or may.
func (s *Sched) stuck() (stuck, lives []*G) {
	var w waits
	w.of(s)
	stuck, lives = s.byThemselves(&w)
	if len(stuck) == 0 || len(lives) == 0 && !s.timersRun() {
		return stuck, lives
	}
	key := situation(s.pend, stuck, lives)
	if !s.lessons.ask(key) {
		return nil, append(lives, stuck...)
	}
	stuck, lives = s.walk(stuck, lives, &w)
	s.lessons.answered(key, len(stuck) > 0)
	return stuck, lives
}

// situation is where goroutines wait, and which of them go on by themselves. A walk takes longer
// than most executions: where one has shown that all in a situation may go on, it is made for the
// second, fourth, eighth ... execution that ends in it, until one shows something else.
func situation(pend []trace.Pending, stuck, lives []*G) uint64 {
	sum := uint64(0)
	for i, gs := range [2][]*G{stuck, lives} {
		for _, g := range gs {
			p := &pend[g.id]
			h := (uint64(p.Site)<<9 | uint64(p.Op)<<1 | uint64(i)) * 0x9e3779b97f4a7c15
			sum += h ^ h>>29
		}
	}
	return sum
}

// byThemselves tells goroutines that wait for others from those that go on without.
func (s *Sched) byThemselves(w *waits) (stuck, lives []*G) {
	for _, g := range s.gs {
		switch {
		case g.state() == gDone || g == s.timerG || g.crashed:
		case s.goesOn(g, w):
			lives = append(lives, g)
		default:
			stuck = append(stuck, g)
		}
	}
	return stuck, lives
}

// walk takes those from stuck to lives that may be served.
func (s *Sched) walk(stuck, lives []*G, w *waits) (_, _ []*G) {
	r := &s.reach
	r.begin(s)
	stacks := r.roots(s)
	for _, g := range lives {
		r.goroutine(g, stacks)
	}
	for grew := true; grew; {
		grew = false
		left := stuck[:0]
		for _, g := range stuck {
			if !s.mayServe(g, w, lives) {
				left = append(left, g)
				continue
			}
			lives, grew = append(lives, g), true
			r.goroutine(g, stacks)
		}
		stuck = left
	}
	return stuck, lives
}

// judgeLeft is called at the end of an execution: it notes which of the goroutines that are left
// may still go on.
func (s *Sched) judgeLeft() {
	if s.verdict != trace.Finished || !s.mainOver || s.opt.Program || !s.someLeft() || s.outsiders() > 0 {
		return
	}
	_, lives := s.stuck()
	for _, g := range lives {
		g.alive = true
	}
}

// someLeft reports whether a goroutine has not ended.
func (s *Sched) someLeft() bool {
	for _, g := range s.gs {
		if g.state() != gDone && g != s.timerG && !g.crashed {
			return true
		}
	}
	return false
}

// mainCutOff reports whether main waits for good, though others go on.
func (s *Sched) mainCutOff() bool {
	main := s.gs[0]
	if main.state() != gBlocked && (main.state() != gParked || s.pend[0].Op == trace.OpSleep) ||
		s.locks.cycle != nil || s.outsiders() > 0 {
		return false
	}
	stuck, lives := s.stuck()
	if !slices.Contains(stuck, main) {
		return false
	}
	for _, g := range lives {
		g.alive = true
	}
	return true
}

// goesOn reports whether g will go on by itself, or as soon as a timer or something outside control
// lets it.
func (s *Sched) goesOn(g *G, w *waits) bool {
	switch {
	case g.state() == gBlocked:
		return false
	case g.state() != gParked || s.pend[g.id].Op == trace.OpSleep:
		return true
	}
	for _, o := range w.objects[g.id] {
		if w.timed[o] {
			return true
		}
	}
	return false
}

// timersRun reports whether a timer runs a function of the program.
func (s *Sched) timersRun() bool {
	for _, t := range s.timers.heap {
		if t.sleeper == nil && t.when != never && s.objs.sendsTo(t) == nil {
			return true
		}
	}
	return false
}

// waits are what the goroutines of an execution wait for.
type waits struct {
	objects map[trace.GID][]*object
	timed   map[*object]bool // channels that a running timer sends to
}

func (w *waits) of(s *Sched) {
	w.objects, w.timed = make(map[trace.GID][]*object), make(map[*object]bool)
	for _, o := range s.objs.all {
		if o.kind == trace.ObjChan && o.ch != nil {
			w.queue(&o.ch.sendq, o)
			w.queue(&o.ch.recvq, o)
		}
	}
	for _, g := range s.gs {
		switch {
		case g.state() != gParked && g.state() != gBlocked:
		case s.exhaustive() && len(g.offers) > 0 && g.at != nil && g.at.kind == trace.ObjChan:
			for i := range g.offers {
				w.objects[g.id] = append(w.objects[g.id], g.offers[i].o)
			}
		case g.at != nil:
			w.objects[g.id] = append(w.objects[g.id], g.at)
		}
	}
	for _, t := range s.timers.heap {
		if o := s.objs.sendsTo(t); o != nil && t.when != never {
			w.timed[o] = true
		}
	}
}

func (w *waits) queue(q *queue, o *object) {
	for i := q.head; i < len(q.w); i++ {
		if x := &q.w[i]; x.g.state() == gParked && x.g.waitSeq == x.seq {
			w.objects[x.g.id] = append(w.objects[x.g.id], o)
		}
	}
}

// mayServe reports whether what g waits for was reached, or is older than the execution, so that it
// is not known what has it. A lock is let go by those that hold it, in a test in which none ever
// was by another.
func (s *Sched) mayServe(g *G, w *waits, lives []*G) bool {
	if holders := blockers(g, s.pend, nil); len(holders) > 0 && !s.handedOver {
		return !slices.ContainsFunc(holders, func(h *G) bool { return !slices.Contains(lives, h) })
	}
	for _, o := range w.objects[g.id] {
		if o.kind == trace.ObjChan && (!o.known || o.older) {
			return true
		}
		if !g.ownStack(o.addr) && s.reach.reached(o.addr) {
			return true
		}
	}
	return false
}

// roots walks what nothing but the program as a whole has: package-level variables, the functions
// of timers that run, and goroutines that are not the scheduler's. It returns the stacks of those
// that are.
func (r *reach) roots(s *Sched) map[uintptr]suspended {
	ours := make(map[uintptr]bool)
	for _, g := range s.gs {
		if g.state() != gDone && g.w != nil {
			ours[g.w.gp] = true // one that has ended may have left its g to others
		}
	}
	for _, w := range s.coros.free {
		ours[w.gp] = true
	}
	ours[s.coros.driver.gp] = true
	if s.cur.w != nil { // it has ended and chooses the next one
		ours[s.cur.w.gp] = true
	}
	stacks := make(map[uintptr]suspended)
	eachSuspended(func(gp, lo, hi, deferred uintptr) {
		if ours[gp] {
			stacks[gp] = suspended{memoryRange{lo, hi}, deferred}
			return
		}
		r.push(lo, hi)
		r.word(deferred)
	})
	self := memoryRange{uintptr(unsafe.Pointer(s)), uintptr(unsafe.Pointer(s)) + unsafe.Sizeof(*s)}
	eachVariables(func(lo, hi uintptr) { r.add(lo, hi, self) })
	for _, t := range s.timers.heap {
		if t.sleeper == nil && t.when != never && s.objs.sendsTo(t) == nil {
			r.pointTo((*[2]uintptr)(unsafe.Pointer(&t.arg))[1])
			r.pointTo(*(*uintptr)(unsafe.Pointer(&t.f)))
		}
	}
	return stacks
}

// A suspended goroutine: what is in use of its stack, and its deferred calls.
type suspended struct {
	stack    memoryRange
	deferred uintptr
}

// goroutine walks what g can reach.
func (r *reach) goroutine(g *G, stacks map[uintptr]suspended) {
	r.pointTo(*(*uintptr)(unsafe.Pointer(&g.fn)))
	if g.w != nil {
		st := stacks[g.w.gp]
		r.pointTo(st.deferred)
		r.add(st.stack.lo, st.stack.hi, memoryRange{})
	}
}

// ownStack reports whether an address is on the stack of g: nothing else can reach what is there.
func (g *G) ownStack(p uintptr) bool {
	if g.w == nil || g.w.gp == 0 {
		return false
	}
	hi := stackHi(g.w.gp)
	return p < hi && p >= stackLo(g.w.gp)
}
