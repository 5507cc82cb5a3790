package observed

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFloatingRead: a load beside seven stores of different values. It has eight outcomes.
func TestFloatingRead(t *testing.T) {
	var x atomic.Int64
	for i := range 7 {
		go x.Store(int64(i + 1))
	}
	if x.Load() > 7 {
		t.Fail()
	}
}

// TestLastWrite: which of seven stores was the last.
func TestLastWrite(t *testing.T) {
	var x atomic.Int64
	var wg sync.WaitGroup
	for i := range 7 {
		wg.Go(func() { x.Store(int64(i + 1)) })
	}
	wg.Wait()
	if x.Load() == 0 {
		t.Fail()
	}
}

// TestAdds: seven Adds whose results are not used.
func TestAdds(t *testing.T) {
	var x atomic.Int64
	var wg sync.WaitGroup
	for range 7 {
		wg.Go(func() { x.Add(1) })
	}
	wg.Wait()
	if x.Load() != 7 {
		t.Fail()
	}
}

// TestIndex: each goroutine uses an index that main increments before it starts the next one.
func TestIndex(t *testing.T) {
	var index atomic.Int64
	var used [7]atomic.Int64
	for i := range 6 {
		index.Store(int64(i + 1))
		go func() { used[index.Load()].Store(1) }()
	}
}

// TestReorder: four goroutines set two variables in one order, another one reads them in the other.
func TestReorder(t *testing.T) {
	var a, b atomic.Int64
	for i := range 4 {
		go func() {
			a.Store(int64(i + 1))
			b.Store(int64(-i - 1))
		}()
	}
	y := b.Load()
	x := a.Load()
	if y != 0 && x == 0 {
		t.Fail()
	}
}

// TestLoadStore: five goroutines load, and store one more.
func TestLoadStore(t *testing.T) {
	var x atomic.Int64
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { x.Store(x.Load() + 1) })
	}
	wg.Wait()
	if n := x.Load(); n < 1 || n > 5 {
		t.Fail()
	}
}

// TestSwaps: four goroutines compare a word with different values and swap.
func TestSwaps(t *testing.T) {
	var x atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			x.CompareAndSwap(int64(i), int64(i+1))
			x.CompareAndSwap(int64(i+1), int64(i))
		})
	}
	wg.Wait()
	if n := x.Load(); n < 0 || n > 4 {
		t.Fail()
	}
}

// TestFirstAnswer: the first of five answers on a buffered channel.
func TestFirstAnswer(t *testing.T) {
	answers := make(chan int, 5)
	for i := range 5 {
		go func() { answers <- i }()
	}
	if <-answers > 4 {
		t.Fail()
	}
}

// TestSemaphore: a channel lets two of four goroutines work at a time, each on data of its own.
func TestSemaphore(t *testing.T) {
	slots := make(chan struct{}, 2)
	var done [4]bool
	var wg sync.WaitGroup
	for i := range done {
		wg.Go(func() {
			slots <- struct{}{}
			done[i] = true
			<-slots
		})
	}
	wg.Wait()
	for _, d := range done {
		if !d {
			t.Fail()
		}
	}
}

// TestSlots: six goroutines set different elements of a slice, under a mutex.
func TestSlots(t *testing.T) {
	var mu sync.Mutex
	squares := make([]int, 6)
	var wg sync.WaitGroup
	for i := range squares {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			squares[i] = i * i
		})
	}
	wg.Wait()
	if squares[5] != 25 {
		t.Fail()
	}
}

// TestKeys: six goroutines set different keys of a map, under a mutex.
func TestKeys(t *testing.T) {
	var mu sync.Mutex
	squares := map[int]int{}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			squares[i] = i * i
		})
	}
	wg.Wait()
	if len(squares) != 6 || squares[5] != 25 {
		t.Fail()
	}
}

// TestSum: five goroutines queue a value under a mutex, and main adds them up.
func TestSum(t *testing.T) {
	var mu sync.Mutex
	var queue []int
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			queue = append(queue, i)
		})
	}
	wg.Wait()
	sum := 0
	for _, v := range queue {
		sum += v
	}
	if sum != 10 {
		t.Fail()
	}
}

// TestCache: two writers and three readers of a value, under a RWMutex.
func TestCache(t *testing.T) {
	var mu sync.RWMutex
	value := 0
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			mu.Lock()
			value = i + 1
			mu.Unlock()
		})
	}
	for range 3 {
		wg.Go(func() {
			mu.RLock()
			defer mu.RUnlock()
			if value > 2 {
				t.Error(value)
			}
		})
	}
	wg.Wait()
}

// TestGroup: a group of goroutines that keeps the first error, as errgroup does.
func TestGroup(t *testing.T) {
	var once sync.Once
	var first error
	var wg sync.WaitGroup
	failed := errors.New("failed")
	for i := range 4 {
		wg.Go(func() {
			if i%2 == 0 {
				once.Do(func() { first = failed })
			}
		})
	}
	wg.Wait()
	if first != failed {
		t.Fail()
	}
}

// TestBuffer: two senders and two receivers, two values each, over a channel with room for two.
func TestBuffer(t *testing.T) {
	values := make(chan int, 2)
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { values <- i; values <- i })
		wg.Go(func() { sum.Add(int64(<-values)); sum.Add(int64(<-values)) })
	}
	wg.Wait()
	if sum.Load() != 2 {
		t.Fail()
	}
}

// TestPairs: each of 16 pairs of goroutines has a variable of its own, and main waits for all.
func TestPairs(t *testing.T) {
	var x [16]atomic.Int64
	var wg sync.WaitGroup
	for i := range x {
		wg.Go(func() { x[i].Store(1) })
		wg.Go(func() { x[i].Load() })
	}
	wg.Wait()
}

// TestOrders: four goroutines change a value under a mutex, twice each, so that it shows the order.
func TestOrders(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	value := 0
	for i := range 4 {
		wg.Go(func() {
			for range 2 {
				mu.Lock()
				value = 4*value + i
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if value < 0 {
		t.Fail()
	}
}
