package engine

import (
	"fmt"
	"slices"

	"heddle/engine/judge"
	"heddle/rt/wire"
)

// An account is what the executions of an exploration add up to.
type account struct {
	n         int                      // executions so far
	seen      map[string]*wire.Finding // by key
	told      map[string]bool          // of a worker: keys of those that have reached the command
	suspected []string                 // keys of races that loose executions showed, see loosen
	found     int
	before    int  // of found, before this input
	kept      bool // a finding was told with its clip
	untold    int  // findings that there was no time to tell
	buggy     int  // executions that showed something wrong
	cuts      wire.Cuts
	timers    bool // executions use timers
	bubble    bool // and timers in a bubble of testing/synctest
	choices   bool // and make choices beside those of the scheduler
	real      bool // goroutines or files outside control take part: executions go by real time
	common    bool // executions take what one process at a time can have: a port, a file
	nondet    bool // the same schedule gave two different executions
	passed    bool // the test did not fail in the first execution, the one without switches
	aborted   int  // executions that a strategy broke off: they showed nothing, and count for nothing
	// executions that have covered every interleaving, where others were made beside; 0: all
	covering int
	estimate float64 // of the executions that would cover every interleaving, 0: not known
}

// tally is the account as others add it to theirs.
func (a *account) tally() wire.Tally {
	return wire.Tally{Executions: a.n, Buggy: a.buggy, Cuts: a.cuts, Timers: a.timers, Real: a.real,
		Nondet: a.nondet, Aborted: a.aborted}
}

// AbortedNote says that a strategy broke off n executions; it is empty if there are none.
func AbortedNote(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 execution beside these was broken off by the strategy: it could only go on like others"
	}
	return fmt.Sprintf("%d executions beside these were broken off by the strategy: they could only go on like others", n)
}

// isKnown reports whether a finding was told.
func (a *account) isKnown(key string) bool {
	if a.told != nil {
		return a.told[key]
	}
	return a.seen[key] != nil
}

// result is "fail" where something was found, else what the test said of itself.
func (a *account) result(plain string) string {
	if a.found > 0 {
		return "fail"
	}
	return plain
}

// hidesNone are the kinds of findings after which an execution goes on as it would have, or that
// come when it is over.
var hidesNone = []string{judge.Race, judge.Leak, judge.Misuse}

// hides reports whether findings may keep others from showing: they end executions early, and
// every one so far.
func hides(fresh []*wire.Finding, everywhere bool) bool {
	return everywhere &&
		!slices.ContainsFunc(fresh, func(f *wire.Finding) bool { return slices.Contains(hidesNone, f.Kind) })
}
