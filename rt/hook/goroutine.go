package hook

import "runtime"

// Go is a go statement; f has no arguments left to evaluate.
func Go(s Site, f func()) {
	if Here() {
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
