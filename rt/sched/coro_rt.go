//go:build heddle_rt

package sched

import (
	"runtime"
	"unsafe"
)

// Bodies come from the file that heddle adds to package runtime. A coro holds
// one suspended goroutine; coroswitch resumes that one and suspends the caller
// in its place. A goroutine made by newcoro that returns (or Goexits) resumes
// the goroutine that is suspended in its own coro.

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

// stackLo returns the lower end.
//
//go:linkname stackLo
func stackLo(gp uintptr) uintptr

// heapBounds returns between which addresses all heap objects are.
//
//go:linkname heapBounds
func heapBounds() (lo, hi uintptr)

// eachSuspended calls f for the running goroutine and each one that is suspended, with the address
// of its g, with what is in use of its stack, and with the first of its deferred calls.
//
//go:linkname eachSuspended
func eachSuspended(f func(gp, lo, hi, deferred uintptr))

// eachVariables calls f for each range of memory with package-level variables that may hold
// pointers.
//
//go:linkname eachVariables
func eachVariables(f func(lo, hi uintptr))

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

// chanempty reports whether the values of a native channel have no size.
//
//go:linkname chanempty
func chanempty(c unsafe.Pointer) bool

// chanflat reports whether the values of a native channel have no pointers.
//
//go:linkname chanflat
func chanflat(c unsafe.Pointer) bool

// chanvalue returns a number that stands for the value at v, which is sent to a native channel; ok
// is false if there is none.
//
//go:linkname chanvalue
func chanvalue(c, v unsafe.Pointer) (number uint64, ok bool)

// chandrop receives and drops a value that is in a native channel's buffer.
//
//go:linkname chandrop
func chandrop(c unsafe.Pointer)

// goMemory reports whether p points into memory that Go looks after.
//
//go:linkname goMemory
func goMemory(p uintptr) bool

// mine marks the running goroutine as under control, or not: see hook.Touch.
//
//go:linkname mine
func mine(yes bool)

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

// heapObject returns where the object of the heap begins that p is in, how large it is, and whether
// it holds no pointers; 0 for other memory. small: it may be shared by several variables without
// pointers.
//
//go:linkname heapObject
func heapObject(p uintptr) (base, size uintptr, noscan, small bool)

// dynamic and methodOn look into types: see package runtime.
//
//go:linkname dynamic
func dynamic(t unsafe.Pointer) (elem unsafe.Pointer, direct, iface bool)

//go:linkname methodOn
//go:noescape
func methodOn(t unsafe.Pointer, name string) (how uint8, off, size uintptr, field unsafe.Pointer)
