package unfold

import (
	"context"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"heddle/explore/dpor"
	"heddle/explore/unfold/net"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/order/sat"
	"heddle/symbolic"
	"heddle/trace"
)

// inputsOf are the inputs of m's program, all 0 at first.
func inputsOf(p *progen.Program) *symbolic.Inputs {
	t := symbolic.NewTable()
	zeros := make([]any, p.Inputs)
	for i := range zeros {
		zeros[i] = 0
	}
	return &symbolic.Inputs{Table: t, Solver: symbolic.NewSolver(t, symbolic.Options{}),
		Corpus: [][]any{zeros}}
}

// together explores inputs and schedules of m's program in one net.
func together(m *machine.Machine, s *Strategy) (*machine.Outcomes, int, error) {
	return togetherAhead(m, s, 0)
}

// togetherAhead is together with ahead schedules, and their inputs, asked for in advance and
// executed in their order.
func togetherAhead(m *machine.Machine, s *Strategy, ahead int) (*machine.Outcomes, int, error) {
	type planned struct {
		schedule trace.Schedule
		input    []any
	}
	o := machine.NewOutcomes()
	o.Watch(m)
	n := 0
	var later []planned
	for sc := s.Next(); sc != nil; sc = s.Next() {
		now := planned{*sc, s.Input()}
		if i := slices.IndexFunc(later, func(p planned) bool { return reflect.DeepEqual(p, now) }); i >= 0 {
			later = later[i+1:]
		} else if len(s.foreseen) > 0 {
			return o, n, fmt.Errorf("a schedule came that was not foreseen, before one that was")
		}
		foreseen := s.Foresee(ahead)
		for i, input := range s.ForeseenInputs() {
			later = append(later, planned{*foreseen[i], input})
		}
		if !reflect.DeepEqual(s.Input(), now.input) {
			return o, n, fmt.Errorf("to look ahead has changed the input")
		}
		setInputs(m, s.Input())
		t, err := m.Execute(context.Background(), sc)
		if err != nil {
			return o, n, err
		}
		if m.Restart() {
			return o, n, errPolled
		}
		o.Add(m)
		s.Done(t)
		n++
	}
	if len(s.promised) > 0 {
		return o, n, fmt.Errorf("an execution has not shown what it was to show")
	}
	if r := s.Result(); !r.Complete {
		return o, n, fmt.Errorf("%s", r.Reason)
	}
	return o, s.Result().Executions, nil
}

func setInputs(m *machine.Machine, values []any) {
	m.Inputs = m.Inputs[:0]
	for _, v := range values {
		m.Inputs = append(m.Inputs, v.(int))
	}
}

// everywhere executes every interleaving for every input of a small set, without reduction.
func everywhere(m *machine.Machine, p *progen.Program, most int) (*machine.Outcomes, error) {
	all := machine.NewOutcomes()
	all.Watch(m)
	defer func() { m.Local = nil }()
	values := 0
	for range p.Inputs {
		values = values*domain + domain - 1
	}
	for i := range values + 1 {
		m.Inputs = m.Inputs[:0]
		for k := i; len(m.Inputs) < p.Inputs; k /= domain {
			m.Inputs = append(m.Inputs, k%domain-domain+4)
		}
		o, _, err := m.Exhaust(true, most, nil)
		if err != nil {
			return nil, err
		}
		for k := range o.Panics {
			all.Panics[k]++
		}
		for k := range o.Left {
			all.Left[k]++
		}
	}
	return all, nil
}

const domain = 14 // -10 to 3

