package sched

import (
	"runtime"
	"slices"
	"time"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Goroutines outside control: started before the executions, or by packages
// that are not rewritten. They run natively, at the same time, and may serve
// or change what goroutines under test wait for. When no goroutine under control can
// go on, those that wait look at the native objects again for a while of real
// time, before the clock jumps or the execution is called over. What an
// execution shows that outsiders took part in is told apart by rt/drive.
//
// The same holds for files that the kernel serves (sockets, pipes, inotify): a goroutine that
// would block in the runtime's poller waits in state gOutside.
//
// A virtual clock that jumps is wrong as soon as others go by the real one: with
// Options.Real timers fire when their time has come.

const (
	pollEvery = 200 * time.Microsecond
	pollShort = 20 * time.Millisecond // before the clock jumps
	pollLong  = time.Second           // before nothing is believed to come any more
	pollReal  = 8 * time.Second       // likewise, in real time
	// polls without effect after which the short ones are left out
	fruitless = 10
)

// outside is what takes part in an execution from outside control.
type outside struct {
	took      bool         // a goroutine, the kernel or a collection did
	born      bool         // goroutines outside control were started in this execution
	strangers int          // of them when it began
	waiters   int          // goroutines in gOutside
	fruitless int          // short polls without effect in a row, over all executions
	gc        uint32       // collections before this execution
	io        trace.Vector // released by writing files
}

// reset begins an execution with n goroutines outside control.
func (o *outside) reset(n int) {
	o.took, o.born, o.strangers, o.waiters, o.gc = false, false, n, 0, numgc()
	o.io.Reset()
}

// collected reports whether garbage was collected in this execution: finalizers
// and cleanups run outside control then, and are not counted among the outsiders.
func (o *outside) collected() bool { return numgc() != o.gc }

// outsiders returns how many goroutines outside control there are.
func (s *Sched) outsiders() int {
	if !mayBeOutsiders {
		return 0
	}
	n := runtime.NumGoroutine() - 1 - s.coros.alive - hook.Pulls()
	if n > 0 {
		for _, idle := range hook.Idlers {
			if idle() {
				n--
			}
		}
	}
	return n
}

func (s *Sched) foreign() bool {
	return hook.Real || s.outside.took || s.outside.waiters > 0 || s.outsiders() > 0
}

// Outsiders returns how many goroutines outside control there are now.
func (s *Sched) Outsiders() int { return max(0, s.outsiders()) }

// ChanClosed reports whether the native channel at p is closed.
func ChanClosed(p unsafe.Pointer) bool {
	_, closed, _, _ := chanstate(p)
	return closed
}

// Reopen makes the native channel at p open and empty; it does not, and returns false, if a
// goroutine outside control waits at it.
func Reopen(p unsafe.Pointer) bool {
	if _, _, receivers, senders := chanstate(p); receivers || senders {
		return false
	}
	chanopen(p)
	for c := anyChan(p); ; {
		select {
		case <-c:
		default: // a goroutine outside control may have taken the last one
			return true
		}
	}
}

// anyChan returns the channel at p, for what does not depend on the type of its elements.
func anyChan(p unsafe.Pointer) chan struct{} { return *(*chan struct{})(unsafe.Pointer(&p)) }

// pollForeign looks at native objects until a goroutine is ready, for at most d.
func (s *Sched) pollForeign(d time.Duration) bool {
	if d == pollShort && s.outside.fruitless >= fruitless {
		// a ticker would have a long wait at each of its ticks
		return false
	}
	if s.outside.waiters == 0 && (s.outsiders() <= 0 && !s.outside.collected() || !s.anyWaits()) {
		// The last of them may have let a goroutine go on, and ended, since that was looked at.
		return d == pollLong && mayBeOutsiders && s.anyWaits() && s.poll(0)
	}
	if hook.Real {
		if d == pollShort {
			return false // the clock does not jump
		}
		d = pollReal
	}
	if s.poll(d) {
		s.outside.fruitless = 0
		return true
	}
	s.outside.fruitless++
	return false
}

// poll looks at native objects and files until a goroutine is ready, for at most d.
func (s *Sched) poll(d time.Duration) bool {
	if s.Waiting != nil && d > 0 { // else there is nothing to wait for any more
		s.Waiting()
	}
	for start := time.Now(); ; {
		if s.lookOutside() {
			return true
		}
		for _, o := range s.objs.all {
			s.look(o)
		}
		if s.ready.Len() > 0 {
			s.outside.took = true
			return true
		}
		left := d - time.Since(start)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pollEvery, left))
	}
}

// pollUntil lets real time pass until when. ready: a goroutine can go on before.
func (s *Sched) pollUntil(when int64) (ready, due bool) {
	for {
		d := time.Duration(when - s.realTime())
		if d <= 0 {
			return false, true
		}
		s.t.counts.Beats++ // a long sleep is no hang
		if s.expire() {
			return false, false
		}
		if s.poll(min(d, pollLong)) {
			return true, false
		}
	}
}

