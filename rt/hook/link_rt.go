//go:build heddle_rt

package hook

import (
	"internal/runtime/atomic"
	"runtime"
	"unsafe"
)

// Bodies come from the file that heddle adds to package runtime.

// getg returns the address of the running g. It is one instruction, inlined.
func getg() uintptr { return runtime.HeddleGetg() }

// onStack reports whether p is on the running goroutine's own stack, which is not shared.
func onStack(p uintptr) bool {
	lo, hi := runtime.HeddleStack()
	return lo <= p && p < hi
}

// stackDepth returns how far from its beginning an address of the running goroutine's stack is. The
// stack may move, this stays.
func stackDepth(p uintptr) uintptr {
	_, hi := runtime.HeddleStack()
	return hi - p
}

// take takes a lock if it is free, give gives it back.
//
//go:nosplit
func take(lock *uint32) bool { return atomic.Cas(lock, 0, 1) }

//go:nosplit
func give(lock *uint32) { atomic.Store(lock, 0) }

// CallerPC returns the return address of the function that calls it, which
// must not be inlined: the place where an operation was called.
//
//go:linkname CallerPC
func CallerPC() uintptr

// rselect is runtime.reflect_rselect: the plain select for callers outside control.
//
//go:linkname rselect
func rselect(cases []runtimeSelect) (int, bool)

// chanput moves *v into the buffer of a channel, chantake a value from there to
// *v, without the channel's lock. They report whether they did.
//
//go:linkname chanput
//go:noescape
func chanput(c, v unsafe.Pointer) bool

//go:linkname chantake
//go:noescape
func chantake(c, v unsafe.Pointer) bool

// stranger reports whether the running goroutine is outside control.
//
//go:linkname stranger
func stranger() bool

// initialised tells the runtime that package initialisation is over.
//
//go:linkname initialised
func initialised()

// active reports whether heddle started the process.
//
//go:linkname active
func active() bool

// NewOf returns new memory for a value of the type t of the runtime's. Move moves such a value.
//
//go:linkname NewOf
func NewOf(t unsafe.Pointer) unsafe.Pointer

//go:linkname Move
func Move(t, dst, src unsafe.Pointer)
