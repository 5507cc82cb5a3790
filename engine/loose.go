package engine

import (
	"slices"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// Order inside the standard library (a lock of testing, of log) hides races: of
// two goroutines that log, what one did before is ordered before what the other
// does after. Once a search meets such order it begins again with loose
// executions (trace.Schedule.Loose), in which it does not count. A race that
// one shows is a suspect: its accesses become scheduling points, the execution
// is made once more as it is, and the search, which now tries the accesses in
// both orders, each right after the other, comes to an execution that shows the
// race if there is one.

// loosen makes the search loose if s has found that it has to be: the caller
// begins it again. It asks now and then, and at the end.
func (e *exploration) loosen(s explore.Strategy, end bool) bool {
	const often = 16
	if e.loose || !end && e.n%often != 0 || s.Result().Reason.Code != why.Hidden {
		return false
	}
	e.loose = true
	return true
}

// suspects takes the races out of an execution of s if that was loose, and makes
// their accesses visible. It returns the schedule that shows whether they are
// races, nil if there is nothing to be known.
func (e *exploration) suspects(ex *Execution, s *trace.Schedule) *trace.Schedule {
	if !s.Loose {
		return nil
	}
	doubt := false
	ex.Found = slices.DeleteFunc(ex.Found, func(f wire.Found) bool {
		if f.Finding.Kind != judge.Race {
			return false
		}
		e.raceSites(f.Finding)
		if e.seen[f.Key] == nil {
			doubt = true
			if !slices.Contains(e.suspected, f.Key) {
				e.suspected = append(e.suspected, f.Key)
			}
		}
		return true
	})
	if !doubt {
		return nil
	}
	return &trace.Schedule{Steps: slices.Clone(ex.Trace.Steps), Policy: "first", Seed: s.Seed,
		Exhaustive: true, Strict: true, Free: s.Free}
}

// hides says why a search that was complete otherwise has not covered
// everything; none if it has: there are suspects that no execution has shown to be
// races, accesses that race are no scheduling points, or there was a failure that is not reported.
func (e *exploration) hides() why.Reason {
	if slices.ContainsFunc(e.suspected, func(key string) bool { return e.seen[key] == nil }) {
		return why.Of(why.Hidden)
	}
	if e.oneWay {
		return why.Of(why.OneWay)
	}
	if len(e.unseen) > 0 {
		return unseen(e.unseen[0])
	}
	if e.measured || e.ranOut {
		return why.Of(why.Unreported)
	}
	return why.Reason{}
}

// unseen is the reason that something was not seen.
func unseen(u wire.Unseen) why.Reason { return why.With(why.Unseen, "%s", u) }
