//go:build heddle_rt

package sched

import (
	"runtime"
	"unsafe"
)

// Bodies come from the file that heddle adds to package runtime. A coro holds
// one suspended goroutine; coroswitch resumes that one and suspends the caller
// in its place. A goroutine made by newcoro that returns (or Goexits) resumes
// whoever is suspended in its own coro.

//go:linkname newcoro
func newcoro(f func(unsafe.Pointer)) unsafe.Pointer

//go:linkname coroswitch
func coroswitch(c unsafe.Pointer)

// stackBounds returns the bounds of the running goroutine's stack.
func stackBounds() (lo, hi uintptr) { return runtime.HeddleStack() }

// stackHi returns the upper end of the stack of the goroutine whose g is at gp.
//
//go:linkname stackHi
func stackHi(gp uintptr) uintptr

func getg() uintptr { return runtime.HeddleGetg() }

// numgc counts the garbage collections so far.
//
//go:linkname numgc
func numgc() uint32

// chanstate looks into a native channel that the model does not know.
//
//go:linkname chanstate
func chanstate(c unsafe.Pointer) (n int, closed, receivers, senders bool)

// chanopen opens a native channel that was closed.
//
//go:linkname chanopen
func chanopen(c unsafe.Pointer)

// chandrop receives and drops a value that is in a native channel's buffer.
//
//go:linkname chandrop
func chandrop(c unsafe.Pointer)

// goid returns the number of the running goroutine.
//
//go:linkname goid
func goid() uint64

// mayBeOutsiders: every goroutine that is no coroutine of ours may take part.
const mayBeOutsiders = true

// labels and setLabels give and take the profile labels of the running goroutine.
//
//go:linkname labels
func labels() unsafe.Pointer

//go:linkname setLabels
func setLabels(p unsafe.Pointer)
