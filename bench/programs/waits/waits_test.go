package waits

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// buggy skips programs that fail in some order, or wait for ever, under plain go test.
func buggy(t *testing.T) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
}

// A box is filled once, under its lock.
type box struct {
	mu   sync.Mutex
	full bool
	v    int
}

func (b *box) fill(v int) {
	b.mu.Lock()
	b.v, b.full = v, true
	b.mu.Unlock()
}

// fillLate says that the box is full, and puts the value in by a section of its own.
func (b *box) fillLate(v int) {
	b.mu.Lock()
	b.full = true
	b.mu.Unlock()
	b.mu.Lock()
	b.v = v
	b.mu.Unlock()
}

// 1. The loop begins with the lock held, gives it back to let others go on, and takes it again.

func (b *box) wait() int {
	b.mu.Lock()
	for !b.full {
		b.mu.Unlock()
		runtime.Gosched()
		b.mu.Lock()
	}
	v := b.v
	b.mu.Unlock()
	return v
}

func TestHeld(t *testing.T) {
	var b box
	go b.fill(1)
	if v := b.wait(); v != 1 {
		t.Error(v)
	}
}

func TestHeldBuggy(t *testing.T) {
	buggy(t)
	var b box
	go b.fillLate(1)
	if v := b.wait(); v != 1 {
		t.Error(v)
	}
}

// Nothing fills it.
func TestHeldNeverBuggy(t *testing.T) {
	buggy(t)
	var b box
	go func() {
		b.mu.Lock()
		b.v = 1
		b.mu.Unlock()
	}()
	b.wait()
}

// Two wait, with a deferred Unlock.
func (b *box) waitDeferred() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.full {
		b.mu.Unlock()
		runtime.Gosched()
		b.mu.Lock()
	}
	return b.v
}

func TestHeldTwo(t *testing.T) {
	var b box
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if v := b.waitDeferred(); v != 1 {
				t.Error(v)
			}
		}()
	}
	b.fill(1)
	wg.Wait()
}

// Each takes what is there: the second waits for ever.
func TestHeldTwoBuggy(t *testing.T) {
	buggy(t)
	var b box
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b.mu.Lock()
			defer b.mu.Unlock()
			for !b.full {
				b.mu.Unlock()
				runtime.Gosched()
				b.mu.Lock()
			}
			b.full = false
		}()
	}
	b.fill(1)
	wg.Wait()
}

// 2. The same with a sleep.

func (b *box) sleepWait() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.full {
		b.mu.Unlock()
		time.Sleep(time.Millisecond)
		b.mu.Lock()
	}
	return b.v
}

func TestHeldSleep(t *testing.T) {
	var b box
	go b.fill(1)
	if v := b.sleepWait(); v != 1 {
		t.Error(v)
	}
}

func TestHeldSleepBuggy(t *testing.T) {
	buggy(t)
	var b box
	go b.fillLate(1)
	if v := b.sleepWait(); v != 1 {
		t.Error(v)
	}
}

// 3. A loop that tries for a lock.

func TestTry(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !mu.TryLock() {
				runtime.Gosched()
			}
			n++
			mu.Unlock()
		}()
	}
	wg.Wait()
	if n != 3 {
		t.Error(n)
	}
}

// One gives up after two attempts.
func TestTryBuggy(t *testing.T) {
	buggy(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2 {
				if mu.TryLock() {
					n++
					mu.Unlock()
					return
				}
				runtime.Gosched()
			}
		}()
	}
	wg.Wait()
	if n != 3 {
		t.Error(n)
	}
}

// 4. A loop over a select with default.

func TestSelect(t *testing.T) {
	done := make(chan struct{})
	v := 0
	go func() {
		v = 1
		close(done)
	}()
	for {
		select {
		case <-done:
			if v != 1 {
				t.Error(v)
			}
			return
		default:
			runtime.Gosched()
		}
	}
}

// The value is set after the channel is closed: a race.
func TestSelectBuggy(t *testing.T) {
	buggy(t)
	done := make(chan struct{})
	v := 0
	go func() {
		close(done)
		v = 1
	}()
	for {
		select {
		case <-done:
			if v != 1 {
				t.Error(v)
			}
			return
		default:
			runtime.Gosched()
		}
	}
}

