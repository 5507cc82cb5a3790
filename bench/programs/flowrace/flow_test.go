package flowrace

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// The tests have races, so they run only if HEDDLE_BENCH is set.
func TestMain(m *testing.M) {
	if os.Getenv("HEDDLE_BENCH") == "" {
		fmt.Println("HEDDLE_BENCH is not set")
		return
	}
	m.Run()
}

type racy struct {
	mu   sync.Mutex
	data int
}

func three(a, b, c func()) {
	var wg sync.WaitGroup
	wg.Go(a)
	wg.Go(b)
	wg.Go(c)
	wg.Wait()
}

// noise makes many accesses that no branch depends on.
type noise struct {
	mu sync.Mutex
	n  int
}

func (n *noise) do(k int) {
	for range k {
		n.mu.Lock()
		n.n++
		n.mu.Unlock()
	}
}

func (r *racy) locked() { r.mu.Lock(); r.data++; r.mu.Unlock() }

// Through a map: the second goroutine reads a key that the first one sets. Only if it is 1, before
// the second set, data is used without the lock.
func TestMap(t *testing.T) {
	var mu sync.Mutex
	m := map[string]int{}
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		m["k"] = 1
		mu.Unlock()
		mu.Lock()
		m["k"] = 2
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		v := m["k"]
		mu.Unlock()
		if v == 1 {
			r.data++ // no lock
		}
	}, func() { z.do(6); r.locked() })
}

// Through a struct that is copied.
func TestStruct(t *testing.T) {
	type state struct{ a, b, c int }
	var mu sync.Mutex
	var s state
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		s.b = 1
		mu.Unlock()
		mu.Lock()
		s.b = 2
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		c := s
		mu.Unlock()
		d := c
		if d.b*10+d.a+d.c == 10 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through a closure's variable.
func TestClosure(t *testing.T) {
	var mu sync.Mutex
	x := 0
	f := func() int { return x + 1 }
	g := func(h func() int) func() bool { return func() bool { return h() == 2 } }
	cond := g(f)
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		x = 1
		mu.Unlock()
		mu.Lock()
		x = 2
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		ok := cond()
		mu.Unlock()
		if ok {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through a channel: the value sent depends on order.
func TestChannel(t *testing.T) {
	var mu sync.Mutex
	x := 0
	c := make(chan int, 1)
	var r racy
	var z noise
	var wg sync.WaitGroup
	wg.Go(func() {
		z.do(4)
		mu.Lock()
		x = 1
		mu.Unlock()
		mu.Lock()
		x = 2
		mu.Unlock()
	})
	wg.Go(func() {
		z.do(4)
		mu.Lock()
		v := x
		mu.Unlock()
		c <- v
	})
	wg.Go(func() {
		if v := <-c; v == 1 {
			r.data++
		}
	})
	wg.Go(func() { z.do(4); r.locked() })
	wg.Wait()
}

type shape interface{ kind() int }
type circle struct{ r int }
type square struct{ s int }

func (circle) kind() int { return 1 }
func (square) kind() int { return 2 }

// Through an interface: which dynamic type is stored decides.
func TestInterface(t *testing.T) {
	var mu sync.Mutex
	var sh shape
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		sh = circle{1}
		mu.Unlock()
		mu.Lock()
		sh = square{2}
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		s := sh
		mu.Unlock()
		if s != nil && s.kind() == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Type switch on it.
func TestTypeSwitch(t *testing.T) {
	var mu sync.Mutex
	var sh any
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		sh = circle{1}
		mu.Unlock()
		mu.Lock()
		sh = 7
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		s := sh
		mu.Unlock()
		switch s.(type) {
		case circle:
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through a slice index that depends on order (said not to be followed).
func TestIndex(t *testing.T) {
	var mu sync.Mutex
	i := 0
	table := []bool{false, true, false}
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		i = 1
		mu.Unlock()
		mu.Lock()
		i = 2
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		j := i
		mu.Unlock()
		if table[j] {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through a pointer that depends on order.
func TestPointer(t *testing.T) {
	var mu sync.Mutex
	one, two := 1, 2
	p := new(int)
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		p = &one
		mu.Unlock()
		mu.Lock()
		p = &two
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		q := p
		mu.Unlock()
		if *q == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through a function value that depends on order.
func TestFuncValue(t *testing.T) {
	var mu sync.Mutex
	f := func() bool { return false }
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		f = func() bool { return true }
		mu.Unlock()
		mu.Lock()
		f = func() bool { return false }
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		g := f
		mu.Unlock()
		if g() {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through an atomic and a CompareAndSwap's result.
func TestCAS(t *testing.T) {
	var x atomic.Int32
	var r racy
	var z noise
	three(func() {
		z.do(6)
		x.Store(1)
		x.Store(2)
	}, func() {
		z.do(6)
		if x.CompareAndSwap(1, 5) {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through sync.Map.
func TestSyncMap(t *testing.T) {
	var m sync.Map
	var r racy
	var z noise
	three(func() {
		z.do(6)
		m.Store("k", 1)
		m.Store("k", 2)
	}, func() {
		z.do(6)
		if v, ok := m.Load("k"); ok && v.(int) == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Through the length of a channel and select's default.
func TestSelectDefault(t *testing.T) {
	c := make(chan int, 2)
	var r racy
	var z noise
	three(func() {
		z.do(6)
		c <- 1
		c <- 2
	}, func() {
		z.do(6)
		if len(c) == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// Two steps of data flow, control dependence: y is set under a branch on x, not computed from it.
func TestControl(t *testing.T) {
	var mu sync.Mutex
	x, y := 0, 0
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		x = 1
		mu.Unlock()
		mu.Lock()
		x = 2
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		if x == 1 {
			y = 1
		}
		mu.Unlock()
		mu.Lock()
		v := y
		mu.Unlock()
		if v == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}

// A string built up through strings and len.
func TestString(t *testing.T) {
	var mu sync.Mutex
	s := ""
	var r racy
	var z noise
	three(func() {
		z.do(6)
		mu.Lock()
		s += "a"
		mu.Unlock()
		mu.Lock()
		s += "b"
		mu.Unlock()
	}, func() {
		z.do(6)
		mu.Lock()
		l := len(s)
		mu.Unlock()
		if l == 1 {
			r.data++
		}
	}, func() { z.do(6); r.locked() })
}
