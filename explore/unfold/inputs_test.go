package unfold

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/order/sat"
	"heddle/symbolic"
)

// inputsOf are the inputs of m's program, all 0 at first.
func inputsOf(p *progen.Program) *Inputs {
	t := symbolic.NewTable()
	zeros := make([]any, p.Inputs)
	for i := range zeros {
		zeros[i] = 0
	}
	return &Inputs{Table: t, Solver: symbolic.NewSolver(t, symbolic.Options{}), Corpus: [][]any{zeros}}
}

// together explores inputs and schedules of m's program in one net.
func together(m *machine.Machine, s *Strategy) (*machine.Outcomes, int, error) {
	o := machine.NewOutcomes()
	o.Watch(m)
	n := 0
	for sc := s.Next(); sc != nil; sc = s.Next() {
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

// everywhere executes every interleaving for every input out of a few, without reduction. What inputs are compared with,
// and what is added to them, is small.
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

// oneAfterTheOther explores the schedules of one input after the other by dpor, inputs as a generational search
// finds them, and returns how many executions that takes.
func oneAfterTheOther(m *machine.Machine, in *Inputs) int {
	queue := [][]any{in.Corpus[0]}
	known := map[string]bool{fmt.Sprint(in.Corpus[0]): true}
	asked := map[string]bool{}
	n := 0
	for len(queue) > 0 {
		values := queue[0]
		queue = queue[1:]
		setInputs(m, values)
		d := dpor.New(dpor.Options{})
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

// Random programs with inputs: local states, panics and goroutines that are left waiting are those of all
// inputs with all interleavings; the net is the same whatever the order of targets; and no more executions are made than by
// exploring one input after the other.
func TestRandomInputs(t *testing.T) {
	size := progen.Default
	size.Inputs = 2
	if testing.Short() {
		*seeds = min(*seeds, 100)
	}
	programs, sum, apart, removed, surprises := 0, 0, 0, 0, 0
	for seed := *from; seed < *from+uint64(*seeds) && !t.Failed(); seed++ {
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
		for order := range 3 {
			o := Options{Inputs: inputsOf(p)}
			switch order {
			case 1:
				o.Choose = rand.New(rand.NewSource(int64(seed))).Intn
			case 2:
				o.Choose = func(int) int { return 0 }
			}
			s := New(o)
			got, n, err := together(m, s)
			m.Local = nil
			if err != nil {
				t.Fatalf("seed %d: %v (%s)\n%s", seed, err, s.Why, progen.Source(p))
			}
			same(t, "local state", want.Locals, got.Locals)
			same(t, "panic", want.Panics, got.Panics)
			same(t, "goroutine", want.Left, got.Left)
			if n > most {
				t.Errorf("%d executions, %d where one input is explored after the other", n, most)
			}
			if c := canonical(s); net == nil {
				net = c
			} else if !slices.Equal(c, net) {
				t.Errorf("%d events, %d in another order", len(c), len(net))
			}
			surprises += s.Surprise
			removed += o.Inputs.Removed
			sum, apart = sum+n, apart+most
			if t.Failed() {
				t.Fatalf("seed %d, order %d:\n%s", seed, order, progen.Source(p))
			}
		}
	}
	if surprises > 0 {
		t.Errorf("%d events were not foreseen", surprises)
	}
	t.Logf("%d programs, %d executions beside %d one after the other; %d targets that no input reaches", programs, sum, apart, removed)
}
