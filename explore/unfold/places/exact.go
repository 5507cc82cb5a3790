package places

import (
	"fmt"

	"heddle/order/sat"
	"heddle/symbolic"
)

// Exact returns a solver for all inputs of 64 bits, with sums and products that wrap around as in
// Go. If it takes too long the constraints count as solvable, by inputs that are 0, so that nothing
// reachable is cut. Equal questions are answered once (section 4.3).
func Exact() Solver {
	t := symbolic.NewTable()
	s := symbolic.NewSolver(t, symbolic.Options{})
	vars := map[Input]symbolic.Term{}
	return func(cs []Constraint) (Inputs, bool) {
		var terms []symbolic.Term
		for _, c := range cs {
			x := c.If.formula(t, vars)
			if !c.Taken {
				x = t.Negate(x)
			}
			terms = append(terms, x)
		}
		status, m, err := s.Solve(terms, nil)
		if err != nil {
			panic(err) // of a backend; there is none
		}
		in := Inputs{}
		for name, v := range vars {
			in[name] = int64(m[v])
		}
		return in, status != sat.Unsat
	}
}

// formula returns the condition as a term.
func (c Condition) formula(t *symbolic.Table, vars map[Input]symbolic.Term) symbolic.Term {
	a, b := c.A.term().formula(t, vars), c.B.term().formula(t, vars)
	switch c.Op {
	case "=":
		return t.Op(symbolic.Eq, a, b)
	case "!=":
		return t.Negate(t.Op(symbolic.Eq, a, b))
	case "<":
		return t.Op(symbolic.SLt, a, b)
	case "<=":
		return t.Negate(t.Op(symbolic.SLt, b, a))
	}
	panic("places: no such comparison: " + c.Op)
}

func (x *term) formula(t *symbolic.Table, vars map[Input]symbolic.Term) symbolic.Term {
	switch x.op {
	case 'i':
		v, ok := vars[x.input]
		if !ok {
			v = t.Var(fmt.Sprintf("thread %d, input %d", x.input.Thread, x.input.N), 64)
			vars[x.input] = v
		}
		return v
	case 'c':
		return t.Const(uint64(x.c), 64)
	}
	ops := map[byte]symbolic.Op{'+': symbolic.Add, '-': symbolic.Sub, '*': symbolic.Mul}
	return t.Op(ops[x.op], x.a.formula(t, vars), x.b.formula(t, vars))
}
