package dpor

import (
	"reflect"
	"testing"
	"unsafe"

	"heddle/explore/why"
	"heddle/rt/hook"
	"heddle/rt/sched"
	"heddle/trace"
)

// An execution of very many steps, most of which read what was not written
// since, ends the search, and soon.
func TestLongExecution(t *testing.T) {
	for _, c := range []struct {
		reads int
		want  string
	}{{100_000, "step bound reached"}, {40_000, ""}} {
		var x, y uint64
		load := func() {
			hook.AtomicBegin(unsafe.Pointer(&x), 8, hook.AtomicLoad, 1)
			hook.AtomicEnd(false, 0)
		}
		store := func() {
			hook.AtomicBegin(unsafe.Pointer(&y), 8, hook.AtomicStore, 1)
			hook.AtomicEnd(true, 0)
		}
		s, n := New(Options{}), 0
		ex := newExecutor(func() {
			hook.Go(1, load)
			for range c.reads {
				load()
				store()
			}
		})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			s.Done(ex.run(sc, ex.first))
			n++
		}
		if r := s.Result(); n != 1 || r.Complete != (c.want == "") || r.Reason.String() != c.want {
			t.Errorf("%d reads: %d executions, %+v", c.reads, n, r)
		}
	}
}

// A lock of the standard library puts goroutines in an order, and no search
// tries another: unless it is in that order anyway, or the executions are loose
// and the order is known to make no difference, that is said.
func TestQuietOrder(t *testing.T) {
	was, effect := sched.QuietPackage, sched.EffectOf
	sched.QuietPackage = func(pkg, _ string) bool { return pkg == "testing" }
	sched.EffectOf = func(function string) (trace.Effect, sched.Scope) {
		return map[string]trace.Effect{"testing.Short": trace.Known,
			"testing.Verbose":   trace.Changes(trace.FactFailed),
			"testing.CoverMode": trace.Looks(trace.FactFailed)}[function], sched.AllObjects
	}
	defer func() { sched.QuietPackage, sched.EffectOf = was, effect }()
	// As if package testing took the lock.
	at := func(f any) uintptr { return reflect.ValueOf(f).Pointer() + 1 }
	known, changes, looks, unknown := at(testing.Short), at(testing.Verbose), at(testing.CoverMode),
		at(testing.Benchmark)
	for _, c := range []struct {
		name          string
		joined, loose bool
		mine, theirs  uintptr
		want          string
	}{
		{"at once", false, false, known, known, why.Of(why.Hidden).String()},
		{"one after the other", true, false, unknown, unknown, ""},
		{"what commutes", false, true, known, changes, ""},
		{"what changes the same", false, true, changes, changes, ""},
		{"what another looks at", false, true, changes, looks, why.Of(why.Hidden).String()},
		{"what is not known", false, true, known, unknown, why.Of(why.Hidden).String()},
	} {
		m, wg := new([8]byte), new([16]byte)
		print := func(pc uintptr) {
			hook.MutexLock(unsafe.Pointer(m), false, pc)
			hook.MutexUnlock(unsafe.Pointer(m), false, pc)
		}
		s := New(Options{Loose: c.loose})
		ex := newExecutor(func() {
			hook.WGAdd(unsafe.Pointer(wg), 1, 0, 1)
			hook.Go(1, func() {
				print(c.theirs)
				hook.WGAdd(unsafe.Pointer(wg), -1, 0, 1)
			})
			if !c.joined {
				print(c.mine)
			}
			hook.WGWait(unsafe.Pointer(wg), 0, 2)
			if c.joined {
				print(c.mine)
			}
		})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			s.Done(ex.run(sc, ex.first))
		}
		if r := s.Result(); r.Complete != (c.want == "") || r.Reason.String() != c.want {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// An execution of another strategy that is too long ends the search before its path is read: that
// would take clocks of goroutines times steps.
func TestLongHandover(t *testing.T) {
	s := New(Options{})
	s.Made([]*trace.Trace{{Goroutines: make([]trace.Goroutine, 40_000), Steps: make([]trace.Step, 90_000)}})
	if next, r := s.Next(), s.Result(); next != nil || r.Complete || r.Reason.Code != why.TooLong {
		t.Errorf("next %v, %+v; want the end, %s", next, r, why.TooLong)
	}
}

// A search whose wakeup trees take too much memory ends, and says so.
func TestManyWakeups(t *testing.T) {
	defer func(n int) { mostWakeups = n }(mostWakeups)
	for _, c := range []struct {
		most int
		want why.Code
	}{{1 << 22, ""}, {8, why.TooLong}} {
		mostWakeups = c.most
		m := new([8]byte)
		section := func() {
			hook.MutexLock(unsafe.Pointer(m), false, 1)
			hook.MutexUnlock(unsafe.Pointer(m), false, 1)
		}
		s := New(Options{})
		ex := newExecutor(func() {
			for range 4 {
				hook.Go(1, section)
			}
			section()
		})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			s.Done(ex.run(sc, ex.first))
		}
		if r := s.Result(); r.Complete != (c.want == "") || r.Reason.Code != c.want {
			t.Errorf("at most %d: %+v, want %q", c.most, r, c.want)
		}
	}
}