// A worker that does things until it is told to stop.
func TestSelectWork(t *testing.T) {
	stop, jobs := make(chan struct{}), make(chan int, 2)
	sum := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case v := <-jobs:
				n += v
			case <-stop:
				sum <- n
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	}()
	jobs <- 1
	jobs <- 2
	for len(jobs) > 0 {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	if n := <-sum; n != 3 {
		t.Error(n)
	}
}

// It is stopped while a job is left.
func TestSelectWorkBuggy(t *testing.T) {
	buggy(t)
	stop, jobs := make(chan struct{}), make(chan int, 2)
	sum := make(chan int)
	go func() {
		n := 0
		for {
			select {
			case v := <-jobs:
				n += v
			case <-stop:
				sum <- n
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	}()
	jobs <- 1
	jobs <- 2
	close(stop)
	if n := <-sum; n != 3 {
		t.Error(n)
	}
}

// 5. A loop over an atomic with a sleep.

func TestSleep(t *testing.T) {
	var ready atomic.Bool
	v := 0
	go func() {
		v = 1
		ready.Store(true)
	}()
	for !ready.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	if v != 1 {
		t.Error(v)
	}
}

func TestSleepBuggy(t *testing.T) {
	buggy(t)
	var ready atomic.Bool
	v := 0
	go func() {
		ready.Store(true)
		v = 1
	}()
	for !ready.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	if v != 1 {
		t.Error(v)
	}
}

// 6. A condition that is looked at with each tick, until a time-out.

func eventually(t *testing.T, cond func() bool, wait, tick time.Duration) {
	t.Helper()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-timer.C:
			t.Error("the condition did not come true")
			return
		case <-ticker.C:
			if cond() {
				return
			}
		}
	}
}

func TestEventually(t *testing.T) {
	var n atomic.Int32
	for range 2 {
		go n.Add(1)
	}
	eventually(t, func() bool { return n.Load() == 2 }, time.Second, 10*time.Millisecond)
}

// Both load before they store.
func TestEventuallyBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	for range 2 {
		go func() { n.Store(n.Load() + 1) }()
	}
	eventually(t, func() bool { return n.Load() == 2 }, time.Second, 10*time.Millisecond)
}

// 7. The length of a map under an RWMutex.

type registry struct {
	mu sync.RWMutex
	m  map[int]bool
}

func (r *registry) add(k int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[k] = true
}

func (r *registry) size() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.m)
}

func TestLen(t *testing.T) {
	r := &registry{m: map[int]bool{}}
	for i := range 3 {
		go r.add(i)
	}
	for r.size() < 3 {
		runtime.Gosched()
	}
}

// Two keys are one.
func TestLenBuggy(t *testing.T) {
	buggy(t)
	r := &registry{m: map[int]bool{}}
	for i := range 3 {
		go r.add(i / 2)
	}
	for r.size() < 3 {
		runtime.Gosched()
	}
}

func TestLenSleep(t *testing.T) {
	r := &registry{m: map[int]bool{}}
	for i := range 3 {
		go r.add(i)
	}
	for {
		r.mu.RLock()
		n := len(r.m)
		r.mu.RUnlock()
		if n == 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

func TestLenSleepBuggy(t *testing.T) {
	buggy(t)
	r := &registry{m: map[int]bool{}}
	for i := range 3 {
		go func() {
			r.mu.RLock()
			defer r.mu.RUnlock()
			r.m[i] = true
		}()
	}
	for {
		r.mu.RLock()
		n := len(r.m)
		r.mu.RUnlock()
		if n == 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// 8. CompareAndSwap, again after a pause that grows.

func addBackoff(n *atomic.Int32) {
	pause := 1
	for {
		old := n.Load()
		if n.CompareAndSwap(old, old+1) {
			return
		}
		for range pause {
			runtime.Gosched()
		}
		if pause < 16 {
			pause *= 2
		}
	}
}

func TestBackoff(t *testing.T) {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			addBackoff(&n)
		}()
	}
	wg.Wait()
	if n.Load() != 3 {
		t.Error(n.Load())
	}
}

// It swaps what it has not looked at.
func TestBackoffBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			next := n.Load() + 1
			pause := 1
			for !n.CompareAndSwap(n.Load(), next) {
				for range pause {
					runtime.Gosched()
				}
				pause *= 2
			}
		}()
	}
	wg.Wait()
	if n.Load() != 2 {
		t.Error(n.Load())
	}
}

// A lock that is spun for, with a pause that grows.
func spinLock(l *atomic.Bool) {
	for pause := time.Microsecond; !l.CompareAndSwap(false, true); pause *= 2 {
		time.Sleep(pause)
	}
}