// oneAfterTheOther explores the schedules of one input after the other by dpor, inputs as a
// generational search finds them, and returns how many executions that takes.
func oneAfterTheOther(m *machine.Machine, in *symbolic.Inputs) int {
	queue := [][]any{in.Corpus[0]}
	known := map[string]bool{fmt.Sprint(in.Corpus[0]): true}
	asked := map[string]bool{}
	n := 0
	for len(queue) > 0 {
		values := queue[0]
		queue = queue[1:]
		setInputs(m, values)
		d := dpor.New(dpor.Options{Retries: true})
		for sc := d.Next(); sc != nil; sc = d.Next() {
			t, _ := m.Execute(context.Background(), sc)
			path := symbolic.PathOf(in.Table, t, 1000)
			for i := range path.Branches {
				cs := path.Conditions(in.Table, i)
				question := fmt.Sprint(cs)
				if asked[question] {
					continue
				}
				asked[question] = true
				status, model, _ := in.Solver.SolveLast(cs, in.Table.Near(values))
				if status != sat.Sat {
					continue
				}
				other := in.Table.Values(model, values)
				if key := fmt.Sprint(other); !known[key] {
					known[key] = true
					queue = append(queue, other)
				}
			}
			d.Done(t)
		}
		n += d.Result().Executions
	}
	return n
}

// Random programs with inputs. Local states, panics and goroutines left blocked are those of all
// inputs and all interleavings; the net is the same for every order of targets; and there are no
// more executions than in an exploration of one input after the other.
func TestRandomInputs(t *testing.T) { randomInputs(t, progen.Default, *seeds) }

// Timers, some of them started after branches.
func TestRandomInputsTimed(t *testing.T) {
	size := progen.Default
	size.Timed = true
	randomInputs(t, size, *seeds/2)
}

// Loops that poll, with branches in them.
func TestRandomInputsSpin(t *testing.T) {
	size := progen.Default
	size.Spin, size.Slow = true, true
	randomInputs(t, size, *seeds/2)
}

func randomInputs(t *testing.T, size progen.Size, n int) {
	size.Inputs = 2
	if testing.Short() {
		n = min(n, 100)
	}
	programs, sum, apart, beside, removed, surprises := 0, 0, 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(n) && !t.Failed(); seed++ {
		p := progen.Generate(seed, size)
		m := machine.New(p)
		m.Exprs = true
		want, err := everywhere(m, p, 200)
		if err != nil {
			continue
		}
		programs++
		most := oneAfterTheOther(m, inputsOf(p))
		var net []string
		for order := range 4 {
			o, ahead := Options{Inputs: inputsOf(p)}, 0
			switch order {
			case 1:
				o.Choose = rand.New(rand.NewSource(int64(seed))).Intn
			case 2:
				o.Choose = func(int) int { return 0 }
			case 3:
				ahead = 5
			}
			s := New(o)
			got, n, err := togetherAhead(m, s, ahead)
			m.Local = nil
			if ahead > 0 {
				beside += n
			} else {
				sum, apart = sum+n, apart+most
			}
			if err != nil {
				t.Fatalf("seed %d: %v (%s)\n%s", seed, err, s.Why, progen.Source(p))
			}
			same(t, "local state", want.Locals, got.Locals)
			same(t, "panic", want.Panics, got.Panics)
			same(t, "goroutine", want.Left, got.Left)
			if n > most && ahead == 0 {
				t.Errorf("%d executions, %d where one input is explored after the other", n, most)
			}
			if c := canonical(s); net == nil {
				net = c
			} else if !slices.Equal(c, net) {
				t.Errorf("%d events, %d in another order", len(c), len(net))
			}
			surprises += s.Surprise
			removed += o.Inputs.Removed
			if t.Failed() {
				t.Fatalf("seed %d, order %d:\n%s", seed, order, progen.Source(p))
			}
		}
	}
	if surprises > 0 {
		t.Errorf("%d events were not foreseen", surprises)
	}
	if 3*beside > sum+sum/50+60 {
		t.Errorf("%d executions with five targets at a time, %d with one", beside, sum/3)
	}
	t.Logf("%d programs, %d executions in three orders beside %d one after the other, %d with five targets at a time; %d targets that no input reaches",
		programs, sum, apart, beside, removed)
}

