package drive

import (
	"flag"
	"math"
	"os"
	"strings"
	"unsafe"

	"heddle/rt/sched"
	"heddle/rt/states"
	"heddle/trace"
)

// quiet reports whether the operations of a package give order but no choice.
func (d *driver) quiet(pkg, file string) bool {
	return sched.Standard(file) && !states.Visible[pkg] && !sched.Loopback(file)
}

// effects are those of functions of quiet packages whose operations commute, as
// far as the result of no function tells otherwise: what tests log and what is
// printed may come in any order. Functions that are not here may do anything.
var effects = map[string]trace.Effect{
	"log/slog.(*commonHandler).handle": trace.Known,
	"testing.(*common).Fail":           trace.Changes(trace.FactFailed) | trace.Looks(trace.FactEnded),
	"testing.(*common).FailNow":        trace.Changes(trace.FactFinished),
	// also the first that a test does at its end
	"testing.(*common).Failed":          trace.Looks(trace.FactFailed) | trace.Changes(trace.FactEnded),
	"testing.(*common).Helper":          trace.Known,
	"testing.(*common).SkipNow":         trace.Changes(trace.FactSkipped | trace.FactFinished),
	"testing.(*common).Skipped":         trace.Looks(trace.FactSkipped),
	"testing.(*common).callSite":        trace.Known,
	"testing.(*common).destination":     trace.Looks(trace.FactEnded),
	"testing.(*common).flushPartial":    trace.Known,
	"testing.(*common).flushToParent":   trace.Changes(trace.FactEnded),
	"testing.(*common).log":             trace.Known,
	"testing.(*outputWriter).Write":     trace.Looks(trace.FactEnded), // until go1.26
	"testing.(*outputWriter).write":     trace.Looks(trace.FactEnded),
	"testing.(*T).Parallel":             trace.Known,
	"testing.tRunner":                   trace.Changes(trace.FactFinished),
	"testing.tRunner.func1":             trace.Looks(trace.FactFinished),
	"testing.tRunner.func1.1":           trace.Known, // counts
	"testing.(*testState).release":      trace.Known, // unless as many tests run as may: see effectOf
	"testing.(*testState).waitParallel": trace.Known,
}

// printing are the functions that lock a file to write to it; of those that two
// goroutines write to only standard output and standard error are read by no test. What an example
// prints is compared, but each write of the program is a step (sched.file), which decides the
// order. Not so each step with the first two functions, such as Stat.
var printing = map[string]sched.Scope{
	"internal/poll.(*fdMutex).decref":   sched.OutputsOnly,
	"internal/poll.(*fdMutex).incref":   sched.OutputsOnly,
	"internal/poll.(*fdMutex).rwlock":   sched.FilesWritten,
	"internal/poll.(*fdMutex).rwunlock": sched.FilesWritten,
}

// effectOf is sched.EffectOf.
func effectOf(function string) (e trace.Effect, of sched.Scope) {
	if i := strings.Index(function, ".deferwrap"); i >= 0 {
		function = function[:i]
	}
	if of := printing[function]; of != sched.AllObjects {
		return trace.Known, of
	}
	if states.Inside(function) {
		return trace.Known, sched.AllObjects
	}
	if strings.HasPrefix(function, "testing.(*testState)") && limited {
		return 0, sched.AllObjects
	}
	return effects[function], sched.AllObjects
}

// limited: a flag says how many tests may run in parallel.
var limited bool

// Parallel returns how many tests may run in parallel, where -test.parallel is n:
// as many as there are, whatever the number of processors, unless the flag is set.
func Parallel(n int) int {
	if limited {
		return n
	}
	return math.MaxInt
}

// isSet reports whether a flag of the test binary has another value than its default.
func isSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue
}

// outputs returns the addresses of the locks of standard output and standard
// error: an os.File points to what begins with its poll.FD, and that with its lock.
func outputs() []uintptr { return []uintptr{lockOf(os.Stdout), lockOf(os.Stderr)} }

func lockOf(f *os.File) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// Capture notes that an example prints to f.
func Capture(f *os.File) { sched.Captured = lockOf(f) }
