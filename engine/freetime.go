package engine

import (
	"heddle/explore"
	"heddle/explore/why"
)

// Free time. What a search has covered in virtual time, where timers fire when nothing else can
// run, a second one covers in free time, where they may be early. It stays in this process.

// failsEarly: time-outs in tests are there to fail, see package judge. The failure alone keeps
// nothing from being covered: it is told with the verdict.
const failsEarly = "after an early timer the test fails and more is wrong, " +
	"which is not reported (-time=free)"

// inFreeTime returns a search of u that covers free time too, before its first execution; nil if
// u, or the test, has none.
func (e *exploration) inFreeTime(u *explore.Unit, expired func() bool) *search {
	if !u.Free || e.cfg.Time == "virtual" {
		return nil
	}
	x := e.searchFor(u, func() explore.Strategy {
		s := e.startOf(u)
		s.Free = true
		if expired != nil {
			s.Expired = expired
		}
		return u.New(s)
	})
	x.free, x.alone = true, true
	return x
}

// inBothTimes returns what x, which is over, has come to, and why not all is covered. If it has
// covered virtual time, free time follows; if it cannot cover free time, virtual time.
func (e *exploration) inBothTimes(x *search) (r explore.Result, short why.Reason) {
	r, short = x.result()
	switch {
	case short.Code == why.Untimed && x.free:
		y := e.searchFor(x.unit, nil)
		y.alone = true
		v, left := e.toItsEnd(y)
		if left.Code == why.VirtualOnly {
			return v, untimed(why.VirtualOnly, short)
		}
		return v, left
	case short.Code == why.VirtualOnly:
		y := e.inFreeTime(x.unit, nil)
		if y == nil {
			return r, short
		}
		f, left := e.toItsEnd(y)
		if left.None() {
			r.Executions += f.Executions
			r.EarlyFailures = f.EarlyFailures
			return r, left
		}
		return r, untimed(why.VirtualOnly, left)
	}
	return r, short
}

// toItsEnd makes a search that has not begun.
func (e *exploration) toItsEnd(x *search) (r explore.Result, short why.Reason) {
	for x.again(); !e.ended() && !e.stop(e.n) && x.step(); {
		if e.n%16 == 0 {
			e.estimate = x.s.Result().Estimate
		}
		e.tell()
	}
	r, short = x.result()
	if !x.left.None() {
		short = x.left
	}
	return r, short
}

// untimed is the reason of a code that says that only virtual time is covered, with what kept the
// search in free time from being complete, if that is more than the budget.
func untimed(code why.Code, short why.Reason) why.Reason {
	switch short.Code {
	case why.NotAll, why.TimeOver, "":
		return why.Of(code)
	case why.Untimed:
		return why.With(code, "%s", short.Detail)
	}
	return why.With(code, "%s", short)
}
