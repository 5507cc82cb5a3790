package reach

import (
	"context"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"heddle/bench/model"
	"heddle/explore"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/trace"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(-1) // as in the program under test
	os.Exit(m.Run())
}

// Programs for these tests call the hooks as rewritten code does.

type mutex struct{ _ [8]byte }

func (m *mutex) Lock()         { hook.MutexLock(unsafe.Pointer(m), false, 1) }
func (m *mutex) TryLock() bool { return hook.MutexTryLock(unsafe.Pointer(m), false, 1) }
func (m *mutex) Unlock()       { hook.MutexUnlock(unsafe.Pointer(m), false, 2) }

type rwmutex struct{ _ [24]byte }

func (m *rwmutex) Lock()    { hook.RWLock(unsafe.Pointer(m), 1) }
func (m *rwmutex) Unlock()  { hook.RWUnlock(unsafe.Pointer(m), 2) }
func (m *rwmutex) RLock()   { hook.RWRLock(unsafe.Pointer(m), 3) }
func (m *rwmutex) RUnlock() { hook.RWRUnlock(unsafe.Pointer(m), 4) }

type waitGroup struct{ _ [16]byte }

func (w *waitGroup) Add(n int) { hook.WGAdd(unsafe.Pointer(w), n, 0, 1) }
func (w *waitGroup) Wait()     { hook.WGWait(unsafe.Pointer(w), 0, 2) }

type atomicInt struct{ v uint32 }

func (a *atomicInt) Load() uint32 {
	hook.AtomicBegin(unsafe.Pointer(&a.v), 4, hook.AtomicLoad, 2)
	v := a.v
	hook.AtomicEnd(false, uint64(v))
	return v
}

func (a *atomicInt) Store(v uint32) {
	hook.AtomicBegin(unsafe.Pointer(&a.v), 4, hook.AtomicStore, 1)
	a.v = v
	hook.AtomicEnd(true, uint64(v))
}

func (a *atomicInt) CAS(old, v uint32) bool {
	hook.AtomicBegin(unsafe.Pointer(&a.v), 4, hook.AtomicCAS, 1)
	ok := a.v == old
	if ok {
		a.v = v
	}
	hook.AtomicCompared(ok, uint64(old), uint64(a.v))
	return ok
}

func spawn(f func()) { hook.Go(1, f) }

// spawnAt is another go statement for every site.
func spawnAt(site hook.Site, f func()) { hook.Go(site, f) }

// An executor runs a program in this process.
type executor struct {
	main func()
	n    int
}

func (x *executor) Execute(_ context.Context, s *trace.Schedule) (*trace.Trace, error) {
	if x.n++; x.n%2000 == 0 {
		debug.FreeOSMemory()
	}
	p, err := policy.New(s.Policy, 0)
	if err != nil {
		return nil, err
	}
	p.Begin(s.Seed)
	t := sched.S.Run(x.main, sched.Options{Schedule: s, Policy: p, Steps: 10_000, Twins: true, Vouched: true})
	hook.On = false
	return t, nil
}

// count explores main and returns the counts.
func count(t *testing.T, opt Options, main func(), each func(*trace.Trace)) Stats {
	t.Helper()
	sched.S.SetPolled(nil)
	s := New(opt)
	r, err := explore.Run(context.Background(), s, &executor{main: main}, 2_000_000, each)
	if err != nil || !r.Reason.None() {
		t.Fatalf("%v, %s", err, r.Reason)
	}
	return s.Stats()
}

func philosophers(n int) func() {
	return func() {
		forks := make([]*model.Semaphore, n)
		for i := range forks {
			forks[i] = model.NewSemaphore(1)
		}
		for i := range n {
			left, right := forks[i], forks[(i+1)%n]
			spawn(func() {
				left.P()
				right.P()
				left.V()
				right.V()
			})
		}
	}
}

// Fig. 13: 2^n-1 executions, one of which is a deadlock, and for nine
// philosophers 5,004 transitions where the free part of a run lets every goroutine do
// as much as the others. The numbers for fewer were enumerated.
func TestFigure13(t *testing.T) {
	for n, transitions := range map[int]int{3: 48, 4: 124, 5: 275, 6: 600, 7: 1225, 8: 2504, 9: 5004} {
		deadlocks := 0
		st := count(t, Options{Order: RoundRobin}, philosophers(n), func(t *trace.Trace) {
			if len(t.Left) > 0 { // main does not wait for them
				deadlocks++
			}
		})
		if want := 1<<n - 1; st.Sequences != want || st.Partial != 0 || deadlocks != 1 ||
			st.Transitions != transitions {
			t.Errorf("%d philosophers: %+v, %d deadlocks, want %d sequences, %d transitions", n, st,
				deadlocks, want, transitions)
		}
	}
}

// What commutes costs nothing: readers of a variable, of a RWMutex, and Dones before a Wait.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		want int
		main func()
	}{
		{"one writer and two readers", 4, func() {
			x := new(atomicInt)
			spawn(func() { x.Store(1) })
			spawn(func() { x.Load() })
			spawn(func() { x.Load() })
		}},
		{"two that compare and swap", 2, func() {
			x := new(atomicInt)
			for range 2 {
				spawn(func() { x.CAS(0, 1) })
			}
		}},
		{"three readers with a lock", 1, func() {
			m := new(rwmutex)
			for range 3 {
				spawn(func() {
					m.RLock()
					m.RUnlock()
				})
			}
		}},
		{"three writers with a lock", 6, func() {
			m := new(rwmutex)
			for range 3 {
				spawn(func() {
					m.Lock()
					m.Unlock()
				})
			}
		}},
		{"joining three goroutines", 1, func() {
			w := new(waitGroup)
			w.Add(3)
			for range 3 {
				spawn(func() { w.Add(-1) })
			}
			w.Wait()
		}},
	} {
		if st := count(t, Options{}, c.main, nil); st.Sequences != c.want || st.Partial != 0 {
			t.Errorf("%s: %+v, want %d sequences", c.name, st, c.want)
		}
	}
}

// spawnWith is a go statement with an argument.
func spawnWith(arg any, f func()) {
	hook.GoArgs(3, f, func() []interface{} { return []interface{}{arg} })
}
