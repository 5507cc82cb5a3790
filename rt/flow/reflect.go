package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Reflection. A reflect.Value has no label: what it refers to has one, in its memory. A value that
// is given to reflect.ValueOf, or that an interface holds, gets memory of its own for that.

// A Referred is what a reflect.Value refers to.
type Referred struct {
	P    unsafe.Pointer // nil: it holds a pointer itself
	N    uintptr        // the size
	K    trace.Num      // of a number
	Kind ReferredKind
	Len  int // of texts and slices
}

// A ReferredKind is of what kind it is.
type ReferredKind uint8

const (
	ReferredNothing ReferredKind = iota // an invalid one
	ReferredNumber
	ReferredText
	ReferredSlice
	ReferredInterface
	ReferredParts // a struct or an array
	ReferredOther
)

// Refers returns what v, a reflect.Value or a pointer to one, refers to. Unshare lets the one at v
// refer to a copy, which is as good, and returns where that is; nil if it cannot. They are set by
// rt/sched.
var (
	Refers  func(v any) Referred
	Unshare func(v unsafe.Pointer) (p unsafe.Pointer, n uintptr)
)

// referred takes what c keeps, and returns what it refers to and the label of that.
func (c *Call) referred(at hook.Site) (r Referred, l Label) {
	held, ls := c.held, c.ls
	c.held, c.ls = nil, nil
	if !Exprs || !here() || len(held) != 1 || len(ls) != 1 {
		return r, 0
	}
	if ls[0] != 0 {
		noteLost(at)
	}
	return refers(held[0], at)
}

func refers(v any, at hook.Site) (r Referred, l Label) {
	g := hook.Cur
	hook.Cur = 0
	r = Refers(v)
	hook.Cur = g
	if r.P != nil {
		if l = LabelAt(r.P, r.N); marked(l) {
			noteLost(at)
			l = 0
		}
	}
	return r, l
}

// marked reports whether l, of some memory, has the label of an atomic.Value in it: see held.
func marked(l Label) bool {
	if l == 0 || l == trace.Everything {
		return false
	}
	for _, p := range partsOf(l) {
		if marked(p.l) {
			return true
		}
	}
	return F.Nodes[l].Op == trace.FlowConst
}

// Inner returns x, the number of kind k, text, or interface that a reflect.Value holds.
func Inner[T any](x T, k trace.Num, c *Call, at hook.Site, to *Slot) T {
	to.l = 0
	r, l := c.referred(at)
	switch {
	case l == 0:
	case k == 0 && (r.Kind == ReferredText || r.Kind == ReferredSlice || !isText(x)):
		to.l = l
	case k != 0 && r.K != 0:
		to.l = Conv(l, k)
	}
	return x
}

func isText(x any) bool {
	_, ok := x.(string)
	return ok
}

// InnerLen returns n, the length of what a reflect.Value refers to.
func InnerLen(n int, _ trace.Num, c *Call, at hook.Site, to *Slot) int {
	to.l = 0
	if r, l := c.referred(at); l != 0 && (r.Kind == ReferredText || r.Kind == ReferredSlice) {
		var v Val
		v.text(n, l, 0, at)
		to.l = Len(v.l)
	}
	return n
}

// Inside returns v, a reflect.Value made of another one: a field, an element, or what a pointer or
// an interface leads to. l is the label of the arguments.
func Inside[V any](v V, l Label, c *Call, at hook.Site) V {
	r, own := c.referred(at)
	if l != 0 && Exprs && here() {
		noteLost(at)
	}
	switch {
	case own == 0 || r.Kind == ReferredParts:
	case r.Kind == ReferredInterface:
		unshare(unsafe.Pointer(&v), own, at)
	case r.Kind == ReferredSlice: // which elements there are
		var s Val
		s.text(r.Len, own, 0, at)
		s.fix(at)
	default:
		noteLost(at)
	}
	return v
}

// Boxed returns v, a reflect.Value made of what c keeps.
func Boxed[V any](v V, _ Label, c *Call, at hook.Site) V {
	ls := c.ls
	c.held, c.ls = nil, nil
	if Exprs && here() && len(ls) == 1 && ls[0] != 0 {
		unshare(unsafe.Pointer(&v), ls[0], at)
	}
	return v
}

func unshare(v unsafe.Pointer, l Label, at hook.Site) {
	g := hook.Cur
	hook.Cur = 0
	p, n := Unshare(noescape(v))
	hook.Cur = g
	if p == nil {
		noteLost(at)
		return
	}
	SetBytes(p, n, l)
}

// Puts returns x, with the label l, which the call puts where a reflect.Value refers to. Back sets
// the label there, as what writes it takes labels away.
func Puts[T any](x T, l Label, k trace.Num, c *Call, at hook.Site) T {
	r, _ := c.referred(at)
	if k != 0 && r.K != 0 {
		l = Conv(l, r.K)
	}
	c.puts, c.put, c.putL = true, r, l
	return x
}

// PutsValue is Puts for another reflect.Value.
func PutsValue[V any](x V, l Label, _ trace.Num, c *Call, at hook.Site) V {
	r, _ := c.referred(at)
	if l != 0 && Exprs && here() {
		noteLost(at)
	}
	l = 0
	if r.P != nil {
		_, l = refers(x, at)
	}
	c.puts, c.put, c.putL = true, r, l
	return x
}

// written ends what Puts began.
func (c *Call) written() {
	r := c.put
	c.puts, c.put = false, Referred{}
	if r.P != nil && Exprs {
		SetBytes(r.P, r.N, c.putL)
	}
}
