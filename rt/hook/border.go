package hook

import "unsafe"

// What functions of the standard library say at their border: which memory of their callers they
// read and write, where their own accesses are not announced one by one. The rewriter puts these
// calls at a function's start, and around its results; see instrument/std/memory.txt.

// borderMax bounds what is announced of a variable: the rest of a large one (a compressor's state)
// is only used with its beginning.
const borderMax = 256

// Reads announces a read of *p, if p is not nil.
func Reads[T any](p *T, s Site) {
	if On && p != nil {
		Read(noescape(unsafe.Pointer(p)), min(unsafe.Sizeof(*p), borderMax), s)
	}
}

// Writes announces a write of *p, if p is not nil.
func Writes[T any](p *T, s Site) {
	if On && p != nil {
		Write(noescape(unsafe.Pointer(p)), min(unsafe.Sizeof(*p), borderMax), s)
	}
}

// ReadsHead announces a read of the first word of *p, whose type only its
// package knows the parts of: it stands for all of it.
func ReadsHead[T any](p *T, s Site) {
	if On && p != nil {
		Read(noescape(unsafe.Pointer(p)), min(unsafe.Sizeof(*p), 8), s)
	}
}

// WritesHead announces a write of the first word of *p: see ReadsHead.
func WritesHead[T any](p *T, s Site) {
	if On && p != nil {
		Write(noescape(unsafe.Pointer(p)), min(unsafe.Sizeof(*p), 8), s)
	}
}

// ReadsAll announces a read of all elements of v.
func ReadsAll[S ~[]E, E any](v S, s Site) {
	if On && len(v) > 0 {
		Read(noescape(unsafe.Pointer(&v[0])), uintptr(len(v))*unsafe.Sizeof(v[0]), s)
	}
}

// WritesAll announces a write of all elements of v.
func WritesAll[S ~[]E, E any](v S, s Site) {
	if On && len(v) > 0 {
		Write(noescape(unsafe.Pointer(&v[0])), uintptr(len(v))*unsafe.Sizeof(v[0]), s)
	}
}

// ReadsEach announces reads of all elements of the elements of v.
func ReadsEach[S ~[][]E, E any](v S, s Site) {
	if On {
		ReadsAll(v, s)
		for i := range v {
			ReadsAll(v[i], s)
		}
	}
}

// ReadsMap announces a read of the map m.
func ReadsMap[M any](m M, s Site) { MR(m, s) }

// WritesMap announces a write of the map m.
func WritesMap[M any](m M, s Site) { MW(m, s) }

// Filled announces that n elements of v were written, and returns n: what a Read method did.
func Filled[S ~[]E, E any](v S, n int, s Site) int {
	if On && n > 0 && n <= len(v) {
		Write(noescape(unsafe.Pointer(&v[0])), uintptr(n)*unsafe.Sizeof(v[0]), s)
	}
	return n
}

// Filler is Filled for a function's results that are another's: Filler(v, s)(f()).
func Filler[S ~[]E, E any](v S, s Site) func(int, error) (int, error) {
	return func(n int, err error) (int, error) { return Filled(v, n, s), err }
}

// Appended announces what was done to make res from dst by appending, and returns res.
func Appended[S ~[]E, E any](dst, res S, s Site) S {
	switch {
	case !On || len(res) <= len(dst):
	case cap(dst) >= len(res) && unsafe.SliceData(dst) == unsafe.SliceData(res):
		Write(noescape(unsafe.Pointer(&res[len(dst)])), uintptr(len(res)-len(dst))*unsafe.Sizeof(res[0]), s)
	case len(dst) > 0:
		Read(noescape(unsafe.Pointer(&dst[0])), uintptr(len(dst))*unsafe.Sizeof(dst[0]), s)
	}
	return res
}

// Appender is Appended for a function's results that are another's: Appender(dst, s)(f()).
func Appender[S ~[]E, E any](dst S, s Site) func(S, error) (S, error) {
	return func(res S, err error) (S, error) { return Appended(dst, res, s), err }
}

// ReadsFirst announces a read of the first n elements of v, if it has as many. WritesFirst likewise
// a write.
func ReadsFirst[S ~[]E, E any](v S, n int, s Site) {
	if On {
		ReadsAll(v[:max(0, min(n, len(v)))], s)
	}
}

// WritesFirst announces a write of the first n elements of v, if it has as many.
func WritesFirst[S ~[]E, E any](v S, n int, s Site) {
	if On {
		WritesAll(v[:max(0, min(n, len(v)))], s)
	}
}

// Kept announces a write of the elements that was has, if *v has them still. It is called when a
// function returns that may have written them.
func Kept[S ~[]E, E any](v *S, was S, s Site) {
	if unsafe.SliceData(*v) == unsafe.SliceData(was) {
		WritesAll(was, s)
	}
}

// ReadsRune announces a read of the bytes that may be the first rune of p. ReadsLastRune likewise
// of the last.
func ReadsRune(p []byte, s Site) {
	if !On || len(p) == 0 {
		return
	}
	n := 1
	switch c := p[0]; {
	case c >= 0xf0:
		n = 4
	case c >= 0xe0:
		n = 3
	case c >= 0xc0:
		n = 2
	}
	ReadsFirst(p, n, s)
}

// ReadsLastRune announces a read of the bytes that may be the last rune of p.
func ReadsLastRune(p []byte, s Site) {
	if !On {
		return
	}
	i := len(p) - 1
	for i > 0 && len(p)-i < 4 && p[i]&0xc0 == 0x80 {
		i--
	}
	if i >= 0 {
		ReadsAll(p[i:], s)
	}
}

// SRN and SWN announce a read or write of the first n bytes of v and return v: for functions below
// this package.
func SRN(v []byte, n int, s Site) []byte {
	ReadsFirst(v, n, s)
	return v
}

// SWN announces a write of the first n bytes of v and returns v.
func SWN(v []byte, n int, s Site) []byte {
	WritesFirst(v, n, s)
	return v
}

// SA announces that elements of v may change, and returns v.
func SA[S ~[]E, E any](v S, s Site) S {
	ReadsAll(v, s)
	WritesAll(v, s)
	return v
}

// PA announces that *p may change, all of it, and returns p.
func PA[T any](p *T, s Site) *T {
	if On && p != nil {
		Read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
		Write(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
	}
	return p
}

// PR announces a read of *p, all of it, and returns p.
func PR[T any](p *T, s Site) *T {
	if On && p != nil {
		Read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
	}
	return p
}

// Old is the s of a function that appends n elements: where there is no room for them, it reads s
// to copy it.
func Old[S ~[]E, E any](s S, n int, site Site) S {
	if On && n > cap(s)-len(s) {
		ReadsAll(s, site)
	}
	return s
}

// Grow returns s, what such a function has made: it wrote the last n elements.
func Grow[S ~[]E, E any](s S, n int, site Site) S {
	if On && 0 < n && n <= len(s) {
		WritesAll(s[len(s)-n:], site)
	}
	return s
}
