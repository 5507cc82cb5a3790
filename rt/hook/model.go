package hook

import "unsafe"

// Modelled objects: synchronisation that Go does not have, such as monitors
// and counting semaphores, built by a package of the program under test on
// the functions below (bench/model does). A call of heddle/rt/hook is
// rewritten to the laid package, so the same source runs plainly, in heddle's
// own tests, and under test.
//
// All of them report whether the caller is under control. Where it is not,
// they have done nothing and the caller does the plain thing.

// Modelled objects; the scheduler sets these variables.
var (
	// Model announces an operation on the object at p and returns when it is
	// done. All operations on one object are ordered.
	Model func(p unsafe.Pointer, pc uintptr)
	// ModelEnd says that the code that belongs to the operation is over.
	ModelEnd func(p unsafe.Pointer)
	// ModelPark waits at the object until woken.
	ModelPark func(p unsafe.Pointer, pc uintptr)
	// ModelWake wakes a goroutine that parks; again: into a new operation on the object.
	ModelWake func(p unsafe.Pointer, id int32, again bool)
	ModelSelf func() int32
	// Semaphores. n is the count before the first operation.
	SemAcquire func(p unsafe.Pointer, n int, pc uintptr)
	SemRelease func(p unsafe.Pointer, n int, pc uintptr)
)

// Enter does an operation on the modelled object at p: it is always enabled,
// and ordered with all others on p. What the caller does up to Exit, without
// other operations, belongs to it.
//
//go:noinline
func Enter(p unsafe.Pointer) bool {
	if !Here() {
		return false
	}
	Model(noescape(p), CallerPC())
	return true
}

// Exit ends what Enter or Park began.
func Exit(p unsafe.Pointer) bool {
	if !Here() {
		return false
	}
	ModelEnd(noescape(p))
	return true
}

// Self returns a number for the caller to be woken by.
func Self() (id int32, ok bool) {
	if !Here() {
		return 0, false
	}
	return ModelSelf(), true
}

// Park blocks the caller until Wake wakes it. Woken with again, it has
// entered the object at p anew when Park returns.
//
//go:noinline
func Park(p unsafe.Pointer) bool {
	if !Here() {
		return false
	}
	ModelPark(noescape(p), CallerPC())
	return true
}

// Wake lets the goroutine id go on, which parks at p. again: its next
// operation is to enter p like any other; otherwise it goes on with its own.
// The caller is between Enter and Exit of p.
func Wake(p unsafe.Pointer, id int32, again bool) bool {
	if !Here() {
		return false
	}
	ModelWake(noescape(p), id, again)
	return true
}

// Acquire is P of the counting semaphore at p, whose count was n at first.
//
//go:noinline
func Acquire(p unsafe.Pointer, n int) bool {
	if !Here() {
		return false
	}
	SemAcquire(noescape(p), n, CallerPC())
	return true
}

// Release is V.
//
//go:noinline
func Release(p unsafe.Pointer, n int) bool {
	if !Here() {
		return false
	}
	SemRelease(noescape(p), n, CallerPC())
	return true
}
