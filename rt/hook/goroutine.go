package hook

import (
	"runtime"
	"unsafe"
)

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

// WantArgs is true where the arguments of go statements are to be known. Args are those of the
// statement that GoStmt is called for. Funcs are the functions that its closure has: method values,
// literals, variables. Each statement may make another closure of one function, so addresses of
// closures do not tell whether they are equal.
var (
	WantArgs bool
	Args     []interface{}
	Funcs    []unsafe.Pointer
)

// GoArgs is Go for a statement whose arguments args returns, those that are no constants.
//
//go:noinline
func GoArgs(s Site, f func(), args func() []interface{}) {
	if !Here() {
		go f()
		return
	}
	GoPC = CallerPC()
	if WantArgs {
		Args = args()
	}
	GoStmt(f, s)
	Args, Funcs = nil, nil
}

// Literal adds f, a function that the closure of a go statement has, to Funcs. It is no argument:
// the result is always nil.
func Literal(f interface{}) interface{} {
	type words struct {
		_, data unsafe.Pointer
	}
	Funcs = append(Funcs, (*words)(unsafe.Pointer(&f)).data)
	return nil
}

// A Bound is what a method value with a pointer receiver holds, its code and the receiver: two of
// the same method and receiver are equal, which functions cannot be asked for.
type Bound [2]uintptr

// Method returns what f, such a method value, holds.
func Method(f interface{}) interface{} {
	type words struct {
		_    unsafe.Pointer
		data *Bound
	}
	w := (*words)(unsafe.Pointer(&f))
	Funcs = append(Funcs, unsafe.Pointer(w.data))
	return *w.data
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
//
//go:noinline
func NumGoroutine() int {
	if Here() {
		return NumGo(CallerPC())
	}
	return runtime.NumGoroutine()
}

// Execution counts the executions that have begun in this process.
var Execution uint64

// Live is the number of the execution that runs, 0 when it is over.
var Live uint64

// Measured is true when the execution has asked for what heddle changes: how much memory there is,
// or a plugin.
var Measured bool

// OpenPlugin is called before a plugin is opened: one that was built plainly does not fit a program
// that was rewritten.
func OpenPlugin() {
	if Here() {
		Measured = true
	}
}

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

// RandBytes fills b for crypto/rand from the execution's generator or, outside of executions, from
// one that draws the same in every process of heddle's: see Uint64. It returns false where the
// program has its own source, or runs without heddle.
func RandBytes(b []byte) bool {
	if OwnRand || !Here() && !active() {
		return false
	}
	for i := 0; i < len(b); {
		x := Uint64()
		for j := 0; j < 8 && i < len(b); j++ {
			b[i] = byte(x >> (8 * j))
			i++
		}
	}
	return true
}

// Loop begins an iteration of a loop that may only look, the first one or another
// one: for !x.Load() {} becomes for Loop(s, false); !x.Load(); Loop(s, true) {}.
func Loop(s Site, again bool) {
	if Polls && Here() {
		LoopStart(s, again)
	}
}

// Count is Loop for a loop that counts its iterations, where no statement looks at the count:
// for i := 0; !x.Load(); i++ {} becomes
//
//	for i := Count(s, false, 0); !x.Load(); i = Count(s, true, i+1) {}
func Count[T any](s Site, again bool, n T) T {
	Loop(s, again)
	return n
}

// Out stands where such a loop is left.
func Out(s Site) {
	if Polls && Here() {
		LoopLeft(s)
	}
}

// Settle returns what such a loop assigns to a variable that is older than the iteration: a change,
// if it had another value.
func Settle[T comparable](was, is T) T {
	if was != is {
		Spoil()
	}
	return is
}

// SettleAny is Settle for variables of interfaces.
func SettleAny[T any](was, is T) T {
	if Polls && Here() && differ(was, is) {
		Spoils()
	}
	return is
}

// Asked returns a function that such a loop calls. It may be any: a change, unless it is known to
// announce what it changes, as those of the package at that path do.
func Asked[F any](f F, path string) F {
	if Polls && Here() {
		Asks(*(*unsafe.Pointer)(unsafe.Pointer(&f)), path)
	}
	return f
}

// differ reports whether two values of interfaces differ, also where they cannot be compared.
func differ(a, b any) (d bool) {
	d = true
	defer func() { _ = recover() }()
	d = a != b
	return d
}

// Spoil stands in such a loop, and in functions that it calls, where something
// is changed that outlives the iteration, or may be: the goroutine is not to wait at its end.
func Spoil() {
	if Polls && Here() {
		Spoils()
	}
}
