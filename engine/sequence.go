package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"heddle/engine/judge"
	"heddle/explore/spec"
	"heddle/rt/wire"
	"heddle/trace"
)

// Follow lets one execution follow a sequence that was written by hand, sends
// its events, and says whether it is allowed. The error is x's.
func Follow(c *wire.Clip, x Executor, send func(*wire.Record)) error {
	send(&wire.Record{Type: "begin", Test: c.Test})
	q := &wire.Request{Schedule: trace.Schedule{Policy: "first", Exhaustive: true}, Record: true}
	var f *spec.Follower
	var ex Execution
	for range 4 { // until it is known which sides of channels are polled
		f = spec.Follow(stepsOf(c, x.Resolve))
		q.Schedule.Guide = f
		var err error
		if ex, err = x.Execute(context.Background(), q); err != nil {
			return err
		}
		if len(ex.Polled) == 0 {
			break
		}
		q.Polled = append(q.Polled, ex.Polled...)
	}
	events := eventsOf(ex.Trace, x.Resolve)
	for i := range events {
		send(&wire.Record{Type: "event", Test: c.Test, Event: &events[i]})
	}
	r := &wire.Record{Type: "replayed", Test: c.Test, Result: "allowed", Executions: 1}
	if f.Allowed() {
		if len(ex.Found) > 0 {
			r.Finding = ex.Found[0].Finding
		}
	} else {
		r.Result = "infeasible"
		step, why := f.Infeasible(ex.Trace, shortPlace(x))
		st := &c.Steps[step]
		r.Reason = fmt.Sprintf("step %d (line %d: %s %s) cannot be made: %s", step+1, st.Row, st.G, st.Op,
			why)
	}
	send(r)
	return nil
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
