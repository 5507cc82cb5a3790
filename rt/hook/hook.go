// Package hook is the leaf that rewritten code calls. It holds no logic: every
// function here either does what plain Go would have done (no execution is
// running, or the caller is not a goroutine under test), or hands over to the
// scheduler through the function variables of sched.go.
//
// It is laid into GOROOT/src as heddlert/hook and imported by sync, time and
// every rewritten package, so it imports nothing above package runtime.
package hook

import "unsafe"

// Site is trace.Site; rewritten code passes it as an untyped constant.
type Site = uint64

// On is true while an execution runs. Hooks test it first, inlined.
var On bool

// Cur is the address of the g of the goroutine under test that runs now, 0
// inside the scheduler. A hook called on any other g is outside control and
// does the plain thing.
var Cur uintptr

// Real is true while an execution goes by real time, because goroutines or
// files outside control take part in it. Uptime is its clock then, on the
// scale of Now; set by package time.
var (
	Real   bool
	Uptime func() int64
)

// Children is true once a process was started in the execution, which may
// connect to sockets of this one; set by package internal/poll.
var Children bool

// Common is true once the execution has taken what all processes of the machine have in common: a
// port by its number, the name of a socket, a file that is not below OwnNames. Another process that
// executes the test at the same time would disturb it. Set by internal/poll and the scheduler.
var Common bool

// OwnNames are the random names that os.CreateTemp and os.MkdirTemp have tried in the execution.
var OwnNames []string

// OwnName reports whether a file has one of OwnNames, or is below it.
func OwnName(name string) bool {
	for _, own := range OwnNames {
		if n := len(own); len(name) >= n && name[:n] == own && (len(name) == n || name[n] == '/') {
			return true
		}
	}
	return false
}

// Rec is true when values are recorded.
var Rec bool

// Updates is true while updates are told apart from other writes, and the entries of maps: Update,
// AtomicUnused, MapEntry, MapKey and MapLength are called then.
var Updates bool

// Polls is true while loops that may poll can wait: Loop and Spoil are told then.
var Polls bool

// Frozen is true while time passes only when all goroutines wait (testing/synctest):
// elsewhere every look at the clock takes a nanosecond.
var Frozen bool

// Arming is true while package time looks at the clock to start a timer.
var Arming bool

// Here reports whether the caller is the goroutine under test that runs now.
func Here() bool { return On && getg() == Cur }

// Active reports whether heddle started the process.
func Active() bool { return active() }

// noescape hides p from escape analysis: what hooks are given is not kept
// beyond the operation, and suspended stacks do not move (shrinking is off).
//
//go:nosplit
func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
