// Package points has one program for every hook: two orders of what it does and another goroutine's doing give two outcomes.
// A program's comment lists the outcomes that plain Go can have, all of them, and the hooks that it is for. See points_test.go of the command.
package points

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tell makes an outcome a finding of its own.
func tell(t *testing.T, outcome any) {
	switch o := fmt.Sprint(outcome); o {
	case "0":
		t.Error("outcome 0")
	case "1":
		t.Error("outcome 1")
	case "2":
		t.Error("outcome 2")
	case "3":
		t.Error("outcome 3")
	case "4":
		t.Error("outcome 4")
	default:
		t.Error("outcome other")
	}
}

// beside runs f beside g and returns when both are over.
func beside(f, g func()) {
	done := make(chan bool)
	go func() { f(); done <- true }()
	g()
	<-done
}

type cell struct {
	n, m int
	s    []int
	b    []byte
	at   map[int]int
	c    chan int
	big  [20]int
}

// outcomes: 0 1; hooks: V Read NewRead Write NewWrite Set P
func TestRead(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.n = 1 }, func() { got = x.n })
	tell(t, got)
}

// outcomes: 0 1 2 3; hooks: V
func TestReadTwo(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.n = 1; x.m = 2 }, func() { got = x.n + x.m })
	tell(t, got)
}

// outcomes: 0 1; hooks: R
func TestReadBeforeCall(t *testing.T) {
	x, got := &cell{}, 0
	f := func() int { return 0 }
	beside(func() { x.n = 1 }, func() { got = x.n + f() })
	tell(t, got)
}

// outcomes: 0 1; hooks: R
func TestReadLarge(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.big[3] = 1 }, func() { y := x.big; got = y[3] })
	tell(t, got)
}

// outcomes: 1 2; hooks: Write Set
func TestWrite(t *testing.T) {
	x := &cell{}
	beside(func() { x.n = 1 }, func() { x.n = 2 })
	tell(t, x.n)
}

// outcomes: 1 2; hooks: Get Set U By Update
func TestIncrement(t *testing.T) {
	x := &cell{}
	beside(func() { x.n++ }, func() { x.n++ })
	tell(t, x.n)
}

// outcomes: 0 1 2 3; hooks: U By Update
func TestSum(t *testing.T) {
	x, got := &cell{}, 0
	var mu sync.Mutex
	guarded := func(f func()) {
		mu.Lock()
		f()
		mu.Unlock()
	}
	beside(func() {
		beside(func() { guarded(func() { x.n++ }) }, func() { guarded(func() { x.n += 2 }) })
	}, func() { guarded(func() { got = x.n }) })
	tell(t, got)
}

// outcomes: 1 2 3; hooks: Gather
func TestGather(t *testing.T) {
	var list []int
	beside(func() { list = append(list, 1) }, func() { list = append(list, 2) })
	sum := 0
	for _, n := range list {
		sum += n
	}
	tell(t, sum)
}

// outcomes: 1 2; hooks: U By Update
func TestTwoOperators(t *testing.T) {
	x := &cell{}
	var mu sync.Mutex
	beside(func() {
		mu.Lock()
		x.n++
		mu.Unlock()
	}, func() {
		mu.Lock()
		x.n |= 1
		mu.Unlock()
	})
	tell(t, x.n)
}

// outcomes: 1 2; hooks: Get Set P
func TestMultiply(t *testing.T) {
	x := &cell{n: 1}
	var mu sync.Mutex
	beside(func() {
		mu.Lock()
		x.n *= 2
		mu.Unlock()
	}, func() {
		mu.Lock()
		x.n -= x.n - 1
		mu.Unlock()
	})
	tell(t, x.n)
}

// outcomes: 1 2; hooks: RW
func TestIncrementInClause(t *testing.T) {
	x := &cell{}
	beside(func() { x.n++ }, func() {
		for i := 0; i < 1; x.n++ {
			i++
		}
	})
	tell(t, x.n)
}

// outcomes: 1 2; hooks: W
func TestResult(t *testing.T) {
	got, ready, done := 0, make(chan bool), make(chan bool)
	var p *int
	go func() { <-ready; *p = 1; done <- true }()
	func() (r int) {
		p = &r
		ready <- true
		defer func() { got = r }()
		return 2
	}()
	<-done
	tell(t, got)
}

// outcomes: 0 1; hooks: MK MKW K MapEntry MapKey
func TestMapIndex(t *testing.T) {
	m, got := map[int]int{}, 0
	beside(func() { m[1] = 1 }, func() { got = m[1] })
	tell(t, got)
}

type table[K comparable] map[K]int

func (m table[K]) get(k K) int { return m[k] }

