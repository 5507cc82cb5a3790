package programs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Account is CS.account_bad: one goroutine deposits, one withdraws, and the caller checks the
// balance if both are done.
//
// Bug: the check expects the deposit to be subtracted, so it fails if it runs last.
func Account() error {
	const start, deposit, withdrawal = 1, 2, 4
	var (
		mu                   sync.Mutex
		balance              = start
		deposited, withdrawn bool
		err                  error
		wg                   sync.WaitGroup
	)
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		balance += deposit
		deposited = true
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		balance -= withdrawal
		withdrawn = true
	})
	mu.Lock()
	if deposited && withdrawn && balance != start-deposit-withdrawal {
		err = fmt.Errorf("account: balance is %d, want %d", balance, start-deposit-withdrawal)
	}
	mu.Unlock()
	wg.Wait()
	return err
}

// Lazy is CS.lazy01_bad: one goroutine adds 1 to a number, one adds 2, and the caller asserts that
// it is below 3.
//
// Bug: the number is 3 if the caller runs last.
func Lazy() error {
	var (
		mu   sync.Mutex
		data int
		err  error
		wg   sync.WaitGroup
	)
	add := func(n int) { mu.Lock(); defer mu.Unlock(); data += n }
	wg.Go(func() { add(1) })
	wg.Go(func() { add(2) })
	mu.Lock()
	if data >= 3 {
		err = fmt.Errorf("lazy: data is %d", data)
	}
	mu.Unlock()
	wg.Wait()
	return err
}

// Deadlock01 is CS.deadlock01_bad: two goroutines take two locks.
//
// Bug: they take them in opposite order, and both may hold one.
func Deadlock01() int {
	var a, b sync.Mutex
	counter := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Lock()
		a.Lock()
		counter--
		a.Unlock()
		b.Unlock()
	}()
	a.Lock()
	b.Lock()
	counter++
	b.Unlock()
	a.Unlock()
	<-done
	return counter
}

// Carter is CS.carter01_bad: two groups share a lock l. The first goroutine of a group takes it
// and the last one releases it. A mutex m guards the counts.
//
// Bug: a goroutine waits for l while it holds m, which the other group needs to release l.
func Carter() {
	var (
		m, l sync.Mutex
		a, b int
	)
	visit := func(n *int) {
		m.Lock()
		*n++
		if *n == 1 {
			l.Lock()
		}
		m.Unlock()
		// the visit
		m.Lock()
		*n--
		if *n == 0 {
			l.Unlock()
		}
		m.Unlock()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		visit(&b)
	}()
	visit(&a)
	<-done
}

// TokenRing is CS.token_ring_bad: x1 follows x3, x2 follows x1 and x3 follows x2, one goroutine
// each, and the caller checks whether all have moved.
//
// Bug: the three are equal only if x1 moves first, then x2, then x3.
func TokenRing() error {
	var (
		mu             sync.Mutex
		x1, x2, x3     int
		moved1, moved2 bool
		moved3         bool
		err            error
		wg             sync.WaitGroup
	)
	move := func(f func()) { wg.Go(func() { mu.Lock(); defer mu.Unlock(); f() }) }
	move(func() { x1, moved1 = (x3+1)%4, true })
	move(func() { x2, moved2 = x1, true })
	move(func() { x3, moved3 = x2, true })
	mu.Lock()
	if moved1 && moved2 && moved3 && (x1 != x2 || x2 != x3) {
		err = fmt.Errorf("token ring: %d, %d, %d", x1, x2, x3)
	}
	mu.Unlock()
	wg.Wait()
	return err
}

// TwoStage is CS.twostage_bad with n writers: a writer sets one value, then another, each under
// its own lock. A reader expects the second wherever the first is set.
//
// Bug: between the two stages the reader sees the first and not the second. With several writers
// none may have reached its second stage.
func TwoStage(n int) error {
	var (
		mu1, mu2     sync.Mutex
		data1, data2 int
		wg           sync.WaitGroup
	)
	for range n {
		wg.Go(func() {
			mu1.Lock()
			data1 = 1
			mu1.Unlock()
			mu2.Lock()
			data2 = 2
			mu2.Unlock()
		})
	}
	mu1.Lock()
	t1 := data1
	mu1.Unlock()
	var err error
	if t1 != 0 {
		mu2.Lock()
		t2 := data2
		mu2.Unlock()
		if t2 != t1+1 {
			err = fmt.Errorf("two stages: %d, then %d", t1, t2)
		}
	}
	wg.Wait()
	return err
}

// Reorder is CS.reorder_bad with n setters: each sets a to 1, then b to -1. A checker expects both
// or none.
//
// Bug: the checker runs in between, while no setter that has begun has ended.
func Reorder(n int) error {
	var (
		a, b atomic.Int32
		wg   sync.WaitGroup
	)
	for range n {
		wg.Go(func() {
			a.Store(1)
			b.Store(-1)
		})
	}
	x, y := a.Load(), b.Load()
	wg.Wait()
	if (x != 0 || y != 0) && (x != 1 || y != -1) {
		return fmt.Errorf("reorder: a is %d, b is %d", x, y)
	}
	return nil
}

// WrongLock is CS.wronglock_bad: one goroutine increments a value under one lock, n others under
// another.
//
// Bug: the first one may see the value change while it holds its lock.
func WrongLock(n int) error {
	var (
		right, wrong sync.Mutex
		data         atomic.Int32
		wg           sync.WaitGroup
	)
	for range n {
		wg.Go(func() {
			wrong.Lock()
			defer wrong.Unlock()
			data.Store(data.Load() + 1)
		})
	}
	right.Lock()
	x := data.Load()
	data.Store(data.Load() + 1)
	y := data.Load()
	right.Unlock()
	wg.Wait()
	if y != x+1 {
		return fmt.Errorf("wrong lock: %d became %d", x, y)
	}
	return nil
}
