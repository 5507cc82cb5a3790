package flow

import (
	"unsafe"

	"heddle/rt/hook"
)

// area returns where the elements of v are.
func area[E any](v []E) (p unsafe.Pointer, n uintptr) {
	if len(v) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&v[0]), uintptr(len(v)) * unsafe.Sizeof(v[0])
}

// Elements is v about to be converted to a string, which depends on what is in v.
func Elements[S ~[]E, E any](v S, l Label, to *Slot) S {
	to.l = l
	if p, n := area(v); n > 0 && here() && !Exprs {
		to.l = U(l, memory.get(place(p), n))
	}
	return v
}

// SR announces a read of all elements of v, about to be converted to a string, whose label goes
// into to; l is v's. See hook.SR.
func SR[S ~[]E, E any](v S, s hook.Site, l Label, to *Slot) S {
	to.l = l
	if p, n := area(v); hook.On && n > 0 {
		to.l = read(noescape(p), n, s, l)
	}
	return v
}

// SW announces that all elements of v are cleared; l is v's label.
func SW[S ~[]E, E any](v S, s hook.Site, l Label) S {
	if p, n := area(v); hook.On && n > 0 {
		write(noescape(p), n, s, 0, l)
	}
	return v
}

// Fresh is what a conversion made of a string: its elements have no labels yet.
func Fresh[S ~[]E, E any](v S) S {
	if p, n := area(v); n > 0 && here() {
		memory.set(place(p), n, 0)
	}
	return v
}

// Old remembers the slice that append is called with.
func Old[S ~[]E, E any](v S, loc *Loc) S {
	if here() {
		p, n := area(v)
		loc.p, loc.n = place(p), n
	}
	return v
}

// An Adding is append(s, ...), see hook.Adding.
type Adding[S ~[]E, E any] struct {
	v     S
	p     *S
	s, at hook.Site
	addr  Label
	to    *Slot
	xs    []E
}

// Adds begins append(v, a, b), which becomes Adds(v, s).Of(a, b).With(l), where l is the label of a
// and b.
func Adds[S ~[]E, E any](v S, s hook.Site) Adding[S, E] { return Adding[S, E]{v: v, s: s} }

// AddTo is Adds for a slice that is read after a and b; its label goes into to, addr is that of the
// address.
func AddTo[S ~[]E, E any](p *S, at, s hook.Site, addr Label, to *Slot) Adding[S, E] {
	return Adding[S, E]{p: p, s: s, at: at, addr: addr, to: to}
}

// Of takes what is appended.
func (a Adding[S, E]) Of(xs ...E) Adding[S, E] {
	a.xs = xs
	return a
}

// With appends it, with the label l.
func (a Adding[S, E]) With(l Label) S {
	if a.p != nil {
		a.v = Get(a.p, a.at, a.addr, a.to)
	}
	if !here() {
		return hook.Add(a.v, a.s).Of(a.xs...)
	}
	return grow(a.v, a.xs, a.s, l)
}

// grow is append(s, t...), where t has the label l; see the same in package hook.
func grow[S ~[]E, E any](s S, t []E, site hook.Site, l Label) S {
	k, n := len(s), uintptr(len(t))*unsafe.Sizeof(*new(E))
	from, size := area(s)
	switch {
	case len(t) == 0:
		return append(s, t...)
	case len(t) <= cap(s)-k:
		write(noescape(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)),
			uintptr(k)*unsafe.Sizeof(*new(E)))), n, site, l, 0)
		return append(s, t...)
	case k > 0:
		access(noescape(from), size, site, false, 0)
	}
	old := place(noescape(from))
	s = MadeSlice(append(s, t...), site, 0)
	if k > 0 {
		memory.move(place(unsafe.Pointer(&s[0])), old, size, 0)
	}
	write(noescape(unsafe.Pointer(&s[k])), n, site, l, 0)
	return s
}

// Appended is append(s, ...) in code whose accesses are no events, already done, where labels are
// expressions: of k values that have the label l together, or of what is in from. old is where s
// was. What it returns is on the heap: labels go by address, and stacks move.
func Appended[S ~[]E, E any](s S, old *Loc, from *Val, k int, l Label) S {
	if len(s) == 0 || !here() || !Exprs {
		return s
	}
	HeapSlice(s)
	p, n := area(s)
	if at := uintptr(p); at != old.p {
		memory.move(at, old.p, old.n, 0)
	}
	size := unsafe.Sizeof(s[0])
	end := uintptr(p) + n
	if from != nil {
		memory.move(end-uintptr(from.v)*size, from.p, uintptr(from.v)*size, 0)
	} else {
		memory.set(end-uintptr(k)*size, uintptr(k)*size, l)
	}
	return s
}

