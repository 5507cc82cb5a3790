package hook

import "runtime"

// GoPC is where the last go statement under control was.
var GoPC uintptr

// Go is a go statement; f has no arguments left to evaluate.
//
//go:noinline
func Go(s Site, f func()) {
	if Here() {
		GoPC = CallerPC()
		GoStmt(f, s)
		return
	}
	go f()
}

// Gosched is runtime.Gosched.
//
//go:noinline
func Gosched() {
	if Here() {
		Yield(CallerPC())
		return
	}
	runtime.Gosched()
}

// NumGoroutine is runtime.NumGoroutine: under control, the goroutines under test.
func NumGoroutine() int {
	if Here() {
		return NumGo()
	}
	return runtime.NumGoroutine()
}

// Measured is true when the execution has asked how much memory there is.
var Measured bool

// ReadMemStats is runtime.ReadMemStats. What heddle allocates is in the figures.
func ReadMemStats(m *runtime.MemStats) {
	if Here() {
		Measured = true
	}
	runtime.ReadMemStats(m)
}

// LockOSThread does nothing under control: coroutines may not be locked to threads.
func LockOSThread() {
	if !Here() {
		runtime.LockOSThread()
	}
}

// UnlockOSThread does nothing under control.
func UnlockOSThread() {
	if !Here() {
		runtime.UnlockOSThread()
	}
}

// Switched says that the caller was resumed by a switch that package iter made
// between the two sides of Pull, which are one goroutine under test on two
// stacks; was: the other side was under control.
func Switched(was bool) {
	if was {
		Cur = getg()
	}
}

// OwnRand is true when the program has set its own source of random bytes for crypto/rand.
var OwnRand bool

// RandBytes fills b for crypto/rand from the execution's generator; false outside control.
func RandBytes(b []byte) bool {
	if OwnRand || !Here() {
		return false
	}
	for i := 0; i < len(b); {
		x := Rand()
		for j := 0; j < 8 && i < len(b); j++ {
			b[i] = byte(x >> (8 * j))
			i++
		}
	}
	return true
}

// Loop begins an iteration of a loop that only reads, the first one or another
// one: for !x.Load() {} becomes for Loop(s, false); !x.Load(); Loop(s, true) {}.
func Loop(s Site, again bool) {
	if Here() {
		LoopStart(s, again)
	}
}
