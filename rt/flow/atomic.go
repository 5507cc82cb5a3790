package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Atomics where labels are expressions: memory of theirs has labels by address like any other, and
// rt/sched says what an operation did to it. Whether a CompareAndSwap swaps is a branch.

// An AtomicOp is what an operation on an atomic does with its memory.
type AtomicOp uint8

const (
	AtomicLoad  AtomicOp = iota
	AtomicStore          // a
	AtomicSwap           // a, for what was there
	AtomicAdd            // a
	AtomicCAS            // b, if a is there
	AtomicAnd            // a, for what was there
	AtomicOr             // likewise
)

// anyValue is the kind of an atomic.Value.
const anyValue trace.Num = 0xfd

// held are the labels of what every atomic.Value holds. Its memory has one of a constant then: code
// that is not rewritten may look there.
var held = map[uintptr]Label{}

// Done is what the last operation on an atomic did; set by rt/sched.
type Done struct {
	P, N uintptr // its memory; N: 0 if there was no operation
	Site hook.Site
	Was  uint64 // what was there, if that is a number
	Is   uint64
	By   uint64 // the operand of And and Or
	Want uint64 // what a CompareAndSwap compared with
}

// anAtomic is an operation between OutAtomic and Back.
type anAtomic struct {
	on   bool
	op   AtomicOp
	k    trace.Num
	a, b Label // of the operands
}

// OutAtomic is Out for an operation on an atomic of the type k whose operands have the labels a and
// b.
func OutAtomic[T any](v T, c *Call, op AtomicOp, k trace.Num, a, b Label) T {
	if !Exprs {
		return Out(v, U(a, b), c)
	}
	Out(0, 0, c)
	c.atomic = anAtomic{c.on, op, k, a, b}
	if c.on {
		Running().Done = Done{}
	}
	return v
}

// did gives the memory of an atomic its label and returns that of what the operation returned.
func (x *anAtomic) did(d *Done) Label {
	if d.N == 0 {
		return drop(Any(x.a, x.b))
	}
	if x.k == anyValue {
		return x.didValue(d)
	}
	was, now := x.k.Mask(d.Was), x.k.Mask(d.Is)
	old := is(memory.get(d.P, d.N), x.k, was)
	switch x.op {
	case AtomicLoad:
		return is(old, x.k, now)
	case AtomicStore, AtomicSwap:
		memory.set(d.P, d.N, is(x.a, x.k, now))
		return old
	case AtomicAdd:
		by := x.k.Mask(now - was)
		sum := two(trace.FlowAdd, x.k, &Val{l: old, k: x.k, v: was}, &Val{l: is(x.a, x.k, by), k: x.k, v: by})
		memory.set(d.P, d.N, sum)
		return sum
	case AtomicCAS:
		want := x.k.Mask(d.Want)
		if c := two(trace.FlowEq, trace.Bool, &Val{l: old, k: x.k, v: was},
			&Val{l: is(x.a, x.k, want), k: x.k, v: want}); c != 0 {
			condition(was == want, c, d.Site)
		}
		if was == want {
			memory.set(d.P, d.N, is(x.b, x.k, now))
		}
		return 0
	}
	op, by := trace.FlowAnd, x.k.Mask(d.By)
	if x.op == AtomicOr {
		op = trace.FlowOr
	}
	mask := Val{l: is(x.a, x.k, by), k: x.k, v: by}
	memory.set(d.P, d.N, is(two(op, x.k, &Val{l: old, k: x.k, v: was}, &mask), x.k, now))
	return old
}

// didValue is did for an atomic.Value.
func (x *anAtomic) didValue(d *Done) Label {
	old, now := held[d.P], Label(0)
	switch x.op {
	case AtomicLoad:
		return old
	case AtomicStore, AtomicSwap:
		now = x.a
	default: // of a CompareAndSwap it is not known whether it swapped
		drop(Any(old, Any(x.a, x.b)))
		old = 0
	}
	delete(held, d.P)
	mark := Label(0)
	if now != 0 {
		held[d.P], mark = now, constant(0, trace.Bool)
	}
	memory.set(d.P, d.N, mark)
	return old
}
