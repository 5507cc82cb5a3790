package sched

import (
	"runtime"
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// A worker is a coroutine with its stack. Workers whose goroutine ended
// normally are used again for the next go statement; one whose goroutine was
// ended by Goexit is gone.
type worker struct {
	own    unsafe.Pointer // the coro made with it
	parked unsafe.Pointer // the coro in which it is suspended, nil while it runs
	g      *G
	goid   uint64  // the runtime's number of the coroutine
	gp     uintptr // the address of its g
}

// newG adds a goroutine that has not started.
func (s *Sched) newG(parent trace.GID, n int32, fn func(), site trace.Site) *G {
	id := trace.GID(len(s.gs))
	g := again(&s.gs)
	clock, signal, endStack, offers, looked, iterations, loans := g.clock, g.signal, g.endStack[:0],
		g.offers[:0], g.looked[:0], g.iterations[:0], g.loans[:0]
	*g = G{} // cleared in place; with fields it would be made elsewhere and copied
	g.clock, g.signal = clock, signal
	g.clock.Reset()
	g.signal.Reset()
	g.id, g.fn, g.st, g.idleLimit = id, fn, gBlocked, idleLimit
	g.endStack, g.offers, g.looked, g.iterations, g.loans = endStack, offers, looked, iterations, loans
	g.flow.Stack = flow.StackOf(int(id))
	s.pend = append(s.pend, trace.Pending{Site: site})
	s.t.newGoroutine(trace.Goroutine{Parent: parent, N: n, Site: site})
	return g
}

// goStmt is a go statement. Starting the goroutine is not a scheduling point
// by itself: the new goroutine is ready at the next one.
func (s *Sched) goStmt(f func(), site hook.Site) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	parent := g
	if g == s.timerG {
		// AfterFunc: a child of the timers, in order of firing.
		parent = s.timerG
	}
	parent.children++
	n := s.newG(parent.id, parent.children, f, trace.Site(site))
	n.goPC, n.labels = hook.GoPC, labels()
	if n.bubble = g.bubble; g == s.timerG {
		n.bubble = s.timers.firing.bubble
	}
	if s.opt.Twins {
		s.noteTwin(n, parent)
	}
	s.noteOrigin(n)
	if s.det.on {
		s.det.chains.begin(n, &g.clock)
		if g != s.timerG { // its clock does not only grow
			n.knows = g.now
		}
		s.tick(g)
	}
	s.event(g, trace.OpGo, nil, int64(n.id), trace.Site(site))
	s.setReady(n, trace.OpStart, nil, trace.Site(site))
	if len(s.gs) > maxGoroutines || len(s.det.chains.links) > maxChains {
		s.stop(trace.Crowded)
		if g != s.timerG {
			s.reschedule(g) // it does not come back: a loop that starts more makes no step
		}
	}
	s.leave()
}

// maxGoroutines and maxChains bound the goroutines of an execution, and those at a time: each knows
// how far every chain has come, so memory grows with the square of the latter. A ticker of a
// nanosecond that starts one every time would have them all.
const (
	maxGoroutines = 500_000
	maxChains     = 20_000
)

// switchTo suspends the running goroutine (or the driver) and lets next go on,
// nil: the one that is chosen. It returns when the caller is chosen again; where a
// goroutine is chosen to be unwound it does not return.
//
// After a switch the processor has predicted every return wrongly up to the
// code under test, so the way from there to here has as few calls as can be.
func (s *Sched) switchTo(next *G) {
	me := s.cur
	if next == nil {
		if next = s.choose(); next == me {
			return
		}
	}
	s.cur = next
	if next.w == nil {
		s.coros.give(next)
	}
	w := me.w
	for {
		c := s.cur.w.parked
		s.cur.w.parked = nil
		w.parked = c
		coroswitch(c)
		// A goroutine that ended resumes what is in its own coro, which may
		// be us though another one was chosen: pass on.
		if s.cur == me {
			break
		}
	}
	if s.ending.on && me != &s.dg {
		s.unwinding()
	}
}

// coroutines are those of the process. They outlast executions.
type coroutines struct {
	driver worker    // the caller of Run
	free   []*worker // without a goroutine
	alive  int
}

