package observe

import (
	"context"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

type block = []*progen.Stmt

func op(o progen.Op) *progen.Stmt              { return &progen.Stmt{Op: o, Src: -1} }
func on(o progen.Op, obj int) *progen.Stmt     { return &progen.Stmt{Op: o, Obj: obj, Src: -1} }
func put(o progen.Op, obj, v int) *progen.Stmt { return &progen.Stmt{Op: o, Obj: obj, Val: v, Src: -1} }

// next is a.Store(r0 + 1).
func next(obj int) *progen.Stmt { return &progen.Stmt{Op: progen.Store, Obj: obj, Val: 1} }

// spawned starts n goroutines.
func spawned(n int, body func(i int) block, after ...*progen.Stmt) (b block) {
	for i := range n {
		b = append(b, &progen.Stmt{Op: progen.Go, Body: body(i)})
	}
	return append(b, after...)
}

// joined starts n goroutines and waits for them.
func joined(n int, body func(i int) block, after ...*progen.Stmt) block {
	b := block{put(progen.GroupAdd, 0, n)}
	b = append(b, spawned(n, func(i int) block { return append(body(i), op(progen.Done)) })...)
	return append(append(b, op(progen.Join)), after...)
}

// index is sigma of the observers literature: main increments an atomic and starts a goroutine, n
// times; each goroutine loads it and stores to another atomic, which goes by the value.
func index(n int) (b block) {
	for i := range n {
		body := block{on(progen.Load, 0)}
		for v := range n {
			body = append(body,
				&progen.Stmt{Op: progen.If, Val: v + 1, Body: block{put(progen.Store, v+1, 1)}})
		}
		b = append(b, put(progen.Store, 0, i+1), &progen.Stmt{Op: progen.Go, Body: body})
	}
	return b
}

// TestCounts compares the numbers of executions with those of dpor, which are published for most of
// these programs, and with the number of things that can be observed.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name    string
		p       progen.Program
		classes int // by dpor; 0: not counted
		want    int
	}{
		{"a load beside 7 stores", progen.Program{Atomics: 1, Body: spawned(7,
			func(i int) block { return block{put(progen.Store, 0, i+1)} }, on(progen.Load, 0))}, 40320, 8},
		{"the last of 7 stores", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block { return block{put(progen.Store, 0, i+1)} }, on(progen.Load, 0))}, 5040, 7},
		{"7 stores of one value", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(i int) block { return block{put(progen.Store, 0, 1)} }, on(progen.Load, 0))}, 5040, 1},
		{"load, then store load+1, 5 goroutines", progen.Program{Atomics: 1, Groups: 1, Body: joined(5,
			func(int) block { return block{on(progen.Load, 0), next(0)} }, on(progen.Load, 0))}, 14400, 21},
		{"7 Adds", progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
			func(int) block { return block{put(progen.Add, 0, 1)} }, on(progen.Load, 0))}, 5040, 37},
		{"an index and 6 goroutines", progen.Program{Atomics: 7, Body: index(6)}, 0, 16},
		{"6 critical sections on different variables", progen.Program{Vars: 6, Mutexes: 1, Groups: 1,
			Body: joined(6, func(i int) block {
				return block{op(progen.Lock), put(progen.Write, i, 1), op(progen.Unlock)}
			})}, 720, 1},
		{"6 critical sections on one variable, the last one shows", progen.Program{Vars: 1, Mutexes: 1,
			Groups: 1, Body: joined(6, func(i int) block {
				return block{op(progen.Lock), put(progen.Write, 0, i), op(progen.Unlock)}
			}, op(progen.Read))}, 720, 6},
		{"the first of 5 answers", progen.Program{Chans: []int{5}, Body: spawned(5,
			func(i int) block { return block{put(progen.Send, 0, i)} }, op(progen.Recv))}, 120, 5},
		{"reader and writers of a RWMutex", progen.Program{Vars: 1, RWs: 1, Groups: 1,
			Body: joined(4, func(i int) block {
				if i < 2 {
					return block{op(progen.RWLock), put(progen.Write, 0, i+1), op(progen.RWUnlock)}
				}
				return block{op(progen.RLock), op(progen.Read), op(progen.RUnlock)}
			})}, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Number()
			m := machine.New(&c.p)
			m.Sync = true
			if c.classes > 0 {
				r, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 0, nil)
				if err != nil || !r.Complete || r.Executions != c.classes {
					t.Errorf("dpor: %+v, %v; want %d executions", r, err, c.classes)
				}
			}
			s := New(Options{})
			r, err := explore.Run(context.Background(), s, m, 0, nil)
			if err != nil || !r.Complete || s.Why != "" || r.Executions != c.want {
				t.Errorf("observe: %+v (%s), %v; want %d executions", r, s.Why, err, c.want)
			}
			t.Logf("%d local states, %d states, %d passes", len(s.p.nodes), len(s.x.seen), s.x.passes)
		})
	}
}

// TestStates: beyond the bound on states dpor goes on, and has the executions so far.
func TestStates(t *testing.T) {
	p := &progen.Program{Atomics: 1, Groups: 1, Body: joined(4,
		func(int) block { return block{on(progen.Load, 0), next(0)} })}
	p.Number()
	m := machine.New(p)
	s := New(Options{States: 50})
	made := 0
	for schedule := s.Next(); schedule != nil; schedule = s.Next() {
		x, err := m.Execute(context.Background(), schedule)
		if err != nil {
			t.Fatal(err)
		}
		made++
		s.Done(x)
	}
	want, err := explore.Run(context.Background(), dpor.New(dpor.Options{}), m, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Result(); s.Successor() == nil || !r.Complete || r.Executions != want.Executions {
		t.Errorf("%+v after %q; dpor alone makes %d executions", r, s.Yields(), want.Executions)
	}
	if made > want.Executions+5 {
		t.Errorf("%d executions were made, dpor alone makes %d", made, want.Executions)
	}
}

// TestExpired: when the time is up the result says that not everything was explored.
func TestExpired(t *testing.T) {
	p := &progen.Program{Atomics: 1, Groups: 1, Body: joined(7,
		func(int) block { return block{on(progen.Load, 0), next(0)} })}
	p.Number()
	s := New(Options{Expired: func() bool { return true }})
	r, err := explore.Run(context.Background(), s, machine.New(p), 0, nil)
	if err != nil || r.Complete || r.Reason.None() {
		t.Errorf("%+v, %v; want a result that is not complete, with a reason", r, err)
	}
}
