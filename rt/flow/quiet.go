package flow

import "unsafe"

// Accesses of the standard library that are no events, where labels are expressions: those of
// packages whose memory is not followed.

// Quiet is a read of *p: it returns p, and the value's label goes into to.
func Quiet[T any](p *T, to *Slot) *T {
	if to.l = 0; memory.n > 0 && here() {
		to.l = memory.get(uintptr(noescape(unsafe.Pointer(p))), unsafe.Sizeof(*p))
	}
	return p
}

// Quietly is a write of *p, of which Stored says what is written. What p points to is on the heap:
// labels go by address, and stacks move.
func Quietly[T any](p *T, loc *Loc) *T {
	Heap(p)
	if loc.n = 0; here() {
		loc.p, loc.n = uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p)
	}
	return p
}

// Stored gives what Quietly wrote its label.
func Stored(loc *Loc, l Label) Label {
	if loc.n != 0 && here() {
		memory.set(loc.p, loc.n, l)
	}
	return 0
}

// A Walk follows a range over a slice.
type Walk struct{ p, size, n uintptr }

// Walked begins one over s.
func Walked[S ~[]E, E any](s S, w *Walk) S {
	*w = Walk{uintptr(noescape(unsafe.Pointer(unsafe.SliceData(s)))), unsafe.Sizeof(*new(E)), uintptr(len(s))}
	return s
}

// Next returns the label of the element that comes next.
func (w *Walk) Next() (l Label) {
	if w.n > 0 && memory.n > 0 && here() {
		l = memory.get(w.p, w.size)
	}
	w.p += w.size
	w.n--
	return l
}

// Literal gives what p points to, a literal, the label l.
func Literal[T any](p *T, l Label) *T {
	if l != 0 && here() {
		Heap(p)
		memory.set(uintptr(unsafe.Pointer(p)), unsafe.Sizeof(*p), l)
	}
	return p
}

// LiteralSlice is Literal for the elements of a slice.
func LiteralSlice[S ~[]E, E any](s S, l Label) S {
	if l != 0 && here() {
		HeapSlice(s)
		memory.set(uintptr(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(*new(E)), l)
	}
	return s
}
