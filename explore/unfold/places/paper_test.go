package places

import (
	"slices"
	"testing"
)

// labels numbers events in the order in which executions showed them, as the
// paper does.
type labels struct {
	x     *Explorer
	of    map[event]int
	event map[int]event
}

func label(x *Explorer) *labels { return &labels{x, map[event]int{}, map[int]event{}} }

// seed executes threads in this order, and labels what is new.
func (l *labels) seed(t *testing.T, in Inputs, path ...int) {
	t.Helper()
	e, ok := l.x.p.Run(path, in, len(path), nil)
	if !ok || len(e.Operations) != len(path) {
		t.Fatalf("%v cannot be executed", path)
	}
	if err := l.x.Seed(e); err != nil {
		t.Fatal(err)
	}
	l.read(e)
}

func (l *labels) read(e *Execution) {
	n := l.x.net
	marking := append([]cond(nil), n.initial...)
	for i := range e.Operations {
		pre, _ := n.preset(nil, &e.Operations[i], marking)
		f := n.find(&e.Operations[i], pre)
		if l.of[f] == 0 {
			l.of[f] = len(l.of) + 1
			l.event[l.of[f]] = f
		}
		n.fire(f, marking)
	}
}

// past returns the labels of the past of an event.
func (l *labels) past(i int) (past []int) {
	for _, e := range l.x.net.past(l.event[i]) {
		past = append(past, l.of[e])
	}
	slices.Sort(past)
	return past
}

// figure1 is the program of Fig. 1, rebuilt from what the text says of its operations.
func figure1() *Program {
	return &Program{Vars: 1, Threads: []func(*Thread){
		func(t *Thread) {
			a := t.Input().Op('+', Const(1))
			if t.Is(a, "=", Const(5)) {
				t.Write(0, a)
			} else {
				t.Read(0)
			}
		},
		func(t *Thread) {
			c := t.Input()
			t.Is(c.Op('+', t.Read(0)), "=", Const(7))
		},
	}}
}

// Fig. 7, and Example 3: past(9) is {5,6,7,9}, past(4) is {3,4}; the executions
// that cover 9 and 4 do the operations of these, and satisfy their constraints.
func TestFigure7(t *testing.T) {
	x := New(figure1())
	l := label(x)
	one, two := Input{0, 0}, Input{1, 0}
	l.seed(t, Inputs{}, 0, 0, 1, 1)
	l.seed(t, Inputs{one: 4}, 0, 0, 1, 1)
	l.seed(t, Inputs{one: 4, two: 2}, 0, 0, 1, 1)
	if got := l.past(9); !slices.Equal(got, []int{5, 6, 7, 9}) {
		t.Errorf("past(9) = %v", got)
	}
	if got := l.past(4); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("past(4) = %v", got)
	}
	n := x.net
	past := n.past(l.event[9])
	if got := n.path(past); !slices.Equal(got, []int{0, 0, 1, 1}) {
		t.Errorf("the path to 9 is %v", got)
	}
	in, ok := Among(-8, 8)(n.constraints(past))
	if !ok || in[one] != 4 || in[two] != 2 {
		t.Errorf("the inputs for 9 are %v", in)
	}
	if got := n.path(n.past(l.event[4])); !slices.Equal(got, []int{1, 1}) {
		t.Errorf("the path to 4 is %v", got)
	}
	// 4 is reached by (3,5,4) too, but not once 6 was executed: 3 and 6 are not concurrent.
	n.cut.begin()
	if !n.cut.addEvent(l.event[4]) || !n.cut.addEvent(l.event[5]) {
		t.Error("4 and 5 are in conflict")
	}
	if n.cut.addEvent(l.event[6]) {
		t.Error("3 and 6 are not in conflict")
	}
	s, err := x.Run()
	if err != nil || s.Events != 11 {
		t.Errorf("%d events (%v), want 11", s.Events, err)
	}
	compare(t, figure1(), -1, 8)
}

// figure9 is the program of Fig. 9 as Example 2 tells it.
func figure9(failed *bool) *Program {
	return &Program{Vars: 1, Threads: []func(*Thread){
		func(t *Thread) {
			if a := t.Read(0); t.Is(Const(0), "<", a) {
				*failed = true
			}
		},
		func(t *Thread) {
			if b := t.Read(0); t.Is(b, "=", Const(0)) {
				t.Write(0, t.Input())
			}
		},
	}}
}