// outcomes: 0 1; hooks: MK KT MapEntry MapKey
func TestMapOfParameter(t *testing.T) {
	m, got := table[int]{}, 0
	beside(func() { m[1] = 1 }, func() { got = m.get(1) })
	tell(t, got)
}

// outcomes: 0 1; hooks: MR
func TestMapLen(t *testing.T) {
	m, got := map[int]int{}, 0
	beside(func() { m[1] = 1 }, func() { got = len(m) })
	tell(t, got)
}

// outcomes: 0 1; hooks: ML MG MapLength
func TestMapGrowth(t *testing.T) {
	m, got := map[int]int{}, 0
	var mu sync.Mutex
	beside(func() {
		mu.Lock()
		m[1] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		n := len(m)
		delete(m, 1)
		got = n - len(m)
		mu.Unlock()
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MKS MKD K MapEntry MapKey
func TestMapSet(t *testing.T) {
	m := map[int]struct{}{}
	var mu sync.Mutex
	beside(func() {
		mu.Lock()
		m[1] = struct{}{}
		mu.Unlock()
	}, func() {
		mu.Lock()
		delete(m, 1)
		mu.Unlock()
	})
	tell(t, len(m))
}

// outcomes: 0 1; hooks: MKW MKD K
func TestMapDelete(t *testing.T) {
	m := map[int]int{}
	beside(func() { m[1] = 1 }, func() { delete(m, 1) })
	tell(t, len(m))
}

// outcomes: 0 1 2; hooks: MK MKW K MapEntry MapKey
func TestMapEntries(t *testing.T) {
	m, got := map[string]int{}, 0
	var mu sync.Mutex
	put := func(k string) func() {
		return func() {
			mu.Lock()
			m[k]++
			mu.Unlock()
		}
	}
	beside(func() { beside(put("a"), put("b")) }, func() {
		mu.Lock()
		got = len(m)
		mu.Unlock()
	})
	tell(t, got)
}

// outcomes: 1 2; hooks: MR MW
func TestMapFloats(t *testing.T) {
	m := map[float64]int{}
	var mu sync.Mutex
	put := func(v int) func() {
		return func() {
			mu.Lock()
			m[0.5] = v
			mu.Unlock()
		}
	}
	beside(put(1), put(2))
	tell(t, m[0.5])
}

// outcomes: 0 1; hooks: MW
func TestMapClear(t *testing.T) {
	m := map[int]int{}
	beside(func() { m[1] = 1 }, func() { clear(m) })
	tell(t, len(m))
}

// outcomes: 0 1; hooks: Map Next
func TestRangeMap(t *testing.T) {
	m, got := map[int]int{}, 0
	beside(func() { m[1] = 1 }, func() {
		for k, v := range m {
			got = k * v
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MapKeys Key
func TestRangeKeys(t *testing.T) {
	m, got := map[int]int{}, 0
	beside(func() { m[1] = 1 }, func() {
		for k := range m {
			got = k
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MapEach More
func TestRangeMapEach(t *testing.T) {
	m, got := map[int]int{}, 0
	beside(func() { m[1] = 1 }, func() {
		for range m {
			got++
		}
	})
	tell(t, got)
}

// outcomes: 1 2; hooks: Map
func TestRangeMapDeletes(t *testing.T) {
	m, got := map[int]int{1: 1, 2: 2}, 0
	beside(func() { delete(m, 2) }, func() {
		for k, v := range m {
			got = max(got, k, v)
		}
	})
	tell(t, got)
}

// outcomes: 0 1 2; hooks: Map
func TestRangeMapValues(t *testing.T) {
	m, got := map[int]int{1: 0, 2: 0}, 0
	beside(func() { m[1] = 1; m[2] = 1 }, func() {
		for _, v := range m {
			got += v
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Slice
func TestRangeSlice(t *testing.T) {
	s, got := []int{0}, 0
	beside(func() { s[0] = 1 }, func() {
		for i, v := range s {
			got = v + i
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: SliceValues Value
func TestRangeValues(t *testing.T) {
	s, got := []int{0}, 0
	beside(func() { s[0] = 1 }, func() {
		for _, v := range s {
			got = v
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: SliceEach
func TestRangeSliceEach(t *testing.T) {
	s := []int{0}
	i, got := 0, 0
	beside(func() { s[0] = 1 }, func() {
		for i, got = range s {
			_ = i
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: SliceEach
func TestRangeArrayPointer(t *testing.T) {
	a, got := new([1]int), 0
	beside(func() { a[0] = 1 }, func() {
		for _, v := range a {
			got = v
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: V
func TestRangeLength(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.s = make([]int, 1) }, func() {
		for range x.s {
			got++
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Chan ChanOp
func TestRangeChan(t *testing.T) {
	c, got := make(chan int, 2), 0
	var x atomic.Int32
	go func() { c <- int(x.Load()); close(c) }()
	x.Store(1)
	for v := range c {
		got = v
	}
	tell(t, got)
}

// outcomes: 0 1; hooks: ChanEach ChanClose
func TestRangeChanEach(t *testing.T) {
	c, got := make(chan int, 2), 0
	var x atomic.Int32
	go func() {
		if x.Load() == 1 {
			c <- 1
		}
		close(c)
	}()
	x.Store(1)
	for range c {
		got++
	}
	tell(t, got)
}

// outcomes: 0 1; hooks: To Send Recv ChanOp
func TestChan(t *testing.T) {
	c := make(chan int, 2)
	beside(func() { c <- 0 }, func() { c <- 1 })
	tell(t, <-c)
}

// outcomes: 0 1; hooks: Recv2
func TestRecvTwo(t *testing.T) {
	c, got := make(chan int, 2), 0
	c <- 1
	c <- 0
	beside(func() { <-c }, func() { got, _ = <-c })
	tell(t, got)
}

// outcomes: 0 1; hooks: Close
func TestClose(t *testing.T) {
	c, got := make(chan int), 0
	beside(func() { close(c) }, func() {
		select {
		case <-c:
			got = 1
		default:
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Len ChanLen
func TestLen(t *testing.T) {
	c, got := make(chan int, 1), 0
	beside(func() { c <- 1 }, func() { got = len(c) })
	tell(t, got)
}

// outcomes: 0 1; hooks: LenRecv
func TestLenRecv(t *testing.T) {
	c, got := make(chan int, 1), 0
	r := (<-chan int)(c)
	beside(func() { c <- 1 }, func() { got = len(r) })
	tell(t, got)
}

// outcomes: 0 1; hooks: LenSend
func TestLenSend(t *testing.T) {
	c, got := make(chan int, 1), 0
	s := (chan<- int)(c)
	beside(func() { c <- 1 }, func() { got = len(s) })
	tell(t, got)
}

// outcomes: 0 1; hooks: V
func TestCap(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.c = make(chan int, 1) }, func() { got = cap(x.c) })
	tell(t, got)
}

// outcomes: 0 1; hooks: Select OnRecv ChanSelect
func TestSelect(t *testing.T) {
	a, b, got := make(chan int, 1), make(chan int, 1), 0
	go func() { a <- 0 }()
	go func() { b <- 1 }()
	select {
	case got = <-a:
	case got = <-b:
	}
	tell(t, got)
}

// outcomes: 1 2; hooks: OnSend Of
func TestSelectSend(t *testing.T) {
	c, got := make(chan int, 1), 0
	go func() { c <- 1 }()
	select {
	case c <- 2:
	default:
	}
	got = <-c
	tell(t, got)
}

// outcomes: 0 1; hooks: Of
func TestSelectValue(t *testing.T) {
	x, c := &cell{}, make(chan int, 1)
	beside(func() { x.n = 1 }, func() {
		select {
		case c <- x.n:
		}
	})
	tell(t, <-c)
}

// outcomes: 0 1; hooks: SR
func TestConversion(t *testing.T) {
	b, got := []byte{0}, ""
	beside(func() { b[0] = 1 }, func() { got = string(b) })
	tell(t, got[0])
}

// outcomes: 0 1; hooks: SW
func TestClearSlice(t *testing.T) {
	s := []int{0}
	beside(func() { s[0] = 1 }, func() { clear(s) })
	tell(t, s[0])
}

// outcomes: 0 1; hooks: Add Of
func TestAppendInPlace(t *testing.T) {
	s, got := make([]int, 1), 0
	beside(func() { _ = append(s[:0], 1) }, func() { got = s[0] })
	tell(t, got)
}

// outcomes: 0 1; hooks: Add Of
func TestAppendGrows(t *testing.T) {
	s := []int{0}
	var r []int
	beside(func() { s[0] = 1 }, func() { r = append(s, 5) })
	tell(t, r[0])
}

// outcomes: 1 2; hooks: AddTo
func TestAppendAfterCall(t *testing.T) {
	x := &cell{}
	f := func() int { return 1 }
	beside(func() { x.s = append(x.s, f()) }, func() { x.s = append(x.s, f()) })
	tell(t, len(x.s))
}

// outcomes: 0 1; hooks: Append
func TestAppendSlice(t *testing.T) {
	s := []int{0}
	var r []int
	beside(func() { s[0] = 1 }, func() { r = append(r, s...) })
	tell(t, r[0])
}

// outcomes: 0 1 2 3; hooks: Append Snapped
func TestAppendBoth(t *testing.T) {
	a, b := []int{0}, []int{0}
	var r []int
	beside(func() { a[0] = 1; b[0] = 2 }, func() { r = append(b, a...) })
	tell(t, r[0]+r[1])
}

// outcomes: 0 1; hooks: AppendString
func TestAppendString(t *testing.T) {
	b, got := make([]byte, 1), byte(0)
	beside(func() { _ = append(b[:0], "\x01"...) }, func() { got = b[0] })
	tell(t, got)
}

// outcomes: 0 1; hooks: Copy
func TestCopy(t *testing.T) {
	a, b := []int{0}, []int{0}
	beside(func() { a[0] = 1 }, func() { copy(b, a) })
	tell(t, b[0])
}

// outcomes: 0 1 2; hooks: Copy Snapped
func TestCopyBoth(t *testing.T) {
	a, b := []int{0}, []int{0}
	beside(func() { a[0] = 1; b[0] = 2 }, func() { copy(b, a) })
	tell(t, b[0])
}

// outcomes: 1 2; hooks: CopyString
func TestCopyString(t *testing.T) {
	b := []byte{0}
	beside(func() { b[0] = 1 }, func() { copy(b, "\x02") })
	tell(t, b[0])
}

// outcomes: 0 1; hooks: FromText
func TestFromText(t *testing.T) {
	x := "\x00"
	b, got := []byte(x), byte(0)
	beside(func() { b[0] = 1 }, func() { got = b[0] })
	tell(t, got)
}

// outcomes: 0 1; hooks: New
func TestNew(t *testing.T) {
	p, got := []*cell{{}}[0], 0
	beside(func() { p.n = 1 }, func() { got = p.n })
	tell(t, got)
}

// outcomes: 0 1; hooks: Rest
func TestVariadic(t *testing.T) {
	variadic(t, 0, 0)
}

func variadic(t *testing.T, xs ...int) {
	got := 0
	beside(func() { xs[0] = 1 }, func() { got = xs[0] })
	tell(t, got)
}

var older = []int32{0}

func held(xs ...int32) []int32 { return xs }

// Which goroutine hands the older slice over first depends on the order.
// outcomes: 0 1; hooks: Given
func TestGiven(t *testing.T) {
	older[0] = 0
	var first, second, last atomic.Int32
	got := int32(0)
	beside(func() {
		first.Store(1)
		if xs := held(older...); second.Load() == 1 {
			atomic.LoadInt32(&xs[0])
		}
	}, func() {
		beside(func() {
			atomic.StoreInt32(&older[0], 1)
			got = last.Load()
		}, func() {
			second.Store(1)
			xs := held(older...)
			if first.Load() == 0 && atomic.LoadInt32(&xs[0]) == 0 {
				last.Store(1)
			}
		})
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Var
func TestVariable(t *testing.T) {
	x, got := 0, 0
	beside(func() { x = 1 }, func() { got = x })
	tell(t, got)
}

// outcomes: 0 1; hooks: Var
func TestVariableOfIf(t *testing.T) {
	got := 0
	if x := 0; x > 1 {
		beside(func() { x = 1 }, func() { x = 2 })
	} else {
		beside(func() { x = 1 }, func() { got = x })
	}
	tell(t, got)
}

// outcomes: 0 1; hooks: Again
func TestVariableOfFor(t *testing.T) {
	got, done := 0, make(chan bool, 2)
	for i := 0; i < 2; i++ {
		go func() {
			got = i
			done <- true
		}()
	}
	<-done
	<-done
	tell(t, got)
}

// outcomes: 0 1; hooks: MadeChan MadeMap MadeSlice
func TestMade(t *testing.T) {
	var x []any
	got := 0
	beside(func() {
		x = []any{make(chan int, 1), make(map[int]int), make([]int, 1)}
	}, func() { got = len(x) / 3 })
	tell(t, got)
}

// outcomes: 0 1; hooks: Go GoStmt
func TestGo(t *testing.T) {
	x := &cell{}
	done := make(chan bool)
	go func() { x.n = 1; done <- true }()
	got := x.n
	<-done
	tell(t, got)
}

// outcomes: 0; hooks: GoArgs Method
func TestGoArgs(t *testing.T) {
	x, y := &cell{}, &cell{}
	c := make(chan int, 1)
	go func(n int) { c <- n }(x.n)
	go y.add(1)
	x.n = 1
	tell(t, <-c)
}

func (x *cell) add(n int) { x.m += n }

// outcomes: 0 1; hooks: Gosched Yield
func TestGosched(t *testing.T) {
	x, got := &cell{}, 0
	beside(func() { x.n = 1 }, func() {
		if got = x.n; got == 0 {
			runtime.Gosched()
			got = x.n
		}
	})
	tell(t, got)
}

// outcomes: 0 1 2; hooks: Loop Out Spoil LoopStart LoopLeft Spoils
func TestPoll(t *testing.T) {
	var x, y atomic.Int32
	got := 0
	beside(func() { x.Store(1); y.Store(1); y.Store(2) }, func() {
		for x.Load() == 0 {
			runtime.Gosched()
		}
		got = int(y.Load())
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Settle Spoils
func TestPollAssigned(t *testing.T) {
	var x, y atomic.Int32
	got := 0
	beside(func() { x.Store(1); y.Store(1) }, func() {
		n := int32(0)
		for n == 0 {
			n = x.Load()
			runtime.Gosched()
		}
		got = int(y.Load())
	})
	tell(t, got)
}

func until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

// outcomes: 0 1; hooks: Asked Asks
func TestPollAsks(t *testing.T) {
	var x, y atomic.Int32
	got := 0
	beside(func() { x.Store(1); y.Store(1) }, func() {
		until(func() bool { return x.Load() != 0 })
		got = int(y.Load())
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: SettleAny Spoils
func TestPollAny(t *testing.T) {
	var x atomic.Value
	var y atomic.Int32
	got := 0
	beside(func() { x.Store(1); y.Store(1) }, func() {
		var v any
		for v == nil {
			v = x.Load()
			runtime.Gosched()
		}
		got = int(y.Load())
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MutexLock MutexUnlock
func TestMutex(t *testing.T) {
	var mu sync.Mutex
	n, got := 0, 0
	beside(func() { mu.Lock(); n = 1; mu.Unlock() }, func() { mu.Lock(); got = n; mu.Unlock() })
	tell(t, got)
}

// outcomes: 0 1; hooks: MutexTryLock
func TestTryLock(t *testing.T) {
	var mu sync.Mutex
	got := 0
	beside(func() { mu.Lock(); mu.Unlock() }, func() {
		if mu.TryLock() {
			got = 1
			mu.Unlock()
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: RWLock RWUnlock RWRLock RWRUnlock
func TestRWMutex(t *testing.T) {
	var mu sync.RWMutex
	n, got := 0, 0
	beside(func() { mu.Lock(); n = 1; mu.Unlock() }, func() { mu.RLock(); got = n; mu.RUnlock() })
	tell(t, got)
}

// outcomes: 0 1; hooks: RWTryLock
func TestRWTryLock(t *testing.T) {
	var mu sync.RWMutex
	got := 0
	beside(func() { mu.RLock(); mu.RUnlock() }, func() {
		if mu.TryLock() {
			got = 1
			mu.Unlock()
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: RWTryRLock
func TestRWTryRLock(t *testing.T) {
	var mu sync.RWMutex
	got := 0
	beside(func() { mu.Lock(); mu.Unlock() }, func() {
		if mu.TryRLock() {
			got = 1
			mu.RUnlock()
		}
	})
	tell(t, got)
}

// outcomes: 0 1 2; hooks: CondAdd CondBlock CondSignal
func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	n, got := 0, 0
	beside(func() {
		mu.Lock()
		n = 1
		c.Signal()
		mu.Unlock()
		mu.Lock()
		n = 2
		c.Broadcast()
		mu.Unlock()
	}, func() {
		mu.Lock()
		if n == 0 {
			c.Wait()
			got = n
		}
		mu.Unlock()
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: WGAdd WGWait
func TestWaitGroup(t *testing.T) {
	var a, b sync.WaitGroup
	var n atomic.Int32
	a.Add(1)
	b.Add(1)
	got := int32(0)
	go func() { a.Done(); n.Store(1); b.Done() }()
	a.Wait()
	got = n.Load()
	b.Wait()
	tell(t, got)
}

// outcomes: 1 2; hooks: OnceDo OnceDone
func TestOnce(t *testing.T) {
	var once sync.Once
	n := 0
	beside(func() { once.Do(func() { n = 1 }) }, func() { once.Do(func() { n = 2 }) })
	tell(t, n)
}

// outcomes: 0 1; hooks: MapOp
func TestSyncMapLoad(t *testing.T) {
	var m sync.Map
	got := 0
	beside(func() { m.Store(1, 1) }, func() {
		if v, ok := m.Load(1); ok {
			got = v.(int)
		}
	})
	tell(t, got)
}

// outcomes: 1 2; hooks: MapOp
func TestSyncMapLoadOrStore(t *testing.T) {
	var m sync.Map
	beside(func() { m.LoadOrStore(1, 1) }, func() { m.LoadOrStore(1, 2) })
	v, _ := m.Load(1)
	tell(t, v)
}

// outcomes: 0 1; hooks: MapOp
func TestSyncMapRange(t *testing.T) {
	var m sync.Map
	got := 0
	beside(func() { m.Store(1, 1) }, func() { m.Range(func(_, _ any) bool { got++; return true }) })
	tell(t, got)
}

// outcomes: 1 2; hooks: MapOp
func TestSyncMapRangeDeletes(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	m.Store(2, 2)
	got := 0
	started, once := make(chan bool), sync.Once{}
	beside(func() { <-started; m.Delete(1); m.Delete(2) }, func() {
		m.Range(func(_, _ any) bool {
			got++
			once.Do(func() { started <- true })
			return true
		})
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MapOp
func TestSyncMapDelete(t *testing.T) {
	var m sync.Map
	got := 0
	beside(func() { m.Store(1, 1) }, func() {
		if _, ok := m.LoadAndDelete(1); ok {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: MapOp
func TestSyncMapSwap(t *testing.T) {
	var m sync.Map
	m.Store(1, 0)
	var got any
	beside(func() { m.CompareAndSwap(1, 0, 1) }, func() { got, _ = m.Swap(1, 2) })
	tell(t, got)
}

// outcomes: 0 1; hooks: PoolGet PoolPut
func TestPool(t *testing.T) {
	p := sync.Pool{New: func() any { return 0 }}
	var got any
	beside(func() { p.Put(1) }, func() { got = p.Get() })
	tell(t, got)
}

// outcomes: 0 1; hooks: AtomicBegin AtomicEnd
func TestAtomicLoad(t *testing.T) {
	var x atomic.Int32
	got := int32(0)
	beside(func() { x.Store(1) }, func() { got = x.Load() })
	tell(t, got)
}

// outcomes: 0 1; hooks: AtomicBegin AtomicEnd
func TestAtomicFunction(t *testing.T) {
	x, got := new(int64), int64(0)
	beside(func() { atomic.StoreInt64(x, 1) }, func() { got = atomic.SwapInt64(x, 2) })
	tell(t, got)
}

// outcomes: 0 1 2 3; hooks: AtomicUpdated Unused AtomicUnused
func TestAtomicSum(t *testing.T) {
	var x atomic.Int32
	got := int32(0)
	beside(func() {
		beside(func() { x.Add(1) }, func() { _ = x.Add(2) })
	}, func() { got = x.Load() })
	tell(t, got)
}

// outcomes: 1 2; hooks: AtomicUpdated Unused AtomicUnused
func TestAtomicOperators(t *testing.T) {
	x := new(uint32)
	beside(func() { atomic.AddUint32(x, 1) }, func() { atomic.OrUint32(x, 1) })
	tell(t, *x)
}

// outcomes: 0 1 2 3; hooks: Unused Dropped
func TestAtomicSumLater(t *testing.T) {
	var x atomic.Int64
	got := int64(0)
	beside(func() {
		beside(func() { defer x.Add(1) }, func() { defer x.Add(2) })
	}, func() { got = x.Load() })
	tell(t, got)
}

// outcomes: 1 2; hooks: AtomicUpdated
func TestAtomicSumUsed(t *testing.T) {
	var x atomic.Int64
	got := int64(0)
	beside(func() { x.Add(1) }, func() { got = x.Add(1) })
	tell(t, got)
}

// outcomes: 0 1; hooks: AtomicCompared
func TestAtomicCompareAndSwap(t *testing.T) {
	var x atomic.Int32
	got := 0
	beside(func() { x.Add(1) }, func() {
		if x.CompareAndSwap(1, 2) {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: AtomicBegin
func TestAtomicValue(t *testing.T) {
	var x atomic.Value
	x.Store(0)
	var got any
	beside(func() { x.Store(1) }, func() { got = x.Load() })
	tell(t, got)
}

// outcomes: 0 1; hooks: AtomicBegin
func TestAtomicPointer(t *testing.T) {
	var x atomic.Pointer[int]
	one, got := 1, 0
	beside(func() { x.Store(&one) }, func() {
		if p := x.Load(); p != nil {
			got = *p
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Sleep
func TestSleep(t *testing.T) {
	var x atomic.Int32
	got := int32(0)
	go func() { time.Sleep(time.Second); x.Store(1) }()
	time.Sleep(time.Second)
	got = x.Load()
	tell(t, got)
}

// outcomes: 0 1; hooks: TimerStart TimerStop
func TestTimerStop(t *testing.T) {
	got := 0
	tm := time.AfterFunc(time.Second, func() {})
	beside(func() { tm.Stop() }, func() {
		if tm.Stop() {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: TimerReset
func TestTimerReset(t *testing.T) {
	got := 0
	tm := time.AfterFunc(time.Hour, func() {})
	beside(func() { tm.Stop() }, func() {
		if tm.Reset(time.Hour) {
			got = 1
		}
	})
	tm.Stop()
	tell(t, got)
}

// outcomes: 0 1; hooks: Now TimeNow Nanotime
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	got := 0
	beside(func() { cancel() }, func() {
		if ctx.Err() != nil {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: Draw Uint32n
func TestDraw(t *testing.T) {
	tell(t, rand.IntN(2))
}

// outcomes: 0 1; hooks: File
func TestFile(t *testing.T) {
	name, got := t.TempDir()+"/f", 0
	beside(func() { os.WriteFile(name, []byte("x"), 0o666) }, func() {
		if _, err := os.Stat(name); err == nil {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; sampled; hooks: UseFileState
func TestFilePlace(t *testing.T) {
	name, got := t.TempDir()+"/f", [2][1]byte{}
	os.WriteFile(name, []byte("01"), 0o666)
	f, _ := os.Open(name)
	defer f.Close()
	beside(func() { f.Read(got[0][:]) }, func() { f.Read(got[1][:]) })
	tell(t, int(got[0][0]-'0'))
}

// outcomes: 0 1; hooks: File
func TestFileRename(t *testing.T) {
	name, got := t.TempDir()+"/f", 0
	os.WriteFile(name, nil, 0o666)
	beside(func() { os.Rename(name, name+".old") }, func() {
		if _, err := os.ReadFile(name); err != nil {
			got = 1
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: NewPull Called Ended Switched
func TestPull(t *testing.T) {
	x, got := &cell{}, 0
	next, stop := iter.Pull(func(yield func(int) bool) { yield(x.n) })
	beside(func() { x.n = 1 }, func() { got, _ = next() })
	stop()
	tell(t, got)
}

// outcomes: 0 1; hooks: ChanOp ChanSelect
func TestReflectChan(t *testing.T) {
	c, got := make(chan int, 1), 0
	v := reflect.ValueOf(c)
	beside(func() { c <- 1 }, func() {
		if x, ok := v.TryRecv(); ok {
			got = int(x.Int())
		}
	})
	tell(t, got)
}

// outcomes: 0 1; hooks: ChanLen
func TestReflectLen(t *testing.T) {
	c, got := make(chan int, 1), 0
	v := reflect.ValueOf(c)
	beside(func() { c <- 1 }, func() { got = v.Len() })
	tell(t, got)
}

// outcomes: 0 1; hooks: Read
func TestReflectNew(t *testing.T) {
	p := reflect.New(reflect.TypeFor[int]()).Interface().(*int)
	got := 0
	beside(func() { *p = 1 }, func() { got = *p })
	tell(t, got)
}

// outcomes: 0 1; hooks: Read
func TestReflectSlice(t *testing.T) {
	s := reflect.MakeSlice(reflect.TypeFor[[]int](), 1, 1).Interface().([]int)
	got := 0
	beside(func() { s[0] = 1 }, func() { got = s[0] })
	tell(t, got)
}

// outcomes: 1 2; hooks: Write
func TestSort(t *testing.T) {
	s := []int{2, 1}
	got := 0
	beside(func() { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }, func() { got = s[0] })
	tell(t, got)
}

// outcomes: 0 1; hooks: Read
func TestClone(t *testing.T) {
	s := strings.Split("\x00,b", ",")
	got := ""
	beside(func() { s[0] = "\x01" }, func() { got = s[0] })
	tell(t, got[0])
}

// Objects wherever they are made have names that executions agree on, with all memory visible too.

type nested struct {
	in [2]struct{ cells []atomic.Int32 }
}

// outcomes: 0 1; hooks: MadeSlice
func TestNested(t *testing.T) {
	var x nested
	x.in[1].cells = make([]atomic.Int32, 2)
	got := int32(0)
	beside(func() { x.in[1].cells[1].Store(1) }, func() { got = x.in[1].cells[1].Load() })
	tell(t, got)
}

// outcomes: 0 1 2; hooks: Again
func TestArray(t *testing.T) {
	var a [3]atomic.Int32
	var wg sync.WaitGroup
	for i := 1; i < 3; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); a[i].Store(a[i-1].Load() + 1) }()
	}
	i := 2
	for a[i].Load() != 0 {
		i--
	}
	wg.Wait()
	tell(t, i)
}

var global [2]struct{ n atomic.Int32 }

// outcomes: 0 1; hooks: AtomicBegin
func TestGlobal(t *testing.T) {
	got := int32(0)
	beside(func() { global[1].n.Store(1) }, func() { got = global[1].n.Load() })
	tell(t, got)
}

// outcomes: 0 1; hooks: Add
func TestGrown(t *testing.T) {
	var s []*atomic.Int32
	var plain []int
	for i := range 3 {
		s = append(s, new(atomic.Int32))
		plain = append(plain, i)
	}
	got := int32(0)
	beside(func() { plain[2] = 1; s[2].Store(1) }, func() { got = s[2].Load() })
	tell(t, got)
}

// outcomes: 0 1; hooks: New
func TestElided(t *testing.T) {
	m := map[string]*cell{"a": {n: 0}, "b": {n: 3}}
	got := 0
	beside(func() { m["a"].n = 1 }, func() { got = m["a"].n })
	tell(t, got)
}

func made[T any](n int) []*T {
	var out []*T
	for range n {
		out = append(out, new(T))
	}
	return out
}

// outcomes: 0 1; hooks: New
func TestGeneric(t *testing.T) {
	s, got := made[cell](3), 0
	beside(func() { s[2].n = 1 }, func() { got = s[2].n })
	tell(t, got)
}

// outcomes: 0 1; hooks: Var
func TestStructCopy(t *testing.T) {
	a := cell{n: 0}
	b := a
	p, got := &b, 0
	beside(func() { p.n = 1 }, func() { got = b.n })
	tell(t, got)
}

// outcomes: 0 1; hooks: Var
func TestSwitchVariable(t *testing.T) {
	got := 0
	switch x := new(cell); x.n {
	default:
		beside(func() { x.n = 1 }, func() { got = x.n })
	}
	tell(t, got)
}

// outcomes: 0 2; hooks: Again
func TestManyClosures(t *testing.T) {
	var fs []func() int
	for i, j := 0, 0; i < 2; i, j = i+1, j+1 {
		fs = append(fs, func() int { j++; return i + j })
	}
	got := 0
	beside(func() { got = fs[0]() - 1 }, func() { got = fs[1]() - 1 })
	tell(t, got)
}

// Methods with value receivers, called by way of what points to the value.

type valued struct{ n int }

func (v valued) get(n int) int { return v.n + n }

type getter interface{ get(n int) int }

func getOf[T getter](x T) int { return x.get(0) }

// outcomes: 0 1; hooks: Of Receiver ReceiverReads
func TestReceiver(t *testing.T) {
	x, got := &valued{}, 0
	var g getter = x
	beside(func() { x.n = 1 }, func() { got = g.get(0) })
	tell(t, got)
}

// outcomes: 0 1; hooks: OfAny ReceiverAny
func TestReceiverOfAny(t *testing.T) {
	x, got := &valued{}, 0
	beside(func() { x.n = 1 }, func() { got = getOf(x) })
	tell(t, got)
}

// outcomes: 0 1; hooks: Hold Then HoldReceiver FireReceiver
func TestReceiverAfterCall(t *testing.T) {
	x, got := &valued{}, 0
	var g getter = x
	f := func() int { return 0 }
	beside(func() { x.n = 1 }, func() { got = g.get(f()) })
	tell(t, got)
}

// What the standard library keeps for the process, or in what it gives out, and shows.

// outcomes: 0 1; hooks: StateIn StateNamed
func TestEnvironment(t *testing.T) {
	os.Unsetenv("HEDDLE_POINTS")
	got := 0
	beside(func() { os.Setenv("HEDDLE_POINTS", "x") }, func() { got = len(os.Getenv("HEDDLE_POINTS")) })
	tell(t, got)
}

// outcomes: 0 1; hooks: StateOf UseState
func TestLevel(t *testing.T) {
	var l slog.LevelVar
	got := slog.Level(0)
	beside(func() { l.Set(1) }, func() { got = l.Level() })
	tell(t, int(got))
}

// What a goroutine keeps from one iteration of a loop to the next.

// outcomes: 1 2; hooks: Begins Head LoopHead HI HB HF HS HN
func TestKept(t *testing.T) {
	c := make(chan int, 2)
	got := 0
	beside(func() { c <- 1 }, func() { c <- 2 })
	first, half, text := false, 0.0, ""
	var p *int
	for range 2 {
		v := <-c
		if half == 0 {
			first, half, text = v == 1, float64(v)/2, strings.Repeat("x", v)
		}
		got = got*10 + v
		p = nil
	}
	if first != (half == 0.5) || first != (text == "x") || p != nil {
		got = 0
	}
	tell(t, got/10)
}

// outcomes: 1 2; hooks: Remembers
func TestRemembers(t *testing.T) {
	c := make(chan int, 2)
	got := 0
	beside(func() { c <- 1 }, func() { c <- 2 })
	for v := range func(yield func(int) bool) {
		for i := 0; i < 2 && yield(<-c); i++ {
		}
	} {
		got = got*10 + v
	}
	tell(t, got/10)
}
