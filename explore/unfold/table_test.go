package unfold

import (
	"context"
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// The programs of Table 2 as programs of package progen, whose goroutines main starts and does not wait for.

func started(p *progen.Program, bodies ...[]*progen.Stmt) *progen.Program {
	var body []*progen.Stmt
	for _, b := range bodies {
		body = append(body, &progen.Stmt{Op: progen.Go, Body: b})
	}
	p.Body = append(body, p.Body...)
	p.Number()
	return p
}

func dining(n int) *progen.Program {
	p := &progen.Program{Mutexes: n}
	var bodies [][]*progen.Stmt
	for i := range n {
		var b []*progen.Stmt
		for range 2 {
			for _, s := range []progen.Stmt{{Op: progen.Lock, Obj: i}, {Op: progen.Lock, Obj: (i + 1) % n}, {Op: progen.Unlock, Obj: (i + 1) % n}, {Op: progen.Unlock, Obj: i}} {
				b = append(b, &s)
			}
		}
		bodies = append(bodies, b)
	}
	return started(p, bodies...)
}

func pairs(n int) *progen.Program {
	p := &progen.Program{Atomics: n}
	var bodies [][]*progen.Stmt
	for i := range n {
		bodies = append(bodies, []*progen.Stmt{{Op: progen.Load, Obj: i}}, []*progen.Stmt{{Op: progen.Store, Obj: i, Val: 1, Src: -1}})
	}
	return started(p, bodies...)
}

// fib adds with registers: r0 += what is read.
func fib(n int) *progen.Program {
	p := &progen.Program{Atomics: 2}
	adder := func(own, other int) (b []*progen.Stmt) {
		for range n {
			b = append(b, &progen.Stmt{Op: progen.Load, Obj: own, Reg: 0}, &progen.Stmt{Op: progen.Load, Obj: other, Reg: 1}, &progen.Stmt{Op: progen.Store, Obj: own, Src: 1, Val: 1})
		}
		return b
	}
	p.Body = []*progen.Stmt{{Op: progen.Load, Obj: 0}, {Op: progen.Load, Obj: 1}}
	return started(p, adder(0, 1), adder(1, 0))
}

func sections(n, times int) *progen.Program {
	p := &progen.Program{Mutexes: 1, Atomics: 2}
	var bodies [][]*progen.Stmt
	for range n {
		var b []*progen.Stmt
		for range times {
			b = append(b, &progen.Stmt{Op: progen.Lock}, &progen.Stmt{Op: progen.Load, Obj: 0}, &progen.Stmt{Op: progen.Store, Obj: 0, Val: 1, Src: -1}, &progen.Stmt{Op: progen.Load, Obj: 1}, &progen.Stmt{Op: progen.Unlock})
		}
		bodies = append(bodies, b)
	}
	return started(p, bodies...)
}

// explored executes p by s and returns how many executions that took, and how many of them ended with somebody left.
func explored(t *testing.T, p *progen.Program, s interface {
	Next() *trace.Schedule
	Done(*trace.Trace)
}) (n, left int) {
	t.Helper()
	m := machine.New(p)
	for sc := s.Next(); sc != nil; sc = s.Next() {
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.Left) > 0 {
			left++
		}
		s.Done(tr)
		n++
	}
	return n, left
}

// Never more executions than optimal DPOR takes, far fewer where goroutines
// have little to do with each other; a deadlock is shown if there is one.
func TestTable2(t *testing.T) {
	for _, r := range []struct {
		name     string
		p        *progen.Program
		traces   int // by dpor
		most     int
		deadlock bool
	}{
		{"Pairs", pairs(10), 1024, 2, false},
		{"Fib, N = 2", fib(2), 140, 140, false},
		{"Fib, N = 3", fib(3), 1698, 1698, false},
		{"Dining, n = 3", dining(3), 106, 106, true},
		{"Dining 1", dining(4), 831, 831, true},
		{"Single lock, 3 threads", sections(3, 2), 90, 90, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			all, _ := explored(t, r.p, dpor.New(dpor.Options{}))
			s := New(Options{})
			n, left := explored(t, r.p, s)
			if res := s.Result(); s.Why != "" || !res.Complete {
				t.Fatalf("%s %s", s.Why, res.Reason)
			}
			if all != r.traces || n > r.most || (left > 0) != r.deadlock {
				t.Errorf("%d traces, %d executions, %d deadlocked; want %d, at most %d, a deadlock: %v", all, n, left, r.traces, r.most, r.deadlock)
			}
			t.Logf("%d executions, %d events; %d traces", n, s.Net().Events(), all)
		})
	}
}
