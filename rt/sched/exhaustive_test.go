package sched

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"heddle/internal/odometer"
	"heddle/rt/hook"
	"heddle/trace"
)

// testVisible is what outcomes takes for scheduling points.
var testVisible VisibleMode

// outcomes executes main under every combination of choices and returns what
// result said after each, sorted, without duplicates, and the number of executions.
func outcomes(t *testing.T, exhaustive bool, main func(),
	result func(tr *trace.Trace) string) (set string, n int) {
	t.Helper()
	S.SetPolled(nil)
	var polled []trace.Site
again:
	seen := map[string]bool{}
	o := new(odometer.Odometer)
	for n = 1; ; n++ {
		o.Begin(0)
		tr := S.Run(main, Options{Schedule: &trace.Schedule{Exhaustive: exhaustive}, Policy: o,
			Race: true, Visible: testVisible})
		hook.On = false
		if p := S.Polled(); len(p) > 0 {
			polled = append(polled, p...)
			S.SetPolled(polled)
			goto again
		}
		seen[result(tr)] = true
		if !o.Next() {
			break
		}
		if n > 2_000_000 {
			t.Fatal("does not end")
		}
	}
	var all []string
	for s := range seen {
		all = append(all, s)
	}
	sort.Strings(all)
	return strings.Join(all, "; "), n
}

// same checks that exhaustive executions show what native ones show, and no more.
func same(t *testing.T, main func(), result func(tr *trace.Trace) string) (set string) {
	t.Helper()
	native, n := outcomes(t, false, main, result)
	set, m := outcomes(t, true, main, result)
	if native != set {
		t.Errorf("native: %s\nexhaustive: %s", native, set)
	}
	t.Logf("%d native interleavings, %d exhaustive: %s", n, m, set)
	return set
}

func TestExhaustiveUnbuffered(t *testing.T) {
	var got []int
	main := func() {
		got = got[:0]
		c := mkchan[int](0)
		spawn(func() { hook.To(c, 3).Send(1) })
		spawn(func() { hook.To(c, 3).Send(2) })
		got = append(got, hook.Recv(c, 4), hook.Recv(c, 4))
	}
	if set := same(t, main, func(tr *trace.Trace) string {
		return fmt.Sprint(got,
			tr.Verdict)
	}); set != "[1 2] finished; [2 1] finished" {
		t.Error(set)
	}
}

func TestExhaustivePollsSeeArrivals(t *testing.T) {
	var got string
	main := func() {
		got = ""
		c, d := mkchan[int](0), mkchan[int](1)
		spawn(func() { hook.To(c, 3).Send(1); hook.To(d, 3).Send(7) })
		spawn(func() { got += fmt.Sprint("r", hook.Recv(c, 5)) })
		for range 2 {
			r := hook.OnRecv(c)
			switch hook.Select(4, true, r) {
			case 0:
				got += fmt.Sprint("p", r.V)
			default:
				got += "-"
			}
		}
	}
	same(t, main, func(tr *trace.Trace) string { return fmt.Sprint(got, tr.Verdict, len(S.Leftover())) })
}

func TestExhaustivePollToSend(t *testing.T) {
	var got string
	main := func() {
		got = ""
		c := mkchan[int](0)
		spawn(func() { got += fmt.Sprint("a", hook.Recv(c, 5)) })
		spawn(func() { got += fmt.Sprint("b", hook.Recv(c, 5)) })
		for i := range 2 {
			if hook.Select(4, true, hook.OnSend(c).Of(i)) < 0 {
				got += "-"
			}
		}
	}
	same(t, main, func(tr *trace.Trace) string { return fmt.Sprint(got, tr.Verdict, len(S.Leftover())) })
}

func TestExhaustiveSelects(t *testing.T) {
	var got, other string
	main := func() {
		got, other = "", ""
		a, b, done := mkchan[int](0), mkchan[int](1), mkchan[int](0)
		spawn(func() {
			ra := hook.OnRecv(a)
			switch hook.Select(4, false, ra, hook.OnSend(b).Of(5)) {
			case 0:
				other = fmt.Sprint("a", ra.V)
			case 1:
				other = "B"
			}
			hook.Close(done, 9)
		})
		rb := hook.OnRecv(b)
		switch hook.Select(4, false, hook.OnSend(a).Of(6), rb) {
		case 0:
			got += "A"
		case 1:
			got += fmt.Sprint("b", rb.V)
		}
		hook.Recv(done, 9)
	}
	if set := same(t, main, func(tr *trace.Trace) string {
		return fmt.Sprint(got, other, " ",
			tr.Verdict)
	}); set != "Aa6 finished; b5B finished" {
		t.Error(set)
	}
}

