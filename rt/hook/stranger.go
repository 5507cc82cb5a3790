package hook

import "unsafe"

// What goroutines outside control touch. A package-level variable that one of them uses must not be
// put back under its hands: it may hold the lock, or be in the midst of a map. Strangers says where
// they were.

// Strangers is true while there are goroutines outside control that may use the variables of
// packages under test.
var Strangers bool

// Between sets the hooks for the time between two executions: what goroutines outside control touch
// is noted then too.
func Between() {
	On = Strangers && Read != nil // nil before the first execution
	WatchReads, WatchWrites, Left = On, On, Unbounded
}

// Touched are the places that goroutines outside control have touched, each once; only the first
// NTouched are. A goroutine that finds the table full leaves NTouched beyond its end.
var (
	Touched  [1 << 10]uintptr
	NTouched int
)

// Touch notes that the running goroutine is about to use *p, if it is outside control. There is no
// lock: two of them that come at once may lose one place, and come again.
func Touch(p unsafe.Pointer) {
	if !Strangers || !stranger() {
		return
	}
	n := NTouched
	if n > len(Touched) {
		return
	}
	for _, q := range Touched[:n] {
		if q == uintptr(p) {
			return
		}
	}
	if n < len(Touched) {
		Touched[n] = uintptr(p)
	}
	NTouched = n + 1
}
