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
	f := Follow(steps)
	s := &trace.Schedule{Policy: "first", Exhaustive: true, Guide: f}
	tr := sched.S.Run(main, sched.Options{Schedule: s, Policy: p, Steps: 1000})
	hook.On = false
	if f.Allowed() {
		return true, 0, ""
	}
	at, why = f.Infeasible(tr, func(s trace.Site) string { return fmt.Sprint(s.PC()) })
	return false, at, why
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
