// Package explore says what a strategy is: it turns the traces of executions
// into the schedules of the next ones. Each strategy is a package below;
// package transition is what those share that cover every order of dependent
// operations (dpor, reach).
//
// A strategy never imports rt. It is driven from outside, one execution at a
// time (rt/drive does so inside the program under test, Run in tests and
// benchmarks), so that whoever drives it decides when to stop.
package explore

import (
	"context"

	"heddle/explore/why"
	"heddle/trace"
)

// An Executor runs the program under test once under a schedule.
type Executor interface {
	// Execute returns the trace of the execution. It may be overwritten by the
	// next call: Clone what must live longer.
	Execute(ctx context.Context, s *trace.Schedule) (*trace.Trace, error)
}

// A Strategy decides what is executed next. Next and Done are called in turn.
type Strategy interface {
	// Next returns the schedule of the next execution, or nil when none is
	// left. It is valid until Next is called again.
	Next() *trace.Schedule

	// Done takes the trace that the schedule left behind. The trace may be
	// overwritten once Done has returned.
	Done(t *trace.Trace)

	// Result says how far the exploration is.
	Result() Result
}

// A Foresighted strategy knows some of its next schedules before the trace of the one before, so
// that they can be executed beside each other.
type Foresighted interface {
	Strategy

	// Foresee is called after Next. It returns schedules that Next will return after that one, in
	// their order, unless traces make them needless by then: of at most n those that it has not
	// returned before. Done is called as ever, after Next.
	Foresee(n int) []*trace.Schedule
}

// A Result says how far an exploration is, or how it ended.
type Result struct {
	Executions int

	// Complete: every interleaving is equivalent to one that was executed
	// (under sequential consistency), and no bound was hit.
	Complete bool

	// Covers says what Complete is about if not interleavings: "local states".
	Covers string

	// Reason says why not, when no schedule is left and Complete is false. It is known as soon as
	// something happened after which the exploration cannot become complete. Of a strategy that
	// covers nothing it says how far it came.
	Reason why.Reason

	// Estimate is about how many executions there will have been in the end;
	// 0 if that is not known.
	Estimate float64
}

// Run lets s explore what x executes until no schedule is left, limit
// executions were made (0: no limit) or ctx is done. each, if not nil, sees
// every trace before s does.
//
// The error is the executor's or the context's; the result tells in any case
// how far the exploration came.
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

// TooLong says why a search cannot go on that met t and looks at executions of
// so many steps at most; none if it can. What is to be found out about an
// execution takes more than linear time, and memory for every step with every goroutine.
func TooLong(t *trace.Trace, most int) why.Reason {
	const mostEntries = 1 << 25
	switch {
	case len(t.Steps) <= most && len(t.Steps) <= mostEntries/max(1, len(t.Goroutines)):
		return why.Reason{}
	case t.Verdict == trace.Bounded, t.Verdict == trace.Crowded:
		return why.Ended(t.Verdict)
	}
	return why.Of(why.TooLong)
}

// Held says why a search that met t cannot know that it has covered
// everything: a goroutine was held back by a guess, or the execution would have
// gone on for ever. None if it can.
func Held(t *trace.Trace) why.Reason {
	switch {
	case t.Spun:
		return why.Of(why.HeldBack)
	case t.Verdict == trace.TimedOut:
		return why.Of(why.ClockOnly)
	}
	return why.Reason{}
}

// Short says why a search that met t, which it expected to be whole, has not covered everything;
// none if that may be.
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