// shared returns the events of a net except starts of goroutines, by goroutine, operation and, for
// a branch, outcome.
func shared(s *Strategy) map[string][]net.Event {
	events := map[string][]net.Event{}
	for e := range net.Event(s.net.Len()) {
		c, _ := s.callAt(s.net.Arcs(e)[0].Cond())
		if !s.net.Shown(e) || c.op == trace.OpStart {
			continue
		}
		name := fmt.Sprint(s.tab.Name(c.proc), " ", c.op)
		if c.op == trace.OpBranch {
			name = fmt.Sprint(name, " ", s.net.Label(e) == taken)
		}
		events[name] = append(events[name], e)
	}
	return events
}

// pastOf returns the past of e with e, except starts of goroutines.
func pastOf(s *Strategy, e net.Event) (names []string) {
	s.find.Begin()
	s.find.Add(e)
	for name, es := range shared(s) {
		for _, e := range es {
			if s.find.Has(e) {
				names = append(names, name)
			}
		}
	}
	s.find.Begin()
	slices.Sort(names)
	return names
}

func exploredInputs(t *testing.T, p *progen.Program) (*Strategy, int) {
	t.Helper()
	s, _, n, err := exploreTogether(p)
	if err != nil {
		t.Fatal(err, s.Why)
	}
	return s, n
}

// exploreTogether explores inputs and schedules of a program in one net.
func exploreTogether(p *progen.Program) (s *Strategy, got *machine.Outcomes, n int, err error) {
	p.Number()
	m := machine.New(p)
	m.Exprs = true
	s = New(Options{Inputs: inputsOf(p)})
	got, n, err = together(m, s)
	m.Local = nil
	return s, got, n, err
}

// Fig. 1 with Fig. 7: past(9) is {5, 6, 7, 9}, and past(4) is {3, 4}. Of the eleven events of the
// figure two are one here: the write before the other thread has read, and after (package places
// has both).
func TestFigure7(t *testing.T) {
	s, _ := exploredInputs(t, &progen.Program{Vars: 1, Inputs: 2, Body: []*progen.Stmt{
		{Op: progen.Go, Body: []*progen.Stmt{
			{Op: progen.Take, Obj: 0, Val: 1, Reg: 0, Src: -1},
			{Op: progen.If, Reg: 0, Val: 5, Body: []*progen.Stmt{{Op: progen.Write, Obj: 0, Src: 0}},
				Else: []*progen.Stmt{{Op: progen.Read, Obj: 0, Reg: 1}}},
		}},
		{Op: progen.Go, Body: []*progen.Stmt{
			{Op: progen.Read, Obj: 0, Reg: 0},
			{Op: progen.Take, Obj: 1, Src: 0, Reg: 1},
			{Op: progen.If, Reg: 1, Val: 7},
		}},
	}})
	events := shared(s)
	n := 0
	for _, es := range events {
		n += len(es)
	}
	if n != 10 {
		t.Errorf("%d events: %v", n, events)
	}
	written := []string{"main/1 branch true", "main/1 write", "main/2 branch true", "main/2 read"}
	read := []string{"main/2 branch true", "main/2 read"}
	var pasts [][]string
	for _, e := range events["main/2 branch true"] {
		pasts = append(pasts, pastOf(s, e))
	}
	for _, want := range [][]string{written, read} {
		if !slices.ContainsFunc(pasts, func(p []string) bool { return slices.Equal(p, want) }) {
			t.Errorf("no branch has the past %v: %v", want, pasts)
		}
	}
}

// Example 2 with Fig. 9: three executions. Its seven events are six here: the write is one, whether
// it comes after one read or after both.
func TestFigure9(t *testing.T) {
	s, n := exploredInputs(t, &progen.Program{Vars: 1, Inputs: 1, Body: []*progen.Stmt{
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Read, Obj: 0, Reg: 0},
			{Op: progen.If, Reg: 0, Val: 1}}},
		{Op: progen.Go, Body: []*progen.Stmt{
			{Op: progen.Read, Obj: 0, Reg: 0}, {Op: progen.Take, Obj: 0, Reg: 1, Src: -1},
			{Op: progen.If, Reg: 0, Val: 0, Body: []*progen.Stmt{{Op: progen.Write, Obj: 0, Src: 1}}},
		}},
	}})
	events := 0
	for _, es := range shared(s) {
		events += len(es)
	}
	if events != 6 || n != 3 {
		t.Errorf("%d events and %d executions, want 6 and 3: %v", events, n, shared(s))
	}
}

