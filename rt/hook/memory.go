package hook

import "unsafe"

// Reads and writes are told while something has to know of them. In tests without goroutines, and
// without race detection, nothing has: then they are only counted, where they stand.

// WatchReads is true while reads are told, and WatchWrites while writes are.
var WatchReads, WatchWrites bool

// Left is how many accesses the program may make before the scheduler is told of one in any case:
// see Work.
var Left int64 = Unbounded

// Unbounded is the Left of code outside of executions.
const Unbounded = 1 << 62

// Work is what Read and Write take from Left for an access to n bytes. One that need not be told
// takes 1: variables, fields and elements are hardly larger than a piece.
func Work(n uintptr) int64 { return int64(1 + n/pieceSize) }

const pieceSize = 256

// R announces a read of *p and returns p: x becomes (*R(&x, s)).
func R[T any](p *T, s Site) *T {
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), s)
	}
	return p
}

// V announces a read of *p and returns the value: x becomes V(&x, s). Unlike R's it is looked at
// before whatever else the expression announces.
func V[T any](p *T, s Site) T {
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), s)
	}
	return *p
}

// W announces a write of *p that follows in the same statement, and returns p.
// No other access may be announced between W and the write; use P otherwise.
func W[T any](p *T, s Site) *T {
	if Left--; WatchWrites || Left < 0 {
		write(unsafe.Pointer(p), unsafe.Sizeof(*p), s)
	}
	return p
}

// RW announces a read and a write of *p, for x++ and x += c where no statement can stand.
func RW[T any](p *T, s Site) *T {
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), s)
	}
	if Left--; WatchWrites || Left < 0 {
		write(unsafe.Pointer(p), unsafe.Sizeof(*p), s)
	}
	return p
}

// A Ptr is a location about to be written.
type Ptr[T any] struct {
	p *T
	s Site
}

// P names a location: x = v becomes P(&x, s).Set(v). The location is evaluated first, then v, then
// the write is announced and done.
func P[T any](p *T, s Site) Ptr[T] { return Ptr[T]{p, s} }

// Get reads the location: x += v becomes q := P(&x, s); q.Set(q.Get() + v).
func (q Ptr[T]) Get() T {
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(q.p), unsafe.Sizeof(*q.p), q.s)
	}
	return *q.p
}

// Set announces the write and does it.
func (q Ptr[T]) Set(v T) {
	if Left--; WatchWrites || Left < 0 {
		write(unsafe.Pointer(q.p), unsafe.Sizeof(*q.p), q.s)
	}
	*q.p = v
}

// A Changing is a location that an operator changes, x += v. Nothing but the change depends on what
// it held.
type Changing[T any] struct {
	p  *T
	by T
	op byte
	s  Site
}

// U is P for x += v, where x is an integer: { q := U('+', &x, s); q.Set(q.Get() + q.By(v)) }. op is
// the first byte of the operator, and '~' for &^.
func U[T any](op byte, p *T, s Site) Changing[T] { return Changing[T]{p: p, op: op, s: s} }

// Get reads the location.
func (q *Changing[T]) Get() T {
	if Left--; WatchReads || Left < 0 {
		q.tell(false)
	}
	return *q.p
}

// By returns v, the operand.
func (q *Changing[T]) By(v T) T {
	q.by = v
	return v
}

// Set announces the write and does it.
func (q *Changing[T]) Set(v T) {
	if Left--; WatchWrites || Left < 0 {
		q.tell(true)
	}
	*q.p = v
}

//go:noinline
func (q *Changing[T]) tell(wr bool) {
	p, n := unsafe.Pointer(q.p), unsafe.Sizeof(*q.p)
	switch {
	case On && Updates:
		Left++
		by := uint64(0)
		if wr {
			by = bitsOf(&q.by)
		}
		Update(noescape(p), n, q.s, q.op, by, wr)
	case wr:
		write(p, n, q.s)
	default:
		read(p, n, q.s)
	}
}

