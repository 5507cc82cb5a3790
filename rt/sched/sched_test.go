package sched

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/trace"
	"heddle/trace/remains"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(-1) // as in the program under test: stacks do not shrink
	os.Exit(m.Run())
}

// Programs for these tests call the hooks as rewritten code does, with small
// stand-ins for the patched types of package sync.

type tmutex struct{ _ [8]byte }

func (m *tmutex) Lock()   { hook.MutexLock(unsafe.Pointer(m), false, 1) }
func (m *tmutex) Unlock() { hook.MutexUnlock(unsafe.Pointer(m), false, 2) }

type trw struct{ _ [24]byte }

func (m *trw) Lock()    { hook.RWLock(unsafe.Pointer(m), 1) }
func (m *trw) Unlock()  { hook.RWUnlock(unsafe.Pointer(m), 2) }
func (m *trw) RLock()   { hook.RWRLock(unsafe.Pointer(m), 3) }
func (m *trw) RUnlock() { hook.RWRUnlock(unsafe.Pointer(m), 4) }

type twg struct{ _ [16]byte }

func (w *twg) Add(n int) { hook.WGAdd(unsafe.Pointer(w), n, 0, 1) }
func (w *twg) Wait()     { hook.WGWait(unsafe.Pointer(w), 0, 2) }

func spawn(f func()) { hook.Go(1, f) }

func mkchan[T any](n int) chan T { return hook.MadeChan(make(chan T, n), 2) }

