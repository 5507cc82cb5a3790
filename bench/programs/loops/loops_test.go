package loops

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bench/programs/loops/gate"
)

// buggy skips programs that fail in some order, or spin for ever, under plain go test.
func buggy(t *testing.T) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
}

// each calls f by n goroutines and waits for them.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

// ticketLock lets goroutines in by the order of their tickets.
func ticketLock(t *testing.T, n int) {
	var next, serving atomic.Int64
	in := 0
	each(n, func(int) {
		mine := next.Add(1) - 1
		for serving.Load() != mine {
		}
		in++
		serving.Store(mine + 1)
	})
	if in != n {
		t.Error(in)
	}
}

// The order of the tickets: n! executions.
func TestTicket3(t *testing.T) { ticketLock(t, 3) } // 6
func TestTicket4(t *testing.T) { ticketLock(t, 4) } // 24
func TestTicket5(t *testing.T) { ticketLock(t, 5) } // 120

// The ticket is taken in two steps. Two goroutines may have the same one, and a third one waits for
// ever.
func TestTicketBuggy(t *testing.T) { // finding
	buggy(t)
	var next, serving atomic.Int64
	each(2, func(int) {
		mine := next.Load()
		next.Store(mine + 1)
		for serving.Load() != mine {
			runtime.Gosched()
		}
		serving.Store(mine + 1)
	})
}

// spinLock is a lock by CompareAndSwap.
func spinLock(t *testing.T, n int) {
	var locked atomic.Int32
	in := 0
	each(n, func(int) {
		for !locked.CompareAndSwap(0, 1) {
			runtime.Gosched()
		}
		in++
		locked.Store(0)
	})
	if in != n {
		t.Error(in)
	}
}

// The order in which they enter: n! executions.
func TestSpin3(t *testing.T) { spinLock(t, 3) } // 6
func TestSpin4(t *testing.T) { spinLock(t, 4) } // 24

// One goroutine does not unlock, so the others spin for ever.
func TestSpinBuggy(t *testing.T) { // finding
	buggy(t)
	var locked atomic.Int32
	each(2, func(i int) {
		for !locked.CompareAndSwap(0, 1) {
			runtime.Gosched()
		}
		if i == 0 {
			locked.Store(0)
		}
	})
}

// The lock is left before the access: a data race.
func TestSpinRace(t *testing.T) { // finding
	buggy(t)
	var locked atomic.Int32
	in := 0
	each(2, func(int) {
		for !locked.CompareAndSwap(0, 1) {
		}
		locked.Store(0)
		in++
	})
}

// A lock that is tested before CompareAndSwap. The k-th goroutine to enter may have seen any of the
// k times that the lock was free before: 3! * 3! executions.
func TestTestAndSet3(t *testing.T) { // 36
	var locked atomic.Int32
	in := 0
	each(3, func(int) {
		for {
			for locked.Load() != 0 {
			}
			if locked.CompareAndSwap(0, 1) {
				break
			}
		}
		in++
		locked.Store(0)
	})
}

// A spin lock by TryLock: n! executions.
func TestTryLock3(t *testing.T) { // 6
	var mu sync.Mutex
	in := 0
	each(3, func(int) {
		for !mu.TryLock() {
			runtime.Gosched()
		}
		in++
		mu.Unlock()
	})
	if in != 3 {
		t.Error(in)
	}
}

// One goroutine gives up when TryLock fails, so what it does depends on when it tries.
func TestTryOnce(t *testing.T) { // finding
	buggy(t)
	var mu sync.Mutex
	in := 0
	each(2, func(i int) {
		for !mu.TryLock() {
			if i == 0 {
				return
			}
		}
		in++
		mu.Unlock()
	})
	if in != 2 {
		t.Error(in)
	}
}

// Three goroutines poll a flag: one execution.
func TestFlag(t *testing.T) { // 1
	var done atomic.Bool
	each(4, func(i int) {
		if i == 0 {
			done.Store(true)
		}
		for !done.Load() {
			runtime.Gosched()
		}
	})
}