func TestSpinSleep(t *testing.T) {
	var l atomic.Bool
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			spinLock(&l)
			n++
			l.Store(false)
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Error(n)
	}
}

func TestSpinSleepBuggy(t *testing.T) {
	buggy(t)
	var l atomic.Bool
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			spinLock(&l)
			l.Store(false)
			n++
		}()
	}
	wg.Wait()
	if n != 2 {
		t.Error(n)
	}
}

// 9. A deadline, and a look with each turn.

func waitUntil(cond func() bool) bool {
	deadline := time.Now().Add(time.Second)
	for time.Now().Before(deadline) {
		if cond() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func TestDeadline(t *testing.T) {
	var b box
	go b.fill(1)
	if !waitUntil(func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.full
	}) {
		t.Error("not full")
	}
}

func TestDeadlineBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	for range 2 {
		go func() { n.Store(n.Load() + 1) }()
	}
	if !waitUntil(func() bool { return n.Load() == 2 }) {
		t.Error(n.Load())
	}
}

// 10. So many attempts.

func TestAttempts(t *testing.T) {
	var done atomic.Bool
	go done.Store(true)
	for i := 0; i < 20; i++ {
		if done.Load() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("not done")
}

func TestAttemptsBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	for range 2 {
		go func() { n.Store(n.Load() + 1) }()
	}
	for i := 0; i < 20; i++ {
		if n.Load() == 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("not done")
}

// 11. A condition that is a function.

func waitFor(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

func TestFunction(t *testing.T) {
	var n atomic.Int32
	for range 3 {
		go n.Add(1)
	}
	waitFor(func() bool { return n.Load() == 3 })
}

func TestFunctionBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	for range 2 {
		go func() { n.Store(n.Load() + 1) }()
	}
	waitFor(func() bool { return n.Load() == 2 })
}

// The function counts how often it is asked: an iteration is a change.
func TestFunctionCountsBuggy(t *testing.T) {
	buggy(t)
	var n atomic.Int32
	go n.Add(1)
	asked := 0
	waitFor(func() bool { asked++; return n.Load() == 1 || asked == 3 })
	if asked == 3 {
		t.Error("asked three times")
	}
}

// 12. A condition behind an interface.

type readier interface{ ready() bool }

type flag struct{ atomic.Bool }

func (f *flag) ready() bool { return f.Load() }

type patient struct {
	flag
	asked int
}

func (p *patient) ready() bool {
	p.asked++
	return p.Load() || p.asked == 3
}

func await(r readier) {
	for {
		if r.ready() {
			return
		}
		runtime.Gosched()
	}
}

func TestInterface(t *testing.T) {
	var a, b flag
	go a.Store(true)
	go b.Store(true)
	await(&a)
	await(&b)
}

// It is asked three times at most.
func TestInterfaceBuggy(t *testing.T) {
	buggy(t)
	var p patient
	go p.Store(true)
	await(&p)
	if !p.Load() {
		t.Error("not ready")
	}
}

// 13. Spin for a while, then sleep.

func TestSpinThenSleep(t *testing.T) {
	var ready atomic.Bool
	go ready.Store(true)
	for spins := 0; !ready.Load(); spins++ {
		if spins < 4 {
			runtime.Gosched()
		} else {
			time.Sleep(time.Millisecond)
		}
	}
}

func TestSpinThenSleepBuggy(t *testing.T) {
	buggy(t)
	var ready atomic.Bool
	v := 0
	go func() {
		ready.Store(true)
		v = 1
	}()
	for spins := 0; !ready.Load(); spins++ {
		if spins < 4 {
			runtime.Gosched()
		} else {
			time.Sleep(time.Millisecond)
		}
	}
	if v == 0 {
		t.Error(v)
	}
}

// 14. A sync.Map is asked again and again.

func TestMap(t *testing.T) {
	var m sync.Map
	go m.Store("a", 1)
	go m.Store("b", 2)
	for {
		if _, ok := m.Load("a"); ok {
			break
		}
		runtime.Gosched()
	}
}

func TestMapBuggy(t *testing.T) {
	buggy(t)
	var m sync.Map
	go m.Store("a", 1)
	go m.Store("b", 2)
	for {
		if _, ok := m.Load("a"); ok {
			break
		}
		runtime.Gosched()
	}
	if _, ok := m.Load("b"); !ok {
		t.Error("no b")
	}
}
