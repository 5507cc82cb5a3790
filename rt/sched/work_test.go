package sched

import (
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// work writes n words, over and over.
func work(words []int, n int) {
	for i := range n {
		hook.Write(unsafe.Pointer(&words[i%len(words)]), 8, 7)
	}
}

// A loop that works until its time is over ends, whether it looks at the clock or something else
// does.
func TestWorkTakesTime(t *testing.T) {
	const second = 1000 * ms
	words := make([]int, 1024)
	large := make([]byte, 100_000)
	for name, main := range map[string]func(){
		"copies": func() {
			for start := hook.Now(); hook.Now()-start < second; {
				for range 100 {
					hook.Write(unsafe.Pointer(&large[0]), uintptr(len(large)), 8)
				}
			}
		},
		"looks at the clock": func() {
			for start := hook.Now(); hook.Now()-start < second; {
				work(words, 1000)
			}
		},
		"hardly works": func() {
			for start := hook.Now(); hook.Now()-start < second; {
				work(words, 1)
			}
		},
		"a timer ends it": func() {
			over := false
			sleeper(1, second, func() { over = true })
			for !over {
				work(words, 1_000_000)
				hook.Sleep(0, 9)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var took int64
			tr := S.Run(func() {
				start := hook.Now()
				main()
				took = hook.Now() - start
			}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "random"), Race: true})
			if tr.Verdict != trace.Finished || took < second || took > 2*second {
				t.Errorf("%v after %d ms", tr.Verdict, took/ms)
			}
		})
	}
}

// A heavy test is well within its deadline.
func TestHeavyWorkInTime(t *testing.T) {
	words := make([]int, 1024)
	late, done := false, false
	tr := S.Run(func() {
		start := hook.Now()
		sleeper(1, 30_000*ms, func() { late = !done })
		for range 300 {
			work(words, 1_000_000)
			hook.Sleep(0, 9)
		}
		late = late || hook.Now()-start > 5000*ms
		done = true
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "random"), Race: true})
	if tr.Verdict != trace.Finished || late {
		t.Errorf("%v, late %v", tr.Verdict, late)
	}
}

// Two looks at the clock differ, though a timer is due.
func TestLooksDiffer(t *testing.T) {
	same := 0
	S.Run(func() {
		sleeper(1, 10, func() {})
		hook.Sleep(1, 9) // it begins
		for last := int64(0); same == 0 && last < 100; {
			now := hook.Now()
			if now == last {
				same++
			}
			last = now
		}
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first")})
	if same > 0 {
		t.Error("the clock stands still")
	}
}

// What an ordinary test does takes no time.
func TestLittleWorkTakesNoTime(t *testing.T) {
	words := make([]int, 1024)
	var took int64
	S.Run(func() {
		start := hook.Now()
		for range 10 {
			work(words, 500_000)
			hook.Sleep(0, 9)
		}
		took = hook.Now() - start
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Race: true})
	if took > 1000 {
		t.Errorf("%d ns", took)
	}
}

// Whether an execution has taken too long or too much is asked by the scheduler and not by the
// program: it is no look at the program's clock.
func TestExpiredIsAskedOutside(t *testing.T) {
	words := make([]int, 1024)
	asked, inside := 0, 0
	full := func() bool {
		if asked++; hook.Here() {
			inside++
		}
		return asked == 5
	}
	tr := S.Run(func() { work(words, 10*beatEvery) }, Options{Schedule: new(trace.Schedule),
		Policy: policyOf(t, "first"), Race: true, Full: full})
	if tr.Verdict != trace.Filled || asked != 5 || inside > 0 {
		t.Errorf("%v, asked %d times, %d by the program", tr.Verdict, asked, inside)
	}
}

// In exhaustive executions it is up to a goroutine's own work alone when its look at the clock
// takes time, and how much: whatever the others have done before.
func TestWorkIsItsOwn(t *testing.T) {
	words := make([]int, 1024)
	for _, first := range []trace.GID{2, 3} {
		tr := S.Run(func() {
			for i := range 2 {
				hook.Go(1, func() {
					work(words[512*i:512*i+512], (8+8*i)*beatEvery)
					hook.Now()
				})
			}
		}, Options{Schedule: &trace.Schedule{Exhaustive: true, Strict: true,
			Steps: []trace.Step{{G: 0, Op: trace.OpStart}, {G: first, Op: trace.OpStart}}},
			Policy: policyOf(t, "first"), Race: true})
		var slept []trace.GID
		for _, st := range tr.Steps {
			if st.Op == trace.OpResume {
				slept = append(slept, st.G)
			}
		}
		if tr.Verdict != trace.Finished || len(slept) != 1 || slept[0] != 3 {
			t.Errorf("%v: main/%d first: %v sleep, want main/2 alone (3)", tr.Verdict, first-1, slept)
		}
	}
}