// What the flag publishes is written before it: no race. One execution.
func TestPublished(t *testing.T) { // 1
	var ready atomic.Bool
	data := 0
	go func() {
		data = 42
		ready.Store(true)
	}()
	for !ready.Load() {
	}
	if data != 42 {
		t.Error(data)
	}
}

// What the flag is to publish is written after it.
func TestPublishedRace(t *testing.T) { // finding
	buggy(t)
	var ready atomic.Bool
	data := 0
	go func() {
		ready.Store(true)
		data = 42
	}()
	for !ready.Load() {
	}
	if data == 7 {
		t.Error(data)
	}
}

// Two goroutines store a counter, and a third one has seen the first value of it when it failed. It
// reads what the first one wrote, which only that store publishes: a race.
func TestSeenByFailure(t *testing.T) { // finding
	buggy(t)
	var turn atomic.Int64
	data := 0
	go func() {
		data = 1
		turn.Store(1)
	}()
	go turn.Store(2)
	for turn.Load() != 2 {
	}
	if data == 7 {
		t.Error(data)
	}
}

// A failed iteration reads memory that is written at the same time, one that succeeds does not.
func TestRaceInIteration(t *testing.T) { // finding
	buggy(t)
	var ready, done atomic.Bool
	data := 0
	go func() {
		ready.Store(true)
		data = 1
		done.Store(true)
	}()
	for !done.Load() {
		if ready.Load() && data == 7 {
			t.Error(data)
		}
	}
}

// The value for which the loop waits is there only if one goroutine stores before the other one.
// Else main waits for ever.
func TestPassingValue(t *testing.T) { // finding
	buggy(t)
	var x atomic.Int64
	go x.Store(1)
	go x.Store(2)
	for x.Load() != 1 {
	}
}

// The same where a goroutine stores both: main may miss the first one.
func TestMissedValue(t *testing.T) { // finding
	buggy(t)
	var x atomic.Int64
	go func() {
		x.Store(1)
		x.Store(2)
	}()
	for x.Load() != 1 {
	}
}

// Main leaves the loop by either value: two executions.
func TestEitherValue(t *testing.T) { // 2
	var x atomic.Int64
	go func() {
		x.Store(1)
		x.Store(2)
	}()
	for x.Load() == 0 {
	}
}

// The second variable has its value only while the first one stays what it is.
func TestPassingSecond(t *testing.T) { // finding
	buggy(t)
	var a, b atomic.Int64
	a.Store(1)
	go func() {
		b.Store(2)
		b.Store(3)
	}()
	for {
		if a.Load() == 1 && b.Load() == 2 {
			t.Error("b is 2")
			return
		}
		if b.Load() == 3 {
			return
		}
	}
}

// A variable under a mutex is polled. The section of the goroutine that sets it comes first: one
// execution.
func TestUnderMutex(t *testing.T) { // 1
	var mu sync.Mutex
	done := false
	go func() {
		mu.Lock()
		done = true
		mu.Unlock()
	}()
	for {
		mu.Lock()
		d := done
		mu.Unlock()
		if d {
			return
		}
		runtime.Gosched()
	}
}

// It is never set.
func TestUnderMutexBuggy(t *testing.T) { // finding
	buggy(t)
	var mu sync.Mutex
	done := false
	go func() {
		mu.Lock()
		defer mu.Unlock()
		done = false
	}()
	for {
		mu.Lock()
		d := done
		mu.Unlock()
		if d {
			return
		}
		runtime.Gosched()
	}
}

// A closed channel is polled: one execution.
func TestPolledChannel(t *testing.T) { // 1
	done := make(chan struct{})
	go close(done)
	for {
		select {
		case <-done:
			return
		default:
			runtime.Gosched()
		}
	}
}

// A counter is incremented by CompareAndSwap: n! executions.
func increments(t *testing.T, n int) {
	var x atomic.Int64
	each(n, func(int) {
		for {
			v := x.Load()
			if x.CompareAndSwap(v, v+1) {
				return
			}
		}
	})
	if x.Load() != int64(n) {
		t.Error(x.Load())
	}
}

