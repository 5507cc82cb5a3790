package sched

import (
	"heddle/rt/hook"
	"heddle/trace"
	"heddle/trace/remains"
)

// findings are what an execution left for those that ask after it: what it showed, and what
// restricts what that means.
type findings struct {
	verdict   trace.Verdict
	mainOver  bool               // main's function returned
	exited    bool               // the program came to its end
	fails     []*remains.Failure // what ended goroutines
	races     []remains.Race
	unseen    []trace.Unseen
	diverged  *Divergence
	early     []remains.Timer
	lateWakes int  // timers that fired after the test was over
	ranOut    bool // see RanOut
	// a timer was started outside of the bubbles of testing/synctest, and in one
	realTimers, bubbleTimers bool
	cutOff                   bool      // see CutOff
	outsideWait              []uintptr // see OutsideWait
	unstopped                []uintptr // see Unstopped
}

func (f *findings) reset() {
	fails, races, unseen, early, unstopped := f.fails[:0], f.races[:0], f.unseen[:0], f.early[:0],
		f.unstopped[:0]
	*f = findings{} // cleared in place; with fields it would be made elsewhere and copied
	f.fails, f.races, f.unseen, f.early, f.unstopped = fails, races, unseen, early, unstopped
	f.verdict = trace.Finished
}

// notSeen notes, once in an execution, what was not seen.
func (f *findings) notSeen(u trace.Unseen) {
	for _, v := range f.unseen {
		if v == u {
			return
		}
	}
	f.unseen = append(f.unseen, u)
}

// Failure returns what ended the last execution early, or nil.
func (f *findings) Failure() *remains.Failure {
	if len(f.fails) == 0 {
		return nil
	}
	return f.fails[0]
}

// Failures returns all that ended goroutines of the last execution: more than one only if that was
// exhaustive.
func (f *findings) Failures() []*remains.Failure { return f.fails }

// Races returns the data races of the last execution.
func (f *findings) Races() []remains.Race { return f.races }

// Unseen returns what was not seen of the execution just made. It is overwritten by the next one.
func (f *findings) Unseen() []trace.Unseen { return f.unseen }

// Diverged returns where the last execution did not follow its schedule, or nil.
func (f *findings) Diverged() *Divergence { return f.diverged }

// Early returns the timers that fired too early in the last execution, in free time.
func (f *findings) Early() []remains.Timer { return f.early }

// LateWakes returns how many timers fired after main was over in the last execution.
func (f *findings) LateWakes() int { return f.lateWakes }

// MainOver reports whether main's function returned in the last execution.
func (f *findings) MainOver() bool { return f.mainOver }

// Exited reports whether the last execution ended by the end of main or os.Exit(0).
func (f *findings) Exited() bool { return f.exited }

// RanOut reports whether a timer, other than that of a Sleep, fired by real time in the last
// execution, or while others could go on in a very long one: a time-out may come there since heddle
// is slower than the program.
func (f *findings) RanOut() bool { return f.ranOut }

// startsTimer notes that a timer is started.
func (f *findings) startsTimer(inBubble bool) {
	f.realTimers, f.bubbleTimers = f.realTimers || !inBubble, f.bubbleTimers || inBubble
}

// UsedTimers reports whether the last execution started timers that may be early in reality.
func (f *findings) UsedTimers() bool { return f.realTimers }

// InBubble reports whether the last execution started timers in a bubble of testing/synctest.
func (f *findings) InBubble() bool { return f.bubbleTimers }

// CutOff reports whether main waited in the last execution, which timed out, for what nothing that
// goes on can reach.
func (f *findings) CutOff() bool { return f.cutOff }

// OutsideWait returns the stack of the first goroutine that had to wait for the kernel in the last
// execution, nil if none had to.
func (f *findings) OutsideWait() []uintptr { return f.outsideWait }

// Unstopped returns where iterators of iter.Pull were made that the last execution neither took to
// the end nor stopped.
func (f *findings) Unstopped() []uintptr { return f.unstopped }

// Outside reports whether goroutines outside control took part in the last
// execution, or were started in it.
func (s *Sched) Outside() bool { return s.outside.took || s.outside.born }

// Measured reports whether the last execution asked how much memory there is,
// which heddle is part of, or for a collection, which leaves what heddle watches.
func (s *Sched) Measured() bool { return hook.Measured || s.outside.collected() }

// Learnt reports whether the last execution made a cycle known that exhaustive
// executions do not outlast from now on: those before were longer.
func (s *Sched) Learnt() bool { return s.locks.learnt }

// Concurrent reports whether the last execution had a choice: at some step more than one goroutine
// could go on.
func (s *Sched) Concurrent() bool { return len(s.gs) > 2 }
