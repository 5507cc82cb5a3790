package dpor

import (
	"runtime"
	"testing"

	"heddle/trace"
)

// times repeats statements.
func times(n int, body ...stmt) (b []stmt) {
	for range n {
		b = append(b, body...)
	}
	return b
}

// started is a program whose main starts the other bodies, in order, and then does its own.
func started(caps []int, main []stmt, bodies ...[]stmt) *program {
	p := &program{caps: caps, bodies: [][]stmt{nil}}
	for i, b := range bodies {
		p.bodies[0] = append(p.bodies[0], stmt{op: "go", obj: i + 1})
		p.bodies = append(p.bodies, b)
	}
	p.bodies[0] = append(p.bodies[0], main...)
	return p
}

// fib is Fib of Kähkönen et al.: each of two goroutines reads its own variable, the other's, and
// writes its own; main reads both.
func fib(n int) *program {
	read := func(k int) stmt { return stmt{op: "load", obj: k} }
	return started([]int{0, 0, 0}, []stmt{read(0), read(1)},
		times(n, read(0), read(1), stmt{op: "store", obj: 0}),
		times(n, read(1), read(0), stmt{op: "store", obj: 1}))
}

// philosophers take the left fork and then the right one; those that the world has are three.
func philosophers() *program {
	var bodies [][]stmt
	for i := range objects {
		l, r := i, (i+1)%objects
		bodies = append(bodies, []stmt{{op: "lock", obj: l}, {op: "lock", obj: r}, {op: "unlock", obj: l},
			{op: "unlock", obj: r}})
	}
	return started([]int{0, 0, 0}, nil, bodies...)
}

func joined(n int) *program {
	body := []stmt{{op: "lock"}, {op: "incr"}, {op: "unlock"}, {op: "add", arg: -1}}
	p := started([]int{0, 0, 0}, []stmt{{op: "wait"}, {op: "read"}}, make([][]stmt, n)...)
	p.bodies[0] = append([]stmt{{op: "add", arg: n}}, p.bodies[0]...)
	for i := 1; i <= n; i++ {
		p.bodies[i] = body
	}
	return p
}

// Programs whose numbers of traces are known: from papers, or counted.
func TestKnownCounts(t *testing.T) {
	send, recv, write := stmt{op: "send"}, stmt{op: "recv"}, stmt{op: "write"}
	for _, c := range []struct {
		name string
		p    *program
		want int
	}{
		{"one writer, two readers", started([]int{0, 0, 0}, nil, []stmt{write}, []stmt{{op: "read"}},
			[]stmt{{op: "read"}}), 4},
		{"four critical sections, joined", joined(4), 24},
		{"two senders and two receivers, two values each, capacity 2",
			started([]int{2, 0, 0}, nil, times(2, send), times(2, send), times(2, recv), times(2, recv)), 36},
		{"three philosophers", philosophers(), 7},
		{"fib 2", fib(2), 140},
		{"fib 3", fib(3), 1698},
	} {
		var w *world
		got, res, err := explored(newExecutor(c.p.main(&w)), new(Strategy),
			func(tr *trace.Trace) string { return w.outcome(tr) }, 10000)
		if err != nil || len(got) != c.want || res.Executions != c.want || !res.Complete {
			t.Errorf("%s: %d classes by %d executions (%v), complete %v; want %d", c.name, len(got),
				res.Executions, err, res.Complete, c.want)
		}
	}
}

// TestFib4 also looks at what a search needs and says while it runs: its memory
// does not grow, and its estimate is of the right order of magnitude.
func TestFib4(t *testing.T) {
	if testing.Short() {
		t.Skip("19,605 executions")
	}
	const want = 19605
	var w *world
	x, s := newExecutor(fib(4).main(&w)), New(Options{})
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	n, before := 0, 0
	for sc := s.Next(); sc != nil; sc = s.Next() {
		s.Done(x.run(sc, x.first))
		switch n++; n {
		case 2000:
			before = heap()
		case 18000:
			if grown := heap() - before; grown > 100_000 {
				t.Errorf("%d bytes more in use after 16,000 more executions", grown)
			}
		}
		if n%2000 == 0 {
			e := s.Result().Estimate
			t.Logf("after %d executions: about %.0f", n, e)
			if e < want/10 || e > want*10 {
				t.Errorf("estimate after %d of %d executions: %.0f", n, want, e)
			}
		}
	}
	if r := s.Result(); n != want || !r.Complete || r.Estimate != want || s.redundant > 0 || s.restarts > 0 {
		t.Errorf("%d executions, %+v, %d redundant; want %d", n, r, s.redundant, want)
	}
}

// TestEstimate says how good the estimate is as a search goes on: it begins low, since what is to
// be inserted into the nodes near the root shows late.
func TestEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("25,000 executions")
	}
	send, recv := stmt{op: "send"}, stmt{op: "recv"}
	for _, c := range []struct {
		name string
		p    *program
	}{
		{"fib 4", fib(4)},
		{"seven critical sections, joined", joined(7)},
		{"two senders and two receivers, three values each, capacity 2",
			started([]int{2, 0, 0}, nil, times(3, send), times(3, send), times(3, recv), times(3, recv))},
	} {
		var w *world
		var estimates []float64
		x, s := newExecutor(c.p.main(&w)), New(Options{})
		for sc := s.Next(); sc != nil; sc = s.Next() {
			s.Done(x.run(sc, x.first))
			estimates = append(estimates, s.Result().Estimate)
		}
		n := len(estimates)
		for _, at := range []struct{ part, low, high float64 }{{0.01, 0.03, 2}, {0.1, 0.15, 2},
			{0.25, 0.3, 2}, {0.5, 0.5, 2}, {0.9, 0.7, 1.5}} {
			e := estimates[int(at.part*float64(n))] / float64(n)
			t.Logf("%s: after %g %% of %d executions the estimate is %.2f of them", c.name, 100*at.part, n, e)
			if e < at.low || e > at.high {
				t.Errorf("%s: the estimate after %g %% is %.2f of the truth, want %g to %g", c.name,
					100*at.part, e, at.low, at.high)
			}
		}
	}
}
