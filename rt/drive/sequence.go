package drive

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"heddle/explore/spec"
	"heddle/rt/wire"
	"heddle/trace"
)

// follow lets one execution follow a sequence that was written by hand, sends
// its events, and says whether it is allowed.
func (d *driver) follow(t *Test, c *wire.Clip) {
	x := newLocal(d, t)
	d.send(&wire.Record{Type: "begin", Test: t.Name})
	q := &wire.Request{Schedule: trace.Schedule{Policy: "first", Exhaustive: true}, Record: true}
	var f *spec.Follower
	var ex Execution
	for range 4 { // until it is known which sides of channels are polled
		f = spec.Follow(stepsOf(c))
		q.Schedule.Guide = f
		var err error
		if ex, err = x.Execute(context.Background(), q); err != nil {
			fatal("%v", err)
		}
		if len(ex.Polled) == 0 {
			break
		}
		q.Polled = append(q.Polled, ex.Polled...)
	}
	events := eventsOf(ex.Trace)
	for i := range events {
		d.send(&wire.Record{Type: "event", Test: t.Name, Event: &events[i]})
	}
	r := &wire.Record{Type: "replayed", Test: t.Name, Result: "allowed", Executions: 1}
	if f.Allowed() {
		if len(ex.Found) > 0 {
			r.Finding = ex.Found[0].Finding
		}
	} else {
		r.Result = "infeasible"
		step, why := f.Infeasible(ex.Trace, shortPlace)
		st := &c.Steps[step]
		r.Reason = fmt.Sprintf("step %d (line %d: %s %s) cannot be made: %s", step+1, st.Row, st.G, st.Op, why)
	}
	d.send(r)
}

// stepsOf returns the steps of a sequence, as package spec wants them.
func stepsOf(c *wire.Clip) []spec.Step {
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
			steps[i].At = func(site trace.Site) bool { return standsAt(s, sites, site) }
		}
	}
	return steps
}

// standsAt reports whether a site is where the step says. Only the command
// knows where instrumented sites are: it looked up the numbers.
func standsAt(s *wire.Step, sites []uint64, site trace.Site) bool {
	for _, n := range sites {
		if trace.Site(n).Plain() == site.Plain() && site.PC() == 0 {
			return true
		}
	}
	p := resolve(site)
	return p.Line == s.Where.Line && (p.File == s.Where.File || strings.HasSuffix(p.File, "/"+filepath.ToSlash(s.Where.File)))
}

// shortPlace says where a site is, "" if only the command knows.
func shortPlace(site trace.Site) string {
	if p := resolve(site); p.File != "" {
		return fmt.Sprintf("%s:%d", base(p.File), p.Line)
	}
	return ""
}