// Section 4.3: the orders of two writes whose branches contradict each other are removed without an
// execution.
func TestContradiction(t *testing.T) {
	write := func(v int) []*progen.Stmt { return []*progen.Stmt{{Op: progen.Write, Obj: 0, Val: v, Src: -1}} }
	s, n := exploredInputs(t, &progen.Program{Vars: 1, Inputs: 1, Body: []*progen.Stmt{
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Take, Obj: 0, Reg: 0, Src: -1},
			{Op: progen.If, Reg: 0, Val: 2, Body: write(1)}}},
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Take, Obj: 0, Reg: 0, Src: -1},
			{Op: progen.If, Reg: 0, Val: 2, Else: write(2)}}},
	}})
	events := 0
	for _, es := range shared(s) {
		events += len(es)
	}
	if n != 2 || events != 6 || s.opt.Inputs.Removed != 2 {
		t.Errorf("%d executions, %d events, %d targets removed, want 2, 6 and 2", n, events,
			s.opt.Inputs.Removed)
	}
}

// take, ifIs and nested are statements of the programs below.
func take(val int) *progen.Stmt {
	return &progen.Stmt{Op: progen.Take, Val: val, Reg: 0, Src: -1}
}

func ifIs(val int, body ...*progen.Stmt) *progen.Stmt {
	return &progen.Stmt{Op: progen.If, Reg: 0, Val: val, Body: body}
}

func nested(op progen.Op, obj int, body ...*progen.Stmt) *progen.Stmt {
	return &progen.Stmt{Op: op, Obj: obj, Src: -1, Val: 1, Reg: 1, Body: body}
}

// A goroutine is started after a branch of which no execution has shown the outcome that the
// target's input gives. So the number of goroutines started there, and the number of that
// goroutine, are unknown. The branch is shown first.
func TestStartedAfterBranch(t *testing.T) {
	p := &progen.Program{Vars: 2, Inputs: 1, Body: []*progen.Stmt{
		nested(progen.Go, 0, nested(progen.Write, 0), take(0), ifIs(1,
			nested(progen.Go, 0, nested(progen.Write, 1)))),
		nested(progen.Go, 0, nested(progen.Read, 0), &progen.Stmt{Op: progen.If, Reg: 1, Val: 1,
			Body: []*progen.Stmt{
				nested(progen.Go, 0, take(0), ifIs(1, nested(progen.Read, 1))),
			}}),
	}}
	p.Number()
	m := machine.New(p)
	m.Exprs = true
	want, err := everywhere(m, p, 1000)
	if err != nil {
		t.Fatal(err)
	}
	waited := 0
	for seed := range 20 {
		rng := rand.New(rand.NewSource(int64(seed)))
		s := New(Options{Inputs: inputsOf(p), Choose: func(n int) int {
			if seed == 0 {
				return n - 1
			}
			return rng.Intn(n)
		}})
		got, _, err := together(m, s)
		m.Local = nil
		if err != nil {
			t.Fatal(err, s.Why)
		}
		same(t, "local state", want.Locals, got.Locals)
		waited += s.inputs.waited
	}
	if waited == 0 {
		t.Error("no target has waited for a branch")
	}
}

// Two goroutines lock two mutexes in opposite orders, each for some inputs: that is a deadlock if
// one input makes both.
func TestOppositeLocks(t *testing.T) {
	locks := func(val, first, second int) *progen.Stmt {
		return nested(progen.Go, 0, take(0), nested(progen.Lock, first),
			ifIs(val, nested(progen.Lock, second), nested(progen.Unlock, second)),
			nested(progen.Unlock, first))
	}
	for _, c := range []struct{ one, two, left int }{{1, 2, 0}, {2, 2, 2}} {
		p := &progen.Program{Mutexes: 2, Inputs: 1, Body: []*progen.Stmt{locks(c.one, 0, 1),
			locks(c.two, 1, 0)}}
		s, got, _, err := exploreTogether(p)
		if err != nil || len(got.Left) != c.left {
			t.Errorf("inputs %d and %d: %d goroutines are left waiting, want %d: %v (%v, %s)", c.one, c.two,
				len(got.Left), c.left, got.Left, err, s.Why)
		}
	}
}