// give finds a stack for a goroutine about to start.
func (c *coroutines) give(g *G) {
	if n := len(c.free); n > 0 {
		g.w = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		w := &worker{}
		c.alive++
		w.own = newcoro(w.main)
		w.parked = w.own
		g.w = w
	}
	g.w.g = g
}

// main is what a worker runs: one goroutine under test after the other.
func (w *worker) main(unsafe.Pointer) {
	s := S
	w.goid, w.gp = goid(), getg()
	mine(true)
	defer func() {
		mine(false)
		// Only a Goexit comes here. The coroutine ends; its coro resumes
		// what is suspended in it, which passes on to s.cur (see switchTo).
		hook.Cur = 0
		s.ended(w.g)
		next := s.afterEnd()
		s.coros.alive-- // not before: the runtime still counts it while choices are made
		s.cur = next
		if next.w == nil {
			s.coros.give(next)
		}
		if next.w.parked == w.own {
			next.w.parked = nil
		}
	}()
	for {
		g := w.g
		if !s.ending.on {
			s.start(g)
		}
		s.ended(g)
		setLabels(nil)
		next := s.afterEnd()
		s.coros.free = append(s.coros.free, w)
		w.g = nil
		s.idleSwitch(w, next)
	}
}

// idleSwitch suspends a worker without a goroutine until it is given one.
func (s *Sched) idleSwitch(w *worker, next *G) {
	if next.w == nil {
		s.coros.give(next)
		if next.w == w { // its own stack, at once
			s.cur = next
			return
		}
	}
	s.cur = next
	for {
		c := s.cur.w.parked
		s.cur.w.parked = nil
		w.parked = c
		coroswitch(c)
		if w.g != nil && s.cur == w.g {
			return
		}
	}
}

// start runs g's function to its end, in whatever way it ends but Goexit.
func (s *Sched) start(g *G) {
	defer func() {
		if g.state() == gDone {
			return
		}
		if r := recover(); r != nil {
			hook.Cur = 0
			if !s.ending.on {
				s.panicked(g, r)
			}
		}
	}()
	s.event(g, trace.OpStart, nil, 0, s.pend[g.id].Site)
	setLabels(g.labels)
	s.leave()
	g.fn()
	hook.Cur = 0
}

// ended does the bookkeeping of a goroutine's end.
func (s *Sched) ended(g *G) {
	if g.state() == gDone {
		return
	}
	if s.ending.on {
		g.st = gDone
		return
	}
	if onStack(s.lazy.p) {
		s.lazyDrop() // what is there now is no longer its value
	}
	if hook.Unsettled {
		s.settle()
	}
	s.event(g, trace.OpEnd, nil, 0, 0)
	s.unready(g, gDone)
	if s.det.on {
		s.det.chains.end(g)
	}
	if g.id == 0 {
		s.mainOver = true
	}
}

// afterEnd chooses the goroutine that goes on when a goroutine has ended.
func (s *Sched) afterEnd() *G {
	if s.ending.on {
		return &s.dg
	}
	return s.choose()
}

// panicked ends the execution with a panic that was not recovered.
func (s *Sched) panicked(g *G, r any) {
	s.pause(wire.PauseFail)
	f := &remains.Failure{Kind: remains.FailPanic, G: g.id, Value: r}
	var pcs [64]uintptr
	f.Stack = append(f.Stack, pcs[:runtime.Callers(3, pcs[:])]...)
	if s.exhaustive() {
		s.crash(g, f)
		return
	}
	s.fails = append(s.fails, f)
	s.stop(trace.Panicked)
}

// misuse ends the execution with a finding about how an object was used, for
// what would be a fatal error of the Go runtime. It does not return.
func (s *Sched) misuse(g *G, o *object, msg string) {
	f := &remains.Failure{Kind: remains.FailMisuse, G: g.id, Message: msg}
	if o != nil {
		f.Obj = o.id
	}
	s.fatal(g, f)
}

// fatal ends the execution with what would end the process. It does not return.
func (s *Sched) fatal(g *G, f *remains.Failure) {
	s.pause(wire.PauseFail)
	var pcs [64]uintptr
	f.Stack = append(f.Stack, pcs[:runtime.Callers(4, pcs[:])]...)
	s.unready(g, gBlocked)
	if s.exhaustive() {
		s.crash(g, f)
		s.switchTo(s.choose())
		s.unwinding()
	}
	s.fails = append(s.fails, f)
	s.stop(trace.Panicked)
	s.switchTo(&s.dg)
}

