// Package flow is what code rewritten for data flow calls, beside rt/hook: it
// carries the labels of values (trace.Flow) along with them. Local variables
// that no other one can see have a variable beside them that holds their label;
// memory that passes through hooks has its labels in a shadow; arguments and
// results go through two buffers.
//
//	y := x + 1                  y := x + 1; _hl2 = _hl1
//	p.n = y                     _hf.P(&p.n, 0x…, _hl3).Set(y, _hl2)
//	if p.n > 0 {                if _hf.B((*_hf.R(&p.n, 0x…, _hl3, &_hs1)) > 0, _hs1.Get(), 0x…) {
//	z := f(y)                   z := _hf.V(f(_hf.A(y, 0x…, 0, _hl2)), _hl2, &_hs1); _hl4 = _hs1.Get()
//
// A value that a visible read, a receive or another event gave has that event
// for its label, and nothing else: where it came from is known by the event it
// reads from. Everything else has the union of what it was computed from.
//
// Code that is not rewritten (the standard library, assembly, cgo) is taken to
// compute whatever it returns or writes from all that went into it: the
// arguments, the receiver, and what it read through hooks of its own.
//
// Labels are only touched by the goroutine under test that runs, so there are
// no locks; for others every label is 0. Nothing here allocates but for the
// nodes and the shadow, which are used again by the next execution.
package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// On is true while an execution runs that records data flow.
var On bool

// A G is what belongs to one goroutine under test. rt/sched keeps it, sets Event
// and Leaf at every event and adds the leaf to Amb.
type G struct {
	// what everything done now depends on: inside code that is not rewritten, all that went into it
	Amb     Label
	Leaf    Label       // of the value that the last event gave
	Event   int32       // index of the last memory access that is an event, -1: none
	Done    Done        // of the last operation on an atomic, where labels are expressions
	Stack   uintptr     // the shadow has the labels of its stack below this address
	panics  []panicking // of what it panics with
	outside bool        // an index that has a label was out of range
	sends   []Label     // see OutSelect
	depth   int32       // calls of code that is not rewritten
	prints  bool        // see OutPrint
	summed  bool        // see Summed
	Now     Label       // of the clock as it was seen last
	Span    Moment      // see Span
	Every   Moment      // see Every

	mapCall  mapCall // see OutSyncMap
	mapGives Label   // of what such a call returns
}

// Set by rt/sched.
var (
	// Running returns the state of the goroutine that runs.
	Running func() *G
	// Access is hook.Read or hook.Write.
	Access func(p unsafe.Pointer, n uintptr, s hook.Site, write bool)
	// Stack returns the bounds of the stack of the goroutine that runs.
	Stack func() (lo, hi uintptr)
	// Branched makes the event of a branch.
	Branched func(outcome int64, l Label, s hook.Site)
)

// here reports whether labels are to be kept for the caller.
func here() bool { return On && hook.Here() }

// A Slot holds the label of a part of an expression until the statement needs it.
type Slot struct{ l Label }

// Get returns the label. It is a call, so that it comes after what sets it.
func (s *Slot) Get() Label { return s.l }

// noescape hides p from escape analysis; see the same in package hook.
//
//go:nosplit
func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// access announces an access whose event, if there is one, depends on l. It
// returns the event, -1 for none, and the label of the value read.
func access(p unsafe.Pointer, n uintptr, s hook.Site, write bool, l Label) (event int32, leaf Label) {
	g := Running()
	was := g.Amb
	g.Amb, g.Leaf, g.Event = l, 0, -1
	Access(p, n, s, write)
	event, leaf = g.Event, g.Leaf
	g.Amb = was
	return event, leaf
}

// read announces a read and returns the label of the value. addr is the address's.
func read(p unsafe.Pointer, n uintptr, s hook.Site, addr Label) Label {
	if !here() {
		hook.Read(p, n, s)
		return 0
	}
	if _, leaf := access(p, n, s, false, addr); leaf != 0 {
		return leaf
	}
	if Exprs {
		return memory.get(place(p), n)
	}
	return U(memory.get(place(p), n), addr)
}

// write announces a write of a value with label l. addr is the address's.
func write(p unsafe.Pointer, n uintptr, s hook.Site, l, addr Label) {
	if !here() {
		hook.Write(p, n, s)
		return
	}
	if !Exprs {
		l = U(l, addr)
		addressed(addr, s)
	}
	access(p, n, s, true, l)
	memory.set(place(p), n, l)
}

// addressed records a check at an address with label l that is about to be written: of a write the
// trace has only one label, of address and value together.
func addressed(l Label, s hook.Site) {
	if l != 0 && !Exprs {
		branch(trace.Checked, l, s)
	}
}

