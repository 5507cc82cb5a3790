package flow

import (
	"unsafe"

	"heddle/rt/hook"
)

// The range forms of package hook with labels. L is the label of what was found last,
// C of whether anything was.

// A MapIter visits a map.
type MapIter[K comparable, V any] struct {
	hook.MapIter[K, V]
	m     unsafe.Pointer
	in    Label // of the map
	first Label // of what the keys were read from
	l     Label
	k     Label // of the key, where labels are expressions
}

// Map begins for k, v := range m, where m has the label l.
func Map[M ~map[K]V, K comparable, V any](m M, s hook.Site, l Label) (k K, v V, it *MapIter[K, V]) {
	return k, v, MapEach(m, s, l)
}

// MapKeys begins for k := range m.
func MapKeys[M ~map[K]V, K comparable, V any](m M, s hook.Site, l Label) (k K, it *MapIter[K, V]) {
	return k, MapEach(m, s, l)
}

// MapEach begins the forms that assign.
func MapEach[M ~map[K]V, K comparable, V any](m M, s hook.Site, l Label) *MapIter[K, V] {
	it := &MapIter[K, V]{m: mapptr(&m), in: l, l: l}
	var c Call
	Out(0, l, &c)
	it.MapIter = *hook.MapEach(m, s)
	it.found(&c)
	ordered(m, s)
	it.first = it.l
	return it
}

// found ends what Out began around a step of the iterator.
func (it *MapIter[K, V]) found(c *Call) {
	if !c.on {
		it.l = 0
		return
	}
	l := Back(c, true)
	if Exprs {
		it.l = 0
		return
	}
	it.l = U(it.in, memory.get(uintptr(it.m)&^7, 8))
	if l != it.in {
		it.l = U(it.l, l)
	}
	it.l = U(it.l, it.first) // which keys there are to visit
}

// More goes to the next entry, see hook.MapIter.
func (it *MapIter[K, V]) More() bool {
	var c Call
	Out(0, it.in, &c)
	ok := it.MapIter.More()
	it.found(&c)
	if it.k = 0; ok && Exprs && len(entries) > 0 && here() {
		e := entries[entryKey{uintptr(it.m), keyOf(it.MapIter.K, 0).enc}]
		it.k, it.l = e.key, e.val
	}
	return ok
}

// Next is More, into k and v.
func (it *MapIter[K, V]) Next(k *K, v *V) bool {
	if !it.More() {
		return false
	}
	*k, *v = it.K, it.V
	return true
}

// Key is More, into k.
func (it *MapIter[K, V]) Key(k *K) bool {
	if !it.More() {
		return false
	}
	*k = it.K
	return true
}

// L and C return labels.
func (it *MapIter[K, V]) L() Label { return it.l }

// KL returns the label of the key.
func (it *MapIter[K, V]) KL() Label {
	if Exprs {
		return it.k
	}
	return it.l
}

// Whole returns the label of the iterator.
func (it *MapIter[K, V]) Whole() Label { return Any(it.l, it.KL()) }

// C returns the label of the condition: where labels are expressions, how many keys there
// are depends on branches alone.
func (it *MapIter[K, V]) C() Label {
	if Exprs {
		return 0
	}
	return it.l
}

// A ChanIter receives until the channel is closed.
type ChanIter[T any] struct {
	c <-chan T
	s hook.Site
	V T

	in, l Label
}

// Chan begins for v := range c, where c has the label l.
func Chan[T any](c <-chan T, s hook.Site, l Label) (v T, it *ChanIter[T]) {
	return v, ChanEach(c, s, l)
}

// ChanEach begins for range c and for v = range c.
func ChanEach[T any](c <-chan T, s hook.Site, l Label) *ChanIter[T] {
	return &ChanIter[T]{c: c, s: s, in: l}
}

// More receives into it.V; false when the channel is closed and empty.
func (it *ChanIter[T]) More() (ok bool) {
	var c Call
	Out(0, it.in, &c)
	it.V, ok = hook.Recv2(it.c, it.s)
	it.l = Back(&c, true)
	return ok
}

