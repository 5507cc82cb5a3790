package hook

import (
	"runtime"
	"unsafe"
)

var (
	// UseState says that the state at p is about to be looked at or changed; see package states.
	UseState func(p unsafe.Pointer, write bool)
	// UseFileState is UseState for what belongs to a file. What the standard library does with
	// files for itself is no operation.
	UseFileState func(p unsafe.Pointer, write bool)
	// StateNamed is UseState for state of the whole process.
	StateNamed func(name string, write bool)
	// BlindCall says that the function fn is called, at pc, which uses or changes what others see,
	// and is no operation.
	BlindCall func(fn string, pc uintptr)
	// CrowdedSocket says that the packets in a UDP socket may be more than the kernel has room for.
	CrowdedSocket func(pc uintptr)
)

// StateOf announces a use of the state that p stands for.
func StateOf[T any](p *T, write bool) {
	if p != nil && Here() {
		UseState(noescape(unsafe.Pointer(p)), write)
	}
}

// StateIn announces a use of state of the whole process.
func StateIn(name string, write bool) {
	if Here() {
		StateNamed(name, write)
	}
}

// Stated returns f, a function that uses state of the whole process, and is about to be called.
func Stated[F any](f F, name string) F {
	if Here() {
		StateNamed(name, true)
	}
	return f
}

// Blind returns f, a function that does what others see and is no operation, and is about to be
// called.
//
//go:noinline
func Blind[F any](f F, name string) F {
	if Here() {
		BlindCall(name, caller())
	}
	return f
}

// Unhooked says that a function runs whose directives forbid hooks, and which accesses memory.
//
//go:noinline
func Unhooked(name string) {
	if Here() {
		BlindCall(name, caller())
	}
}

// TextMade is told of a text that package unsafe has made of memory which may change, and where.
var TextMade func(text string, pc uintptr)

// Text returns a text that package unsafe has made of bytes, or whose bytes it hands out. No read
// of a text is announced, so nothing may change it from then on.
//
//go:noinline
func Text[S ~string](s S) S {
	if Here() && len(s) > 0 {
		RecentWrites.Window++ // what is written again is told again
		TextMade(string(s), caller())
	}
	return s
}

// Mapping is Blind for a function that maps memory: memory that is no file's concerns only those
// that get it.
//
//go:noinline
func Mapping(f func(fd int, offset int64, length, prot, flags int) ([]byte, error),
	name string) func(fd int, offset int64, length, prot, flags int) ([]byte, error) {
	if !Here() {
		return f
	}
	pc := caller()
	return func(fd int, offset int64, length, prot, flags int) ([]byte, error) {
		if fd != -1 {
			BlindCall(name, pc)
		}
		return f(fd, offset, length, prot, flags)
	}
}

// caller returns the place that called the hook that calls it.
//
//go:noinline
func caller() uintptr {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	return pc[0]
}