// Unwinding. When an execution is over, every goroutine that is still
// suspended is resumed once with Goexit, so that its stack is given back; its
// deferred calls run with every hook inert.

// ending is the end of an execution, when its goroutines are unwound.
type ending struct {
	on     bool
	stacks bool // keep where the goroutines are
	hooks  int  // called by deferred calls
}

// unwindLimit bounds the hooks that deferred calls of one execution may call.
const unwindLimit = 1_000_000

func (s *Sched) finish() {
	s.ending.stacks = s.verdict != trace.Finished || s.leftovers()
	s.lazyDrop()
	if s.exhaustive() {
		s.noteEnd()
	} else if s.opt.Record {
		s.finalizeObjects()
		s.noteLeft()
	}
	s.det.solo, s.det.only = false, false
	s.heed()
	s.judgeLeft()
	s.ending.on = true
	hook.Live = 0
	if s.opt.BeforeUnwind != nil && s.leftovers() {
		s.opt.BeforeUnwind()
	}
	for i := 0; i < len(s.gs); i++ {
		g := s.gs[i]
		if g.state() == gDone {
			continue
		}
		g.mark, g.left = int(g.state()), true
		if g.w == nil { // never started
			g.st = gDone
			continue
		}
		s.switchTo(g)
	}
	s.unstopped = hook.PullCalls(s.unstopped[:0])
	hook.EndPulls()
	s.ending.on = false
	s.releaseNative()
}

// leftovers reports whether goroutines are left whose stacks a finding may need.
func (s *Sched) leftovers() bool {
	for _, g := range s.gs {
		if g.state() != gDone {
			return true
		}
	}
	return false
}

// unwinding is called instead of an operation while goroutines are unwound. It does not return.
func (s *Sched) unwinding() {
	g := s.cur
	if s.ending.stacks && len(g.endStack) == 0 && g.id >= 0 {
		var pcs [64]uintptr
		n := runtime.Callers(2, pcs[:])
		g.endStack = append(g.endStack[:0], pcs[:n]...)
	}
	s.leave()
	runtime.Goexit()
}

// inert is called by hooks that must do nothing while goroutines are unwound.
func (s *Sched) inert() bool {
	if !s.ending.on {
		return false
	}
	s.ending.hooks++
	if s.ending.hooks > unwindLimit {
		s.unwinding()
	}
	return true
}

// Yielding.

func (s *Sched) gosched(pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	s.giveWay(g, s.place(trace.PCSite(pc)), true)
	s.leave()
}

// giveWay is what runtime.Gosched does. Where g looks for nothing that is no sign of a loop that
// polls.
func (s *Sched) giveWay(g *G, site trace.Site, looks bool) {
	if !site.Quiet() {
		g.quiet = false
		s.announce(g, trace.OpGosched, nil, site)
		if looks {
			s.idleRead(g, nil)
		}
		if !s.exhaustive() {
			s.yield(g)
		}
		s.reschedule(g)
	}
	s.event(g, trace.OpGosched, nil, 0, site)
}

// numGoroutine counts the goroutines under test that have not ended. pc is the program's call.
func (s *Sched) numGoroutine(pc uintptr) int {
	if len(s.gs) > 2 { // some may have ended, or been started, in another order
		s.notSeen(trace.Unseen{Code: trace.UnseenState, What: "runtime.NumGoroutine", Site: trace.PCSite(pc)})
	}
	return s.notEnded() + 1 // and the one that runs the test
}

// notEnded returns how many goroutines under test have not ended.
func (s *Sched) notEnded() (n int) {
	for _, g := range s.gs {
		if g.state() != gDone {
			n++
		}
	}
	return n
}

// Close ends the coroutines that wait for a goroutine. No execution may follow
// that expects them; new ones are made as needed.
func (s *Sched) Close() {
	s.dg = G{id: trace.NoG, w: &s.coros.driver}
	s.over = true
	for len(s.coros.free) > 0 {
		g := s.newG(trace.NoG, 0, runtime.Goexit, 0)
		s.cur = &s.dg
		s.switchTo(g)
	}
}