func TestExhaustiveCloseAndBuffer(t *testing.T) {
	var got string
	main := func() {
		got = ""
		c := mkchan[int](1)
		spawn(func() {
			defer func() {
				if recover() != nil {
					got += "!"
				}
			}()
			hook.To(c, 3).Send(1)
			hook.To(c, 3).Send(2)
		})
		spawn(func() { hook.Close(c, 4) })
		for range 3 {
			v, ok := hook.Recv2(c, 5)
			got += fmt.Sprint(v, ok, " ")
		}
	}
	same(t, main, func(tr *trace.Trace) string { return fmt.Sprint(got, tr.Verdict) })
}

func TestExhaustiveSleepersDoNotOvertake(t *testing.T) {
	var got []int
	main := func() {
		got = got[:0]
		c := mkchan[int](0)
		for i := range 2 {
			spawn(func() {
				hook.Sleep(int64(i)*1_000_000, 1)
				hook.To(c, 3).Send(i)
			})
		}
		hook.Sleep(5_000_000, 1)
		got = append(got, hook.Recv(c, 4), hook.Recv(c, 4))
	}
	set, _ := outcomes(t, true, main, func(tr *trace.Trace) string { return fmt.Sprint(got, tr.Verdict) })
	if set != "[0 1] finished" {
		t.Error("who slept longer overtook:", set)
	}
}

func TestExhaustiveCrashesLetOthersGoOn(t *testing.T) {
	var x int
	main := func() {
		x = 0
		var mu tmutex
		spawn(func() { mu.Unlock() })
		spawn(func() { panic("first") })
		spawn(func() { x = 1; panic("second") })
	}
	set, _ := outcomes(t, true, main, func(tr *trace.Trace) string {
		if tr.Verdict != trace.Panicked {
			t.Error(tr.Verdict)
		}
		return fmt.Sprint(len(S.Failures()), x)
	})
	if set != "3 1" {
		t.Error(set)
	}
}

func TestExhaustiveLoopWaits(t *testing.T) {
	verdict := func(tr *trace.Trace) string { return fmt.Sprint(tr.Verdict, tr.Spun) }
	var flag uint32
	load := func() uint32 {
		hook.AtomicBegin(unsafe.Pointer(&flag), 4, hook.AtomicLoad, 1)
		v := flag
		hook.AtomicEnd(false, uint64(v))
		return v
	}
	store := func(v uint32) {
		hook.AtomicBegin(unsafe.Pointer(&flag), 4, hook.AtomicStore, 1)
		flag = v
		hook.AtomicEnd(true, uint64(v))
	}
	waits := func() {
		for hook.Loop(7, false); load() == 0; hook.Loop(7, true) {
		}
	}
	set, n := outcomes(t, true, func() {
		flag = 0
		spawn(func() { store(0); store(1) })
		waits()
	}, verdict)
	if set != "finished false" || n > 30 {
		t.Error(set, n)
	}
	set, _ = outcomes(t, true, func() {
		flag = 0
		spawn(func() { store(0) })
		waits()
	}, verdict)
	if set != "livelocked false" {
		t.Error(set)
	}
}

func TestExhaustiveRecordsOffersAndLeft(t *testing.T) {
	tr := S.Run(func() {
		c := mkchan[int](0)
		spawn(func() { hook.To(c, 3).Send(1) })
		hook.Select(4, false, hook.OnRecv(c), hook.OnSend(c).Of(2))
		hook.Recv(c, 5)
	}, Options{Schedule: &trace.Schedule{Exhaustive: true}, Policy: new(odometer.Odometer), Race: true})
	hook.On = false
	if len(tr.Offers) != 4 || tr.Offers[0].Case != 1 || tr.Offers[1].Case != 2 || !tr.Offers[1].Send ||
		tr.Offers[2].Case != 0 {
		t.Errorf("offers: %+v", tr.Offers)
	}
	if len(tr.Left) != 1 || tr.Left[0].G != 0 || tr.Left[0].Op != trace.OpRecv || tr.Left[0].Enabled ||
		tr.Verdict != trace.Deadlocked {
		t.Errorf("left: %+v, %v", tr.Left, tr.Verdict)
	}
	for _, st := range tr.Steps {
		if st.Op == trace.OpSend && (st.With != 1 || st.WithCase != 1) {
			t.Errorf("the send's step: %+v", st)
		}
	}
	if o := tr.Objects[tr.Offers[0].Obj]; o.G != 0 || o.N == 0 {
		t.Errorf("the channel's identity: %+v", o)
	}
}
