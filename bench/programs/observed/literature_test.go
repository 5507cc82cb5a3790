package observed

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"heddle/bench/programs"
)

// TestExponential3 is the example of figure 2 of Zhang, Kusano and Wang (PLDI 2015), with three
// stores in a critical section. The error that it looks for is left out, as in measurements of
// Nidhugg.
func TestExponential3(t *testing.T) {
	var mu sync.Mutex
	var x, y atomic.Int64
	go func() {
		for range 2 {
			mu.Lock()
			x.Store(1)
			for range 3 {
				y.Store(1)
			}
			mu.Unlock()
		}
	}()
	go func() {
		for range 2 {
			mu.Lock()
			x.Store(0)
			mu.Unlock()
			if x.Load() > 0 {
				y.Store(y.Load() + 1)
				x.Store(2)
			}
		}
	}()
	go func() {
		for range 2 {
			if x.Load() <= 1 {
				continue
			}
			if y.Load() == 3 {
				return
			}
			y.Store(2)
		}
	}()
}

// TestRace5: two goroutines store to one variable and load it, five times each.
func TestRace5(t *testing.T) {
	var v atomic.Int64
	for i := range 2 {
		go func() {
			for range 5 {
				v.Store(int64(i))
				v.Load()
			}
		}()
	}
}

// TestCompareAndStore4 is casw: four goroutines try to swap a word from 0 to 1, and store a value
// of their own.
func TestCompareAndStore4(t *testing.T) {
	var x atomic.Int64
	for i := range 4 {
		go func() {
			x.CompareAndSwap(0, 1)
			x.Store(int64(i + 3))
		}()
	}
}

// TestRotate6 is casrot: each of six goroutines swaps a word from one number to the next.
func TestRotate6(t *testing.T) {
	var x atomic.Int64
	for i := range 6 {
		go func() { x.CompareAndSwap(int64(i), int64(i+1)) }()
	}
}

// TestLastZero10 is lastzero of Abdulla et al. (JACM 2017): ten goroutines set their element to
// one more than the element before, another one looks for the last element that is 0.
func TestLastZero10(t *testing.T) {
	var array [11]atomic.Int64
	go func() {
		for i := len(array) - 1; array[i].Load() != 0; {
			i--
		}
	}()
	for i := 1; i < len(array); i++ {
		go func() { array[i].Store(array[i-1].Load() + 1) }()
	}
}

// TestFib4 is Fib of SV-COMP with four rounds.
func TestFib4(t *testing.T) {
	if err := programs.Fib(4); err != nil && testing.Verbose() {
		t.Log(err)
	}
}

// TestSigma6 is sigma of SV-COMP: main increments an index before it starts the next of six
// goroutines, each of which marks the element that it finds the index at.
func TestSigma6(t *testing.T) {
	var index atomic.Int64
	var array [6]atomic.Int64
	var wg sync.WaitGroup
	index.Store(-1)
	for range array {
		index.Store(index.Load() + 1)
		wg.Go(func() { array[index.Load()].Store(1) })
	}
	wg.Wait()
}

// TestLoadStore5: five goroutines load, and store one more; nothing looks at the result.
func TestLoadStore5(t *testing.T) {
	var x atomic.Int64
	for range 5 {
		go func() { x.Store(x.Load() + 1) }()
	}
}

// TestReorder4: four goroutines set two variables, another one reads them in the same order. What
// they set tells them apart.
func TestReorder4(t *testing.T) {
	var a, b atomic.Int64
	for i := range 4 {
		go func() {
			a.Store(int64(i + 1))
			b.Store(int64(-i - 1))
		}()
	}
	go func() {
		a.Load()
		b.Load()
	}()
}

// TestUnusedAdds: seven Adds, whose results are not used and whose sum is not looked at.
func TestUnusedAdds(t *testing.T) {
	var x atomic.Int64
	for range 7 {
		go x.Add(1)
	}
}

// TestErrors: three goroutines of a group that keeps the first error and cancels a context then.
// One of them looks whether another one has failed.
func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	failures := []error{errors.New("failed"), errors.New("failed too")}
	var once sync.Once
	var first error
	var wg sync.WaitGroup
	start := func(f func() error) {
		wg.Go(func() {
			if err := f(); err != nil {
				once.Do(func() {
					first = err
					cancel(err)
				})
			}
		})
	}
	for _, err := range failures {
		start(func() error { return err })
	}
	start(func() error { return context.Cause(ctx) })
	wg.Wait()
	if first != failures[0] && first != failures[1] {
		t.Error(first)
	}
}

// TestSet: six goroutines add an element to a set, under a mutex, and nothing asks for the order.
func TestSet(t *testing.T) {
	var mu sync.Mutex
	set := map[string]bool{}
	var wg sync.WaitGroup
	for _, name := range []string{"ant", "bee", "cat", "dog", "eel", "fox"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			set[name] = true
		})
	}
	wg.Wait()
	if len(set) != 6 {
		t.Error(len(set))
	}
}
