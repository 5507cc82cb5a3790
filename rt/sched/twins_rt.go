//go:build heddle_rt

package sched

import "unsafe"

// sameClosure reports whether two go statements had equal closures: the same code, and the same in
// each variable. Functions in them are equal if their closures are.
func sameClosure(x, y *kin) bool {
	if len(x.funcs) != len(y.funcs) {
		return false
	}
	p, q := *(*unsafe.Pointer)(unsafe.Pointer(&x.closure)), *(*unsafe.Pointer)(unsafe.Pointer(&y.closure))
	return sameWords(p, q, func(a, b uintptr) bool {
		for i, f := range x.funcs {
			if g := y.funcs[i]; uintptr(f) == a && uintptr(g) == b && sameWords(f, g, nil) {
				return true
			}
		}
		return false
	})
}

// sameWords reports whether two closures have the same content. equal reports whether two words
// that differ are equal functions; nil: no two are.
func sameWords(p, q unsafe.Pointer, equal func(a, b uintptr) bool) bool {
	if p == q {
		return true
	}
	a, b := closureWords(p), closureWords(q)
	if len(a) == 0 || len(a) != len(b) || a[0] != b[0] {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (equal == nil || !equal(a[i], b[i])) {
			return false
		}
	}
	return true
}

// closureWords returns the memory of a closure, which begins with its code; nil if it is not the
// heap's, or large. Not all of the words are pointers.
func closureWords(p unsafe.Pointer) []uintptr {
	const most = 64
	base, size, _, small := heapObject(uintptr(p))
	if n := size / unsafe.Sizeof(p); base == uintptr(p) && !small && n > 0 && n <= most {
		return unsafe.Slice((*uintptr)(p), n)
	}
	return nil
}
