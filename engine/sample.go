package engine

import (
	"slices"

	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// samplePolicies are the policies that the strategy "sample" takes in turn,
// after the non-preemptive one.
var samplePolicies = []string{"pos", "pct", "random"}

// sample is the strategy "sample": the non-preemptive schedule twice, then the
// policies in turn with fresh seeds. With a policy's name it is that one alone.
func (e *exploration) sample() (result string, complete bool, end why.End) {
	fixed := e.unit.Policy
	result, alone := e.opening(fixed)
	if alone {
		return result, false, e.nothing()
	}
	for i := 2; !e.ended() && !e.stop(i); i++ {
		if e.shareSamples(i, result) {
			return result, false, end
		}
		e.run(e.schedule(i, fixed))
		e.tell()
	}
	t := e.tally()
	return e.result(result), false, Sampled(&t)
}

// opening executes the first schedule twice and compares, and then what the first execution lets
// expect of others. alone: there is nothing to interleave.
func (e *exploration) opening(fixed string) (result string, alone bool) {
	result = "pass"
	if e.ended() {
		return result, false
	}
	s, visible := e.schedule(0, fixed), e.visible
	once := e.run(s)
	if e.anew {
		return result, false
	}
	once.Trace = once.Trace.Clone()
	e.passed = fixed == "" && !failing(&once)
	if once.Skipped {
		result = "skip"
	}
	e.tellOutput(once.Output)
	e.tell()
	if e.ended() {
		return result, false
	}
	if alone := e.alone(&once); alone && e.late() || e.heavy() || e.stop(1) {
		return result, alone
	}
	ex := e.second(e.schedule(1, fixed), visible, &once)
	once = Execution{}
	if !e.ended() && !e.nondet && e.alone(&ex) {
		return result, true
	}
	if e.cfg.Predict && !e.nondet && !e.real && len(ex.Trace.Goroutines) > 2 && !e.ended() {
		e.foretold = newForeteller()
		e.foretold.learn(ex.Trace)
		e.predictFirst()
	}
	e.tell()
	return result, false
}

// alone reports whether an execution, which showed nothing, had nothing to interleave and nothing
// to choose. A timer that is not waited for at once is something to interleave with, in free time.
// One that was ended for want of time says nothing of what comes after that.
func (e *exploration) alone(ex *Execution) bool {
	return !ex.Broken && !e.choices && len(ex.Trace.Goroutines) <= e.least() && e.found == e.before &&
		(e.cfg.Time == "virtual" || !startsTimer(ex.Trace))
}

// startsTimer reports whether an execution started a timer other than that of a Sleep.
func startsTimer(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Events, func(e trace.Event) bool { return e.Op == trace.OpTimerStart })
}

// nothing is the reason why a test was explored no further in which there was nothing to
// interleave with.
func (e *exploration) nothing() why.End {
	switch {
	case e.cuts != (wire.Cuts{}): // another goroutine may come later
		return why.Bare(e.cuts.Reason())
	case e.real: // what is outside control took part
		return why.Sampled(why.Of(why.Uncontrolled))
	}
	for _, u := range e.unseen {
		if u.Code == trace.UnseenBeside {
			return why.Sampled(unseen(u))
		}
	}
	return why.Bare(why.Of(why.Alone))
}

// least is how many goroutines a test has that starts none. A fuzz target calls its function in
// another one.
func (e *exploration) least() int {
	if e.input != nil {
		return 3
	}
	return 2
}

// tellOutput tells what the first execution printed.
func (e *exploration) tellOutput(text []byte) {
	if p, ok := e.paths.(*paths); !ok || p.executed <= 1 {
		e.send(&wire.Record{Type: "output", Test: e.test, Text: string(text)})
	}
}

// stop reports whether the exploration ends before its i-th execution.
func (e *exploration) stop(i int) bool {
	if e.cfg.Runs > 0 && i >= e.cfg.Runs || e.most > 0 && i >= e.most {
		return true
	}
	if i%8 != 0 && e.n > 64 {
		return false
	}
	return e.late()
}

// schedule returns the i-th schedule of the strategy; the second is the first again.
func (e *exploration) schedule(i int, fixed string) *trace.Schedule {
	s := &trace.Schedule{Policy: "first", Depth: e.depth()}
	if i < 2 && fixed == "" || fixed == "first" {
		return s
	}
	s.Policy = fixed
	if fixed == "" {
		s.Policy = samplePolicies[i%len(samplePolicies)]
	}
	if i == 1 {
		i = 0
	}
	s.Seed = mix(e.cfg.Seed, uint64(i))
	switch e.cfg.Time {
	case "free":
		s.Free = true
	case "virtual":
	default:
		s.Free = e.timers && i%4 == 3
	}
	return s
}

// mix makes the seed of one execution; it is never 0.
func mix(base, i uint64) uint64 {
	z := base*0x9e3779b97f4a7c15 + i*0xbf58476d1ce4e5b9
	z = (z ^ z>>30) * 0x94d049bb133111eb
	return (z ^ z>>31) | 1
}
