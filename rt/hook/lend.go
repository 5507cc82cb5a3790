package hook

import "unsafe"

// Functions without a body (assembly, what is linked from another package by name) access memory
// unseen. Each is called through a function that the rewriter makes, which tells first what memory
// the arguments lead to.

// Lend says that the n bytes at p, and all that pointers there lead to, are lent to the function
// fn, which is called at pc. Of an argument itself, which is a copy, only what it leads to is lent:
// held is false then. Of a pointer to something small all that it is a part of is lent: functions
// take a length beside it.
var LendMemory func(p unsafe.Pointer, n uintptr, held bool, fn string, pc uintptr)

// Lend is for an argument, the copy of which is at p.
func Lend[T any](p *T, fn string, pc uintptr) {
	if Here() {
		LendMemory(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), false, fn, pc)
	}
}

// LendPointer is for an argument that is a pointer.
func LendPointer[T any](p *T, fn string, pc uintptr) {
	if p != nil && Here() {
		LendMemory(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p), true, fn, pc)
	}
}

// LendSlice is for an argument that is a slice.
func LendSlice[S ~[]E, E any](s S, fn string, pc uintptr) {
	if cap(s) > 0 && Here() {
		LendMemory(noescape(unsafe.Pointer(unsafe.SliceData(s))), uintptr(cap(s))*unsafe.Sizeof(s[:1][0]),
			true, fn, pc)
	}
}