func policyOf(t *testing.T, name string) policy.Policy {
	t.Helper()
	p, err := policy.New(name, 3)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runAll executes main once under each of n schedules of a policy.
func runAll(t *testing.T, name string, n int, main func(), each func(tr *trace.Trace)) {
	t.Helper()
	p := policyOf(t, name)
	for i := range n {
		p.Begin(uint64(i))
		tr := S.Run(main, Options{Schedule: &trace.Schedule{Policy: name, Seed: uint64(i)}, Policy: p,
			Race: true})
		hook.On = false
		each(tr)
	}
}

var policies = []string{"first", "random", "pos", "pct"}

func TestMutexAndWaitGroup(t *testing.T) {
	for _, name := range policies {
		n := 0
		runAll(t, name, 50, func() {
			var mu tmutex
			var wg twg
			n = 0
			wg.Add(3)
			for range 3 {
				spawn(func() {
					mu.Lock()
					n++
					mu.Unlock()
					wg.Add(-1)
				})
			}
			wg.Wait()
		}, func(tr *trace.Trace) {
			if tr.Verdict != trace.Finished || n != 3 {
				t.Fatalf("%s: verdict %v, n = %d", name, tr.Verdict, n)
			}
		})
	}
}

func TestUnbufferedAndBuffered(t *testing.T) {
	for _, capacity := range []int{0, 1, 3} {
		for _, name := range policies {
			var got []int
			runAll(t, name, 50, func() {
				got = got[:0]
				c := mkchan[int](capacity)
				spawn(func() {
					for i := range 5 {
						hook.To(c, 3).Send(i)
					}
					hook.Close(c, 4)
				})
				for v, it := hook.Chan(c, 5); it.Next(&v); {
					got = append(got, v)
				}
			}, func(tr *trace.Trace) {
				if tr.Verdict != trace.Finished || fmt.Sprint(got) != "[0 1 2 3 4]" {
					t.Fatalf("cap %d, %s: verdict %v, got %v", capacity, name, tr.Verdict, got)
				}
			})
		}
	}
}

func TestDeadlockIsKnownAtOnce(t *testing.T) {
	dead := 0
	runAll(t, "random", 200, func() {
		var a, b tmutex
		var wg twg
		wg.Add(2)
		f := func(x, y *tmutex) func() {
			return func() {
				x.Lock()
				y.Lock()
				y.Unlock()
				x.Unlock()
				wg.Add(-1)
			}
		}
		spawn(f(&a, &b))
		spawn(f(&b, &a))
		wg.Wait()
	}, func(tr *trace.Trace) {
		switch tr.Verdict {
		case trace.Deadlocked:
			dead++
			if n := len(S.Leftover()); n != 3 {
				t.Fatalf("%d goroutines left, want 3", n)
			}
		case trace.Finished:
		default:
			t.Fatal(tr.Verdict)
		}
	})
	if dead == 0 || dead == 200 {
		t.Fatalf("%d of 200 executions deadlock", dead)
	}
}

func TestRecursiveReadLockWithWriterBetween(t *testing.T) {
	dead := 0
	runAll(t, "random", 300, func() {
		var m trw
		spawn(func() {
			m.RLock()
			m.RLock()
			m.RUnlock()
			m.RUnlock()
		})
		m.Lock()
		m.Unlock()
	}, func(tr *trace.Trace) {
		if tr.Verdict == trace.Deadlocked {
			dead++
		}
	})
	if dead == 0 {
		t.Fatal("the writer never came between the two read locks")
	}
}

func TestSelectExploresEveryReadyCase(t *testing.T) {
	var hits [4]int
	runAll(t, "random", 400, func() {
		a, b := mkchan[int](1), mkchan[int](1)
		hook.To(a, 1).Send(1)
		ca, cb, cc := hook.OnRecv(a), hook.OnSend(b).Of(2), hook.OnRecv(b)
		switch hook.Select(7, false, ca, cb, cc) {
		case 0:
			hits[0] += ca.V
		case 1:
			hits[1]++
		case 2:
			hits[2]++
		}
		spawn(func() { hook.To(a, 2).Send(1) })
		if hook.Select(8, true, hook.OnRecv(a)) == -1 {
			hits[3]++
		}
	}, func(tr *trace.Trace) {
		if tr.Verdict != trace.Finished {
			t.Fatal(tr.Verdict)
		}
	})
	if hits[0] == 0 || hits[1] == 0 || hits[2] != 0 || hits[3] == 0 {
		t.Fatalf("cases %v", hits)
	}
}

func TestPollerMayComeBeforeTheReceiverArrives(t *testing.T) {
	sent, missed := 0, 0
	runAll(t, "random", 300, func() {
		c := mkchan[int](0)
		spawn(func() { hook.Recv(c, 1) })
		if hook.Select(2, true, hook.OnSend(c).Of(1)) == 0 {
			sent++
		} else {
			missed++
		}
	}, func(*trace.Trace) {})
	if sent == 0 || missed == 0 {
		t.Fatalf("sent %d, missed %d: both must happen", sent, missed)
	}
}

func TestRaceIsFoundAndLockedTwinIsClean(t *testing.T) {
	for _, locked := range []bool{false, true} {
		races := 0
		runAll(t, "random", 50, func() {
			x := new(int)
			var mu tmutex
			var wg twg
			wg.Add(2)
			for range 2 {
				spawn(func() {
					if locked {
						mu.Lock()
					}
					q := hook.P(x, 5)
					q.Set(q.Get() + 1)
					if locked {
						mu.Unlock()
					}
					wg.Add(-1)
				})
			}
			wg.Wait()
			if *hook.R(x, 6) > 2 {
				panic("x")
			}
		}, func(*trace.Trace) { races += len(S.Races()) })
		if locked == (races > 0) {
			t.Errorf("locked %v: %d races", locked, races)
		}
	}
}

func TestPanicEndsTheExecution(t *testing.T) {
	runAll(t, "random", 20, func() {
		c := mkchan[int](0)
		spawn(func() { panic("boom") })
		hook.Recv(c, 1)
	}, func(tr *trace.Trace) {
		f := S.Failure()
		if tr.Verdict != trace.Panicked || f == nil || f.Value != "boom" {
			t.Fatalf("verdict %v, failure %+v", tr.Verdict, f)
		}
	})
}

func TestUnlockOfUnlockedIsMisuse(t *testing.T) {
	runAll(t, "first", 1, func() {
		var mu tmutex
		mu.Unlock()
	}, func(tr *trace.Trace) {
		if f := S.Failure(); f == nil || f.Kind != remains.FailMisuse ||
			!strings.Contains(f.Message, "unlock of unlocked") {
			t.Fatalf("%+v", f)
		}
	})
}

func TestSleepersWakeInOrderOfDeadline(t *testing.T) {
	var order []int
	runAll(t, "random", 50, func() {
		order = order[:0]
		var wg twg
		wg.Add(3)
		for _, d := range []int{30, 10, 20} {
			spawn(func() {
				hook.Sleep(int64(d), 1)
				order = append(order, d)
				wg.Add(-1)
			})
		}
		wg.Wait()
	}, func(tr *trace.Trace) {
		if fmt.Sprint(order) != "[10 20 30]" {
			t.Fatalf("woke in order %v", order)
		}
	})
}

func TestSameScheduleSameTrace(t *testing.T) {
	main := func() {
		var mu tmutex
		c := mkchan[int](1)
		for i := range 3 {
			spawn(func() {
				mu.Lock()
				hook.To(c, 1).Send(i)
				mu.Unlock()
			})
		}
		for range 3 {
			hook.Recv(c, 2)
		}
	}
	for seed := range 30 {
		var first *trace.Trace
		var second *trace.Trace
		p, _ := policy.New("random", 0)
		for range 2 {
			p.Begin(uint64(seed))
			tr := S.Run(main, Options{Schedule: &trace.Schedule{Seed: uint64(seed)}, Policy: p, Race: true})
			hook.On = false
			second, first = first, tr.Clone()
		}
		p.Begin(99)
		follow := S.Run(main, Options{Schedule: &trace.Schedule{Steps: first.Steps, Strict: true},
			Policy: p, Race: true}).Clone()
		hook.On = false
		for _, o := range []*trace.Trace{second, follow} {
			for i := range o.Objects {
				o.Objects[i].Addr = 0
			}
		}
		for i := range first.Objects {
			first.Objects[i].Addr = 0
		}
		if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(first.Events, follow.Events) {
			t.Fatalf("seed %d: traces differ", seed)
		}
	}
}

func TestLeakedGoroutinesAreUnwound(t *testing.T) {
	deferred := 0
	runAll(t, "random", 100, func() {
		c := mkchan[int](0)
		spawn(func() {
			defer func() { deferred++ }()
			hook.Recv(c, 1)
		})
	}, func(tr *trace.Trace) {
		if tr.Verdict != trace.Finished {
			t.Fatal(tr.Verdict)
		}
	})
	if deferred != 100 {
		t.Fatalf("%d deferred calls ran, want 100", deferred)
	}
}

func TestSpinningEnds(t *testing.T) {
	for _, name := range policies {
		var flag uint32
		runAll(t, name, 20, func() {
			flag = 0
			spawn(func() {
				hook.AtomicBegin(unsafe.Pointer(&flag), 4, hook.AtomicStore, 1)
				flag = 1
				hook.AtomicEnd(true, 1)
			})
			for {
				hook.AtomicBegin(unsafe.Pointer(&flag), 4, hook.AtomicLoad, 2)
				v := flag
				hook.AtomicEnd(false, uint64(v))
				if v == 1 {
					break
				}
			}
		}, func(tr *trace.Trace) {
			if tr.Verdict != trace.Finished || len(tr.Steps) > 200 {
				t.Fatalf("%s: %v after %d steps", name, tr.Verdict, len(tr.Steps))
			}
		})
	}
}

// TestSwappingEnds: a loop that swaps in what is there already, as a test-and-set lock does, is
// held back like one that only reads. Under a policy that prefers it the holder of the lock would
// get one step in 4,000.
func TestSwappingEnds(t *testing.T) {
	for _, name := range policies {
		var lock uint32
		acquire := func() {
			for {
				hook.AtomicBegin(unsafe.Pointer(&lock), 4, hook.AtomicRMW, 1)
				was := lock
				lock = 1
				hook.AtomicEnd(true, uint64(lock))
				if was == 0 {
					return
				}
			}
		}
		release := func() {
			hook.AtomicBegin(unsafe.Pointer(&lock), 4, hook.AtomicStore, 2)
			lock = 0
			hook.AtomicEnd(true, 0)
		}
		runAll(t, name, 20, func() {
			lock = 0
			for range 3 {
				spawn(func() { acquire(); release() })
			}
			acquire()
			release()
		}, func(tr *trace.Trace) {
			if tr.Verdict != trace.Finished || len(tr.Steps) > 600 {
				t.Fatalf("%s: %v after %d steps", name, tr.Verdict, len(tr.Steps))
			}
		})
	}
}

func TestPollWithoutWriterIsLivelock(t *testing.T) {
	var flag uint32
	runAll(t, "random", 2, func() {
		for {
			hook.AtomicBegin(unsafe.Pointer(&flag), 4, hook.AtomicLoad, 2)
			hook.AtomicEnd(false, 0)
		}
	}, func(tr *trace.Trace) {
		if tr.Verdict != trace.Livelocked {
			t.Fatal(tr.Verdict)
		}
	})
}
