// Package judge makes findings from what one execution left behind: its trace and its remains. It
// asks nothing of the scheduler, and of the process no more than what program counters stand for
// (Symbols).
package judge

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// Kinds of findings.
const (
	Race         = "data race"
	Deadlock     = "deadlock"
	Leak         = "leak"
	Panic        = "panic"
	TestFailure  = "test failure"
	Misuse       = "misuse"
	Livelock     = "livelock"
	Uncontrolled = "uncontrolled"
)

// Symbols says what program counters stand for.
type Symbols interface {
	// Resolve looks up a site that is a program counter; an instrumented one keeps its number.
	Resolve(s trace.Site) wire.Place
	// Frames returns a stack, innermost first, as the program would see it without heddle.
	Frames(pcs []uintptr) []wire.Place
	// Functions returns the functions of a stack, innermost first, heddle's own among them.
	Functions(pcs []uintptr) iter.Seq[string]
	// Origin returns the stack of the go statement that started a goroutine of the last execution.
	Origin(g trace.GID) []uintptr
	// Standard reports whether a file is the standard library's.
	Standard(file string) bool
}

// A Judge makes the findings of one test, execution after execution.
type Judge struct {
	Symbols
	Kind string // of the test: "test", "fuzz", "example", "main"

	// Note takes what is told beside findings, each once a test.
	Note func(text string)
	// Outsiders says in words what is outside control, Starters what started the goroutines among
	// it.
	Outsiders func() string
	Starters  func() []string
	// Known takes the data races that are known by their key.
	Known func(r *remains.Race)

	leaky     bool // it was told why goroutines that are left blocked are no leak
	lively    bool // and which goroutines live on after the test
	unstopped bool // and what iter.Pull leaves
}

// An Outcome is what the test said of itself.
type Outcome struct {
	Failed bool
	Output []byte
	G      trace.GID // called Fail first
	Stack  []uintptr // from where; nil: not known
	Steps  int       // that the execution had then

	Subtests map[trace.GID]string // by the goroutines that run them, their full names
}

// An Execution is what is judged.
type Execution struct {
	*trace.Trace
	*remains.Remains
	Outcome
	EarlyAsked bool // timers were to fire early by any amount of time, and a failure after that counts
}

// Findings returns what is wrong in an execution, but for failures of the test that heddle may have
// caused itself. known, if not nil, reports whether a data race with that key was told.
func (j *Judge) Findings(x *Execution, known func(key string) bool) []wire.Found {
	fs := j.wrong(x, known)
	if len(x.Subtests) > 0 {
		for i := range fs {
			fs[i].Finding.Subtest = subtestOf(x, fs[i].Finding)
		}
	}
	if len(x.Early) > 0 && !x.Failed && x.Verdict != trace.Panicked {
		for i := range fs {
			fs[i].Finding.Early = j.earlyTimers(x)
		}
	}
	return fs
}

// RanOut reports whether the test failed where a time-out may have come because heddle is slower
// than the program.
func (j *Judge) RanOut(x *Execution) bool { return x.RanOut && !x.EarlyAsked && j.testFailed(x) }

// FailedEarly reports whether the test failed after a timer that fired early: that is not reported.
func (j *Judge) FailedEarly(x *Execution) bool {
	return len(x.Early) > 0 && !x.EarlyAsked && j.testFailed(x)
}

// Mutes reports whether the failure of an execution that FailedEarly is true of keeps something
// else from being reported: it is not the test alone that says what is wrong.
func (j *Judge) Mutes(x *Execution) bool {
	return !x.Failed || x.Verdict != trace.Finished && !j.panicsFailed(x) && !hangsFailed(x) ||
		x.Deadlock != nil || j.panicking(x) ||
		slices.ContainsFunc(x.Races, func(r remains.Race) bool { return !r.Known })
}

// panicsFailed reports whether all that panicked in an execution is the goroutine that had said
// before that the test fails: that is a consequence.
func (j *Judge) panicsFailed(x *Execution) bool {
	if x.Verdict != trace.Panicked || len(x.Failures) == 0 || x.Outcome.Stack == nil ||
		j.within(x.Outcome.Stack, func(function string) bool { return function == "runtime.gopanic" }) != "" {
		return false // package testing says it, while a goroutine panics
	}
	return !slices.ContainsFunc(x.Failures, func(f *remains.Failure) bool {
		return f.Kind != remains.FailPanic || f.G != x.Outcome.G
	})
}

// hangsFailed reports whether an execution ended since no goroutine could go on, and the goroutine
// that had said before that the test fails is one that waits: the test went on though what it
// expected had not come. That is a consequence.
func hangsFailed(x *Execution) bool {
	return x.Verdict == trace.Deadlocked && x.Outcome.Stack != nil &&
		slices.ContainsFunc(x.Remains.Left, func(g remains.Goroutine) bool { return g.G == x.Outcome.G })
}

// testFailed reports whether an execution failed the test, or ended it by a panic that is not
// heddle's to judge.
func (j *Judge) testFailed(x *Execution) bool {
	f := x.Failure()
	return x.Failed || x.Verdict == trace.Panicked && f != nil && f.Kind != remains.FailMisuse ||
		j.panicking(x)
}