func TestIncrement2(t *testing.T) { increments(t, 2) } // 2
func TestIncrement3(t *testing.T) { increments(t, 3) } // 6
func TestIncrement4(t *testing.T) { increments(t, 4) } // 24

// The increment is lost where a goroutine does not try again.
func TestIncrementBuggy(t *testing.T) { // finding
	buggy(t)
	var x atomic.Int64
	each(2, func(i int) {
		for {
			v := x.Load()
			if x.CompareAndSwap(v, v+1) || i == 0 {
				return
			}
		}
	})
	if x.Load() != 2 {
		t.Error(x.Load())
	}
}

// queued has goroutines enqueue and dequeue.
func queued(t *testing.T, enqueuers, dequeuers int) {
	q := newQueue()
	var sum atomic.Int64
	each(enqueuers+dequeuers, func(i int) {
		if i < enqueuers {
			q.enqueue(i + 1)
			return
		}
		if v, ok := q.dequeue(); ok && v == 0 {
			sum.Add(1)
		}
	})
	if sum.Load() != 0 {
		t.Error("no goroutine enqueued 0")
	}
}

func TestQueue11(t *testing.T) { queued(t, 1, 1) }
func TestQueue21(t *testing.T) { queued(t, 2, 1) }
func TestQueue12(t *testing.T) { queued(t, 1, 2) }
func TestQueue22(t *testing.T) { queued(t, 2, 2) } // 158: GenMC
func TestQueue31(t *testing.T) { queued(t, 3, 1) } // 666: GenMC

// A gate of another package is polled: one execution.
func TestElsewhere(t *testing.T) { // 1
	var g gate.Gate
	go g.Open()
	for !g.IsOpen() {
		runtime.Gosched()
	}
}

// The other package counts, and the count is looked at.
func TestElsewhereCounted(t *testing.T) { // finding
	buggy(t)
	var g gate.Gate
	go g.Open()
	for !g.Ask() {
		runtime.Gosched()
	}
	if g.Asked() == 2 {
		t.Error("asked twice")
	}
}

// A function of the standard library is called: one execution.
func TestLibrary(t *testing.T) { // 1
	var name atomic.Value
	name.Store("waiting")
	go name.Store("all done")
	for !strings.HasSuffix(name.Load().(string), "done") {
		runtime.Gosched()
	}
}

// Iterations are counted, and the count goes nowhere: one execution.
func TestCounted(t *testing.T) { // 1
	var done atomic.Bool
	go done.Store(true)
	for i := 0; !done.Load(); i++ {
		runtime.Gosched()
	}
}

// Iterations are counted, and the count is looked at.
func TestCountedBuggy(t *testing.T) { // finding
	buggy(t)
	var done atomic.Bool
	go done.Store(true)
	n := 0
	for !done.Load() {
		n++
		runtime.Gosched()
	}
	if n == 2 {
		t.Error("two iterations")
	}
}

// A loop that gives up after three iterations does so in one of its executions.
func TestGivesUp(t *testing.T) { // finding
	buggy(t)
	var done atomic.Bool
	go done.Store(true)
	for i := 0; !done.Load(); i++ {
		if i == 3 {
			t.Error("gave up")
			return
		}
		runtime.Gosched()
	}
}

// What an iteration saw is remembered by the next one.
func TestRemembers(t *testing.T) { // finding
	buggy(t)
	var x atomic.Int64
	go func() {
		x.Store(1)
		x.Store(2)
	}()
	last := int64(0)
	for {
		v := x.Load()
		if v == 2 {
			break
		}
		last = v
	}
	if last == 1 {
		t.Error("saw 1 before 2")
	}
}

// The clock is asked for how long the loop has waited, at which no goroutine looks: one execution.
func TestAsksClock(t *testing.T) { // 1
	var done atomic.Bool
	go done.Store(true)
	for !done.Load() {
		_ = time.Now()
		runtime.Gosched()
	}
}

// The loop ends when its time is over.
func TestDeadline(t *testing.T) { // finding
	buggy(t)
	var done atomic.Bool
	until := time.Now().Add(time.Second)
	for !done.Load() {
		if time.Now().After(until) {
			t.Error("too late")
			return
		}
		runtime.Gosched()
	}
}