// Append is append(s, t...); l is t's label.
func Append[S ~[]E, E any](s S, t []E, site hook.Site, l Label) S {
	if !here() || len(t) == 0 {
		return hook.Append(s, t, site)
	}
	from, n := area(t)
	if Exprs {
		l = 0
	}
	_, leaf := access(noescape(from), n, site, false, l)
	all := leaf
	if leaf == 0 && !Exprs {
		all = U(memory.get(place(from), n), l)
	}
	at := place(noescape(from))
	s = grow(s, hook.Snapped(t), site, all)
	if leaf == 0 { // each element has its own
		to, size := area(s)
		memory.move(place(to)+size-n, at, n, l)
	}
	return s
}

// AppendString is append(s, t...) of a string.
func AppendString[S ~[]byte, T ~string](s S, t T, site hook.Site, l Label) S {
	if !here() || len(t) == 0 {
		return hook.AppendString(s, t, site)
	}
	b := unsafe.Slice(unsafe.StringData(string(t)), len(t))
	if !Exprs {
		return grow(s, b, site, l)
	}
	s = grow(s, b, site, 0)
	to, size := area(s)
	memory.move(place(to)+size-uintptr(len(t)), bytesOf(t), uintptr(len(t)), 0)
	return s
}

// Copy is copy(dst, src); l is the label of both slices.
func Copy[E any](dst, src []E, s hook.Site, l Label) int {
	k := min(len(dst), len(src))
	if !here() || k == 0 {
		return hook.Copy(dst, src, s)
	}
	if Exprs {
		l = 0
	}
	from, n := area(src[:k])
	to, _ := area(dst)
	_, leaf := access(noescape(from), n, s, false, l)
	kept := hook.Snapped(src[:k])
	if leaf == 0 {
		if !Exprs {
			access(noescape(to), n, s, true, U(memory.get(place(from), n), l))
		} else {
			access(noescape(to), n, s, true, 0)
		}
		memory.move(place(to), place(from), n, l)
	} else {
		write(noescape(to), n, s, leaf, 0)
	}
	return copy(dst, kept)
}

// Copied is copy(dst, src) in code whose accesses are no events, where labels are expressions.
func Copied[D, S ~[]E, E any](dst D, src S) int {
	if k := min(len(dst), len(src)); Exprs && k > 0 && here() {
		from, n := area(src[:k])
		to, _ := area(dst)
		memory.move(uintptr(to), uintptr(from), n, 0)
	}
	return copy(dst, src)
}

// CopiedText is Copied of a string.
func CopiedText[D ~[]byte, T ~string](dst D, src T) int {
	if k := min(len(dst), len(src)); Exprs && k > 0 && here() {
		to, _ := area(dst)
		memory.move(uintptr(to), bytesOf(src), uintptr(k), 0)
	}
	return copy(dst, src)
}

// CopyString is copy(dst, src) of a string.
func CopyString[D ~[]byte, T ~string](dst D, src T, s hook.Site, l Label) int {
	k := min(len(dst), len(src))
	if here() && k > 0 {
		to, n := area(dst[:k])
		if Exprs {
			write(noescape(to), n, s, 0, 0)
			memory.move(place(to), bytesOf(src), n, 0)
		} else {
			write(noescape(to), n, s, l, 0)
		}
		return copy(dst, src)
	}
	return hook.CopyString(dst, src, s)
}

// A Packed is the arguments that a call packs into a slice.
type Packed[T any] []T

// Rest packs them. They are on the heap: labels go by address.
//
//go:noinline
func Rest[T any](xs ...T) Packed[T] { return xs }

// With gives them their labels.
func (p Packed[T]) With(ls ...Label) []T {
	if Exprs && here() {
		for i, l := range ls {
			memory.set(uintptr(unsafe.Pointer(&p[i])), unsafe.Sizeof(p[i]), l)
		}
	}
	return p
}
