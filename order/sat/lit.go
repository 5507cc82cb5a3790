package sat

// A Var is a propositional variable, from 0.
type Var int32

// A Lit is a variable or its negation.
type Lit int32

// None is no literal.
const None Lit = -1

// Pos returns the literal that is true when v is.
func (v Var) Pos() Lit { return Lit(v) << 1 }

// Neg returns the literal that is true when v is not.
func (v Var) Neg() Lit { return Lit(v)<<1 | 1 }

// Not returns the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

// Var returns the variable of l.
func (l Lit) Var() Var { return Var(l >> 1) }

// Negative reports whether l is the negation of its variable.
func (l Lit) Negative() bool { return l&1 == 1 }

// A Status is the answer to a question.
type Status int8

const (
	Unknown Status = iota // stopped before there was an answer
	Sat
	Unsat
)

func (s Status) String() string {
	return [...]string{"unknown", "satisfiable", "unsatisfiable"}[s]
}
