package engine

import (
	"fmt"
	"slices"

	"heddle/engine/judge"
	"heddle/rt/wire"
	"heddle/trace"
)

// The first schedule of every test is executed twice. Where the two traces
// differ something is not under control, or executions are not independent of
// each other, and what other executions show may not replay: it is said, with
// the place, instead of letting results look better than they are.

// A difference is the first point where two executions of one schedule differ.
type difference struct {
	step          int
	first, second string
	at            trace.Site
}

func (d *difference) String() string {
	return fmt.Sprintf("the same schedule gave different executions: step %d was %s, then %s", d.step+1,
		d.first, d.second)
}

// second executes the first schedule of a test again and reports what that
// shows, if the two executions agree. Where they differ a third one tells
// whether that was the first's doing (something was made once and for all, and
// executions are alike from then on) or goes on. visible are the sites of the
// first one: what was seen to race there is not looked at more closely yet.
func (e *exploration) second(s *trace.Schedule, visible []trace.Site, first *Execution) Execution {
	// the same choices again, whatever the policy or the guide has learnt meanwhile
	if s.Policy != "first" || s.Guide != nil {
		again := *s
		again.Steps, again.Guide = first.Trace.Steps, nil
		s = &again
	}
	ex := e.executeSeeing(&wire.Request{Schedule: *s}, visible, first.needs)
	if e.err != nil {
		return ex
	}
	d := e.compare(first, &ex)
	if d == nil {
		return e.look(ex, s, "")
	}
	// what is made once makes the test fail when it is there already
	spoilt := !failing(first) && failing(&ex)
	ex.Trace = ex.Trace.Clone()
	third := e.executeSeeing(&wire.Request{Schedule: *s}, visible, first.needs)
	if e.err != nil {
		return third
	}
	e.n--
	if d2 := e.compare(&ex, &third); d2 != nil {
		d = d2
	} else if e.cfg.Isolate != "process" && !spoilt { // where nothing is made once and for all
		d = nil
	}
	if d != nil {
		e.unstable(d, third.Outside && !spoilt)
	}
	if e.move != "" {
		return third // what it shows may be the doing of the executions before it
	}
	return e.look(third, s, "")
}

// compare returns where two executions differ, or nil. Steps are compared, not
// all events: what the standard library does inside (caches that are filled
// once) offers no choice. A deadlock that is known ends an execution sooner than
// the one that showed it first, so these are not compared; nor are those that were ended by time.
func (e *exploration) compare(x, y *Execution) *difference {
	for _, f := range append(x.Found[:len(x.Found):len(x.Found)], y.Found...) {
		if f.Finding.Kind == judge.Deadlock {
			return nil
		}
	}
	a, b := x.Trace, y.Trace
	if a.Verdict.Early() || b.Verdict.Early() {
		return nil
	}
	if e.real { // their order with others is not under control
		if a, b := ending(x), ending(y); a != b {
			return &difference{len(x.Trace.Steps), a, b, 0}
		}
		return nil
	}
	n := min(len(a.Steps), len(b.Steps))
	for i := range n {
		p, q := &a.Steps[i], &b.Steps[i]
		if p.G != q.G || p.Op != q.Op || p.Site != q.Site || p.Choice != q.Choice {
			return &difference{i, e.stepText(a, p), e.stepText(b, q), q.Site}
		}
	}
	switch {
	case len(a.Steps) > n:
		return &difference{n, e.stepText(a, &a.Steps[n]), noStep, a.Steps[n].Site}
	case len(b.Steps) > n:
		return &difference{n, noStep, e.stepText(b, &b.Steps[n]), b.Steps[n].Site}
	case ending(x) != ending(y):
		return &difference{n, ending(x), ending(y), 0}
	}
	return nil
}

// noStep is where one of two executions has a step that the other does not come to.
const noStep = "the end of the execution"

// failing reports whether the test fails in an execution, or panics.
func failing(x *Execution) bool {
	return x.Failed || slices.ContainsFunc(x.Found, func(f wire.Found) bool {
		return f.Finding.Kind == judge.Panic || f.Finding.Kind == judge.Misuse ||
			f.Finding.Kind == judge.TestFailure
	})
}

// heir reports whether the first execution of a test fails with what others may have left behind
// in this process: not in its variables, which are put back, but in those of other modules. Each
// of the others was executed many times.
func (e *exploration) heir(first *Execution) bool {
	return first.Heir && e.cfg.Isolate == "auto" && !e.cfg.Compare &&
		(failing(first) || slices.ContainsFunc(first.Found, func(f wire.Found) bool {
			return f.Finding.Kind == judge.Deadlock || f.Finding.Kind == judge.Livelock
		}))
}

// ending says how an execution ended. A test that ends its process where it did not the time
// before has seen what that one left behind.
func ending(x *Execution) string {
	for _, f := range x.Found {
		if ps := f.Finding.Places; len(ps) > 0 && ps[0].Op == judge.ExitOp {
			return f.Finding.Message
		}
	}
	if failing(x) {
		return "the failure of the test"
	}
	return passed
}

const passed = "its success"

// unstable is called where the same schedule gave two executions. It asks for
// a process for each where that may help, and says so with the likely cause where not.
func (e *exploration) unstable(d *difference, outside bool) {
	if e.nondet {
		return
	}
	e.nondet = true
	if e.cfg.Isolate == "auto" && !outside {
		e.move, e.moveAt = d.String(), d.at
		return
	}
	p := e.x.Resolve(d.at)
	e.send(&wire.Record{Type: "note", Test: e.test, Place: &p,
		Text: "not deterministic: " + d.String() + "; likely cause: " + e.cause(outside)})
}

// cause is what likely makes executions of one schedule differ.
func (e *exploration) cause(outside bool) string {
	switch {
	case outside:
		return "what is outside control took part: " + e.outsiders
	case e.cfg.Isolate == "process":
		return "real time, or state outside the process, such as a file"
	}
	return "state left over from the execution before (-isolate=process gives each a process of its own), or real time"
}

func (e *exploration) stepText(t *trace.Trace, ev *trace.Step) string {
	text := ev.Op.String() + " by " + t.Name(ev.G)
	if p := e.x.Resolve(ev.Site); p.File != "" {
		text += fmt.Sprintf(" at %s:%d", judge.Base(p.File), p.Line)
	}
	return text
}
