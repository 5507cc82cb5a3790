package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Whether arrays, structs and interfaces are equal is one expression: that all parts are.

// A Pair is a part of two values that are compared: two numbers, two texts, two slices of X and Y
// elements, whose lengths must be what they are (Fixed), or two others of which it is only known
// that they are equal or not. Of texts that are Fixed the lengths must be what they are, too.
type Pair struct {
	K      trace.Num
	X, Y   uint64
	S, T   string
	LX, LY Label
	Text   bool
	Fixed  bool
	Equal  bool
}

// Pairs lists the parts of x and y, with the labels lx and ly, that are compared by ==, or by
// reflect.DeepEqual. ok is false if one with a label is neither a number nor a text. It is set by
// rt/sched.
var Pairs func(x, y any, lx, ly Label, deep bool) (ls []Pair, ok bool)

// LabelAt returns the label of n bytes at p.
func LabelAt(p unsafe.Pointer, n uintptr) Label {
	if n == 0 {
		return 0
	}
	return memory.get(place(p), n)
}

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
	return same2(held[0], held[1], ls[0], ls[1], false, at)
}

// Deep is told r, whether the two sides that c keeps are deeply equal, as reflect.DeepEqual has it,
// and sets its label. That a slice has the length that it has is a branch: whether it is nil may go
// with that.
func Deep(r bool, c *Call, at hook.Site, to *Slot) bool {
	held, ls := c.held, c.ls
	c.held, c.ls, to.l = nil, nil, 0
	if !Exprs || !here() {
		return r
	}
	if len(held) != 2 || len(ls) != 2 {
		noteLost(at)
		return r
	}
	if to.l = same2(held[0], held[1], ls[0], ls[1], true, at); to.l != 0 && values[to.l] != truth(r) {
		noteLost(at)
		to.l = 0
	}
	return r
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
		if is := same2(c.held[0], x, c.ls[0], l, false, at); is != 0 {
			condition(values[is] == 1, is, at)
		}
	}
	return x
}

// same2 returns the label of x == y, or of reflect.DeepEqual, where x and y have the labels lx and
// ly.
func same2(x, y any, lx, ly Label, deep bool, at hook.Site) Label {
	if lx == 0 && ly == 0 && !reaches(x, deep) && !reaches(y, deep) {
		return 0
	}
	g := hook.Cur
	hook.Cur = 0
	pairs, ok := Pairs(x, y, lx, ly, deep)
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
		if l.Fixed {
			s.fix(at)
			t.fix(at)
		}
		c.and(Texts(trace.FlowEq, &s, &t, at), truth(l.S == l.T))
	case l.Fixed:
		var s, t Val
		s.text(int(l.X), l.LX, 0, at)
		t.text(int(l.Y), l.LY, 0, at)
		s.fix(at)
		t.fix(at)
		c.and(0, truth(l.X == l.Y))
	case l.K != 0:
		var x, y Val
		x.set(l.X, l.LX, l.K)
		y.set(l.Y, l.LY, l.K)
		c.and(two(trace.FlowEq, trace.Bool, &x, &y), Apply(trace.FlowEq, x.k, y.k, x.v, y.v))
	default:
		c.and(0, truth(l.Equal))
	}
}