// Example 2: seven events, three executions, and an input greater than 0 that
// reaches the error; and the extensions known after each step.
func TestExample2(t *testing.T) {
	for name, solve := range map[string]Solver{"among": nil, "exact": Exact()} {
		t.Run(name, func(t *testing.T) { example2(t, solve) })
	}
}

func example2(t *testing.T, solve Solver) {
	failed := false
	x := New(figure9(&failed))
	x.Solve = solve
	l := label(x)
	l.seed(t, Inputs{}, 0, 1, 1)
	if len(l.of) != 3 {
		t.Fatalf("%d events after the first execution", len(l.of))
	}
	n := x.net
	var open []event
	for _, e := range x.extensions {
		if !n.events[e].shown {
			open = append(open, e)
		}
	}
	if len(open) != 1 || n.events[open[0]].op.Kind != Write || !slices.Equal(n.path(n.past(open[0])),
		[]int{1, 1}) {
		t.Fatalf("after the first execution %d extensions are known", len(open))
	}
	x.Each = func(e *Execution) {
		if failed && e.Operations[1].Value.N() <= 0 {
			t.Errorf("the error was reached with input %d", e.Operations[1].Value.N())
		}
	}
	s, err := x.Run()
	if err != nil || s.Events != 7 || s.Tests != 2 || !failed { // two beside the first
		t.Errorf("%+v, error reached: %v (%v)", s, failed, err)
	}
}

// Example 4: b is not adjacent to a, since 1 or 2 is fired first and leads to a set of the same
// places; b and c are, and c and a.
func TestExample4(t *testing.T) {
	failed := false
	x := New(figure9(&failed))
	l := label(x)
	l.seed(t, Inputs{}, 0, 1)
	n := x.net
	one, two := &n.events[l.event[1]], &n.events[l.event[2]]
	a, b, c := []cond{one.post[1], two.post[1]}, []cond{one.pre[1], two.pre[1]},
		[]cond{one.post[1], two.pre[1]}
	adjacent := func(s, r []cond) (found bool) {
		n.adjacent(s, func(y []cond) { found = found || slices.Equal(y, r) })
		return found
	}
	for _, p := range []struct {
		name string
		s, r []cond
		want bool
	}{{"b to a", b, a, false}, {"a to b", a, b, false}, {"b to c", b, c, true}, {"c to b", c, b, true},
		{"c to a", c, a, true}, {"a to c", a, c, true}} {
		if adjacent(p.s, p.r) != p.want {
			t.Errorf("%s: adjacent is %v", p.name, !p.want)
		}
	}
}

// Examples 5 and 8 (Fig. 13, rebuilt): a lock event with two unlocks, since what
// is read between them depends on the order. Their lock conditions are
// alternatives; that of another lock event is none.
func TestExamples5And8(t *testing.T) {
	p := &Program{Vars: 1, Locks: 1, Threads: []func(*Thread){
		func(t *Thread) { t.Lock(0); t.Read(0); t.Unlock(0) },
		func(t *Thread) { t.Write(0, Const(1)) },
		func(t *Thread) { t.Lock(0); t.Unlock(0) },
	}}
	x := New(p)
	l := label(x)
	l.seed(t, nil, 0, 0, 0)    // 1 lock, 2 read, 3 unlock
	l.seed(t, nil, 0, 1, 0, 0) // 4 write, 5 read, 6 unlock
	l.seed(t, nil, 2, 2)       // 7 lock, 8 unlock
	n := x.net
	l0 := n.events[l.event[1]].pre[1]
	last := func(i int) cond { p := n.events[l.event[i]].post; return p[len(p)-1] }
	l1, l2, l3 := last(3), last(6), last(8)
	near := func(c cond) (cs []cond) {
		n.nextFree(c, func(d cond) { cs = append(cs, d) })
		slices.Sort(cs)
		return slices.Compact(cs)
	}
	want := []cond{l0, l1}
	slices.Sort(want)
	if got := near(l2); !slices.Equal(got, want) {
		t.Errorf("next to l2 are %v, want l0 and l1: %v", got, want)
	}
	if got := near(l3); !slices.Equal(got, []cond{l0}) {
		t.Errorf("next to l3 are %v, want l0: %v", got, l0)
	}
	// The thread that wants the lock at l0 can take it at l1 and l2, too.
	for _, c := range []cond{l0, l1, l2} {
		found := false
		for _, e := range n.conds[c].post {
			found = found || n.events[e].op.Thread == 2
		}
		if !found {
			t.Errorf("thread 2 cannot take the lock at %d", c)
		}
	}
}

