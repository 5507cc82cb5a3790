package engine

import (
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/rt/wire"
	"heddle/trace"
)

// execute executes one schedule.
func (e *exploration) execute(q *wire.Request, needs explore.Needs) Execution {
	return e.executeSeeing(q, e.visible, needs)
}

// executeSeeing executes one schedule with accesses at the given sites as scheduling points.
func (e *exploration) executeSeeing(q *wire.Request, visible []trace.Site, needs explore.Needs) Execution {
	if e.err != nil {
		return Execution{Trace: new(trace.Trace)}
	}
	e.complete(q, visible, needs)
	ex, err := e.timely(e.n, func() (Execution, error) { return e.x.Execute(e.ctx, q) })
	ex.needs = needs
	ex.Broken = err == nil && ex.Trace.Verdict == trace.Expired && !q.Until.IsZero() &&
		!time.Now().Before(q.Until)
	if err == nil && ex.Bereft && e.cfg.Isolate == "auto" && e.move == "" {
		e.nondet, e.move = true, "a goroutine that had been there before the tests ended in an earlier execution"
	}
	if ex.Bereft && e.move != "" {
		ex.Found = nil
	}
	if err == nil && ex.Outside && !e.real {
		// It says nothing: its clock jumped while that of the others did not.
		e.toldOutside(ex.Outsiders)
		before := ending(&ex)
		q.Real, q.Show = true, false
		ex, err = e.x.Execute(e.ctx, q)
		if ex.needs = needs; err == nil && e.cfg.Isolate == "auto" {
			if now := ending(&ex); now != before && now != passed {
				e.unstable(&difference{len(ex.Trace.Steps), before, now, 0}, false)
				ex.Found = nil
			}
		}
	}
	if e.err = err; err != nil {
		return Execution{Trace: new(trace.Trace)}
	}
	e.n++
	e.named = ex.Named
	e.common = e.common || ex.Common
	if ex.Learnt && e.cfg.Isolate != "process" { // in processes of their own nothing is learnt
		e.learnt++
	}
	if e.paths != nil && e.input != nil {
		e.paths.see(e.input, &ex)
	}
	if f := ex.Trace.Flow; f != nil && f.Full && !e.toldFull {
		e.toldFull = true
		if e.paths != nil {
			e.note("one execution computes more from its input than is followed")
		} else {
			e.note("what values were computed from takes more memory than -mem allows (%s): where it is not known any more, it counts as everything read before", wire.Size(e.cfg.FlowMemory))
		}
	}
	return ex
}

// showOnce reports true the first time: the user sees what one execution prints.
func (e *exploration) showOnce() bool {
	first := !e.shown
	e.shown = true
	return first
}

// until returns when an execution is to end, zero if nothing but its own bounds ends it: the
// first one, and those that make the clip of a finding.
func (e *exploration) until() time.Time {
	if e.n == 0 || e.keeping {
		return time.Time{}
	}
	return earlier(e.hard(), e.brief)
}

// complete adds to a request what holds for all.
func (e *exploration) complete(q *wire.Request, visible []trace.Site, needs explore.Needs) {
	q.Visible, q.Only, q.Polled, q.Real = visible, e.only || e.byNeed, e.polled, e.real
	q.Early, q.Until = e.early, e.until()
	q.All, q.Steps, q.Expect = needs.Accesses, needs.Steps, e.expect
	q.Values, q.Plain, q.Flow, q.Twins = needs.Values, needs.Plain, needs.Flow != explore.NoFlow, needs.Twins
	q.Hushed, q.Vouched = needs.Hushed, needs.Vouched
	q.Input, q.Exprs = e.input, e.paths != nil && e.input != nil
	q.Few = q.Exprs && e.together != nil
}

// run executes one schedule and reports what it shows. The trace returned
// lives until the next execution.
func (e *exploration) run(s *trace.Schedule) Execution {
	e.q = wire.Request{Schedule: *s, Show: e.showOnce()}
	ex := e.execute(&e.q, explore.Needs{})
	e.covers(&ex)
	if !e.cfg.CheckDeterminism || e.nondet || e.real {
		return e.look(ex, s, "")
	}
	ex.Trace = ex.Trace.Clone()
	visible := e.visible
	ex = e.look(ex, s, "")
	if e.ended() {
		return ex
	}
	// The same choices again, whatever the policy has learnt meanwhile.
	again := *s
	again.Steps = ex.Trace.Steps
	second := e.executeSeeing(&wire.Request{Schedule: again}, visible, explore.Needs{})
	if d := e.compare(&ex, &second); d != nil && e.err == nil && (e.n > 2 || e.cfg.Isolate == "process") {
		e.unstable(d, second.Outside)
	}
	return ex
}

// hastened shortens the exploration at a finding, unless it is to cover everything.
func (e *exploration) hastened(hides bool) {
	if !e.whole && (e.found == 0 || e.input == nil) {
		e.hasten(e.found == 0, hides)
	}
}

// look reports the findings of the execution just made, and returns it with a
// trace that the executions made for that did not overwrite.
func (e *exploration) look(ex Execution, s *trace.Schedule, fromClip string) Execution {
	if e.err != nil {
		return ex
	}
	if fromClip == "" {
		if e.anew = !e.looked && e.found == 0 && e.heir(&ex); e.anew {
			return ex
		}
		e.looked = true
	}
	t := ex.Trace
	if !e.choices {
		e.choices = slices.ContainsFunc(t.Steps, func(s trace.Step) bool { return s.Op == trace.OpChoose })
	}
	e.timers, e.bubble = e.timers || ex.Timers, e.bubble || ex.Bubble
	e.over = e.over || ex.Final
	if !ex.Broken {
		e.tellCut(t.Verdict)
		e.cuts.Count(t.Verdict)
	}
	e.notSeen(ex.Unseen)
	if len(ex.Found) > 0 {
		e.buggy++
	}
	if ex.Measured && !e.measured {
		e.measured = true
		e.note("the test fails, but it looks at figures of memory (runtime.ReadMemStats, testing.AllocsPerRun) or at what is collected (runtime.GC, the profile goroutineleak), and heddle's own is among that, or it opens a plugin, which does not fit: the failure is not reported")
	}
	if ex.RanOut && !e.ranOut {
		e.ranOut = true
		e.note("the test fails after a timer fired while the program was at work, in an execution that is very long or, since not all is under control, goes by real time: that may be since heddle is slower than the program, so the failure is not reported (-time=free reports it)")
	}
	var fresh []*wire.Finding
	cloned, everywhere := false, e.buggy >= e.n
	for _, f := range ex.Found {
		if e.seen[f.Key] != nil {
			e.raceSites(f.Finding) // a clip may have shown it, with scheduling points of its own
			continue
		}
		if !cloned {
			cloned = true
			t = t.Clone() // minimising executes more, and t is overwritten
			ex.Trace = t
		}
		e.seen[f.Key] = f.Finding
		if e.keep(&ex, f, s, fromClip) {
			fresh = append(fresh, f.Finding)
		}
	}
	if len(fresh) == 0 {
		return e.foretell(ex)
	}
	e.hastened(hides(fresh, everywhere))
	e.found += len(fresh)
	for _, f := range fresh {
		e.raceSites(f)
		e.over = e.over || f.Kind == judge.Uncontrolled // every execution would wait for seconds
	}
	if e.foretold != nil && e.foretold.into != nil { // whatever was found before it
		return e.foretell(ex)
	}
	return ex
}
