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

func mkchan[T any](n int) chan T { return hook.MadeChan(make(chan T, n), 2) }

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
	t := sched.S.Run(x.main, sched.Options{Schedule: s, Policy: p, Steps: 10_000})
	hook.On = false
	return t, nil
}

// count explores main and returns the counts.
func count(t *testing.T, opt Options, main func(), each func(*trace.Trace)) Stats {
	t.Helper()
	sched.S.SetPolled(nil)
	s := New(opt)
	r, err := explore.Run(context.Background(), s, &executor{main: main}, 2_000_000, each)
	if err != nil || r.Reason != "" {
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
// philosophers 5,004 transitions where the free part of a run lets everybody do
// as much as the others. The numbers for fewer were enumerated.
func TestPhilosophers(t *testing.T) {
	for n, transitions := range map[int]int{3: 48, 4: 124, 5: 275, 6: 600, 7: 1225, 8: 2504, 9: 5004} {
		deadlocks := 0
		st := count(t, Options{Order: RoundRobin}, philosophers(n), func(t *trace.Trace) {
			if len(t.Left) > 0 { // main does not wait for them
				deadlocks++
			}
		})
		if want := 1<<n - 1; st.Sequences != want || st.Partial != 0 || deadlocks != 1 || st.Transitions != transitions {
			t.Errorf("%d philosophers: %+v, %d deadlocks, want %d sequences, %d transitions", n, st, deadlocks, want, transitions)
		}
	}
}
