package hook

import (
	_ "unsafe" // for linkname

	"heddle/rt/splitmix"
)

// What modules reach in the runtime by go:linkname, past the functions that
// are patched: rewritten code links to these instead.

// Clock is the monotonic clock of the execution, on the runtime's scale, and
// WallClock the wall clock with it. Package time sets them.
var (
	Clock     func() int64
	WallClock func() (sec int64, nsec int32, mono int64)
)

// Nanotime is runtime.nanotime.
//
//go:linkname Nanotime
func Nanotime() int64 {
	if Clock != nil && Here() {
		return Clock()
	}
	return nanotime()
}

// TimeNow is time.now.
//
//go:linkname TimeNow
func TimeNow() (sec int64, nsec int32, mono int64) {
	if WallClock != nil && Here() {
		return WallClock()
	}
	Beyond(BeyondClock)
	return timeNow()
}

// Uint64 is runtime.rand: the execution's generator or, outside of executions,
// one that draws the same in every process of heddle's (seeds taken by init
// functions must not make two processes differ).
//
//go:linkname Uint64
func Uint64() uint64 {
	switch {
	case Here():
		return Rand()
	case active():
		return before.Next()
	}
	return nativeRand()
}

// begun is true from the end of package initialisation on.
var begun bool

// Begin is called when package initialisation is over: TestMain, or main, begins.
func Begin() {
	begun = true
	initialised()
}

// Initial reports whether heddle's process is in package initialisation, where
// nothing should be different from one process to the next.
func Initial() bool { return !begun && active() }

// before is the state of the generator outside of executions. It has no lock:
// goroutines that draw at the same time are in no order anyway.
var before splitmix.Stream

// Uint32 is runtime.fastrand.
//
//go:linkname Uint32
func Uint32() uint32 { return uint32(Uint64() >> 32) }

// Uint32n is runtime.fastrandn: a number below n. One of a few is a choice.
//
//go:linkname Uint32n
//go:noinline
func Uint32n(n uint32) uint32 {
	if n > 1 && n <= 4 && Here() {
		return uint32(Draw(int(n), CallerPC()))
	}
	return uint32(uint64(Uint32()) * uint64(n) >> 32)
}

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname timeNow time.now
func timeNow() (sec int64, nsec int32, mono int64)

//go:linkname nativeRand runtime.rand
func nativeRand() uint64
