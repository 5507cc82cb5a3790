package unfold

import (
	"context"
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/internal/progen/table2"
	"heddle/trace"
)

// explored executes p by s and returns the number of executions, and how many of them left a
// goroutine blocked.
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
		{"Pairs", table2.Pairs(10), 1024, 2, false},
		{"Fib, N = 2", table2.Fib(2), 140, 140, false},
		{"Fib, N = 3", table2.Fib(3), 1698, 1698, false},
		{"Dining, n = 3", table2.Dining(3, 2), 106, 106, true},
		{"Filesystem 1", table2.Filesystem(16), 8, 3, false},
		{"Dining 1", table2.Dining(4, 2), 831, 831, true},
		{"Single lock, 3 threads", table2.Sections([2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}), 90, 90, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			all, _ := explored(t, r.p, dpor.New(dpor.Options{}))
			s := New(Options{})
			n, left := explored(t, r.p, s)
			if res := s.Result(); s.Why != "" || !res.Complete {
				t.Fatalf("%s %s", s.Why, res.Reason)
			}
			if all != r.traces || n > r.most || (left > 0) != r.deadlock {
				t.Errorf("%d traces, %d executions, %d deadlocked; want %d, at most %d, a deadlock: %v",
					all, n, left, r.traces, r.most, r.deadlock)
			}
			t.Logf("%d executions, %d events; %d traces", n, s.Net().Events(), all)
		})
	}
}

// An exploration with 5,736 executions: five philosophers, each of which eats twice.
func BenchmarkDining2(b *testing.B) {
	for b.Loop() {
		explored(&testing.T{}, table2.Dining(5, 2), New(Options{}))
	}
}
