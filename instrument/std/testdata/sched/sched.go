// Package sched is a stand-in for heddle's: a scheduler of one goroutine that
// grants everything at once and writes down what it was asked.
package sched

import (
	"runtime"
	"unsafe"

	"heddlert/hook"
)

//go:linkname newcoro
func newcoro(f func(unsafe.Pointer)) unsafe.Pointer

//go:linkname coroswitch
func coroswitch(c unsafe.Pointer)

func stackBounds() (lo, hi uintptr) { return runtime.HeddleStack() }

//go:linkname goid
func goid() uint64

func getg() uintptr { return runtime.HeddleGetg() }

//go:linkname chanstate
func chanstate(c unsafe.Pointer) (n int, closed, receivers, senders bool)

//go:linkname chandrop
func chandrop(c unsafe.Pointer)

// Exported forms for the test program.
var (
	Newcoro     = newcoro
	Coroswitch  = coroswitch
	StackBounds = stackBounds
	Goid        = goid
	Getg        = getg
	Chanstate   = chanstate
	Chandrop    = chandrop
)

// A Call is one call of a hook.
type Call struct {
	Hook string
	Func string // the function that the operation was called in
	Line int
	Arg  int64
}

// Log is the calls since the last Take.
var Log []Call

// Take returns the log and empties it.
func Take() []Call {
	l := Log
	Log = nil
	return l
}

// off keeps the hooks off while the model runs.
func off() func() {
	g := hook.Cur
	hook.Cur = 0
	return func() { hook.Cur = g }
}

func note(name string, pc uintptr, arg int64) {
	defer off()()
	c := Call{Hook: name, Arg: arg}
	if pc != 0 {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		c.Func, c.Line = f.Function, f.Line
	}
	Log = append(Log, c)
}

const pcMask = 1<<48 - 1

func noteSite(name string, s hook.Site, arg int64) {
	pc := uintptr(0)
	if s>>59&15 == 15 {
		pc = uintptr(s & pcMask)
	}
	note(name, pc, arg)
}

// Run calls f under control and reports whether it panicked. Clock is the clock's value.
func Run(f func()) (panicked bool) {
	install()
	done := make(chan bool)
	go func() {
		panicked = true
		defer func() {
			hook.On, hook.Cur = false, 0
			if panicked {
				panicked = recover() != nil // not a Goexit
			}
			close(done)
		}()
		hook.Cur, hook.On = getg(), true
		f()
		panicked = false
	}()
	<-done
	return panicked
}

// Control sets whether the caller is under control.
func Control(on bool) {
	install()
	hook.On, hook.Cur = on, 0
	if on {
		hook.Cur = getg()
	}
}

// Clock is what hook.Now returns.
var Clock int64

// DoneOnce is what OnceDo answers.
var pools = map[unsafe.Pointer][]any{}

func lock(name string) func(unsafe.Pointer, bool, uintptr) bool {
	return func(m unsafe.Pointer, locked bool, pc uintptr) bool {
		arg := int64(0)
		if locked {
			arg = 1
		}
		note(name, pc, arg)
		return !(name == "MutexTryLock" && locked)
	}
}

func rw(name string) func(unsafe.Pointer, uintptr) bool {
	return func(m unsafe.Pointer, pc uintptr) bool {
		note(name, pc, 0)
		return true
	}
}

type timer struct {
	when, period int64
	f            func(any, uintptr, int64)
	arg          any
}

// Timers are those started and not stopped.
var Timers = map[unsafe.Pointer]*timer{}

// Fire lets time pass until a timer is due and runs it.
func Fire() {
	end := off()
	var next *timer
	for p, t := range Timers {
		if next == nil || t.when < next.when {
			next = t
			defer delete(Timers, p)
		}
	}
	Clock = next.when
	end()
	next.f(next.arg, 0, 0)
}

