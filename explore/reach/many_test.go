package reach

import (
	"context"
	"runtime"
	"testing"

	"heddle/rt/sched"
)

// fib is program B1 of Kähkönen et al.: main reads without waiting. The two
// variables lie in one word.
func fib(n int) func() {
	v := new([2]atomicInt)
	return func() {
		*v = [2]atomicInt{}
		for k := range 2 {
			spawn(func() {
				for range n {
					a := v[k].Load()
					v[k].Store(a + v[1-k].Load())
				}
			})
		}
		v[0].Load()
		v[1].Load()
	}
}

// readers is a write that races with n reads: 2^n histories, and sequences.
func readers(n int) func() {
	x := new(atomicInt)
	return func() {
		*x = atomicInt{}
		for range n {
			spawn(func() { x.Load() })
		}
		spawn(func() { x.Store(1) })
	}
}

func TestFib(t *testing.T) {
	for n, want := range map[int]int{2: 140, 3: 1698, 4: 19605} {
		if testing.Short() && n == 4 {
			continue
		}
		if st := count(t, Options{}, fib(n), nil); st.Sequences != want || st.Partial > 0 {
			t.Errorf("fib %d: %+v, want %d sequences", n, st, want)
		}
	}
}

func TestManyReaders(t *testing.T) {
	for n := range 13 {
		if st := count(t, Options{}, readers(n), nil); st.Sequences != 1<<n || st.Partial > 0 {
			t.Errorf("a writer and %d readers: %+v, want %d sequences", n, st, 1<<n)
		}
	}
}

// A sequence with 2^90 extensions costs no more to keep than its events, and
// the next is found at once.
func TestRacesTakeNoMemory(t *testing.T) {
	sched.S.SetPolled(nil)
	s, x := New(Options{}), &executor{main: readers(90)}
	before := 0
	for n := range 2000 {
		sch := s.Next()
		if sch == nil {
			t.Fatal("no schedule")
		}
		tr, err := x.Execute(context.Background(), sch)
		if err != nil {
			t.Fatal(err)
		}
		s.Done(tr)
		switch n {
		case 200:
			before = heap()
		case 1999:
			if grown := heap() - before; grown > 1_000_000 {
				t.Errorf("%d bytes more in use after 1,800 more executions, %d sequences on the stack", grown,
					len(s.stack))
			}
		}
	}
	if r := s.Result(); !r.Reason.None() || r.Estimate < 1e9 {
		t.Errorf("%+v", r)
	}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The estimate is of the right order of magnitude from early on, and exact in the end.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		name string
		want float64
		main func()
	}{{"fib 3", 1698, fib(3)}, {"fib 4", 19605, fib(4)}, {"readers 12", 4096, readers(12)},
		{"philosophers 9", 511, philosophers(9)}} {
		sched.S.SetPolled(nil)
		s, x := New(Options{}), &executor{main: c.main}
		n := 0
		for sch := s.Next(); sch != nil; sch = s.Next() {
			tr, err := x.Execute(context.Background(), sch)
			if err != nil {
				t.Fatal(err)
			}
			s.Done(tr)
			n++
			if e := s.Result().Estimate; n >= int(c.want)/8 && (e < c.want/10 || e > c.want*10) {
				t.Fatalf("%s, after %d of %.0f executions: about %.0f", c.name, n, c.want, e)
			}
		}
		if r := s.Result(); r.Estimate != c.want || !r.Complete {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
