package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Operands whose type is a type parameter.

// aText is the kind of an operand that is a string.
const aText trace.Num = 0xff

// whole is the kind of an operand that is neither: v is the descriptor of its type, p where
// it is, as in an interface.
const whole trace.Num = 0xfe

// stays is what stay is for interfaces: nil.
var stays any

// boxed returns such an operand.
func (v *Val) boxed() (x any) {
	*(*[2]uintptr)(unsafe.Pointer(&x)) = [2]uintptr{uintptr(v.v), v.p}
	return x
}

// kindOf returns what kind of number the type T is; aText for strings, 0 for what is neither.
func kindOf[T any]() trace.Num {
	var x T
	t := any(x)
	d := *(*unsafe.Pointer)(unsafe.Pointer(&t)) // the type's descriptor; nil of an interface
	if d == nil {
		return 0
	}
	const ( // of package internal/abi
		atKind   = 23
		kindMask = 1<<5 - 1
		boolKind = 1
		firstInt = 2
		lastInt  = 6
		lastUint = 12
		aFloat32 = 13
		aFloat64 = 14
		aString  = 24
	)
	switch k := *(*uint8)(unsafe.Add(d, atKind)) & kindMask; {
	case k == boolKind:
		return trace.Bool
	case k >= firstInt && k <= lastUint:
		return trace.NumOf(int(unsafe.Sizeof(x))*8, k <= lastInt)
	case k == aFloat32:
		return trace.Float32
	case k == aFloat64:
		return trace.Float64
	case k == aString:
		return aText
	}
	return 0
}

// Generic keeps an operand with the label l and returns it.
func Generic[T any](x T, l Label, to *Val) T {
	if !Exprs || !here() {
		to.l = l
		return x
	}
	switch k := kindOf[T](); k {
	case 0:
		box := any(x)
		if stays != nil {
			stays = box
		}
		at := *(*[2]uintptr)(unsafe.Pointer(&box))
		*to = Val{l: l, k: whole, v: uint64(at[0]), p: at[1]}
	case aText:
		s := *(*string)(unsafe.Pointer(&x))
		Str(s, l, 0, to, 0)
		to.k = aText
	default:
		v := uint64(0)
		for i := range unsafe.Sizeof(x) {
			v |= uint64(*(*byte)(unsafe.Add(unsafe.Pointer(&x), i))) << (8 * i)
		}
		to.set(v, l, k)
	}
	return x
}

// Chars is Str for a string or a slice of bytes.
func Chars[T any](x T, l Label, least int, to *Val, at hook.Site) T {
	s := *(*[]byte)(unsafe.Pointer(&struct {
		x T
		n int // the capacity, where it is a string
	}{x: x}))
	to.p, to.str = uintptr(unsafe.Pointer(unsafe.SliceData(s))), kindOf[T]() == aText
	to.text(len(s), l, least, at)
	return x
}

// GenericConst is a constant number as an operand.
func GenericConst(v uint64) *Val { return &Val{v: v} }

// Generic2 returns the label of x op y: a comparison, or arithmetic that does not panic.
func Generic2(op trace.FlowOp, x, y *Val, at hook.Site) Label {
	if !Exprs {
		return U(x.l, y.l)
	}
	if !here() {
		return 0
	}
	if op == trace.FlowLeq && !x.k.Float() && !y.k.Float() {
		return Invert(Generic2(trace.FlowLess, y, x, at))
	}
	compares := op == trace.FlowEq || op == trace.FlowLess || op == trace.FlowLeq
	if x.k == aText && y.k == aText {
		if compares {
			return Texts(op, x, y, at)
		}
		return Lost(Any(x.l, y.l), at)
	}
	if x.k == whole || y.k == whole {
		if x.k == y.k && op == trace.FlowEq {
			return same2(x.boxed(), y.boxed(), x.l, y.l, false, at)
		}
		return Lost(Any(x.l, y.l), at)
	}
	if x.l == 0 && y.l == 0 {
		return 0
	}
	k := x.k
	if k == 0 {
		k = y.k
	}
	for _, v := range [...]*Val{x, y} {
		if v.k == 0 { // a constant
			v.become(k)
		}
	}
	if x.k != y.k {
		return Lost(Any(x.l, y.l), at)
	}
	if compares {
		return two(op, trace.Bool, x, y)
	}
	return two(op, k, x, y)
}

// GenericConv is x, which was made of a number with the label l.
func GenericConv[T any](x T, l Label, to *Slot) T {
	to.l = l
	if Exprs && l != 0 && here() {
		if k := kindOf[T](); k == 0 || k == aText {
			to.l = lost()
		} else {
			to.l = Conv(l, k)
		}
	}
	return x
}
