package hook

import "runtime"

// Stack is runtime.Stack: under control, the goroutines under test as the runtime would print them.
//
//go:noinline
func Stack(buf []byte, all bool) int {
	if Here() {
		return Stacks(buf, all)
	}
	return runtime.Stack(buf, all)
}

// Callers is runtime.Callers: under control, without heddle's frames below the test.
//
//go:noinline
func Callers(skip int, pc []uintptr) int {
	if skip > 0 {
		skip++ // this function
	}
	n := runtime.Callers(skip, pc)
	if skip == 0 && n > 1 { // runtime.Callers itself, then its caller
		n = 1 + runtime.Callers(2, pc[1:])
	}
	if Here() {
		return CallersBelow(pc, n)
	}
	return n
}
