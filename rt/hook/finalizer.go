package hook

import "runtime"

// Finalizers and cleanups belong to the execution that set them. At its end goroutines are cut off
// wherever they are, and what they held becomes garbage, which no run of the program would have
// shown: those that have not run by then never do.

// Finalizer returns a function of f's type that calls f as long as live reports true. f is not nil.
// Set by rt/drive.
var Finalizer func(f any, live func() bool) any

// SetFinalizer is runtime.SetFinalizer.
func SetFinalizer(obj, f any) {
	if f != nil && Finalizer != nil && Here() {
		n := Live
		f = Finalizer(f, func() bool { return Live == n })
	}
	runtime.SetFinalizer(obj, f)
}

// AddCleanup is runtime.AddCleanup.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) runtime.Cleanup {
	if !Here() {
		return runtime.AddCleanup(ptr, cleanup, arg)
	}
	n := Live
	return runtime.AddCleanup(ptr, func(arg S) {
		if Live == n {
			cleanup(arg)
		}
	}, arg)
}
