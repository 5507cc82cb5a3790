package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Whether arrays, structs and interfaces are equal is one expression: that all parts are.

// A Pair is a part of two values that are compared: two numbers, two texts, or, if K is 0 and Text
// is not set, two others of which it is only known that they are equal or not.
type Pair struct {
	K      trace.Num
	X, Y   uint64
	S, T   string
	LX, LY Label
	Text   bool
	Equal  bool
}

// Pairs lists the parts of x and y, with the labels lx and ly, that are compared by ==. ok is false
// if one with a label is neither a number nor a text. It is set by rt/sched.
var Pairs func(x, y any, lx, ly Label) (ls []Pair, ok bool)

// Side keeps x, one side of a comparison, with the label l.
func Side[T any](x T, l Label, c *Call) T {
	if Exprs && here() {
		c.held, c.ls = append(c.held, x), append(c.ls, l)
	}
	return x
}

// Same returns the label of whether the two sides that c keeps are equal.
func Same(c *Call, at hook.Site) Label {
	held, ls := c.held, c.ls
	c.held, c.ls = nil, nil
	if !Exprs || !here() || len(held) != 2 || len(ls) != 2 {
		return 0
	}
	return same2(held[0], held[1], ls[0], ls[1], at)
}

// Tag keeps x, with the label l, which the cases of a switch are compared with.
func Tag[T any](x T, l Label, c *Call) T {
	if Exprs && here() {
		c.held, c.ls = append(c.held[:0], x), append(c.ls[:0], l)
	}
	return x
}

// CaseOf is a case of such a switch: whether it is equal is a branch.
func CaseOf[T any](x T, l Label, c *Call, at hook.Site) T {
	if Exprs && here() && len(c.held) == 1 {
		if is := same2(c.held[0], x, c.ls[0], l, at); is != 0 {
			condition(values[is] == 1, is, at)
		}
	}
	return x
}

// same2 returns the label of x == y, where x and y have the labels lx and ly.
func same2(x, y any, lx, ly Label, at hook.Site) Label {
	if lx == 0 && ly == 0 && !reaches(x, false) && !reaches(y, false) {
		return 0
	}
	g := hook.Cur
	hook.Cur = 0
	pairs, ok := Pairs(x, y, lx, ly)
	hook.Cur = g
	if !ok {
		noteLost(at)
		return 0
	}
	all := conjunct{v: 1}
	for i := range pairs {
		all.pair(&pairs[i], at)
	}
	return all.label()
}

// pair adds that the two of l are equal.
func (c *conjunct) pair(l *Pair, at hook.Site) {
	switch {
	case l.Text:
		var s, t Val
		Str(l.S, l.LX, 0, &s, at)
		Str(l.T, l.LY, 0, &t, at)
		c.and(Texts(trace.FlowEq, &s, &t, at), truth(l.S == l.T))
	case l.K != 0:
		var x, y Val
		x.set(l.X, l.LX, l.K)
		y.set(l.Y, l.LY, l.K)
		c.and(two(trace.FlowEq, trace.Bool, &x, &y), Apply(trace.FlowEq, x.k, y.k, x.v, y.v))
	default:
		c.and(0, truth(l.Equal))
	}
}