// Timers that are started after a branch belong to it: for one input a second passes before a value
// is written, and a function that a timer starts reads it.
func TestTimerAfterBranch(t *testing.T) {
	p := &progen.Program{Vars: 1, Inputs: 1, Body: []*progen.Stmt{
		nested(progen.Go, 0, take(0), ifIs(2, &progen.Stmt{Op: progen.After, Val: 10,
			Body: []*progen.Stmt{nested(progen.Read, 0)}}), &progen.Stmt{Op: progen.Sleep, Val: 20},
			nested(progen.Write, 0)),
		nested(progen.Go, 0, take(0), ifIs(3, &progen.Stmt{Op: progen.Sleep, Val: 40}),
			nested(progen.Read, 0)),
	}}
	agrees(t, p)
}

// A loop polls, with branches on the input in an iteration. A write by another goroutine during the
// iteration lets it continue without waiting.
func TestBranchInLoop(t *testing.T) {
	reread := &progen.Stmt{Op: progen.Reread, Reg: 1, Body: []*progen.Stmt{{Op: progen.Peek}}}
	p := &progen.Program{Atomics: 1, Inputs: 2, Body: []*progen.Stmt{
		nested(progen.Go, 0, take(0), &progen.Stmt{Op: progen.Store, Src: 0},
			&progen.Stmt{Op: progen.Take, Obj: 1, Reg: 0, Src: -1}, &progen.Stmt{Op: progen.Store, Src: 0}),
		nested(progen.Go, 0, reread, &progen.Stmt{Op: progen.If, Reg: 1, Val: 2,
			Body: []*progen.Stmt{nested(progen.Load, 0)}}),
	}}
	s := agrees(t, p)
	after := 0
	for e := range net.Event(s.net.Len()) {
		if c, _ := s.callAt(s.net.Arcs(e)[0].Cond()); c.op == trace.OpAwait && s.net.Shown(e) &&
			s.branches(s.net.By(s.net.Arcs(e)[0].Cond())) {
			after++
		}
	}
	if after == 0 {
		t.Error("no loop goes on after a branch")
	}
}

// The usual loop around a CompareAndSwap, which repeats if another goroutine was faster. The
// compared value depends on the input.
func TestRetry(t *testing.T) {
	p := &progen.Program{Atomics: 1, Inputs: 2, Body: []*progen.Stmt{
		nested(progen.Go, 0, take(0), &progen.Stmt{Op: progen.Store, Src: 0},
			&progen.Stmt{Op: progen.Fetch, Reg: 1}),
		nested(progen.Go, 0, &progen.Stmt{Op: progen.Take, Obj: 1, Reg: 0, Src: -1},
			&progen.Stmt{Op: progen.Store, Src: 0}, &progen.Stmt{Op: progen.Fetch, Reg: 1}),
	}}
	s := agrees(t, p)
	if len(s.inputs.swaps) == 0 {
		t.Error("whether a value is swapped is up to no input")
	}
}

// agrees explores p in one net, and compares with all inputs and interleavings.
func agrees(t *testing.T, p *progen.Program) *Strategy {
	t.Helper()
	p.Number()
	m := machine.New(p)
	m.Exprs = true
	want, err := everywhere(m, p, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	s, got, n, err := exploreTogether(p)
	if err != nil {
		t.Fatal(err, s.Why)
	}
	same(t, "local state", want.Locals, got.Locals)
	same(t, "panic", want.Panics, got.Panics)
	same(t, "goroutine", want.Left, got.Left)
	if most := oneAfterTheOther(m, inputsOf(p)); n > most || s.Surprise > 0 {
		t.Errorf("%d executions, %d where one input is explored after the other; %d events not foreseen", n,
			most, s.Surprise)
	}
	return s
}