// R announces a read of *p and returns p; the value's label goes into to. addr is the address's.
func R[T any](p *T, s hook.Site, addr Label, to *Slot) *T {
	if hook.On {
		to.l = read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s, addr)
	}
	return p
}

// Get announces a read of *p and returns the value, whose label goes into to; see hook.V.
func Get[T any](p *T, s hook.Site, addr Label, to *Slot) T {
	if hook.On {
		to.l = read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s, addr)
	}
	return *p
}

// A Ptr is a location about to be written.
type Ptr[T any] struct {
	p    *T
	s    hook.Site
	addr Label
}

// P names a location, see hook.P.
func P[T any](p *T, s hook.Site, addr Label) Ptr[T] { return Ptr[T]{p, s, addr} }

// Get reads the location.
func (q Ptr[T]) Get(to *Slot) T {
	if hook.On {
		to.l = read(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s, q.addr)
	}
	return *q.p
}

// Set announces the write of a value with label l and does it.
func (q Ptr[T]) Set(v T, l Label) {
	if hook.On {
		write(noescape(unsafe.Pointer(q.p)), unsafe.Sizeof(*q.p), q.s, l, q.addr)
	}
	*q.p = v
}

// Wrote announces a write of *p that is done in a statement of its own.
func Wrote[T any](p *T, s hook.Site, l Label) {
	if hook.On {
		write(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), s, l, 0)
	}
}

// A Loc remembers a location, where what is known of its label comes after the location.
type Loc struct {
	p, n  uintptr
	event int32
}

// W announces a write of *p that follows in the same statement; StoreTo says
// what is written: *W(&x, s, a, &loc), _ = v, StoreTo(&loc, l).
func W[T any](p *T, s hook.Site, addr Label, loc *Loc) *T {
	if hook.On {
		at, n := noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p)
		loc.n = 0
		if !here() {
			hook.Write(at, n, s)
			return p
		}
		addressed(addr, s)
		loc.event, _ = access(at, n, s, true, addr)
		loc.p, loc.n = place(at), n
		if Exprs {
			addr = 0
		}
		memory.set(loc.p, n, addr)
	}
	return p
}

// StoreTo gives what W wrote its label.
func StoreTo(loc *Loc, l Label) Label {
	if loc.n != 0 && l != 0 && here() {
		if Exprs {
			memory.set(loc.p, loc.n, l)
			return 0
		}
		memory.add(loc.p, loc.n, l)
		if loc.event >= 0 {
			F.Of[loc.event] = U(F.Of[loc.event], l)
		}
	}
	return 0
}

// RW announces a read and a write of *p, for x += c where no statement can stand.
func RW[T any](p *T, s hook.Site, addr Label, loc *Loc) *T {
	if hook.On {
		at, n := noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p)
		loc.n = 0
		if !here() {
			hook.Read(at, n, s)
			hook.Write(at, n, s)
			return p
		}
		l := read(at, n, s, addr)
		if Exprs {
			l, addr = drop(l), 0
		}
		l = U(l, addr)
		loc.event, _ = access(at, n, s, true, l)
		loc.p, loc.n = place(at), n
		memory.set(loc.p, n, l)
	}
	return p
}

// Add is the operand v of x += v, after RW.
func Add[T any](v T, l Label, loc *Loc) T {
	StoreTo(loc, l)
	return v
}

// At returns the label of a variable in memory.
func At[T any](p *T) Label {
	if !here() {
		return 0
	}
	return memory.get(place(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// SetAt sets it, where an assignment passes no hook.
func SetAt[T any](p *T, l Label) Label {
	if here() {
		memory.set(place(unsafe.Pointer(p)), unsafe.Sizeof(*p), l)
	}
	return 0
}

// SetBytes is SetAt for n bytes.
func SetBytes(p unsafe.Pointer, n uintptr, l Label) {
	if here() {
		memory.set(place(p), n, l)
	}
}

// MR announces a read of the map m and returns m; the label of what is found goes into to.
func MR[M any](m M, s hook.Site, l Label, to *Slot) M {
	if hook.On {
		to.l = l
		if p := mapptr(&m); p != nil {
			if !here() {
				hook.Read(p, 1, s)
				return m
			}
			if _, leaf := access(p, 1, s, false, l); leaf != 0 {
				to.l = leaf
			} else if !Exprs { // there MapGet knows
				to.l = U(memory.get(uintptr(p)&^7, 8), l)
			}
		}
	}
	return m
}

// MW announces a write of the map m and returns m: l goes to whatever is in the map from now on.
func MW[M any](m M, s hook.Site, l Label) M {
	if hook.On {
		if p := mapptr(&m); p != nil {
			if !here() {
				hook.Write(p, 1, s)
				return m
			}
			access(p, 1, s, true, l)
			if !Exprs {
				memory.add(uintptr(p)&^7, 8, l)
			}
		}
	}
	return m
}

func mapptr[M any](m *M) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(m)) }

// Var announces a local variable.
func Var[T any](p *T, s hook.Site, l Label) {
	if hook.On {
		hook.Alloc(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), hook.AllocVar, s)
		SetAt(p, l)
	}
}

