//go:build !heddle_rt

package sched

import "unsafe"

// The plain forms, for heddle's own unit tests and in-process benchmarks:
// goroutines and channels do what the runtime's coroutines do in the program
// under test, some ten times slower.

// mayBeOutsiders is false: in heddle's own tests others run beside the program, and have nothing to
// do with it.
const mayBeOutsiders = false

func goMemory(uintptr) bool { return true }

func mine(bool) {}

type plainCoro struct{ ch chan struct{} }

var (
	plainG    uintptr
	plainNext uintptr = 1
)

func newcoro(f func(unsafe.Pointer)) unsafe.Pointer {
	c := &plainCoro{ch: make(chan struct{})}
	wake := c.ch
	plainNext++
	id := plainNext
	go func() {
		<-wake
		plainG = id
		defer func() {
			next := c.ch
			close(next)
		}()
		grow(0)
		f(unsafe.Pointer(c))
	}()
	return unsafe.Pointer(c)
}

// grow makes the stack large enough that it does not move later: waiters'
// slots are on it.
//
//go:noinline
func grow(i int) byte {
	var big [64 << 10]byte
	big[i] = 1
	return big[i/2]
}

func coroswitch(p unsafe.Pointer) {
	c := (*plainCoro)(p)
	next, me, id := c.ch, make(chan struct{}), plainG
	c.ch = me
	close(next)
	<-me
	plainG = id
}

func stackBounds() (lo, hi uintptr) { return 0, 0 }

func stackHi(uintptr) uintptr { return 0 }

func stackLo(uintptr) uintptr { return 0 }

// A plainMemory stands for the program's memory in heddle's own tests: where the runtime is not
// asked, there is none.
type plainMemory struct {
	objects   map[uintptr]uintptr // sizes, by where they begin
	variables memoryRange
	stacks    map[uintptr]suspended
}

var plainHeap plainMemory

func heapObject(p uintptr) (base, size uintptr, noscan, small bool) {
	for at, n := range plainHeap.objects {
		if p >= at && p < at+n {
			return at, n, false, false
		}
	}
	return 0, 0, false, false
}

func heapBounds() (lo, hi uintptr) { return 0, ^uintptr(0) }

func eachSuspended(f func(gp, lo, hi, deferred uintptr)) {
	for gp, s := range plainHeap.stacks {
		f(gp, s.stack.lo, s.stack.hi, s.deferred)
	}
}

func eachVariables(f func(lo, hi uintptr)) { f(plainHeap.variables.lo, plainHeap.variables.hi) }

func getg() uintptr { return plainG + 1 }

// chanstate does not know what waits: in heddle's own tests nothing does natively.
func chanstate(c unsafe.Pointer) (n int, closed, receivers, senders bool) {
	h := (*hchan)(c)
	return int(h.count), h.closed != 0, false, false
}

func chanopen(c unsafe.Pointer) { (*hchan)(c).closed = 0 }

// An hchan is how a channel begins: runtime.hchan of Go 1.26.
type hchan struct {
	count, size uint
	buf         unsafe.Pointer
	elem        uint16
	closed      uint32
}

func numgc() uint32 { return 0 }

func chandrop(c unsafe.Pointer) {}

func chanempty(c unsafe.Pointer) bool { return (*hchan)(c).elem == 0 }

// chanflat: heddle's own tests send integers.
func chanflat(c unsafe.Pointer) bool { return true }

func chanvalue(c, v unsafe.Pointer) (number uint64, ok bool) {
	if (*hchan)(c).elem != 8 {
		return 0, false
	}
	return *(*uint64)(v), true
}

func goid() uint64 { return uint64(plainG) }

func labels() unsafe.Pointer { return nil }

func setLabels(unsafe.Pointer) {}

func dynamic(t unsafe.Pointer) (elem unsafe.Pointer, direct, iface bool) { return nil, true, false }

func methodOn(t unsafe.Pointer, name string) (how uint8, off, size uintptr, field unsafe.Pointer) {
	return 0, 0, 0, nil
}
