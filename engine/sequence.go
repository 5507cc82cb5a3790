package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"heddle/engine/judge"
	"heddle/explore/spec"
	"heddle/rt/wire"
	"heddle/trace"
)

// sequenceTime bounds the search for a sequence where the user gives no budget.
const sequenceTime = 20 * time.Second

// Follow finds out whether a sequence that was written by hand is allowed, sends the events of the
// execution that makes it, or of one that comes as far as any, and says which. It searches for a
// time of budget at most; 0: sequenceTime. The error is x's.
func Follow(c *wire.Clip, x Executor, budget time.Duration, send func(*wire.Record)) error {
	send(&wire.Record{Type: "begin", Test: c.Test})
	if budget <= 0 {
		budget = sequenceTime
	}
	fl := following{c: c, x: x, send: send, until: time.Now().Add(budget),
		q: &wire.Request{Schedule: trace.Schedule{Policy: "first", Exhaustive: true}, Record: true}}
	for range 4 { // until it is known which sides of channels are polled
		again, err := fl.search()
		if err != nil {
			return err
		}
		if !again {
			break
		}
	}
	for i := range fl.events {
		send(&wire.Record{Type: "event", Test: c.Test, Event: &fl.events[i]})
	}
	send(fl.verdict())
	return nil
}

// A following is the search for a sequence.
type following struct {
	c     *wire.Clip
	x     Executor
	send  func(*wire.Record)
	q     *wire.Request
	until time.Time

	steps    []spec.Step
	made     int  // executions
	complete bool // every order was tried
	allowed  bool
	finding  *wire.Finding
	events   []wire.Event
	step     int // the first that no execution made
	why      string
}

// search tries every order of what the sequence does not name. again: a channel turned out to be
// polled, so that executions have other steps from now on.
func (fl *following) search() (again bool, err error) {
	fl.steps, fl.step, fl.made, fl.complete, fl.events = stepsOf(fl.c, fl.x.Resolve), -1, 0, false, nil
	s := spec.NewSearch(fl.steps)
	for f := s.Next(); f != nil; f = s.Next() {
		if fl.made > 0 && time.Now().After(fl.until) {
			return false, nil
		}
		fl.q.Schedule.Guide = f
		ex, err := fl.x.Execute(context.Background(), fl.q)
		if err != nil {
			return false, err
		}
		if len(ex.Polled) > 0 {
			fl.q.Polled = append(fl.q.Polled, ex.Polled...)
			return true, nil
		}
		s.Done(ex.Trace)
		fl.made++
		if fl.took(f, &ex) {
			return false, nil
		}
	}
	_, fl.complete = s.Executions()
	return false, nil
}

// took notes how far an execution has come, and reports whether it made the sequence.
func (fl *following) took(f *spec.Follower, ex *Execution) bool {
	if f.Allowed() {
		fl.allowed, fl.events = true, eventsOf(ex.Trace, fl.x.Resolve)
		if len(ex.Found) > 0 {
			fl.finding = ex.Found[0].Finding
		}
		return true
	}
	if f.Repeats() {
		return false
	}
	if step, why := f.Infeasible(ex.Trace, shortPlace(fl.x)); step > fl.step {
		fl.step, fl.why, fl.events = step, why, eventsOf(ex.Trace, fl.x.Resolve)
	}
	return false
}

func (fl *following) verdict() *wire.Record {
	r := &wire.Record{Type: "replayed", Test: fl.c.Test, Result: "allowed", Executions: fl.made,
		Finding: fl.finding}
	if fl.allowed {
		return r
	}
	r.Result, r.Complete = "infeasible", fl.complete
	n := max(0, fl.step)
	st := &fl.c.Steps[n]
	step := fmt.Sprintf("step %d (line %d: %s %s)", n+1, st.Row, st.G, st.Op)
	r.Reason = step + " cannot be made: " + fl.why
	switch {
	case !fl.complete:
		r.Reason = fmt.Sprintf("no execution of %d made %s: %s. What the sequence does not name may happen in another order, or another value be drawn: give more time (-budget), or name more",
			fl.made, step, fl.why)
	case fl.made > 1:
		r.Reason += fmt.Sprintf(" (as in every order of what the sequence does not name: %d executions)", fl.made)
	}
	return r
}

// stepsOf returns the steps of a sequence, as package spec wants them.
func stepsOf(c *wire.Clip, resolve func(trace.Site) wire.Place) []spec.Step {
	steps := make([]spec.Step, len(c.Steps))
	for i := range c.Steps {
		s := &c.Steps[i]
		op, _ := trace.ParseOp(s.Op)
		steps[i] = spec.Step{G: s.G, Op: op, With: s.With}
		if s.Where.Line > 0 {
			var sites []uint64
			if i < len(c.StepSites) {
				sites = c.StepSites[i]
			}
			steps[i].At = func(site trace.Site) bool { return standsAt(s, sites, site, resolve) }
		}
	}
	return steps
}

// standsAt reports whether a site is where the step says. Only the command
// knows where instrumented sites are: it looked up the numbers.
func standsAt(s *wire.Step, sites []uint64, site trace.Site, resolve func(trace.Site) wire.Place) bool {
	for _, n := range sites {
		if trace.Site(n).Plain() == site.Plain() && site.PC() == 0 {
			return true
		}
	}
	p := resolve(site)
	return p.Line == s.Where.Line &&
		(p.File == s.Where.File || strings.HasSuffix(p.File, "/"+filepath.ToSlash(s.Where.File)))
}

// shortPlace returns what says where a site is, "" if only the command knows.
func shortPlace(x Executor) func(trace.Site) string {
	return func(site trace.Site) string {
		if p := x.Resolve(site); p.File != "" {
			return fmt.Sprintf("%s:%d", judge.Base(p.File), p.Line)
		}
		return ""
	}
}
