// Package inputs has fuzz targets whose goroutines branch on inputs. go run ./bench -inputs FILE
// compares on them strategies that explore inputs and schedules together with those that explore
// one input after the other.
package inputs

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// FuzzFigure1 is Fig. 1 of Kähkönen, Saarikivi & Heljanko, 2015.
func FuzzFigure1(f *testing.F) {
	f.Fuzz(func(t *testing.T, input1, input2 int) {
		var x atomic.Int64
		go func() {
			a := int64(input1) + 1
			if a == 5 {
				x.Store(a)
			} else {
				x.Load()
			}
		}()
		go func() {
			c := int64(input2)
			if c+x.Load() == 7 {
				c++
			}
		}()
	})
}

// FuzzContradiction is the program of section 4.3: no input makes both goroutines write.
func FuzzContradiction(f *testing.F) {
	f.Fuzz(func(t *testing.T, n int) {
		var x atomic.Int64
		go func() {
			if n == 2 {
				x.Store(1)
			}
		}()
		go func() {
			if n != 2 {
				x.Store(2)
			}
		}()
	})
}

// pairs runs the goroutine pairs of section 2.3. A writer writes only for some values of its own
// byte of the input.
func pairs(inputs ...byte) {
	for _, in := range inputs {
		x := new(atomic.Int64)
		go func() { x.Load() }()
		go func() {
			if in > 100 {
				x.Store(1)
			}
		}()
	}
}

func FuzzPairs2(f *testing.F) { f.Fuzz(func(t *testing.T, a, b byte) { pairs(a, b) }) }

func FuzzPairs3(f *testing.F) { f.Fuzz(func(t *testing.T, a, b, c byte) { pairs(a, b, c) }) }

func FuzzPairs4(f *testing.F) { f.Fuzz(func(t *testing.T, a, b, c, d byte) { pairs(a, b, c, d) }) }

// FuzzUpdater follows the description of Updater in section 6.2: two goroutines update variables
// depending on their inputs, two others compute with them.
func FuzzUpdater(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b int8) {
		var x, y atomic.Int64
		update := func(v *atomic.Int64, in int8) {
			if in > 10 {
				v.Store(int64(in))
			} else {
				v.Add(1)
			}
		}
		go update(&x, a)
		go update(&y, b)
		for range 2 {
			go func() {
				if x.Load()+y.Load() == 100 {
					x.Store(0)
				}
			}()
		}
	})
}

// FuzzBank: transfers that are made if there is enough money.
func FuzzBank(f *testing.F) {
	f.Fuzz(func(t *testing.T, first, second uint8) {
		var mu sync.Mutex
		balance := 100
		withdraw := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			if balance >= n {
				balance -= n
			}
		}
		go withdraw(int(first))
		go withdraw(int(second))
		go func() {
			mu.Lock()
			defer mu.Unlock()
			balance += 50
		}()
	})
}

// FuzzFilter: a goroutine passes on what another one sends, if it is large enough.
func FuzzFilter(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b uint8) {
		in, out := make(chan uint8, 2), make(chan uint8, 2)
		go func() { in <- a; in <- b; close(in) }()
		go func() {
			for v := range in {
				if v > 50 {
					out <- v
				}
			}
			close(out)
		}()
		go func() {
			n := 0
			for range out {
				n++
			}
		}()
	})
}

// FuzzLocks: locks in opposite orders, each for inputs of its own.
func FuzzLocks(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b uint8) {
		var p, q sync.Mutex
		both := func(first, second *sync.Mutex) {
			first.Lock()
			second.Lock()
			second.Unlock()
			first.Unlock()
		}
		go func() {
			if a > 200 {
				both(&p, &q)
			}
		}()
		go func() {
			if b > 200 {
				both(&q, &p)
			}
		}()
	})
}

// FuzzTimeout: two goroutines wait longer for some inputs, and a third one waits for both no
// longer than a time-out.
func FuzzTimeout(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b uint8) {
		answers := make(chan uint8, 2)
		for i, in := range []uint8{a, b} {
			go func() {
				if in > 100 {
					time.Sleep(time.Duration(i+2) * time.Second)
				}
				answers <- in
			}()
		}
		limit := time.After(time.Second)
		for range 2 {
			select {
			case <-answers:
			case <-limit:
				return
			}
		}
	})
}

// FuzzRetry: a change of a balance is retried if another goroutine was faster.
func FuzzRetry(f *testing.F) {
	f.Fuzz(func(t *testing.T, first, second uint8) {
		var balance atomic.Int64
		balance.Store(100)
		withdraw := func(n int64) {
			for {
				old := balance.Load()
				if old < n || balance.CompareAndSwap(old, old-n) {
					return
				}
			}
		}
		go withdraw(int64(first))
		go withdraw(int64(second))
	})
}

// FuzzPoll: a goroutine polls until the count of another one reaches a bound.
func FuzzPoll(f *testing.F) {
	f.Fuzz(func(t *testing.T, want, by uint8) {
		var n atomic.Int64
		go func() {
			for range 2 {
				n.Add(int64(by))
			}
		}()
		for n.Load() < int64(want) {
		}
	})
}
