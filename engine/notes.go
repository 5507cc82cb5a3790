package engine

import (
	"cmp"
	"fmt"
	"time"

	"heddle/rt/limit"
	"heddle/rt/wire"
	"heddle/trace"
)

// notes are what was told of an exploration while it goes on.
type notes struct {
	progress  time.Time
	doing     string // what is being done between executions, for the progress line; "": a search thinks
	outsiders string // what is outside control
	toldCut   bool   // that an execution was ended by time or memory
	toldFull  bool   // that data flow needs more memory
	measured  bool   // that heddle's memory may make the test fail
	ranOut    bool   // that its slowness may
}

// toldOutside says that a test is not fully under control, and why. From then
// on its executions go by real time.
func (e *exploration) toldOutside(why string) {
	e.real = true
	e.outsiders = why
	e.note("partly uncontrolled: %s; executions go by real time, what is outside control comes in the order it happens to come in, and where it takes part no races, deadlocks and leaks are looked for", why)
}

func (e *exploration) note(format string, args ...any) {
	e.send(&wire.Record{Type: "note", Test: e.test, Text: fmt.Sprintf(format, args...)})
}

// tell sends progress a few times a second.
func (e *exploration) tell() {
	if e.n%16 == 0 || e.cfg.Isolate == "process" {
		e.tellNow()
	}
}

// tellWorking sends progress while nothing is executed: what thinks asks for the time.
func (e *exploration) tellWorking(now time.Time) {
	const often = time.Second
	if now.Sub(e.progress) > often {
		e.progress = now
		e.send(&wire.Record{Type: "progress", Test: e.test, Executions: e.n,
			Elapsed: now.Sub(e.start).Seconds(), Estimate: known(e.estimate),
			Text: cmp.Or(e.doing, "looking for what to execute next")})
	}
}

// tellNow does, if it is time for that.
func (e *exploration) tellNow() {
	if now := time.Now(); now.Sub(e.progress) > 200*time.Millisecond {
		e.progress = now
		e.send(&wire.Record{Type: "progress", Test: e.test, Executions: e.n,
			Elapsed: now.Sub(e.start).Seconds(), Estimate: known(e.estimate)})
	}
}

// tellCut tells of the first execution that the time bound or the memory bound has ended, and what
// can be done.
func (e *exploration) tellCut(v trace.Verdict) {
	if e.toldCut || e.told != nil || !v.Early() {
		return
	}
	e.toldCut = true
	switch v {
	case trace.Expired:
		e.note("an execution of %s was ended after %v (-longest), and what comes after that is not explored; give it more, or make the test smaller (testing.Short with -short)", e.test, time.Duration(e.cfg.Longest))
	case trace.Filled:
		e.note("an execution of %s was ended when it had taken %s of memory, and what comes after that is not explored; make the test smaller (testing.Short with -short)", e.test, wire.Size(limit.MostHeap))
	}
}
