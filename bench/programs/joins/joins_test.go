package joins

import (
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
)

// buggy skips programs that fail in some order under plain go test.
func buggy(t *testing.T) {
	t.Helper()
	if os.Getenv("HEDDLE_BENCH") == "" {
		t.Skip("HEDDLE_BENCH is not set")
	}
}

// pairs starts n pairs of goroutines: the first of each loads a variable and calls seen with the
// value, the second stores 1. It returns when all have called Done.
func pairs(n int, seen func(i int, v int32)) {
	vars := make([]atomic.Int32, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(2)
		go func() {
			defer wg.Done()
			seen(i, vars[i].Load())
		}()
		go func() {
			defer wg.Done()
			vars[i].Store(1)
		}()
	}
	wg.Wait()
}

// TestPairs: 16 pairs, and main waits for all. Main cannot tell the 65,536 histories apart: two
// executions show every local state.
func TestPairs(t *testing.T) {
	pairs(16, func(int, int32) {})
}

// TestResults: six pairs, and main reads what each reader has seen: 64 local states of main.
func TestResults(t *testing.T) {
	got := make([]int32, 6)
	pairs(6, func(i int, v int32) { got[i] = v })
	for _, v := range got {
		if v != 0 && v != 1 {
			t.Error(v)
		}
	}
}

// TestOneResult: 16 pairs that write what they have seen, and main reads one of them: a handful of
// executions.
func TestOneResult(t *testing.T) {
	got := make([]int32, 16)
	pairs(16, func(i int, v int32) { got[i] = v })
	if got[3] > 1 {
		t.Error(got[3])
	}
}

// TestAllZero fails in one of 16 histories: all readers come before their writers.
func TestAllZero(t *testing.T) {
	buggy(t)
	got := make([]int32, 4)
	pairs(4, func(i int, v int32) { got[i] = v })
	if got[0]+got[1]+got[2]+got[3] == 0 {
		t.Error("all of them came first")
	}
}

// TestDeepEqual fails in one of eight histories: package reflect reads the results.
func TestDeepEqual(t *testing.T) {
	buggy(t)
	got := make([]int32, 3)
	pairs(3, func(i int, v int32) { got[i] = v })
	if reflect.DeepEqual(got, []int32{0, 1, 0}) {
		t.Error("that is one of them")
	}
}

// TestRounds: two rounds of eight pairs over one WaitGroup each. A handful of executions.
func TestRounds(t *testing.T) {
	pairs(8, func(int, int32) {})
	pairs(8, func(int, int32) {})
}

// TestWaiter: another goroutine waits for eight pairs and closes a channel; main loads a variable
// meanwhile. A handful of executions.
func TestWaiter(t *testing.T) {
	done := make(chan bool)
	go func() {
		pairs(8, func(int, int32) {})
		close(done)
	}()
	<-done
}

// TestEarlyDone has a data race in one history of the reader: it calls Done before it writes.
func TestEarlyDone(t *testing.T) {
	buggy(t)
	var x atomic.Int32
	var wg sync.WaitGroup
	wrote := 0
	wg.Add(2)
	go func() {
		if x.Load() == 0 {
			wrote = 1
			wg.Done()
			return
		}
		wg.Done()
		wrote = 2
	}()
	go func() {
		x.Store(1)
		wg.Done()
	}()
	wg.Wait()
	if wrote > 2 {
		t.Error(wrote)
	}
}

// TestNoDone is left waiting in one history of the reader.
func TestNoDone(t *testing.T) {
	buggy(t)
	var x atomic.Int32
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		if x.Load() == 1 {
			wg.Done()
		}
	}()
	go func() {
		x.Store(1)
		wg.Done()
	}()
	wg.Wait()
}

// TestLastStored: main loads what the last of four stores has left: four values, and a failure for
// one of them if another variable was stored to in another order.
func TestLastStored(t *testing.T) {
	buggy(t)
	var x, y atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(3) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x.Store(i + 1)
			y.Store(i + 1)
		}()
	}
	wg.Wait()
	if x.Load() == 1 && y.Load() == 3 {
		t.Error("the first was the last at x, and the third at y")
	}
}

// TestPanics panics in one of 16 histories, after the join.
func TestPanics(t *testing.T) {
	buggy(t)
	var sum atomic.Int32
	pairs(4, func(_ int, v int32) { sum.Add(v) })
	if sum.Load() == 4 {
		panic("all of them came last")
	}
}