// bitsOf returns the bits of an integer.
func bitsOf[T any](v *T) uint64 {
	p := unsafe.Pointer(v)
	switch unsafe.Sizeof(*v) {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Unused says that the result of the atomic operation that the goroutine has just made goes
// nowhere: x.Add(1), as a statement, becomes Unused(x.Add(1)).
func Unused[T any](T) {
	if Updates && Here() {
		AtomicUnused()
	}
}

// Dropped is Unused for an operation that was made by a deferred call, directly before.
func Dropped() { Unused(0) }

// MR announces a read of the map m (an index, a range, len) and returns m. W likewise a write: m[k]
// = v, delete, clear.
func MR[M any](m M, s Site) M {
	if Left--; WatchReads || Left < 0 {
		readMap(mapptr(&m), s)
	}
	return m
}

//go:noinline
func readMap(p unsafe.Pointer, s Site) {
	if p != nil {
		read(p, 1, s)
	}
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

// MK is MR for the entry of one key, which K tells: m[k] becomes MK(m, s)[K(k, false, s)].
func MK[M any](m M, s Site) M { return keyed(m, s, EntryRead) }

// MKW is MW for the entry of one key, which K tells: m[k] = v.
func MKW[M any](m M, s Site) M { return keyed(m, s, EntryWrite) }

// MKS is MKW for m[k] = v where v has no size.
func MKS[M any](m M, s Site) M { return keyed(m, s, EntrySet) }

// MKD is MKW for delete(m, k).
func MKD[M any](m M, s Site) M { return keyed(m, s, EntryDrop) }

// keyed announces what is done with an entry of m, and returns m.
func keyed[M any](m M, s Site, use uint8) M {
	if On {
		if p := mapptr(&m); p != nil {
			entry(p, s, use)
		}
	}
	return m
}

// A Measure is a look at the length of a map, which is compared with a later one of that map.
type Measure struct {
	p  unsafe.Pointer // keeps the map: no other one gets its address
	at int
}

// ML is MR for a length that goes nowhere but into comparisons with later ones: n := len(m) becomes
// var x Measure; n := len(ML(m, &x, s)).
func ML[M any](m M, x *Measure, s Site) M {
	*x = Measure{}
	if On {
		if p := mapptr(&m); p != nil {
			*x = Measure{p, length(p, s, 0)}
		}
	}
	return m
}

// MG is MR for a length that is compared with an earlier one: n != len(m) becomes
// n != len(MG(m, x, s)).
func MG[M any](m M, x Measure, s Site) M {
	if On {
		if p := mapptr(&m); p != nil {
			if p != x.p {
				x.at = 0
			}
			length(p, s, x.at)
		}
	}
	return m
}

func length(p unsafe.Pointer, s Site, since int) int {
	if Updates {
		return MapLength(p, s, since)
	}
	Read(p, 1, s)
	return 0
}

func entry(p unsafe.Pointer, s Site, use uint8) {
	switch {
	case Updates:
		MapEntry(p, s, use)
	case use == EntryRead:
		Read(p, 1, s)
	default:
		Write(p, 1, s)
	}
}

// K tells the key of the access to a map that was announced at the same site. Two keys are equal if
// their bytes are, or their text.
func K[T any](k T, text bool, s Site) T {
	if Updates {
		tellKey(noescape(unsafe.Pointer(&k)), unsafe.Sizeof(k), text, s)
	}
	return k
}

// KT is K for a key whose type is a type parameter. It is told if the type is a predeclared one of
// which two values are equal if and only if their bytes are, or a string.
func KT[T any](k T, s Site) T {
	if Updates {
		switch any((*T)(nil)).(type) {
		case *int, *int8, *int16, *int32, *int64,
			*uint, *uint8, *uint16, *uint32, *uint64, *bool:
			tellKey(noescape(unsafe.Pointer(&k)), unsafe.Sizeof(k), false, s)
		case *string:
			tellKey(noescape(unsafe.Pointer(&k)), unsafe.Sizeof(k), true, s)
		default:
			if Here() {
				MapKey(0, s)
			}
		}
	}
	return k
}

//go:noinline
func tellKey(p unsafe.Pointer, n uintptr, text bool, s Site) {
	if !Here() {
		return
	}
	MapKey(hashOf(p, n, text)|1, s)
}

// hashOf returns a hash of the n bytes at p, or of the text there.
func hashOf(p unsafe.Pointer, n uintptr, text bool) uint64 {
	if text {
		t := *(*string)(p)
		p, n = unsafe.Pointer(unsafe.StringData(t)), uintptr(len(t))
	}
	h := uint64(n)
	for i := range n {
		h = (h ^ uint64(*(*byte)(unsafe.Add(p, i)))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// A Gathering is an append to a slice of which no statement can tell in which order its elements
// were appended. It is an update of the first word of the variable, by a sum of hashes of the
// elements.
type Gathering[S ~[]E, E any] struct {
	p    *S
	by   uint64
	text bool // the elements are strings
	s    Site
}

// Gather begins q = append(q, a, b), which becomes { g := Gather(&q, text, s);
// g.Set(append(g.Get(), g.Of(a), g.Of(b))) }.
func Gather[S ~[]E, E any](p *S, text bool, s Site) Gathering[S, E] {
	return Gathering[S, E]{p: p, text: text, s: s}
}

// Get reads the variable.
func (q *Gathering[S, E]) Get() S {
	if On {
		if Updates {
			Update(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(uint64(0)), q.s, '+', 0, false)
		} else {
			Read(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s)
		}
	}
	return *q.p
}

// Of returns an element that is appended.
func (q *Gathering[S, E]) Of(v E) E {
	if Updates {
		h := hashOf(noescape(unsafe.Pointer(&v)), unsafe.Sizeof(v), q.text)
		h = (h ^ 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15
		h ^= h >> 32
		q.by += h*0xd6e8feb86659fd93 | 1
	}
	return v
}

// Set announces the write and does it.
func (q *Gathering[S, E]) Set(v S) {
	if On {
		if Updates {
			Update(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(uint64(0)), q.s, '+', q.by, true)
		} else {
			Write(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s)
		}
	}
	*q.p = v
}

func mapptr[M any](m *M) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(m)) }

// SR announces a read of all elements of s and returns s. SW likewise a write.
func SR[S ~[]E, E any](s S, site Site) S {
	if On && len(s) > 0 {
		Read(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	return s
}

// SW announces a write of all elements of s and returns s.
func SW[S ~[]E, E any](s S, site Site) S {
	if On && len(s) > 0 {
		Write(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	return s
}

// An Adding is append(s, ...), of which the slice was evaluated.
type Adding[S ~[]E, E any] struct {
	v  S
	p  *S // where the slice is; nil: it is v
	s  Site
	at Site // of the read of *p
}

// Add begins append(v, a, b), which becomes Add(v, s).Of(a, b).
func Add[S ~[]E, E any](v S, s Site) Adding[S, E] { return Adding[S, E]{v: v, s: s} }

// AddTo is Add for a slice in memory that the calls in a and b may change, as they may for gc: it
// is read after them, at the site at.
func AddTo[S ~[]E, E any](p *S, at, s Site) Adding[S, E] { return Adding[S, E]{p: p, s: s, at: at} }

// Of appends xs.
func (a Adding[S, E]) Of(xs ...E) S {
	if a.p != nil {
		a.v = V(a.p, a.at)
	}
	if !On {
		return append(a.v, xs...)
	}
	return grow(a.v, xs, a.s)
}

// grow is append(s, t...), of which t was read: it announces what append touches before it does.
func grow[S ~[]E, E any](s S, t []E, site Site) S {
	n := uintptr(len(t)) * unsafe.Sizeof(*new(E))
	switch {
	case len(t) == 0:
		return append(s, t...)
	case len(t) <= cap(s)-len(s):
		Write(noescape(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)),
			uintptr(len(s))*unsafe.Sizeof(*new(E)))), n, site)
		return append(s, t...)
	case len(s) > 0: // it is copied
		Read(noescape(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]), site)
	}
	k := len(s)
	s = MadeSlice(append(s, t...), site)
	Write(noescape(unsafe.Pointer(&s[k])), n, site)
	return s
}

// Room is s with room for k more elements, which what it is given to will append: it announces what
// append would touch.
func Room[S ~[]E, E any](s S, k int, site Site) S {
	if !On {
		return s
	}
	return grow(s, make([]E, k), site)[:len(s)]
}

// Snap is true while accesses to memory are scheduling points: what is read has to be kept then if
// another access is announced before it is used.
var Snap bool

// Snapped returns t, which was just read.
func Snapped[E any](t []E) []E {
	if Snap && Here() {
		return append([]E(nil), t...)
	}
	return t
}

// Append is append(s, t...).
func Append[S ~[]E, E any](s S, t []E, site Site) S {
	if !On {
		return append(s, t...)
	}
	if len(t) > 0 {
		Read(noescape(unsafe.Pointer(&t[0])), uintptr(len(t))*unsafe.Sizeof(t[0]), site)
		t = Snapped(t)
	}
	return grow(s, t, site)
}

// AppendString is append(s, t...) of a string.
func AppendString[S ~[]byte, T ~string](s S, t T, site Site) S {
	if !On {
		return append(s, t...)
	}
	return grow(s, unsafe.Slice(unsafe.StringData(string(t)), len(t)), site)
}

// Copy is copy(dst, src).
func Copy[E any](dst, src []E, s Site) int {
	n := min(len(dst), len(src))
	if On && n > 0 {
		Read(noescape(unsafe.Pointer(&src[0])), uintptr(n)*unsafe.Sizeof(src[0]), s)
		src = Snapped(src[:n])
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

// Again is Var for a variable of a for clause, which every iteration has its own of. again: it is a
// copy of the one before.
func Again[T any](p *T, s Site, again bool) { Var(p, s) }

// MadeChan, MadeMap and MadeSlice announce what make (or a literal) returned.
func MadeChan[C any](c C, s Site) C {
	if On {
		Alloc(mapptr(&c), 96, AllocChan, s)
	}
	return c
}

// MadeMap announces the map m, just made, and returns it.
func MadeMap[M any](m M, s Site) M {
	if On {
		Alloc(mapptr(&m), 48, AllocMap, s)
	}
	return m
}

// MadeSlice announces the memory of the slice v, just made, and returns v.
func MadeSlice[S ~[]E, E any](v S, s Site) S {
	if On && cap(v) > 0 {
		Alloc(noescape(unsafe.Pointer(unsafe.SliceData(v))),
			uintptr(cap(v))*unsafe.Sizeof(*unsafe.SliceData(v)), AllocSlice, s)
	}
	return v
}

// FromText is MadeSlice for what a conversion made of a string.
func FromText[S ~[]E, E any](v S, s Site) S { return MadeSlice(v, s) }

// Given notes that a call gives v for the arguments of a variadic function, and returns v.
func Given[S ~[]E, E any](v S) S {
	if On && cap(v) > 0 {
		Alloc(noescape(unsafe.Pointer(unsafe.SliceData(v))), 0, AllocGiven, 0)
	}
	return v
}

// Rest announces the slice that a call made for the arguments of a variadic function, if it did: it
// may have been given one.
func Rest[E any](v []E, s Site) {
	if On && cap(v) > 0 {
		Alloc(noescape(unsafe.Pointer(unsafe.SliceData(v))), uintptr(cap(v))*unsafe.Sizeof(*new(E)),
			AllocRest, s)
	}
}
