//go:build !heddle_rt

package hook

import (
	"runtime"
	"unsafe"
)

// The forms used when heddle's own packages are built as an ordinary module
// (unit tests, benchmarks in one process): there every caller is taken to be
// the goroutine under test that runs.

func getg() uintptr {
	if Cur != 0 {
		return Cur
	}
	return 1
}

func onStack(uintptr) bool { return false }

func stackDepth(uintptr) uintptr { return 0 }

// CallerPC returns the return address of the function that calls it.
func CallerPC() uintptr {
	var pc [1]uintptr
	runtime.Callers(3, pc[:])
	return pc[0]
}

func rselect(cases []runtimeSelect) (int, bool) {
	panic("heddle: plain select outside the program under test")
}

func chanput(c, v unsafe.Pointer) bool  { return false }
func chantake(c, v unsafe.Pointer) bool { return false }

// In one process no two goroutines look at the same time.
func take(*uint32) bool { return true }
func give(*uint32)      {}

func initialised()   {}
func stranger() bool { return false }
func active() bool   { return false }

// NewOf is not called in heddle's own tests.
func NewOf(t unsafe.Pointer) unsafe.Pointer {
	panic("heddle: a type of the runtime's outside the program under test")
}

// Move is not called in heddle's own tests.
func Move(t, dst, src unsafe.Pointer) {
	panic("heddle: a type of the runtime's outside the program under test")
}