// panicking reports whether a goroutine that panicked is held up in its deferred calls.
func (j *Judge) panicking(x *Execution) bool {
	if x.Verdict == trace.Finished && x.Deadlock == nil {
		return false
	}
	for i := range x.Remains.Left {
		if j.within(x.Remains.Left[i].Stack,
			func(function string) bool { return function == "runtime.gopanic" }) != "" {
			return true
		}
	}
	return false
}

func (j *Judge) wrong(x *Execution, known func(key string) bool) []wire.Found {
	var fs []wire.Found
	add := func(f *wire.Finding) { fs = append(fs, wire.Found{Key: KeyOf(f), Finding: f}) }
	if j.FailedEarly(x) || j.RanOut(x) {
		// A timer that fired early, or heddle's slowness, may have made the test fail: that is
		// what time-outs in tests are for, so the execution says nothing.
		return nil
	}
	if !x.Outside { // else the order with what is outside control is not known
		for i := range x.Races {
			r := &x.Races[i]
			if r.Known {
				continue
			}
			add(j.raceFinding(x, r))
			if known != nil && r.Misuse == remains.MisuseNone && known(fs[len(fs)-1].Key) {
				j.Known(r)
			}
		}
	}
	if d := x.Deadlock; d != nil && !x.Outside {
		// What the test says about it, a time-out mostly, is a consequence.
		add(j.deadlockFinding(x, d))
		fs[len(fs)-1].Steps = d.Steps
		return fs
	}
	switch x.Verdict {
	case trace.Panicked:
		for _, f := range x.Failures {
			add(j.failureFinding(x, f))
		}
		return fs
	case trace.Deadlocked:
		add(j.blockedFinding(x, Deadlock))
		return fs
	case trace.Livelocked:
		if !x.PolledUnseen {
			add(j.blockedFinding(x, Livelock))
		}
		return fs
	case trace.TimedOut:
		if !x.Outside {
			add(j.timeoutFinding(x))
			fs[len(fs)-1].Steps = lastOfWaiting(x.Trace)
		}
		return fs
	case trace.Bounded, trace.Crowded, trace.Expired, trace.Filled, trace.Diverged, trace.Aborted:
		return fs
	}
	switch {
	case x.Exited: // what is left behind goes with the process
	case x.Failed:
		if !x.Measured { // else heddle's own memory may be why
			add(j.testFailure(x))
		}
		// What a failed test leaves behind is not blamed.
	case !x.Outside:
		if f := j.leakFinding(x); f != nil {
			add(f)
		}
	}
	return fs
}

// earlyTimers says which timers fired early.
func (j *Judge) earlyTimers(x *Execution) string {
	var parts []string
	for _, t := range x.Early {
		p := j.Resolve(t.Site)
		if len(t.Origin) > 0 { // context.WithTimeout is called by the program
			p = j.userFrame(j.Frames(t.Origin))
		}
		parts = append(parts,
			fmt.Sprintf("the timer of %s:%d fired %s early", Base(p.File), p.Line, duration(t.By)))
	}
	parts = slices.Compact(parts)
	return strings.Join(parts[:min(len(parts), mostEarly)], "; ")
}

// mostEarly bounds the early timers that a finding names.
const mostEarly = 3

func (j *Judge) raceFinding(x *Execution, r *remains.Race) *wire.Finding {
	switch r.Misuse {
	case remains.MisuseWait:
		return j.unordered(x, r, "wg-add", "wg-wait", "WaitGroup.Add and Wait can come in either order: Wait may return too early")
	case remains.MisuseClose:
		return j.unordered(x, r, "close", "send",
			"a send is not ordered with the close of its channel: it may panic")
	}
	now, before := "read", "read"
	if r.Write {
		now = "write"
	}
	if r.PrevWrite {
		before = "write"
	}
	if r.Race.Atomic {
		now = "atomic " + now
	}
	if r.PrevAtomic {
		before = "atomic " + before
	}
	f := &wire.Finding{
		Kind: Race, Decided: r.Step, Earlier: r.PrevStep,
		Quiet:  r.At.Quiet() || r.Prev.Quiet(),
		Places: []wire.Place{j.place(x, r.At, now, r.G), j.place(x, r.Prev, before, r.PrevG)},
		Stacks: []wire.Stack{j.stack(x, r.G, r.Stack, now)},
	}
	if r.PrevStack != nil {
		f.Stacks = append(f.Stacks, j.stack(x, r.PrevG, r.PrevStack, before))
	}
	return f
}

// unordered is the finding for two operations in no order.
func (j *Judge) unordered(x *Execution, r *remains.Race, now, before, message string) *wire.Finding {
	if r.PrevWrite {
		now, before = before, now
	}
	return &wire.Finding{
		Kind: Misuse, Message: message, Decided: r.Step,
		Places: []wire.Place{j.place(x, r.At, now, r.G), j.place(x, r.Prev, before, r.PrevG)},
		Stacks: []wire.Stack{j.stack(x, r.G, r.Stack, "running")},
	}
}
