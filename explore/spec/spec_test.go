package spec

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/trace"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(-1) // as in the program under test
	os.Exit(m.Run())
}

// The program's hooks are called as rewritten code does. Places are numbers.

func lock(m *[8]byte, at uintptr)   { hook.MutexLock(unsafe.Pointer(m), false, at) }
func unlock(m *[8]byte, at uintptr) { hook.MutexUnlock(unsafe.Pointer(m), false, at) }

// twoLockers is two goroutines with a critical section each.
func twoLockers() {
	m := new([8]byte)
	for range 2 {
		hook.Go(1, func() {
			lock(m, 10)
			unlock(m, 11)
		})
	}
}

func follow(t *testing.T, main func(), steps ...Step) (allowed bool, at int, why string) {
	t.Helper()
	p, err := policy.New("first", 0)
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(0)
	search := NewSearch(steps)
	at = -1
	for f := search.Next(); f != nil; f = search.Next() {
		s := &trace.Schedule{Policy: "first", Exhaustive: true, Guide: f}
		tr := sched.S.Run(main, sched.Options{Schedule: s, Policy: p, Steps: 1000})
		hook.On = false
		search.Done(tr)
		if f.Allowed() {
			return true, 0, ""
		}
		if f.Repeats() {
			continue
		}
		step, because := f.Infeasible(tr, func(s trace.Site) string { return fmt.Sprint(s.PC()) })
		if step > at {
			at, why = step, because
		}
	}
	if _, complete := search.Executions(); !complete {
		t.Fatalf("%v: not every order was tried", steps)
	}
	return false, at, why
}

// TestSearch: what the sequence does not name has to happen in an order of its own.
func TestSearch(t *testing.T) {
	// Three stores by another goroutine; the first reads one, two and three in turn, or ends.
	stores := func() {
		x, m := new(int64), new([8]byte)
		load := func() int64 {
			hook.AtomicBegin(unsafe.Pointer(x), 8, hook.AtomicLoad, 20)
			v := *x
			hook.AtomicEnd(false, uint64(v))
			return v
		}
		hook.Go(1, func() {
			if load() == 1 && load() == 2 && load() == 3 {
				lock(m, 10)
			}
		})
		hook.Go(1, func() {
			for i := range int64(3) {
				hook.AtomicBegin(unsafe.Pointer(x), 8, hook.AtomicStore, 21)
				*x = i + 1
				hook.AtomicEnd(true, uint64(i+1))
			}
		})
	}
	if allowed, _, why := follow(t, stores, Step{G: "main/1", Op: trace.OpLock}); !allowed {
		t.Errorf("the loads may be between the stores: %s", why)
	}
	lock4 := Step{G: "main/1", Op: trace.OpLock, At: at(40)}
	if allowed, _, _ := follow(t, stores, lock4); allowed {
		t.Error("no lock is at 40")
	}
}

func at(pc uintptr) func(trace.Site) bool { return func(s trace.Site) bool { return s.PC() == pc } }

func TestFollow(t *testing.T) {
	const a, b = "main/1", "main/2"
	for _, c := range []struct {
		steps []Step
		at    int
		why   string // "" is allowed
	}{
		{[]Step{{G: a, Op: trace.OpLock}, {G: b, Op: trace.OpLock}}, 0, ""},
		{[]Step{{G: b, Op: trace.OpLock, At: at(10)}, {G: b, Op: trace.OpUnlock}, {G: a, Op: trace.OpLock},
			{G: a, Op: trace.OpUnlock, At: at(11)}}, 0, ""},
		{[]Step{{G: a, Op: trace.OpLock}, {G: b, Op: trace.OpLock}, {G: a, Op: trace.OpUnlock}}, 1,
			"main/2 waits: lock at 10 is not possible then"},
		{[]Step{{G: a, Op: trace.OpLock, At: at(11)}}, 0, "main/1 comes to its lock at 10"},
		{[]Step{{G: a, Op: trace.OpUnlock}, {G: a, Op: trace.OpLock}}, 0,
			"main/1 comes to another operation first: lock at 10"},
		{[]Step{{G: a, Op: trace.OpLock}, {G: a, Op: trace.OpLock}}, 1, "main/1 has ended"},
		{[]Step{{G: "main/3", Op: trace.OpLock}}, 0, "main/3 has not been started: main has ended"},
		{[]Step{{G: "other", Op: trace.OpLock}}, 0, "there is no such goroutine"},
	} {
		allowed, step, why := follow(t, twoLockers, c.steps...)
		if allowed != (c.why == "") || step != c.at || !strings.HasPrefix(why, c.why) {
			t.Errorf("%v: allowed %v, step %d: %s; want step %d: %s", c.steps, allowed, step, why, c.at,
				c.why)
		}
	}
}