// Example 6 (Fig. 14, rebuilt): a read whose variable was written twice before. From the set in the
// marking the search goes back over adjacent ones, as far as they are concurrent.
func TestExample6(t *testing.T) {
	p := &Program{Vars: 1, Threads: []func(*Thread){
		func(t *Thread) { t.Write(0, Const(1)); t.Write(0, Const(2)) },
		func(t *Thread) { t.Read(0) },
	}}
	x := New(p)
	l := label(x)
	l.seed(t, nil, 0, 0, 1)
	reads := 0
	for i := range x.net.events {
		if x.net.events[i].op.Kind == Read {
			reads++
		}
	}
	if reads != 3 {
		t.Errorf("%d reads are shown or known, want 3: before, between and after the writes", reads)
	}
}

// Example 7 (Fig. 16, rebuilt): when W1 is added, W2 and R3, which could come
// before it, are extensions after it as well.
func TestExample7(t *testing.T) {
	p := &Program{Vars: 1, Threads: []func(*Thread){
		func(t *Thread) { t.Write(0, Const(1)) },
		func(t *Thread) { t.Write(0, Const(2)) },
		func(t *Thread) { t.Read(0) },
	}}
	x := New(p)
	l := label(x)
	l.seed(t, nil, 0)
	n := x.net
	w1 := &n.events[l.event[1]]
	t2, t3 := n.initial[1], n.initial[2]
	if n.find(n.conds[t2].next, append([]cond{t2}, w1.post[1:]...)) == none {
		t.Error("the write of thread 2 after W1 is not known")
	}
	if n.find(n.conds[t3].next, []cond{t3, w1.post[3]}) == none {
		t.Error("the read of thread 3 after W1 is not known")
	}
}

// Section 4.3: x = 1 and x = 2 are concurrent in the net, but the branches
// before them contradict each other: their orders are cut without an execution.
func TestContradictoryBranches(t *testing.T) {
	for name, solve := range map[string]Solver{"among": nil, "exact": Exact()} {
		t.Run(name, func(t *testing.T) { contradictoryBranches(t, solve) })
	}
}

func contradictoryBranches(t *testing.T, solve Solver) {
	p := &Program{Vars: 1, Threads: []func(*Thread){
		func(t *Thread) {
			if t.Is(t.Global(0), "=", Const(2)) {
				t.Write(0, Const(1))
			}
		},
		func(t *Thread) {
			if t.Is(t.Global(0), "!=", Const(2)) {
				t.Write(0, Const(2))
			}
		},
	}}
	x := New(p)
	x.Solve = solve
	x.Each = func(e *Execution) {
		writes := 0
		for i := range e.Operations {
			if e.Operations[i].Kind == Write {
				writes++
			}
		}
		if writes != 1 {
			t.Errorf("an execution with %d writes", writes)
		}
	}
	s, err := x.Run()
	if err != nil || s.Tests != 2 || s.Cut != 2 || s.Events != 6 {
		t.Errorf("%+v (%v), want 2 tests, 2 targets cut, 6 events", s, err)
	}
}

// Fig. 12: with pending extensions preferred, pairs take two executions whatever their number.
func TestFigure12(t *testing.T) {
	for n := 1; n <= 20; n++ {
		x := New(pairs(n))
		x.Several = true
		if s, err := x.Run(); err != nil || s.Tests != 2 || s.Events != 4*n {
			t.Errorf("%d pairs: %+v (%v)", n, s, err)
		}
	}
}

// Figs. 2 and 3: how the first execution went makes no difference. Beside them
// the program that jCUTE missed executions of (section 6.1).
func TestOrderOfFirstExecution(t *testing.T) {
	both := func(t *Thread) { t.Read(0); t.Write(1, Const(1)) }
	for _, c := range []struct {
		name          string
		p             *Program
		tests, traces int
	}{
		{"Fig. 2", &Program{Vars: 2, Threads: []func(*Thread){both, both}}, 2, 2},
		{"one writer, two readers", &Program{Vars: 1, Threads: []func(*Thread){
			func(t *Thread) { t.Write(0, Const(1)) }, func(t *Thread) { t.Read(0) },
			func(t *Thread) { t.Read(0) },
		}}, 4, 4},
	} {
		for first := range len(c.p.Threads) {
			x := New(c.p)
			x.Free = func(able []int) int { return max(0, slices.Index(able, first)) }
			s, err := x.Run()
			all, _ := traces(x.net)
			if err != nil || s.Tests > c.tests || all != c.traces {
				t.Errorf("%s, thread %d first: %+v, %d traces (%v)", c.name, first, s, all, err)
			}
		}
	}
}
