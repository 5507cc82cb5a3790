// Package explore has the interfaces of strategies. A strategy turns the traces of executions into
// the schedules of further executions. Each strategy is a package below; package transition has
// what the strategies share that cover every order of dependent operations.
//
// A strategy never imports rt. A loop outside it makes the executions one by one and decides when
// to stop: package engine, or Run in tests and benchmarks.
package explore

import (
	"context"

	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// An Executor runs the program under test once under a schedule.
type Executor interface {
	// Execute returns the trace of the execution. The next call may overwrite it: Clone what must
	// live longer.
	Execute(ctx context.Context, s *trace.Schedule) (*trace.Trace, error)
}

// A Strategy chooses the next execution. Next and Done are called in turn.
type Strategy interface {
	// Next returns the schedule of the next execution, nil if none is left. It is valid until the
	// next call of Next: Done leaves it as it is.
	Next() *trace.Schedule

	// Done takes the trace of that schedule. The trace may be overwritten once Done has returned.
	Done(t *trace.Trace)

	// Result returns how far the exploration is.
	Result() Result
}

// A Foresighted strategy knows some of its next schedules in advance, so that they can be executed
// in parallel.
type Foresighted interface {
	Strategy

	// Foresee is called after Next. It returns up to n schedules that it has not returned before
	// and that Next will return later, in their order, unless traces make them needless by then.
	// Done is called after Next as always.
	Foresee(n int) []*trace.Schedule
}

// A Result says how far an exploration is, or how it ended.
type Result struct {
	Executions int

	// Aborted is how many executions the strategy broke off, beside these: they showed nothing.
	Aborted int

	// Complete: every interleaving is equivalent to one that was executed (under sequential
	// consistency), and no bound was hit.
	Complete bool

	// Covers says what Complete is about, if not interleavings: "local states".
	Covers string

	// EarlyFailures is in how many executions the test failed after an early timer.
	EarlyFailures int

	// Within are bounds within which every interleaving is equivalent to one that was executed,
	// whether the result is complete or not.
	Within why.Bounds

	// Reason says why the exploration is not complete. It is set as soon as it cannot become
	// complete. A strategy that covers nothing says here how far it came.
	Reason why.Reason

	// Estimate is the expected number of executions in the end; 0 if it is unknown.
	Estimate float64
}

// Run explores what x executes by s until no schedule is left, limit executions were made (0: no
// limit) or ctx is done. It calls each, if not nil, with every trace before s gets it.
//
// The error is the executor's or the context's. The result is valid in any case.
func Run(ctx context.Context, s Strategy, x Executor, limit int, each func(*trace.Trace)) (Result, error) {
	for n := 0; limit == 0 || n < limit; n++ {
		schedule := s.Next()
		if schedule == nil {
			break
		}
		t, err := x.Execute(ctx, schedule)
		if err != nil {
			return s.Result(), err
		}
		if each != nil {
			each(t)
		}
		s.Done(t)
	}
	return s.Result(), nil
}

// TooLong returns the reason why a search that reads executions of up to most steps cannot read t;
// none if it can. A search takes more than linear time for an execution, and memory for the vector
// clock of every step.
func TooLong(t *trace.Trace, most int) why.Reason {
	const mostEntries = 1 << 26
	switch {
	case len(t.Steps) <= most && len(t.Steps) <= mostEntries/transition.ClockSize(len(t.Goroutines)):
		return why.Reason{}
	case t.Verdict == trace.Bounded, t.Verdict == trace.Crowded:
		return why.Ended(t.Verdict)
	}
	return why.Of(why.TooLong)
}

// Held returns the reason why a search that got t cannot claim to have covered everything: a guess
// has throttled a goroutine, or the execution would not have ended. None if it can.
func Held(t *trace.Trace) why.Reason {
	switch {
	case t.Spun:
		return why.Of(why.HeldBack)
	case t.Verdict == trace.TimedOut:
		return why.Of(why.ClockOnly)
	}
	return why.Reason{}
}

// Short returns the reason why a search that got t, and expected a whole execution, has not covered
// everything; none if there is none.
func Short(t *trace.Trace) why.Reason {
	switch t.Verdict {
	case trace.Diverged:
		return why.Of(why.Strayed)
	case trace.Bounded, trace.Expired, trace.Filled, trace.Crowded:
		return why.Ended(t.Verdict)
	case trace.Aborted:
		return why.Of(why.Aborted)
	}
	return Held(t)
}
