package sched

import (
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
	"heddle/trace/remains"
)

// sleeper starts a goroutine that sleeps n times d, for ever if n is 0, and then calls f.
func sleeper(n int, d int64, f func()) {
	spawn(func() {
		for i := 0; n == 0 || i < n; i++ {
			hook.Sleep(d, 9)
		}
		f()
	})
}

// twoLocks makes two goroutines take two locks in opposite order.
func twoLocks() *twg {
	var a, b tmutex
	wg := new(twg)
	wg.Add(2)
	both := func(a, b *tmutex) func() {
		return func() {
			a.Lock()
			b.Lock()
			b.Unlock()
			a.Unlock()
			wg.Add(-1)
		}
	}
	spawn(both(&a, &b))
	spawn(both(&b, &a))
	return wg
}

// The others go on for ever, and yet the cycle is a deadlock, told once by
// running on and then where it forms.
func TestLockCycleAmongOthers(t *testing.T) {
	S.ForgetDeadlocks()
	known := false
	runAll(t, "pos", 200, func() {
		sleeper(0, 1000, func() {})
		twoLocks().Wait()
	}, func(tr *trace.Trace) {
		d := S.Deadlock()
		if d == nil {
			if tr.Verdict != trace.Finished {
				t.Fatalf("verdict %v without a deadlock", tr.Verdict)
			}
			return
		}
		if tr.Verdict != trace.Deadlocked || len(d.Members) != 2 || d.End != remains.EndOthers {
			t.Fatalf("verdict %v, %+v", tr.Verdict, d)
		}
		if at := len(tr.Steps); known != (at == d.Steps) {
			t.Fatalf("known before: %v, formed at step %d of %d", known, d.Steps, at)
		}
		if len(S.Leftover()) < 3 {
			t.Fatalf("left: %+v", S.Leftover())
		}
		known = true
	})
	if !known {
		t.Error("no deadlock in 200 executions")
	}
}

// In one that goes past a known deadlock the others run on.
func TestPastDeadlock(t *testing.T) {
	S.ForgetDeadlocks()
	for range 2 {
		n := 0
		p := policyOf(t, "first")
		S.Run(func() {
			var mu tmutex
			sleeper(50, 1000, func() { n++ })
			mu.Lock()
			mu.Lock()
		}, Options{Schedule: &trace.Schedule{}, Policy: p, PastDeadlock: true})
		if d := S.Deadlock(); d == nil || d.End != remains.EndAll || n != 1 {
			t.Errorf("%+v, others came to their end %d times", d, n)
		}
	}
}

// The goroutine that holds a lock need not be the one to unlock it.
func TestHandedOverLockIsNoDeadlock(t *testing.T) {
	second := int64(1e9)
	for name, unlocker := range map[string]func(unlock func()){
		"at once":                 func(unlock func()) { spawn(unlock) },
		"after a minute":          func(unlock func()) { sleeper(1, 60*second, unlock) },
		"after many short sleeps": func(unlock func()) { sleeper(5000, 1000, unlock) },
		"after some long sleeps":  func(unlock func()) { sleeper(20, second, unlock) },
		"by one who comes later": func(unlock func()) {
			sleeper(1, second,
				func() { sleeper(1, 20*second, unlock) })
		},
		"after the other's minute": func(unlock func()) { sleeper(3, 20*second, func() { spawn(unlock) }) },
	} {
		t.Run(name, func(t *testing.T) {
			S.ForgetDeadlocks()
			runAll(t, "random", 3, func() {
				var mu tmutex
				sleeper(0, second/1000, func() {})
				mu.Lock()
				unlocker(mu.Unlock)
				mu.Lock()
			}, func(tr *trace.Trace) {
				if d := S.Deadlock(); d != nil || tr.Verdict != trace.Finished {
					t.Fatalf("verdict %v, deadlock %+v after %d steps", tr.Verdict, d, len(tr.Steps))
				}
			})
		})
	}
}

// Readers that hold no lock of the cycle are not part of it, and a writer that
// waits for a reader that is only slow is not stuck.
func TestRecursiveReadLockAmongOthers(t *testing.T) {
	S.ForgetDeadlocks()
	deadlocks := 0
	runAll(t, "random", 200, func() {
		var mu trw
		sleeper(0, 1000, func() {})
		spawn(func() {
			mu.RLock()
			hook.Sleep(50_000, 8)
			mu.RUnlock()
		})
		spawn(func() {
			mu.RLock()
			mu.RLock()
			mu.RUnlock()
			mu.RUnlock()
		})
		mu.Lock()
		mu.Unlock()
	}, func(tr *trace.Trace) {
		d := S.Deadlock()
		switch {
		case d == nil && tr.Verdict != trace.Finished:
			t.Fatalf("verdict %v", tr.Verdict)
		case d != nil && (len(d.Members) != 2 || d.Members[0] != 0):
			t.Fatalf("members %v", d.Members)
		case d != nil:
			deadlocks++
		}
	})
	if deadlocks == 0 || deadlocks == 200 {
		t.Errorf("%d deadlocks in 200 executions", deadlocks)
	}
}
