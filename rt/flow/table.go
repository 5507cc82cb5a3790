package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// An element of a table whose elements depend on no input is one expression of its index
// (trace.FlowTable), where no other goroutine can tell which element was read: in strings, arrays
// that are never written, and memory of the standard library that passes no hooks.

// mostRows bounds the length of such a table in bytes.
const mostRows = 4 << 10

// tableOf are the labels of tables by their bytes.
var tableOf = map[string]Label{}

// rows returns the label of n bytes at p as a table; 0 if they are too many, or depend on inputs.
func rows(p, n uintptr) Label {
	if n == 0 || n > mostRows || Labelled(p, n) {
		return 0
	}
	s := unsafe.String((*byte)(noescape(*(*unsafe.Pointer)(unsafe.Pointer(&p)))), int(n))
	l, ok := tableOf[s]
	if !ok {
		l = charsOf(s)
		tableOf[string([]byte(s))] = l
	}
	return l
}

// IndexT keeps an index of a table with n elements, and tells whether it is within.
func IndexT[T integer](i T, l Label, k trace.Num, n uint64, to *Val, at hook.Site) T {
	to.set(uint64(i), l, k)
	if to.l != 0 && Exprs && here() {
		to.less(&Val{k: trace.Int, v: n}, at)
	}
	return i
}

// element returns the label of element i, of the type k, of n at p. If there is no table, i is
// pinned.
func (i *Val) element(p uintptr, n uint64, k trace.Num, at hook.Site) Label {
	size := uintptr(k.Width()+7) / 8
	v := i.k.Extend(i.v)
	if i.l != 0 && v < n {
		index, table := Conv(i.l, word), rows(p, uintptr(n)*size)
		if index != 0 && table != 0 {
			x := uint64(0)
			for b := range size {
				x |= uint64(peek(p+uintptr(v)*size+b)) << (8 * b)
			}
			return expr(trace.FlowNode{Op: trace.FlowTable, Kind: k, A: uint32(index), B: uint32(table)}, x)
		}
		pin(i.l, i.v, at)
	}
	return memory.get(p+uintptr(v)*size, size)
}

// IndexRow is IndexT for an array that is never written.
func IndexRow[T integer, E any](i T, l Label, k trace.Num, table []E, to *Val, at hook.Site) T {
	to.p = uintptr(unsafe.Pointer(unsafe.SliceData(table)))
	return IndexT(i, l, k, uint64(len(table)), to, at)
}

// Row returns the label of element i, of the type k, of n: see IndexRow.
func Row(i *Val, n uint64, k trace.Num, at hook.Site) Label {
	if !Exprs || i.l == 0 || !here() {
		return 0
	}
	return i.element(i.p, n, k, at)
}

// RowText returns the label of s[i], s a constant string.
func RowText(s string, i *Val, at hook.Site) Label {
	i.p = bytesOf(s)
	return Row(i, uint64(len(s)), 8, at)
}

// Cell is Quiet for element i of a table with n elements of the type k: *p.
func Cell[T any](p *T, i *Val, n uint64, k trace.Num, to *Slot, at hook.Site) *T {
	if to.l = 0; Exprs && (memory.n > 0 || i.l != 0) && here() {
		q := uintptr(noescape(unsafe.Pointer(p)))
		to.l = i.element(q-uintptr(i.k.Extend(i.v))*unsafe.Sizeof(*p), n, k, at)
	}
	return p
}