func install() {
	hook.Read = func(unsafe.Pointer, uintptr, hook.Site) {}
	hook.Write = hook.Read
	hook.Alloc = func(unsafe.Pointer, uintptr, uint8, hook.Site) {}
	hook.Note = func(any) {}
	hook.GoStmt = func(f func(), s hook.Site) { noteSite("GoStmt", s, 0); f() }
	hook.Yield = func(pc uintptr) { note("Yield", pc, 0) }
	hook.NumGo = func(uintptr) int { return 1 }
	hook.Bubble, hook.Bubbled = func(begins bool) { hook.Frozen = begins }, func() int { return 0 }
	hook.Idle = func(pc uintptr) { note("Idle", pc, 0) }
	hook.Outside = func(ready func() bool, pc uintptr) {
		for !ready() {
			runtime.Gosched()
		}
	}
	hook.Native = func(fd int, release bool) {}
	hook.File = func(use hook.FileUse, name, also string) {}
	hook.Use = func(begins bool) {}
	hook.ChanOp = func(send bool, p unsafe.Pointer, c int, slot unsafe.Pointer, s hook.Site) (hook.Act, unsafe.Pointer) {
		if send {
			noteSite("ChanSend", s, int64(c))
		} else {
			noteSite("ChanRecv", s, int64(c))
		}
		return hook.ActBuffer, nil
	}
	hook.ChanPolled = func(p unsafe.Pointer, ok bool) {}
	hook.ChanClose = func(p unsafe.Pointer, s hook.Site) bool { noteSite("ChanClose", s, 0); return true }
	hook.ChanLen = func(p unsafe.Pointer, s hook.Site) { noteSite("ChanLen", s, 0) }
	hook.ChanSelect = func(cs []hook.Case, def bool, s hook.Site) (int, hook.Act, unsafe.Pointer) {
		noteSite("ChanSelect", s, int64(len(cs)))
		for i, c := range cs {
			n, _, _, _ := chanstate(c.Ch)
			if c.Send && n < c.Cap || !c.Send && n > 0 {
				return i, hook.ActBuffer, nil
			}
		}
		return -1, 0, nil
	}
	hook.MutexLock, hook.MutexTryLock, hook.MutexUnlock = lock("MutexLock"), lock("MutexTryLock"), lock("MutexUnlock")
	hook.RWLock, hook.RWTryLock, hook.RWUnlock = rw("RWLock"), rw("RWTryLock"), rw("RWUnlock")
	hook.RWRLock, hook.RWTryRLock, hook.RWRUnlock = rw("RWRLock"), rw("RWTryRLock"), rw("RWRUnlock")
	hook.CondAdd = func(c unsafe.Pointer, pc uintptr) bool { note("CondAdd", pc, 0); return false }
	hook.CondBlock = func(c unsafe.Pointer, pc uintptr) { note("CondBlock", pc, 0) }
	hook.CondSignal = func(c unsafe.Pointer, all bool, pc uintptr) bool { note("CondSignal", pc, 0); return true }
	hook.WGAdd = func(wg unsafe.Pointer, delta, n int, pc uintptr) bool { note("WGAdd", pc, int64(delta)); return true }
	hook.WGWait = func(wg unsafe.Pointer, n int, pc uintptr) bool { note("WGWait", pc, int64(n)); return true }
	hook.OnceDo = func(o unsafe.Pointer, done bool, pc uintptr) bool { note("OnceDo", pc, 0); return !done }
	hook.OnceDone = func(o unsafe.Pointer, pc uintptr) { note("OnceDone", pc, 0) }
	hook.MapOp = func(m unsafe.Pointer, key any, op uint8, pc uintptr) { note("MapOp", pc, int64(op)) }
	hook.PoolGet = func(p unsafe.Pointer, pc uintptr) (any, bool) {
		note("PoolGet", pc, 0)
		defer off()()
		if l := pools[p]; len(l) > 0 {
			pools[p] = l[:len(l)-1]
			return l[len(l)-1], true
		}
		return nil, false
	}
	hook.PoolPut = func(p unsafe.Pointer, x any, pc uintptr) {
		note("PoolPut", pc, 0)
		pools[p] = append(pools[p], x)
	}
	hook.AtomicBegin = func(p unsafe.Pointer, n uintptr, op uint8, pc uintptr) { note("AtomicBegin", pc, int64(n)) }
	hook.AtomicEnd = func(changed bool, bits uint64) {
		if changed {
			note("changed", 0, int64(bits))
		} else {
			note("same", 0, int64(bits))
		}
	}
	hook.AtomicCompared = func(swapped bool, old, bits uint64) { hook.AtomicEnd(swapped, bits) }
	hook.AtomicUpdated = func(op byte, by, bits uint64) { hook.AtomicEnd(true, bits) }
	hook.Now = func() int64 { return Clock }
	hook.Sleep = func(d int64, pc uintptr) { note("Sleep", pc, d); Clock += d }
	hook.TimerStart = func(t unsafe.Pointer, when, period int64, f func(any, uintptr, int64), arg any, ch unsafe.Pointer, pc uintptr) {
		note("TimerStart", pc, when)
		Timers[t] = &timer{when, period, f, arg}
	}
	hook.TimerStop = func(t unsafe.Pointer, pc uintptr) (active, ours bool) {
		note("TimerStop", pc, 0)
		_, active = Timers[t]
		delete(Timers, t)
		return active, true
	}
	hook.TimerReset = func(t unsafe.Pointer, when, period int64, pc uintptr) (active, ours bool) {
		note("TimerReset", pc, when)
		return false, true
	}
	hook.Rand = func() uint64 { note("Rand", 0, 0); return 12345 }
	hook.Draw = func(n int, pc uintptr) int { note("Draw", pc, int64(n)); return n - 1 }
	hook.MapOrder = func(keys []any) []int {
		note("MapOrder", 0, int64(len(keys)))
		order := make([]int, len(keys))
		for i := range order {
			order[i] = i
		}
		return order
	}
}