// Again announces a variable of a for clause. again: it is a copy of that at loc, of the iteration
// before.
func Again[T any](p *T, s hook.Site, again bool, l Label, loc *Loc) {
	if !hook.On {
		return
	}
	hook.Alloc(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), hook.AllocVar, s)
	if !here() {
		return
	}
	at, n := place(unsafe.Pointer(p)), unsafe.Sizeof(*p)
	if again && loc.n == n {
		memory.move(at, loc.p, n, 0)
	} else {
		memory.set(at, n, l)
	}
	loc.p, loc.n = at, n
}

// Heap returns p, which leads to the heap then: where labels are expressions they go by address,
// and stacks move.
func Heap[T any](p *T) *T {
	if stay != nil {
		stay = unsafe.Pointer(p)
	}
	return p
}

// HeapSlice is Heap for the elements of a slice.
func HeapSlice[S ~[]E, E any](v S) S {
	if stay != nil {
		stay = unsafe.Pointer(unsafe.SliceData(v))
	}
	return v
}

// stay is nil: what might be kept in it has to be on the heap.
var stay unsafe.Pointer

// New announces &T{} or new(T), whose parts have the label l.
func New[T any](p *T, s hook.Site, l Label) *T {
	if hook.On {
		hook.Alloc(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), hook.AllocNew, s)
		SetAt(p, l)
	}
	return p
}

// MadeMap and MadeSlice announce what make or a literal returned; l is the elements'.
func MadeMap[M any](m M, s hook.Site, l Label) M {
	if hook.On {
		p := mapptr(&m)
		hook.Alloc(p, 48, hook.AllocMap, s)
		if here() && !Exprs {
			memory.set(uintptr(p)&^7, 8, l)
		}
	}
	if Exprs {
		Forget(m)
	}
	return m
}

// MadeSlice announces the slice that make or a literal returned; l is the elements' label.
func MadeSlice[S ~[]E, E any](v S, s hook.Site, l Label) S {
	if hook.On && cap(v) > 0 {
		p, n := noescape(unsafe.Pointer(unsafe.SliceData(v))),
			uintptr(cap(v))*unsafe.Sizeof(*unsafe.SliceData(v))
		hook.Alloc(p, n, hook.AllocSlice, s)
		if here() {
			memory.set(place(p), n, l)
		}
	}
	return v
}

// B records the outcome of a condition and returns it.
func B[T ~bool](v T, l Label, s hook.Site) T {
	if Exprs {
		condition(bool(v), l, s)
		return v
	}
	if l != 0 {
		n := int64(0)
		if v {
			n = 1
		}
		branch(n, l, s)
	}
	return v
}

// Case records that clause i of a switch was chosen.
func Case(i int, l Label, s hook.Site) {
	if l != 0 && !Exprs { // there the tag has told
		branch(int64(i), l, s)
	}
}

// Times records how often a range over v goes round: for an integer v.
func Times[T integer](v T, l Label, s hook.Site) T {
	if Exprs {
		rounds(l, int64(v), s)
		return v
	}
	if l != 0 {
		branch(max(0, int64(v)), l, s)
	}
	return v
}

// TimesSlice is Times for the elements of a slice, TimesString for a string.
func TimesSlice[S ~[]E, E any](v S, l Label, s hook.Site) S {
	if Exprs {
		rounds(Len(l), int64(len(v)), s)
		return v
	}
	if l != 0 {
		branch(int64(len(v)), l, s)
	}
	return v
}

// TimesString is Times for a string.
func TimesString[S ~string](v S, l Label, s hook.Site) S {
	if Exprs {
		rounds(Len(l), int64(len(v)), s)
		return v
	}
	if l != 0 {
		branch(int64(len(v)), l, s)
	}
	return v
}

func branch(outcome int64, l Label, s hook.Site) {
	if here() {
		Branched(outcome, l, s)
	}
}

// To returns v, whose label is put beside the variable it goes to.
func To[T any](v T, l Label, to *Label) T {
	*to = l
	return v
}

// Also returns v and adds its label.
func Also[T any](v T, l Label, to *Label) T {
	*to = U(*to, l)
	return v
}

// Clr and Put are the operands of && and || whose value is used: the second is not always
// evaluated.
func Clr[T ~bool](v T, to *Slot) T {
	to.l = 0
	return v
}

// Put keeps the label of the second operand: see Clr.
func Put[T any](v T, l Label, to *Slot) T {
	to.l = l
	return v
}
