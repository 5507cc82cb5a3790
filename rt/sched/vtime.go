package sched

import (
	"time"

	"heddle/rt/hook"
)

// virtualTime is the clock that the program under test sees, and how it moves.
type virtualTime struct {
	now        int64
	looks      int64 // at the clock, that moved it by themselves
	flowed     int64 // now when time that flows was looked at last
	fired      int64 // when the last timer was due that fired because all were blocked
	rests      int32 // how often no goroutine was ready and the clock was asked
	restsAtEnd int32 // rests when main was over
	// after how many steps the clock is looked at again, or the execution is bounded
	pause int
	begun time.Time // when the execution began, if there is a time bound
	dozed int       // sleeps that were none, see doze.go
}

func (v *virtualTime) reset(opt *Options) {
	*v = virtualTime{}
	v.fired, v.pause = -never, min(opt.Steps, lookEvery)
	if opt.Longest > 0 {
		v.begun = time.Now()
	}
}

// look moves the clock by one look at it.
func (v *virtualTime) look() {
	v.looks++
	v.now += lookTime(v.looks) - lookTime(v.looks-1)
}

// jump moves the clock to a deadline. A goroutine that waits is woken a little later (late), as in
// reality: a sleep as long as a time-out that began a moment after it outlasts it.
func (v *virtualTime) jump(when int64, late bool) {
	if when <= v.now {
		return
	}
	v.now = when
	if late {
		v.now += wakeLatency
	}
}

// wakeLatency is how much later than its deadline a timer fires in virtual time: more than some
// looks at the clock take.
const wakeLatency = 50_000

// lookTime is what the first n looks at the clock take together. Two looks differ, as they do in
// reality, and programs count on it. The first ones take a microsecond each, which is what lies
// between two in a program that does something in between; were it so for later ones, a thousand
// would not be over within a millisecond, which programs count on too.
func lookTime(n int64) int64 { return n + min(n, longLooks)*(longLook-1) }

const (
	longLooks = 256
	longLook  = 1000 // ns
)

// Time that flows. Goroutines that keep each other busy, such as one that asks
// another for its state until that has changed, would keep the clock, and the
// ticker that would change it, from moving for ever. Where the clock has hardly
// moved for flowAfter steps it moves by flowBy every flowEvery steps, about as
// fast as in reality, and timers fire when their time has come.
const (
	flowAfter = 20_000
	flowEvery = 1_000
	// before that: there are steps that take long, among a thousand goroutines at one channel
	lookEvery = 200
	flowBy    = 1_000_000
)

// flow lets time pass: the time that work has taken, or flowBy if the clock has hardly moved since
// it was looked at last. It reports whether it did.
func (v *virtualTime) flow(w *workload) bool {
	switch {
	case w.owed > 0:
		v.now += w.owed
		w.owed = 0
	case v.now-v.flowed >= flowBy:
		v.flowed = v.now
		return false
	default:
		v.now += flowBy
		// The next look finds that it has not moved by itself.
		v.flowed = v.now
	}
	return true
}

// workload is how much was accessed. Work takes time: a goroutine that computes for long shows by
// its accesses that it is alive, to those that watch the process, and once an execution has done
// much, the clock moves with it. A loop that works until its time is over would have no end
// otherwise, since a look at the clock moves it by a nanosecond only. How much was accessed is,
// unlike the real time that it took, the same in every execution of a schedule. In an exhaustive
// execution each goroutine's work is counted by itself: when it takes time is then the same in
// equivalent executions.
type workload struct {
	beats int   // signs of life; the next is due when hook.Left is used up
	owed  int64 // time that work has taken and that has not passed yet
	done  int64 // what of beatEvery was used up while another goroutine's work is counted
}

const (
	beatEvery = 1 << 20 // accesses from one sign of life to the next
	lookWork  = 64      // a look at the clock is as much work as so many accesses
	// beats of an execution before its work takes time; in them nothing that should be quick takes
	// any
	workAfter = 10
	beatTime  = 10_000_000 // ns: ten an access, what they take under a race detector
)

func (w *workload) reset() {
	*w = workload{}
	hook.Left = beatEvery
}

// instead counts from now on, in place of the work of w, that of v.
func (w *workload) instead(v *workload) {
	w.done = beatEvery - hook.Left
	hook.Left = beatEvery - v.done
}

// much reports whether so much was done that work takes time.
func (w *workload) much() bool { return w.beats > workAfter }

// accessed counts an access to n bytes, and reports whether a sign of life is due. It is inlined.
func (w *workload) accessed(n uintptr) bool {
	hook.Left -= hook.Work(n)
	return hook.Left < 0
}

// looked counts a look at the clock, and reports whether a sign of life is due.
func (w *workload) looked() bool {
	hook.Left -= lookWork
	return hook.Left < 0
}

// beat is a sign of life. It reports whether the work takes time.
func (w *workload) beat() bool {
	hook.Left = beatEvery
	w.beats++
	if w.much() {
		w.owed += beatTime
	}
	return w.much()
}

// takes returns the time that work has taken, which passes now.
func (w *workload) takes() int64 {
	d := w.owed
	w.owed = 0
	return d
}
