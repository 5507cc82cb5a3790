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
	if !Here() || len(pc) == 0 {
		if skip > 0 {
			skip++ // this function
		}
		n := runtime.Callers(skip, pc)
		if skip == 0 && n > 1 { // runtime.Callers itself, then its caller
			n = 1 + runtime.Callers(2, pc[1:])
		}
		return n
	}
	// The whole stack: what is asked for may begin below the test.
	all := make([]uintptr, max(skip, 0)+len(pc)+1)
	all[0] = self
	n := 1 + runtime.Callers(2, all[1:])
	n = CallersBelow(all, n)
	if skip >= n {
		return 0
	}
	return copy(pc, all[max(skip, 0):n])
}

// self is a program counter in runtime.Callers.
var self = func() uintptr {
	var pc [1]uintptr
	runtime.Callers(0, pc[:])
	return pc[0]
}()

// Caller is runtime.Caller, likewise.
//
//go:noinline
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	pc, file, line, ok = runtime.Caller(skip + 1)
	if !Here() || ok && !below(pc) {
		return
	}
	var pcs [1]uintptr
	// This function is the one that Callers is called by.
	if Callers(skip+2, pcs[:]) == 0 {
		return 0, "", 0, false
	}
	f, _ := runtime.CallersFrames(pcs[:]).Next()
	return pcs[0], f.File, f.Line, true
}

// below reports whether a program counter is in what stands below a test or a
// goroutine: heddle's functions and those of the runtime.
func below(pc uintptr) bool {
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return false
	}
	name := f.Name()
	return name == "runtime.corostart" || name == "runtime.goexit" || hasPrefix(name, "heddlert/") ||
		hasPrefix(name, "testing.heddle")
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
