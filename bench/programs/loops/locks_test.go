package loops

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counter is guarded by its mutex.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// A method locks, and unlocks when it returns. The orders of the two adds: two executions.
func TestGetter(t *testing.T) { // 2
	var c counter
	go c.add()
	go c.add()
	for c.get() < 2 {
		runtime.Gosched()
	}
}

// One add is missing.
func TestGetterBuggy(t *testing.T) { // finding
	buggy(t)
	var c counter
	go c.add()
	for c.get() < 2 {
		runtime.Gosched()
	}
}

// Two goroutines poll, and keep each other neither awake nor from being seen to wait for ever.
func TestGettersBuggy(t *testing.T) { // finding
	buggy(t)
	var c counter
	each(2, func(int) {
		for c.get() < 1 {
		}
	})
}

// Readers share the lock.
func TestReader(t *testing.T) { // 1
	var mu sync.RWMutex
	done := false
	go func() {
		mu.Lock()
		defer mu.Unlock()
		done = true
	}()
	for {
		mu.RLock()
		d := done
		mu.RUnlock()
		if d {
			return
		}
	}
}

// What readers write, a poller that writes may see: no race.
func TestWrittenByReader(t *testing.T) { // 1
	var mu sync.RWMutex
	done := false
	go func() {
		mu.RLock()
		defer mu.RUnlock()
		done = true
	}()
	for {
		mu.Lock()
		d := done
		mu.Unlock()
		if d {
			return
		}
	}
}

// One that reads may not.
func TestWrittenByReaderRace(t *testing.T) { // finding
	buggy(t)
	var mu sync.RWMutex
	done := false
	go func() {
		mu.RLock()
		defer mu.RUnlock()
		done = true
	}()
	for {
		mu.RLock()
		d := done
		mu.RUnlock()
		if d {
			return
		}
	}
}

// TryLock can tell whether an iteration is under way.
func TestTriedBuggy(t *testing.T) { // finding
	buggy(t)
	var c counter
	taken := false
	each(2, func(i int) {
		switch {
		case i == 1:
			for n := 0; n < 2 && c.get() == 0; n++ {
			}
		case c.mu.TryLock():
			c.n++
			c.mu.Unlock()
		default:
			taken = true
		}
	})
	if taken {
		t.Error("taken")
	}
}

// Each iteration takes two locks, in the order in which the other goroutine does.
func TestTwoLocks(t *testing.T) { // 1
	var a, b sync.Mutex
	done := false
	go func() {
		a.Lock()
		b.Lock()
		done = true
		b.Unlock()
		a.Unlock()
	}()
	for {
		a.Lock()
		b.Lock()
		d := done
		b.Unlock()
		a.Unlock()
		if d {
			return
		}
	}
}

// In the other order: a deadlock.
func TestTwoLocksBuggy(t *testing.T) { // finding
	buggy(t)
	var a, b sync.Mutex
	done := false
	go func() {
		a.Lock()
		b.Lock()
		done = true
		b.Unlock()
		a.Unlock()
	}()
	for {
		b.Lock()
		a.Lock()
		d := done
		a.Unlock()
		b.Unlock()
		if d {
			return
		}
	}
}

// The variable is older than the iterations, and gets the same value by each that fails.
func TestOlderVariable(t *testing.T) { // 1
	var c counter
	go c.add()
	n := 0
	for n == 0 {
		c.mu.Lock()
		n = c.n
		c.mu.Unlock()
	}
}

// So does the error, once it is one: that of the first iteration is a change.
func TestOlderError(t *testing.T) { // 2
	var c counter
	go c.add()
	var err error
	for {
		if err = c.check(); err == nil {
			return
		}
	}
}

// Each iteration makes an error of its own, and the last one is looked at.
func TestOlderErrorBuggy(t *testing.T) { // finding
	buggy(t)
	var c counter
	go c.add()
	var first, last error
	for n := 0; n < 3; n++ {
		err := c.fresh()
		if err == nil {
			break
		}
		if last = err; first == nil {
			first = err
		}
	}
	if first != last {
		t.Error("two errors")
	}
}

var errNone = errors.New("none")

func (c *counter) check() error {
	if c.get() == 0 {
		return errNone
	}
	return nil
}

func (c *counter) fresh() error {
	if c.get() == 0 {
		return errors.New("none yet")
	}
	return nil
}

// What an iteration saw is remembered: another value is a change.
func TestOlderVariableBuggy(t *testing.T) { // finding
	buggy(t)
	var c counter
	go c.add()
	go c.add()
	n, last := 0, 0
	for n < 2 {
		last = n
		n = c.get()
	}
	if last == 1 {
		t.Error("saw 1 before 2")
	}
}

// The lock is held when the loop ends, and what it guards is written then. The other one polls too.
func TestHandedOver(t *testing.T) { // 1
	var mu sync.Mutex
	turn := 0
	go func() {
		for {
			mu.Lock()
			if turn == 1 {
				break
			}
			mu.Unlock()
		}
		turn = 2
		mu.Unlock()
	}()
	mu.Lock()
	turn = 1
	mu.Unlock()
	for {
		mu.Lock()
		if turn == 2 {
			mu.Unlock()
			return
		}
		mu.Unlock()
	}
}

// The lock is let go before the write: a race.
func TestHandedOverRace(t *testing.T) { // finding
	buggy(t)
	var mu sync.Mutex
	turn := 0
	go func() {
		for {
			mu.Lock()
			if turn == 1 {
				break
			}
			mu.Unlock()
		}
		mu.Unlock()
		turn = 2
	}()
	mu.Lock()
	turn = 1
	mu.Unlock()
	for {
		mu.Lock()
		if turn == 2 {
			mu.Unlock()
			return
		}
		mu.Unlock()
	}
}

// The section of an iteration orders what was written before it. That hides no race.
func TestOrderOfFailure(t *testing.T) { // finding
	buggy(t)
	var mu sync.Mutex
	data, done := 0, false
	go func() {
		mu.Lock()
		mu.Unlock()
		data = 2
		mu.Lock()
		done = true
		mu.Unlock()
	}()
	data = 1
	for {
		mu.Lock()
		d := done
		mu.Unlock()
		if d {
			if data == 7 {
				t.Error(data)
			}
			return
		}
	}
}

// A context is asked whether it is over.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	for ctx.Err() == nil {
		runtime.Gosched()
	}
}

// None cancels it.
func TestContextBuggy(t *testing.T) { // finding
	buggy(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = cancel }()
	for ctx.Err() == nil {
		runtime.Gosched()
	}
}

// A closed channel is polled beside another one.
func TestClosed(t *testing.T) { // 1
	ready, done := make(chan struct{}), make(chan struct{})
	close(ready)
	go close(done)
	for {
		select {
		case <-done:
			return
		default:
		}
		select {
		case <-ready:
		default:
		}
	}
}

// The case of the closed channel counts.
func TestClosedBuggy(t *testing.T) { // finding
	buggy(t)
	ready, done := make(chan struct{}), make(chan struct{})
	close(ready)
	go close(done)
	for n := 0; ; {
		select {
		case <-done:
			return
		default:
		}
		select {
		case <-ready:
			if n++; n == 2 {
				t.Error("asked twice")
				return
			}
		default:
		}
	}
}

// How long it took is told after the loop.
func TestTook(t *testing.T) { // 1
	var done atomic.Bool
	go done.Store(true)
	start := time.Now()
	for {
		took := time.Since(start)
		if done.Load() {
			t.Log(took > 0)
			return
		}
		runtime.Gosched()
	}
}
