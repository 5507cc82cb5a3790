package dpor

import (
	"reflect"
	"testing"
	"unsafe"

	"heddle/explore"
	"heddle/rt/hook"
	"heddle/rt/sched"
)

// An execution of very many steps, most of which read what was not written
// since, ends the search, and soon.
func TestLongExecution(t *testing.T) {
	for _, c := range []struct {
		reads int
		want  string
	}{{30_000, "an execution is too long to look for others"}, {100_000, "step bound reached"}, {10_000, ""}} {
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
		if r := s.Result(); n != 1 || r.Complete != (c.want == "") || r.Reason != c.want {
			t.Errorf("%d reads: %d executions, %+v", c.reads, n, r)
		}
	}
}

// A lock of the standard library puts goroutines in an order, and no search
// tries another: unless it is in that order anyway, that is said.
func TestQuietOrder(t *testing.T) {
	was := sched.QuietPackage
	sched.QuietPackage = func(pkg, _ string) bool { return pkg == "testing" }
	defer func() { sched.QuietPackage = was }()
	quiet := reflect.ValueOf(testing.Short).Pointer() + 1 // as if package testing took the lock
	for _, c := range []struct {
		name   string
		joined bool
		want   string
	}{{"at once", false, explore.Hidden}, {"one after the other", true, ""}} {
		m, wg := new([8]byte), new([16]byte)
		print := func() {
			hook.MutexLock(unsafe.Pointer(m), false, quiet)
			hook.MutexUnlock(unsafe.Pointer(m), false, quiet)
		}
		s := New(Options{})
		ex := newExecutor(func() {
			hook.WGAdd(unsafe.Pointer(wg), 1, 0, 1)
			hook.Go(1, func() {
				print()
				hook.WGAdd(unsafe.Pointer(wg), -1, 0, 1)
			})
			if !c.joined {
				print()
			}
			hook.WGWait(unsafe.Pointer(wg), 0, 2)
			if c.joined {
				print()
			}
		})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			s.Done(ex.run(sc, ex.first))
		}
		if r := s.Result(); r.Complete != (c.want == "") || r.Reason != c.want {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
