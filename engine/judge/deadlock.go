package judge

import (
	"fmt"
	"slices"

	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// deadlockFinding is a cycle of goroutines that wait for each other's locks.
// The cycle is the bug: its places come first and make the key. After them come
// the goroutines that wait behind it.
func (j *Judge) deadlockFinding(x *Execution, d *remains.Deadlock) *wire.Finding {
	f := &wire.Finding{Kind: Deadlock, Message: deadlockMessage(d), Output: string(x.Output),
		Core: len(d.Members)}
	left := x.Remains.Left
	stuck := slices.Clone(d.Members)
	for grew := true; grew; {
		grew = false
		for _, l := range left {
			if !slices.Contains(stuck, l.G) &&
				slices.ContainsFunc(l.Holders, func(h trace.GID) bool { return slices.Contains(stuck, h) }) {
				stuck = append(stuck, l.G)
				grew = true
			}
		}
	}
	for _, g := range stuck {
		i := slices.IndexFunc(left, func(l remains.Goroutine) bool { return l.G == g })
		f.Stacks = append(f.Stacks, j.leftStack(x, left[i]))
		f.Places = append(f.Places, j.leftPlace(x, left[i]))
	}
	return f
}

func deadlockMessage(d *remains.Deadlock) string {
	who := fmt.Sprintf("%d goroutines wait for each other's locks and can never go on", len(d.Members))
	if len(d.Members) == 1 {
		who = "a goroutine waits for a lock that it holds itself and can never go on"
	}
	switch d.End {
	case remains.EndOver:
		return who + "; the test is over without them"
	case remains.EndOthers:
		return who + "; others run on for ever, and none of them unlocks"
	}
	return who + "; every other goroutine waits too"
}

// timeoutFinding is a test that waits for what no goroutine does, or asks for it again and again,
// while others run on for ever. The place where main waits makes the bug; the other goroutines that
// wait come after it.
func (j *Judge) timeoutFinding(x *Execution) *wire.Finding {
	f := &wire.Finding{Kind: Deadlock, Output: string(x.Output), Core: 1,
		Message: "the test still waits after ten minutes of its own time, when go test would end it; the clock lets others go on for ever, and none of them does what the test waits for"}
	if x.CutOff {
		f.Message = "the test waits for what no goroutine that can still go on could reach; the clock lets others go on for ever"
	} else if x.KeptAsking {
		f.Kind = Livelock
		f.Message = "the test still asks for something after ten minutes of its own time, when go test would end it, and no goroutine has changed it"
	}
	for _, l := range x.Remains.Left {
		if l.Alive {
			continue
		}
		if l.G == 0 || l.State == remains.Blocked || l.State == remains.Parked && !l.Served {
			f.Stacks = append(f.Stacks, j.leftStack(x, l))
			f.Places = append(f.Places, j.leftPlace(x, l))
		}
	}
	return f
}

// fewSteps are less than a timer that repeats itself fires before an execution times out.
const fewSteps = 100

// timers is the pseudo goroutine that fires timers.
const timers trace.GID = 1

// UntilWaiting returns the events of t, which timed out, until a little after lastOfWaiting: the
// others repeat themselves by the million.
func UntilWaiting(t *trace.Trace) []trace.Event {
	until, last := lastOfWaiting(t)+fewSteps, 0
	for i := range t.Events {
		if int(t.Events[i].Step) > until {
			break
		}
		if t.Events[i].G != timers {
			last = i + 1
		}
	}
	return t.Events[:last]
}

// lastOfWaiting returns the number of steps of t, which timed out, after which all goroutines that
// make no step in its second half wait where they wait at its end.
func lastOfWaiting(t *trace.Trace) int {
	if len(t.Steps) < fewSteps { // no goroutine has gone round and round: the clock alone went on
		return len(t.Steps)
	}
	last := make([]int, len(t.Goroutines))
	for i, st := range t.Steps {
		last[st.G] = i + 1
	}
	n := 0
	for _, at := range last {
		if at <= len(t.Steps)/2 {
			n = max(n, at)
		}
	}
	return n
}
