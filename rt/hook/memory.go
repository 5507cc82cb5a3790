package hook

import "unsafe"

// R announces a read of *p and returns p: x becomes (*R(&x, s)).
func R[T any](p *T, s Site) *T {
	if On {
		Read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
	}
	return p
}

// W announces a write of *p that follows in the same statement, and returns p.
// No other access may be announced between W and the write; use P otherwise.
func W[T any](p *T, s Site) *T {
	if On {
		Write(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
	}
	return p
}

// RW announces a read and a write of *p, for x++ and x += c where no statement can stand.
func RW[T any](p *T, s Site) *T {
	if On {
		Read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
		Write(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s)
	}
	return p
}

// A Ptr is a location about to be written.
type Ptr[T any] struct {
	p *T
	s Site
}

// P names a location: x = v becomes P(&x, s).Set(v). The location is evaluated first, then v, then the write is announced and done.
func P[T any](p *T, s Site) Ptr[T] { return Ptr[T]{p, s} }

// Get reads the location: x += v becomes q := P(&x, s); q.Set(q.Get() + v).
func (q Ptr[T]) Get() T {
	if On {
		Read(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s)
	}
	return *q.p
}

// Set announces the write and does it.
func (q Ptr[T]) Set(v T) {
	if On {
		Write(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s)
	}
	*q.p = v
}

// MR announces a read of the map m (an index, a range, len) and returns m. W likewise a write: m[k] = v, delete, clear.
func MR[M any](m M, s Site) M {
	if On {
		if p := mapptr(&m); p != nil {
			Read(p, 1, s)
		}
	}
	return m
}

// MW announces a write of the map m and returns m.
func MW[M any](m M, s Site) M {
	if On {
		if p := mapptr(&m); p != nil {
			Write(p, 1, s)
		}
	}
	return m
}

func mapptr[M any](m *M) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(m)) }

// SR announces a read of all elements of s and returns s. SW likewise a write.
func SR[S ~[]E, E any](s S, site Site) S {
	if On && len(s) > 0 {
		Read(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	return s
}

func SW[S ~[]E, E any](s S, site Site) S {
	if On && len(s) > 0 {
		Write(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	return s
}

// Old is the s of append(s, ...) with k values: where there is no room for them, append reads s to copy it.
func Old[S ~[]E, E any](s S, k int, site Site) S {
	if On && k > cap(s)-len(s) && len(s) > 0 {
		Read(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	return s
}

// Grow is append(s, ...) with k values, already done: it announces what append touched and returns s.
func Grow[S ~[]E, E any](s S, k int, site Site) S {
	if On && k > 0 && k <= len(s) {
		Write(noescape(unsafe.Pointer(&s[len(s)-k])), uintptr(k)*unsafe.Sizeof(s[0]), site)
	}
	return s
}

// Append is append(s, t...).
func Append[S ~[]E, E any](s S, t []E, site Site) S {
	if On && len(t) > 0 {
		Read(noescape(unsafe.Pointer(&t[0])), uintptr(len(t))*unsafe.Sizeof(t[0]), site)
	}
	return Grow(append(Old(s, len(t), site), t...), len(t), site)
}

// AppendString is append(s, t...) of a string.
func AppendString[S ~[]byte, T ~string](s S, t T, site Site) S {
	return Grow(append(Old(s, len(t), site), t...), len(t), site)
}

// Copy is copy(dst, src).
func Copy[E any](dst, src []E, s Site) int {
	n := min(len(dst), len(src))
	if On && n > 0 {
		Read(noescape(unsafe.Pointer(&src[0])), uintptr(n)*unsafe.Sizeof(src[0]), s)
		Write(noescape(unsafe.Pointer(&dst[0])), uintptr(n)*unsafe.Sizeof(dst[0]), s)
	}
	return copy(dst, src)
}

// CopyString is copy(dst, src) of a string.
func CopyString[D ~[]byte, S ~string](dst D, src S, s Site) int {
	n := min(len(dst), len(src))
	if On && n > 0 {
		Write(noescape(unsafe.Pointer(&dst[0])), uintptr(n), s)
	}
	return copy(dst, src)
}

// New announces that *p was just made: &T{} becomes New(&T{}, s).
func New[T any](p *T, s Site) *T {
	if On {
		Alloc(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), AllocNew, s)
	}
	return p
}

// Var announces a local variable that more than one goroutine may come to know.
func Var[T any](p *T, s Site) {
	if On {
		Alloc(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), AllocVar, s)
	}
}

// MadeChan, MadeMap and MadeSlice announce what make (or a literal) returned.
func MadeChan[C any](c C, s Site) C {
	if On {
		Alloc(mapptr(&c), 96, AllocChan, s)
	}
	return c
}

func MadeMap[M any](m M, s Site) M {
	if On {
		Alloc(mapptr(&m), 48, AllocMap, s)
	}
	return m
}

func MadeSlice[S ~[]E, E any](v S, s Site) S {
	if On && cap(v) > 0 {
		Alloc(noescape(unsafe.Pointer(unsafe.SliceData(v))), uintptr(cap(v))*unsafe.Sizeof(*unsafe.SliceData(v)), AllocSlice, s)
	}
	return v
}
