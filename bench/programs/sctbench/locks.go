package sctbench

import (
	"sync"
	"sync/atomic"
)

// Account is CS.account_bad: a checker, a deposit and a withdrawal, each a critical section of its
// own.
//
// Bug: the checker believes that the deposit is subtracted. It asserts only if both are done, so it
// fails only if it comes last, and it was started first.
func Account() error {
	const x, y, z = 1, 2, 4
	var (
		mu                   sync.Mutex
		balance              = x
		deposited, withdrawn bool
		f                    failure
	)
	join(func() {
		mu.Lock()
		if deposited && withdrawn {
			f.check(balance == x-y-z, "account: balance is %d", balance)
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		balance += y
		deposited = true
		mu.Unlock()
	}, func() {
		mu.Lock()
		balance -= z
		withdrawn = true
		mu.Unlock()
	})
	return f.err()
}

// Lazy01 is CS.lazy01_bad: one goroutine adds 1, one adds 2, the third one asserts that the sum is
// below 3.
//
// Bug: the sum is 3 if the third one comes last.
func Lazy01() error {
	var (
		mu   sync.Mutex
		data int
		f    failure
	)
	join(func() {
		mu.Lock()
		data++
		mu.Unlock()
	}, func() {
		mu.Lock()
		data += 2
		mu.Unlock()
	}, func() {
		mu.Lock()
		f.check(data < 3, "lazy: data is %d", data)
		mu.Unlock()
	})
	return f.err()
}

// Deadlock01 is CS.deadlock01_bad: two goroutines take two locks.
//
// Bug: they take them in opposite order.
func Deadlock01() {
	var a, b sync.Mutex
	counter := 1
	join(func() {
		a.Lock()
		b.Lock()
		counter++
		b.Unlock()
		a.Unlock()
	}, func() {
		b.Lock()
		a.Lock()
		counter--
		a.Unlock()
		b.Unlock()
	})
}

// Carter01 is CS.carter01_bad: of two groups with one member each the first to enter takes a lock l
// and the last to leave releases it, with the group's count guarded by m. Two more goroutines do
// nothing.
//
// Bug: both groups have the same m. One waits for l while it holds m, which the other one needs to
// release l.
func Carter01() {
	var (
		m, l sync.Mutex
		a, b int
	)
	visit := func(n *int) func() {
		return func() {
			m.Lock()
			*n++
			if *n == 1 {
				l.Lock()
			}
			m.Unlock()
			m.Lock()
			*n--
			if *n == 0 {
				l.Unlock()
			}
			m.Unlock()
		}
	}
	join(visit(&a), visit(&b), func() {}, func() {})
}

// Phase01 is CS.phase01_bad: two goroutines pass two phases, each of which has a lock.
//
// Bug: a goroutine that is through the second phase leaves its lock taken, so the other one waits
// for ever, in every interleaving.
func Phase01() {
	var x, y sync.Mutex
	passed := 0
	phase := func() {
		x.Lock()
		passed++
		x.Unlock()
		y.Lock()
		passed++
	}
	join(phase, phase)
}

// DinPhil is CS.din_philN_sat with n philosophers: each takes the fork on its left, then the one on
// its right, once.
//
// Bug: all may hold their left fork.
func DinPhil(n int) {
	forks := make([]sync.Mutex, n)
	var fs []func()
	for i := range n {
		fs = append(fs, func() {
			forks[i].Lock()
			forks[(i+1)%n].Lock()
			forks[(i+1)%n].Unlock()
			forks[i].Unlock()
		})
	}
	join(fs...)
}

// TokenRing is CS.token_ring_bad: x1 follows x3, x2 follows x1, x3 follows x2, one goroutine each,
// and a fourth one asserts that all are equal if all have moved.
//
// Bug: they are equal only if they move in one order, and the fourth one asserts only if it comes
// last.
func TokenRing() error {
	var (
		mu         sync.Mutex
		x1, x2, x3 = 1, 2, 1
		f1, f2, f3 bool
		f          failure
	)
	join(func() {
		mu.Lock()
		x1, f1 = (x3+1)%4, true
		mu.Unlock()
	}, func() {
		mu.Lock()
		x2, f2 = x1, true
		mu.Unlock()
	}, func() {
		mu.Lock()
		x3, f3 = x2, true
		mu.Unlock()
	}, func() {
		mu.Lock()
		if f1 && f2 && f3 {
			f.check(x1 == x2 && x2 == x3, "token ring: %d, %d, %d", x1, x2, x3)
		}
		mu.Unlock()
	})
	return f.err()
}

// TwoStage is CS.twostage_bad with a number of writers and one reader that is started last. A
// writer sets one value and then another, each under a lock of its own. The reader asserts that the
// second is set where the first is.
//
// Bug: the reader comes between the stages, and no writer has reached the second one.
func TwoStage(writers int) error {
	var (
		mu1, mu2     sync.Mutex
		data1, data2 int
		f            failure
	)
	fs := times(writers, func() {
		mu1.Lock()
		data1 = 1
		mu1.Unlock()
		mu2.Lock()
		data2 = data1 + 1
		mu2.Unlock()
	})
	join(append(fs, func() {
		mu1.Lock()
		if data1 == 0 {
			mu1.Unlock()
			return
		}
		t1 := data1
		mu1.Unlock()
		mu2.Lock()
		t2 := data2
		mu2.Unlock()
		f.check(t2 == t1+1, "two stages: %d, then %d", t1, t2)
	})...)
	return f.err()
}

// WrongLock is CS.wronglock_bad with n goroutines of the second kind: one goroutine increments a
// value under one lock, the others under another one.
//
// Bug: the first one may see the value change while it holds its lock.
func WrongLock(n int) error {
	var (
		right, wrong sync.Mutex
		data         atomic.Int32
		f            failure
	)
	fs := []func(){func() {
		right.Lock()
		x := data.Load()
		data.Store(data.Load() + 1)
		y := data.Load()
		f.check(y == x+1, "wrong lock: %d became %d", x, y)
		right.Unlock()
	}}
	join(append(fs, times(n, func() {
		wrong.Lock()
		data.Store(data.Load() + 1)
		wrong.Unlock()
	})...)...)
	return f.err()
}

// Reorder is CS.reorder_bad with a number of setters and one checker that is started last: a setter
// sets a to 1 and then b to -1. The checker asserts that both are set or none.
//
// Bug: the checker comes in between, and no setter has reached its second step.
func Reorder(setters int) error {
	var (
		a, b atomic.Int32
		f    failure
	)
	fs := times(setters, func() {
		a.Store(1)
		b.Store(-1)
	})
	join(append(fs, func() {
		// The original's condition: a == 0 && b == 0 || a == 1 && b == -1.
		ok := a.Load() == 0 && b.Load() == 0 || a.Load() == 1 && b.Load() == -1
		f.check(ok, "reorder: a is %d, b is %d", a.Load(), b.Load())
	})...)
	return f.err()
}

// FSBench is CS.fsbench_bad, the file system model of Flanagan and Godefroid (POPL 2005): 27
// goroutines, each with an inode of 32, look for one of 26 blocks that is free.
//
// Bug: there is one goroutine too many. In every interleaving one finds no block.
func FSBench() error {
	const threads, inodes, blocks = 27, 32, 26
	var (
		locki [inodes]sync.Mutex
		inode [inodes]int
		lockb [blocks]sync.Mutex
		busy  [blocks]bool
		f     failure
		fs    []func()
	)
	for t := range threads {
		fs = append(fs, func() {
			i := t % inodes
			locki[i].Lock()
			defer locki[i].Unlock()
			if inode[i] != 0 {
				return
			}
			b := i * 2 % blocks
			for range blocks {
				lockb[b].Lock()
				if !busy[b] {
					busy[b], inode[i] = true, b+1
					lockb[b].Unlock()
					return
				}
				lockb[b].Unlock()
				b = (b + 1) % blocks
			}
			f.check(false, "fsbench: no block for inode %d", i)
		})
	}
	join(fs...)
	return f.err()
}
