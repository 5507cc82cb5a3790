package engine

import (
	"context"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/rt/wire"
	"heddle/trace"
)

// An Executor executes one test: in this process (a Process), in a process of its own each time,
// or by workers (a Crew). The engine sees nothing else of it.
type Executor interface {
	// Execute executes the test once. The error says what kept it from being executed.
	Execute(ctx context.Context, q *wire.Request) (Execution, error)
	// Resolve looks up a site of the last execution that is a program counter.
	// Of an instrumented site it returns the number, which the command looks up.
	Resolve(s trace.Site) wire.Place
}

// A Stacker is an Executor that can tell the stacks of the events of its last execution, if that
// was to keep them (wire.Request.Stacks).
type Stacker interface {
	// EventStack returns a number for the stack of an event, by its index; 0: not known. Equal
	// stacks have equal numbers.
	EventStack(event int) int
	// StackFrames returns the frames of the stack of a number, the innermost first.
	StackFrames(n int) []wire.Place
}

// A Process is an Executor that executes in this process. It can be told, and can tell another
// one, what executions have taught it, so that the search goes on elsewhere; its executions can be
// guided while they run.
type Process interface {
	Executor
	// Places are the names by which processes of one test binary agree on older objects.
	Places() transition.Places
	// Learnt is what executions have taught the scheduler; Learn takes that in place of what it
	// knows.
	Learnt() wire.Knowledge
	Learn(k *wire.Knowledge)
	// Lengths are those of the executions by each policy that learns it; SetLengths takes them,
	// for policies of that depth, in place of what all policies have learnt.
	Lengths() map[string]int
	SetLengths(lengths map[string]int, depth int)
	// Hurry reports whether other processes have nothing to do.
	Hurry() bool
	// Live reports whether the program under test runs: then a panic is not the engine's.
	Live() bool
}

// An Execution is what one execution left behind. Its trace is overwritten by the next one.
type Execution struct {
	wire.Result
	Trace *trace.Trace

	// Bereft says that a goroutine from before the tests had ended in an earlier
	// execution, though the variables are as they were then.
	Bereft bool

	// Broken says that it was ended since there was no time left for it, and not by a bound of its
	// own.
	Broken bool

	needs explore.Needs // of the strategy that asked for it

	// Heir says that other tests were executed in this process before.
	Heir bool

	// Cycle is how many events it had when a lock cycle formed that can never be resolved; 0: none
	// did.
	Cycle int
}

// shows returns the finding of that key; nil if the execution does not show it.
func (x *Execution) shows(key string) *wire.Finding {
	if f := x.found(key); f != nil {
		return f.Finding
	}
	return nil
}

func (x *Execution) found(key string) *wire.Found {
	for i := range x.Found {
		if x.Found[i].Key == key {
			return &x.Found[i]
		}
	}
	return nil
}

// Whole is all that an execution left behind, for another process.
func Whole(ex *Execution, resolve func(trace.Site) wire.Place) *wire.Result {
	r := ex.Result
	r.Encoded = ex.Trace.Append(nil)
	r.Places = make(map[trace.Site]wire.Place)
	note := func(s trace.Site) {
		if s = s.Loud(); s.PC() != 0 && r.Places[s].File == "" {
			r.Places[s] = resolve(s)
		}
	}
	for i := range ex.Trace.Steps {
		note(ex.Trace.Steps[i].Site)
	}
	for _, c := range ex.Trace.Calls {
		note(c.From)
		note(c.Into)
	}
	if ex.Diverged != nil {
		note(ex.Diverged.Got.Site)
	}
	return &r
}
