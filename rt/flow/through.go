package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Branches without a condition: calls through interfaces and function values, and checks of the
// runtime that may panic.

// Func records which function a function value v with label l is, before it is called, and returns
// v. The outcome is 0 for nil, else it tells the code.
func Func[F any](v F, l Label, s hook.Site) F {
	if l != 0 && !Exprs {
		outcome := int64(0)
		if f := *(*unsafe.Pointer)(unsafe.Pointer(&v)); f != nil {
			outcome = distance(*(*uintptr)(f), codeBase())
		}
		branch(outcome, l, s)
	}
	return v
}

// Type records the dynamic type of v, an interface with label l, before one of its methods is
// called, and returns v. The outcome is 0 for nil.
func Type[T any](v T, l Label, s hook.Site) T {
	if l != 0 && !Exprs {
		branch(typeOf(v), l, s)
	}
	return v
}

// Check records that what follows may panic, which depends on l: v is an index, a divisor, a
// pointer, a channel, a map or the operand of a type assertion. It returns v.
func Check[T any](v T, l Label, s hook.Site) T {
	if l != 0 && !Exprs {
		branch(trace.Checked, l, s)
	}
	return v
}

// typeOf tells the dynamic type of x; 0: it is nil.
func typeOf(x any) int64 {
	t := *(*uintptr)(unsafe.Pointer(&x))
	if t == 0 {
		return 0
	}
	var base any = false
	return distance(t, *(*uintptr)(unsafe.Pointer(&base)))
}

func codeBase() uintptr {
	f := noescape
	return **(**uintptr)(unsafe.Pointer(&f))
}

// distance tells an address in the binary by how far it is from another, since a binary may be
// loaded anywhere. It is neither a condition's outcome nor trace.Checked.
func distance(p, base uintptr) int64 { return int64(p-base)<<2 | 2 }
