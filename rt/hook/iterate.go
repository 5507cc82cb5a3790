package hook

import "unsafe"

// The range forms. A range clause becomes a for statement with three clauses
// whose variables the iterator sets, so that variables are one per iteration
// or one per loop as the language version of the file has it:
//
//	for k, v := range m {     for k, v, it := hook.Map(m, s); it.Next(&k, &v); {
//	for k := range m {        for k, it := hook.MapKeys(m, s); it.Key(&k); {
//	for k, v = range m {      for it := hook.MapEach(m, s); it.More(); { k, v = it.K, it.V;
//
// and likewise for channels and for slices whose elements are read.

// A MapIter visits a map in an order that depends on the schedule only.
type MapIter[K comparable, V any] struct {
	m    map[K]V
	keys []K
	vals []V // for keys that are not equal to themselves
	i    int
	read bool // the read of the next step was announced
	s    Site
	K    K
	V    V
}

// Map begins for k, v := range m.
func Map[M ~map[K]V, K comparable, V any](m M, s Site) (k K, v V, it *MapIter[K, V]) {
	return k, v, MapEach(m, s)
}

// MapKeys begins for k := range m.
func MapKeys[M ~map[K]V, K comparable, V any](m M, s Site) (k K, it *MapIter[K, V]) {
	return k, MapEach(m, s)
}

// MapEach begins the forms that assign, or use no variable.
func MapEach[M ~map[K]V, K comparable, V any](m M, s Site) *MapIter[K, V] {
	it := &MapIter[K, V]{m: m, s: s}
	if m == nil {
		return it
	}
	if On {
		Read(mapptr(&m), 1, s)
	}
	it.read = true
	if len(m) == 0 {
		return it
	}
	it.keys = make([]K, 0, len(m))
	it.vals = make([]V, 0, len(m))
	for k, v := range m {
		it.keys = append(it.keys, k)
		it.vals = append(it.vals, v)
	}
	if len(it.keys) > 1 && Here() {
		boxed := make([]any, len(it.keys))
		for i, k := range it.keys {
			boxed[i] = k
		}
		order := MapOrder(boxed)
		keys, vals := make([]K, len(order)), make([]V, len(order))
		for i, j := range order {
			keys[i], vals[i] = it.keys[j], it.vals[j]
		}
		it.keys, it.vals = keys, vals
	}
	return it
}

// More goes to the next entry that is still in the map and sets it.K and it.V; false at the end.
func (it *MapIter[K, V]) More() bool {
	if On && it.m != nil && !it.read {
		Read(mapptr(&it.m), 1, it.s)
	}
	it.read = false
	for it.i < len(it.keys) {
		k := it.keys[it.i]
		v0 := it.vals[it.i]
		it.i++
		v, ok := it.m[k]
		if !ok {
			if k == k {
				continue // deleted meanwhile
			}
			v = v0 // NaN: cannot be deleted but by clear
		}
		it.K, it.V = k, v
		return true
	}
	return false
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

// A ChanIter receives until the channel is closed.
type ChanIter[T any] struct {
	c <-chan T
	s Site
	V T
}

// Chan begins for v := range c.
func Chan[T any](c <-chan T, s Site) (v T, it *ChanIter[T]) { return v, &ChanIter[T]{c: c, s: s} }

// ChanEach begins for range c and for v = range c.
func ChanEach[T any](c <-chan T, s Site) *ChanIter[T] { return &ChanIter[T]{c: c, s: s} }

// More receives into it.V; false when the channel is closed and empty.
func (it *ChanIter[T]) More() (ok bool) {
	it.V, ok = Recv2(it.c, it.s)
	return ok
}

// Next receives into v.
func (it *ChanIter[T]) Next(v *T) (ok bool) {
	x, ok := Recv2(it.c, it.s)
	if ok {
		*v = x
	}
	return ok
}

// A SliceIter visits the elements of a slice (or of the array a pointer points to), announcing each
// read.
type SliceIter[E any] struct {
	v []E
	i int
	s Site
	I int
	V E
}

// Slice begins for i, v := range x. The slice expression is evaluated once, as range does.
func Slice[S ~[]E, E any](x S, s Site) (i int, v E, it *SliceIter[E]) {
	return 0, v, &SliceIter[E]{v: x, s: s}
}

// SliceValues begins for _, v := range x.
func SliceValues[S ~[]E, E any](x S, s Site) (v E, it *SliceIter[E]) {
	return v, &SliceIter[E]{v: x, s: s}
}

// SliceEach begins for i, v = range x.
func SliceEach[S ~[]E, E any](x S, s Site) *SliceIter[E] { return &SliceIter[E]{v: x, s: s} }

// More goes to the next element and sets it.I and it.V.
func (it *SliceIter[E]) More() bool {
	if it.i >= len(it.v) {
		return false
	}
	p := &it.v[it.i]
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), it.s)
	}
	it.I, it.V = it.i, *p
	it.i++
	return true
}

// Next is More, into i and v.
func (it *SliceIter[E]) Next(i *int, v *E) bool {
	if it.i >= len(it.v) {
		return false
	}
	p := &it.v[it.i]
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), it.s)
	}
	*i, *v = it.i, *p
	it.i++
	return true
}

// Value is More, into v.
func (it *SliceIter[E]) Value(v *E) bool {
	if it.i >= len(it.v) {
		return false
	}
	p := &it.v[it.i]
	if Left--; WatchReads || Left < 0 {
		read(unsafe.Pointer(p), unsafe.Sizeof(*p), it.s)
	}
	*v = *p
	it.i++
	return true
}