// realTime moves the clock to where the real one is.
func (s *Sched) realTime() int64 {
	s.vtime.now = max(s.vtime.now, hook.Uptime())
	return s.vtime.now
}

// waitOutside is what a goroutine does that waits for something outside control.
func (s *Sched) waitOutside(ready func() bool, pc uintptr) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	s.outside.took = true
	if s.outsideWait == nil {
		s.outsideWait = callers(1)
	}
	site := s.place(trace.PCSite(pc))
	for !ready() {
		s.announce(g, trace.OpNative, nil, site)
		g.outside = ready
		s.outside.waiters++
		s.unready(g, gOutside)
		s.reschedule(g)
	}
	g.outside = nil
	s.event(g, trace.OpNative, nil, 0, site)
	s.leave()
}

// lookOutside lets those go on whose wait outside is over.
func (s *Sched) lookOutside() bool {
	if s.outside.waiters == 0 {
		return false
	}
	for _, g := range s.gs {
		if g.state() == gOutside && g.outside() {
			s.outside.waiters--
			s.insert(g)
		}
	}
	return s.ready.Len() > 0
}

// nativeIO gives order to what goroutines write to files and read from them:
// a pipe between them may be how they synchronise. What goes to the standard
// streams is for others.
func (s *Sched) nativeIO(fd int, release bool) {
	if s.ending.on || !s.det.on || fd <= 2 {
		return
	}
	g := s.enter()
	if release {
		s.outside.io.Join(&g.clock)
		s.tick(g)
	} else {
		g.learn(&s.outside.io)
	}
	s.leave()
}

// anyWaits reports whether a goroutine waits for what a goroutine
// outside control could bring about.
func (s *Sched) anyWaits() bool {
	for _, g := range s.gs {
		if (g.state() == gParked || g.state() == gBlocked) && g.at != nil {
			return true
		}
	}
	return false
}

// look takes over what a goroutine outside control did to the native object.
func (s *Sched) look(o *object) {
	switch o.kind {
	case trace.ObjChan:
		if o.ch == nil || o.ch.sendq.first() == nil && o.ch.recvq.first() == nil {
			return
		}
		n, closed, receivers, senders := chanstate(o.ref)
		if o.known && closed == o.closed && n == o.n && !receivers && !senders {
			return
		}
		o.known = false // from now on the native channel is the truth
		if n > 0 || closed || senders {
			s.retry(o, &o.ch.recvq)
		}
		if closed || receivers || n < o.cap {
			s.retry(o, &o.ch.sendq)
		}
	case trace.ObjMutex, trace.ObjRWMutex:
		if o.asked() && o.letGo() {
			s.refresh(o)
		}
	case trace.ObjCond:
		s.lookCond(o)
	case trace.ObjSocket: // its first byte says that the kernel has it
		if *(*bool)(o.ref) && o.def != nil {
			_, _, o.state = o.def.Step(&o.as, o.state, trace.OpSocketGive, 0)
			s.refresh(o)
		}
	case trace.ObjWaitGroup:
		if !o.asked() {
			return
		}
		// The counter is the upper half of the first word.
		if n := int(int32(*(*uint64)(o.ref) >> 32)); n != o.count {
			o.count = n
			s.refresh(o)
		}
	}
}

// letGo reports whether a goroutine outside control has unlocked what the model
// thinks locked: a goroutine under control holds the native lock too, or waits for it.
func (o *object) letGo() bool {
	switch {
	case o.locked && o.nativelyFree(false):
		if o.owner != nil && o.owner.outside != nil {
			return false
		}
		o.locked, o.owner = false, nil
	case o.readers > 0 && o.nativelyFree(true):
		if slices.ContainsFunc(o.holders, func(g *G) bool { return g.outside != nil }) {
			return false
		}
		o.readers, o.holders = 0, o.holders[:0]
	default:
		return false
	}
	return true
}

// nativelyFree reports whether a Mutex, or an RWMutex for writing or for reading, can be locked
// natively.
func (o *object) nativelyFree(write bool) bool {
	held := *(*int32)(o.ref)&1 != 0
	if o.kind == trace.ObjMutex {
		return !held
	}
	return !o.writtenNatively() && (!write || o.nativeReaders() == 0 && !held)
}

// nativeReaders is readerCount of an RWMutex: less rwmutexMaxReaders if that is locked for writing.
func (o *object) nativeReaders() int32 { return *(*int32)(unsafe.Add(o.ref, 16)) }

// writtenNatively reports whether an RWMutex is locked for writing natively.
func (o *object) writtenNatively() bool { return o.nativeReaders() < 0 }

// unlearn reports whether one of the channels is not as the model has it: from now on the native
// one is the truth.
func (s *Sched) unlearn(cs []hook.Case) bool {
	stale := false
	for i := range cs {
		if cs[i].Ch == nil {
			continue
		}
		o := s.channel(cs[i].Ch, cs[i].Cap, 0)
		n, closed, receivers, senders := chanstate(o.ref)
		if o.known && (n != o.n || closed != o.closed || receivers || senders) {
			o.known, stale = false, true
		}
	}
	return stale
}
