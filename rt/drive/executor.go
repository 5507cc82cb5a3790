package drive

import (
	"context"

	"heddle/explore"
	"heddle/rt/wire"
	"heddle/trace"
)

// An Executor executes one test, here (see local) or in a process of its own
// each time (the command's). What explores a test sees nothing else of it.
type Executor interface {
	// Execute executes the test once. The error says what kept it from being executed.
	Execute(ctx context.Context, q *wire.Request) (Execution, error)
	// Resolve looks up a site of the last execution that is a program counter.
	// Of an instrumented site it returns the number, which the command looks up.
	Resolve(s trace.Site) wire.Place
}

// An Execution is what one execution left behind. Its trace is overwritten by the next one.
type Execution struct {
	wire.Result
	Trace *trace.Trace

	// Bereft says that a goroutine from before the tests had ended in an earlier
	// execution, though the variables are as they were then.
	Bereft bool

	// Broken says that it was ended since there was no time left for it, and not by a bound of its own.
	Broken bool

	needs explore.Needs // of the strategy that asked for it

	// Heir says that other tests were executed in this process before.
	Heir bool
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
