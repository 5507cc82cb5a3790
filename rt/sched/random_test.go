package sched

import (
	"fmt"
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
)

// What random programs (internal/progen/machine) once found.

// Neither select ever waits, since both can take the other case: they do not meet.
func TestSelectsMeetOnlyIfOneWaits(t *testing.T) {
	var got string
	main := func() {
		got = ""
		a, b := mkchan[int](0), mkchan[int](2)
		spawn(func() { hook.Select(4, false, hook.OnSend(a).Of(1), hook.OnSend(b).Of(1)) })
		hook.To(b, 5).Send(1)
		if hook.Select(6, false, hook.OnRecv(a), hook.OnRecv(b)) == 0 {
			got = "met"
		}
	}
	set := same(t, main, func(tr *trace.Trace) string { return got + tr.Verdict.String() })
	if set != "finished" {
		t.Error(set)
	}
}

// After the close both selects end by it: nothing is delivered any more.
func TestSelectsDoNotMeetAfterDone(t *testing.T) {
	var got string
	main := func() {
		got = ""
		jobs, done, told := mkchan[int](0), mkchan[int](0), mkchan[int](1)
		spawn(func() { hook.Select(4, false, hook.OnSend(jobs).Of(1), hook.OnRecv(done)) })
		hook.Close(done, 5)
		hook.To(told, 6).Send(1)
		if hook.Select(7, false, hook.OnRecv(jobs), hook.OnRecv(done)) == 0 {
			got = "delivered "
		}
	}
	set := same(t, main, func(tr *trace.Trace) string { return got + tr.Verdict.String() })
	if set != "finished" {
		t.Error(set)
	}
}

// A select with both sides of a channel does not stand in the way of the one that it meets.
func TestSelectWithBothSidesIsMet(t *testing.T) {
	var got string
	main := func() {
		got = ""
		c := mkchan[int](0)
		spawn(func() { hook.Select(4, false, hook.OnRecv(c), hook.OnSend(c).Of(1)) })
		got = fmt.Sprint(hook.Select(5, true, hook.OnSend(c).Of(2)))
		hook.Recv(c, 6)
	}
	set := same(t, main, func(tr *trace.Trace) string { return got + tr.Verdict.String() })
	if set != "-1finished; 0deadlocked" {
		t.Error(set)
	}
}

// Of a select that waits with two cases on a channel either may be served.
func TestSelectWithTwoCasesOnAChannel(t *testing.T) {
	var got int
	main := func() {
		got = 0
		c := mkchan[int](0)
		spawn(func() { hook.Select(4, false, hook.OnSend(c).Of(1), hook.OnSend(c).Of(2)) })
		got = hook.Recv(c, 5)
	}
	if set := same(t, main, func(tr *trace.Trace) string { return fmt.Sprint(got) }); set != "1; 2" {
		t.Error(set)
	}
}

// The clock stands still for a goroutine that could still end the program.
func TestCrashStopsTheClock(t *testing.T) {
	var late bool
	main := func() {
		late = false
		spawn(func() { hook.Sleep(1_000_000, 1); late = true })
		panic("first")
	}
	if set := same(t, main, func(tr *trace.Trace) string {
		return fmt.Sprint(tr.Verdict,
			late)
	}); set != "panicked false" {
		t.Error(set)
	}
}

// A loop that was left and is entered again does not wait: what it reads need not change.
func TestLoopEnteredAgain(t *testing.T) {
	v := new(int)
	set, _ := outcomes(t, true, func() {
		for range 2 {
			for hook.Loop(7, false); *hook.R(v, 8) != 0; hook.Loop(7, true) {
			}
		}
	}, func(tr *trace.Trace) string { return tr.Verdict.String() })
	if set != "finished" {
		t.Error(set)
	}
}

// A goroutine that polls memory that is no scheduling point does not see it change. The race
// is found, and with the accesses visible the loop ends.
func TestPollingUnseenMemory(t *testing.T) {
	var v *int
	main := func() {
		v = new(int)
		spawn(func() { hook.P(v, 9).Set(1) })
		for hook.Loop(7, false); *hook.R(v, 8) == 0; hook.Loop(7, true) {
		}
	}
	end := func(tr *trace.Trace) string {
		return fmt.Sprint(tr.Verdict, len(S.Races()) > 0, S.PolledUnseen())
	}
	if set, _ := outcomes(t, true, main, end); set != "livelocked true true" {
		t.Error(set)
	}
	defer func(v VisibleMode) { testVisible = v }(testVisible)
	testVisible = VisibleAll
	if set, _ := outcomes(t, true, main, end); set != "finished true false" {
		t.Error(set)
	}
}
