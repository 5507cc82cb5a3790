package places

// A Value is a number, and if it depends on inputs, how.
type Value struct {
	n   int64
	sym *term
}

// An Input is a thread's n-th input; of thread -1 one that all threads see.
type Input struct{ Thread, N int }

// Inputs are values of inputs; those that are missing are 0.
type Inputs map[Input]int64

// A term is an expression over inputs.
type term struct {
	op    byte // 'i' input, 'c' constant, '+', '-', '*'
	a, b  *term
	input Input
	c     int64
}

// Const returns a value that depends on no input.
func Const(n int64) Value { return Value{n: n} }

// N returns the number that v is in this execution.
func (v Value) N() int64 { return v.n }

func (v Value) term() *term {
	if v.sym != nil {
		return v.sym
	}
	return &term{op: 'c', c: v.n}
}

// Op returns v op w, of "+", "-" and "*".
func (v Value) Op(op byte, w Value) Value {
	r := Value{n: apply(op, v.n, w.n)}
	if v.sym != nil || w.sym != nil {
		r.sym = &term{op: op, a: v.term(), b: w.term()}
	}
	return r
}

func apply(op byte, a, b int64) int64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	}
	return a * b
}

func (t *term) value(in Inputs) int64 {
	switch t.op {
	case 'i':
		return in[t.input]
	case 'c':
		return t.c
	}
	return apply(t.op, t.a.value(in), t.b.value(in))
}

func (t *term) inputs(f func(Input)) {
	switch t.op {
	case 'i':
		f(t.input)
	case 'c':
	default:
		t.a.inputs(f)
		t.b.inputs(f)
	}
}

// A Condition compares two values.
type Condition struct {
	Op   string // "=", "!=", "<", "<="
	A, B Value
}

// Holds reports whether the condition is true of some inputs.
func (c Condition) Holds(in Inputs) bool {
	a, b := c.A.term().value(in), c.B.term().value(in)
	switch c.Op {
	case "=":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	}
	panic("places: no such comparison: " + c.Op)
}

// A Constraint is a branch that was taken or not.
type Constraint struct {
	If    Condition
	Taken bool
}

// A Solver finds inputs with which all constraints hold; ok is false if there
// are none.
type Solver func(cs []Constraint) (in Inputs, ok bool)

// Among returns a solver that tries all inputs from least to most.
func Among(least, most int64) Solver {
	return func(cs []Constraint) (Inputs, bool) {
		in, names := Inputs{}, []Input(nil)
		note := func(i Input) {
			if _, ok := in[i]; !ok {
				in[i] = least
				names = append(names, i)
			}
		}
		for _, c := range cs {
			c.If.A.term().inputs(note)
			c.If.B.term().inputs(note)
		}
		for {
			if holdAll(cs, in) {
				return in, true
			}
			k := 0
			for ; k < len(names) && in[names[k]] == most; k++ {
				in[names[k]] = least
			}
			if k == len(names) {
				return nil, false
			}
			in[names[k]]++
		}
	}
}

func holdAll(cs []Constraint, in Inputs) bool {
	for _, c := range cs {
		if c.If.Holds(in) != c.Taken {
			return false
		}
	}
	return true
}