// Next receives into v.
func (it *ChanIter[T]) Next(v *T) (ok bool) {
	if ok = it.More(); ok {
		*v = it.V
	}
	return ok
}

// L and C return labels.
func (it *ChanIter[T]) L() Label { return it.l }

// C returns the label of the condition.
func (it *ChanIter[T]) C() Label {
	if Exprs {
		return 0 // see BackInto
	}
	return it.l
}

// A SliceIter visits the elements of a slice.
type SliceIter[E any] struct {
	v []E
	i int
	s hook.Site
	I int
	V E

	in, l Label
}

// Slice begins for i, v := range x, where x has the label l; how often it goes round is a branch at
// the site b. It and the next two are inlined, or what they return, and with it x, would be on the
// heap, where package hook's is not.
func Slice[S ~[]E, E any](x S, s hook.Site, l Label, b hook.Site) (i int, v E, it *SliceIter[E]) {
	elements(l, len(x), b)
	return 0, v, &SliceIter[E]{v: x, s: s, in: l}
}

// SliceValues begins for _, v := range x.
func SliceValues[S ~[]E, E any](x S, s hook.Site, l Label, b hook.Site) (v E, it *SliceIter[E]) {
	elements(l, len(x), b)
	return v, &SliceIter[E]{v: x, s: s, in: l}
}

// SliceEach begins for i, v = range x.
func SliceEach[S ~[]E, E any](x S, s hook.Site, l Label, b hook.Site) *SliceIter[E] {
	elements(l, len(x), b)
	return &SliceIter[E]{v: x, s: s, in: l}
}

// elements records how often a range over n elements goes round, by a slice with the label l.
func elements(l Label, n int, b hook.Site) {
	switch {
	case l == 0:
	case Exprs:
		rounds(Len(l), int64(n), b)
	default:
		branch(int64(n), l, b)
	}
}

// next reads the next element; nil at the end.
func (it *SliceIter[E]) next() *E {
	if it.i >= len(it.v) {
		return nil
	}
	p := &it.v[it.i]
	if hook.On {
		it.l = read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), it.s, it.in)
	}
	it.i++
	return p
}

// More goes to the next element and sets it.I and it.V.
func (it *SliceIter[E]) More() bool {
	p := it.next()
	if p != nil {
		it.I, it.V = it.i-1, *p
	}
	return p != nil
}

// Next is More, into i and v. That it goes past it.V leaves x where it is, as in package hook.
func (it *SliceIter[E]) Next(i *int, v *E) bool {
	p := it.next()
	if p != nil {
		*i, *v = it.i-1, *p
	}
	return p != nil
}

// Value is More, into v.
func (it *SliceIter[E]) Value(v *E) bool {
	p := it.next()
	if p != nil {
		*v = *p
	}
	return p != nil
}

// L returns a label.
func (it *SliceIter[E]) L() Label { return it.l }

// Body0, Body1 and Body2 return the function that a range goes over. Its body is a function
// too, whose result, whether to go on, depends on branches alone.
func Body0[F ~func(func() bool)](seq F) F {
	if !Exprs {
		return seq
	}
	return func(yield func() bool) { seq(func() bool { return goesOn(yield()) }) }
}

// Body1 is Body0 for one value.
func Body1[F ~func(func(V) bool), V any](seq F) F {
	if !Exprs {
		return seq
	}
	return func(yield func(V) bool) { seq(func(v V) bool { return goesOn(yield(v)) }) }
}

// Body2 is Body0 for two values.
func Body2[F ~func(func(K, V) bool), K, V any](seq F) F {
	if !Exprs {
		return seq
	}
	return func(yield func(K, V) bool) { seq(func(k K, v V) bool { return goesOn(yield(k, v)) }) }
}

func goesOn(ok bool) bool {
	Ret(0)
	return ok
}
