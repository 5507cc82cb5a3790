package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/rt/policy"
	"heddle/rt/wire"
	"heddle/trace"
)

// scheduleOf turns a clip into a schedule.
func scheduleOf(c *wire.Clip, strict bool) (*trace.Schedule, error) {
	if _, err := policy.New(c.Policy, c.Depth); err != nil {
		return nil, err
	}
	s := &trace.Schedule{Policy: c.Policy, Seed: c.Seed, Depth: c.Depth, Free: c.Free,
		Exhaustive: c.Exhaustive, Strict: strict, Names: []string{}}
	for i, st := range c.Steps {
		op, ok := trace.ParseOp(st.Op)
		if !ok {
			return nil, fmt.Errorf("step %d: unknown operation %q", i+1, st.Op)
		}
		s.Steps = append(s.Steps, trace.Step{G: trace.NoG, Op: op, Choice: int32(st.Choice)})
		s.Names = append(s.Names, st.G)
	}
	return s, nil
}

// Rejoining turns a clip into a schedule for a process in which other things have been made
// already than in the one in which it was recorded.
func Rejoining(c *wire.Clip) (*trace.Schedule, error) {
	s, err := scheduleOf(c, false)
	if err == nil {
		s.Rejoin = true
	}
	return s, err
}

// sitesOf returns the sites whose accesses are steps of the clip.
func sitesOf(c *wire.Clip) []trace.Site {
	var sites []trace.Site
	for _, v := range c.Visible {
		sites = append(sites, trace.Site(v))
	}
	return sites
}

// tryClips replays the clips of earlier runs before anything else. Each tells of
// its own finding first; what else they show is then told of like anything that is found. Last come
// executions near the clips that do not show their finding any more. To become simpler, all clips
// together may take a share of the budget.
func (e *exploration) tryClips() {
	var more, astray []*wire.Clip
	follows := make(map[*wire.Clip]bool)
	share, spent := clipsShare, e.late
	if e.unit.Name == PredictUnit {
		share = clipsPredict
		spent = func() bool { return e.late() || e.spentShare(share) }
	}
	left := 0
	waiting := 0
	for i := range e.cfg.Clips {
		if e.cfg.Clips[i].Test == e.test {
			waiting++
		}
	}
	defer func(keeping bool) {
		e.keeping, e.clipUntil = keeping, time.Time{}
		if left > 0 {
			e.note("%d clips were not replayed: their part of the budget was spent (-budget)", left)
		}
	}(e.keeping)
	e.keeping = true // its executions are whole
	for i := range e.cfg.Clips {
		c := &e.cfg.Clips[i]
		switch {
		case c.Test != e.test || e.ended():
			continue
		case e.n > 0 && spent():
			left++
			continue
		}
		e.allotClip(waiting, share)
		waiting--
		f := e.tryClip(c, true)
		if f.others {
			more = append(more, c)
		}
		if f.astray {
			astray = append(astray, c)
			follows[c] = f.follows
		}
	}
	for i, c := range more {
		if !e.ended() && !spent() {
			e.allotClip(len(more)-i, share)
			e.tryClip(c, false)
		}
	}
	for _, c := range astray {
		if !e.ended() {
			e.near(c, follows[c])
		}
	}
}

// A fate is what became of a clip.
type fate struct {
	others  bool // it shows another finding than its own
	astray  bool // it does not show its own
	follows bool // its steps can be followed
}

// tryClip replays a clip and tells of its own finding, or of all that it shows.
func (e *exploration) tryClip(c *wire.Clip, own bool) (f fate) {
	s, err := scheduleOf(c, true)
	if err != nil {
		e.note("%s: %v", c.Path, err)
		return f
	}
	visible, input := e.visible, e.input
	defer func() { e.visible, e.only, e.input, e.early = visible, false, input, false }()
	e.visible, e.only, e.input, e.early = sitesOf(c), true, c.Input, c.Early()
	e.expect = expectationOf(c)
	defer func() { e.expect = nil }()
	began := time.Now()
	ex := e.replayed(c, s)
	if now := time.Now(); !e.clipUntil.IsZero() && e.clipUntil.Sub(now) < fewExecutions*now.Sub(began) {
		e.clipUntil = now
	}
	if ex.Diverged != nil && e.cfg.Isolate != "process" {
		e.execute(&wire.Request{Schedule: *settling()}, explore.Needs{})
		ex = e.replayed(c, s)
	}
	missed := own && c.Same && len(ex.Found) == 0
	if missed && !ex.Heir {
		strict, again := ex, *s
		again.Strict, again.Rejoin = false, true
		if ex = e.execute(&wire.Request{Schedule: again}, explore.Needs{}); len(ex.Found) > 0 {
			missed, s = false, &again
		} else {
			ex = strict
		}
	}
	if ex.Diverged == nil { // the clip has steps for arrivals: so must what makes it simpler
		e.polls(&ex)
	}
	f.follows = ex.Diverged == nil
	switch {
	case e.err != nil:
	case (ex.Diverged != nil || missed) && ex.Heir && e.cfg.Isolate == "auto" && !e.cfg.Compare:
		e.anew = true // the other tests may have left something behind that it does not count on
	case ex.Diverged != nil && c.Loose:
	case ex.Diverged != nil || missed:
		f.astray = own
	case own:
		key := judge.KeyOf(&wire.Finding{Kind: c.Kind, Places: c.Places})
		all := ex.Found
		ex.Found = slices.DeleteFunc(slices.Clone(all), func(f wire.Found) bool { return f.Key != key })
		f.others, f.astray = len(ex.Found) < len(all), len(ex.Found) == 0
		e.look(ex, s, c.Path)
	default:
		e.look(ex, s, "")
	}
	return f
}

// replayed executes the schedule of a clip. Where what it is to show shows by then, the execution
// ends soon after the clip.
func (e *exploration) replayed(c *wire.Clip, s *trace.Schedule) Execution {
	needs := explore.Needs{Steps: len(c.Steps) + stepsMore}
	if showsAtOnce(c) && (e.cfg.Steps == 0 || needs.Steps < e.cfg.Steps) {
		ex := e.execute(&wire.Request{Schedule: *s}, needs)
		if ex.Trace.Verdict != trace.Bounded {
			return ex
		}
		if ex.shows(judge.KeyOf(&wire.Finding{Kind: c.Kind, Places: c.Places})) != nil {
			ex.Broken = true // the bound is not one of the test's
			return ex
		}
	}
	return e.execute(&wire.Request{Schedule: *s}, explore.Needs{})
}

// settling is the schedule of an execution that makes what is made once and for all, such as
// caches of other modules: a clip may have been recorded when it was there already.
func settling() *trace.Schedule { return &trace.Schedule{Policy: "first"} }

// divergence says where a clip does not fit.
func divergence(c *wire.Clip, d *wire.Divergence, resolve func(trace.Site) wire.Place) string {
	want := &c.Steps[d.Step]
	return "diverges at " + parting(d, want.G, want.Op, want.Where, resolve)
}

// parting says at which step an execution left its schedule, which had the
// operation op of goroutine g there, and how.
func parting(d *wire.Divergence, g, op string, at wire.Place, resolve func(trace.Site) wire.Place) string {
	text := fmt.Sprintf("step %d: expected %s of goroutine %s", d.Step+1, op, g)
	if at.File != "" {
		text += fmt.Sprintf(" at %s:%d", judge.Base(at.File), at.Line)
	}
	switch {
	case !d.GotOK:
		text += ", but there is no such goroutine"
	case d.NoChoice && op == trace.OpChoose.String():
		text += ", but there was nothing to choose"
	case d.NoChoice:
		text += ", got a choice among several outcomes"
	case d.Got.Op.String() != op:
		text += ", got " + d.Got.Op.String()
		if p := resolve(d.Got.Site); p.File != "" {
			text += fmt.Sprintf(" at %s:%d", judge.Base(p.File), p.Line)
		}
	case !d.Enabled:
		text += ", but it cannot go on there"
	}
	return text
}

// Replay runs the clip that the configuration names with everything recorded, and sends every
// event and how it went. The error is x's.
func Replay(ctx context.Context, cfg *wire.Config, c *wire.Clip, x Executor, send func(*wire.Record)) error {
	send(&wire.Record{Type: "begin", Test: c.Test})
	s, err := scheduleOf(c, !cfg.Rejoin)
	if err != nil {
		send(&wire.Record{Type: "replayed", Test: c.Test, Result: "unusable", Reason: err.Error()})
		return nil
	}
	if cfg.Settled {
		if _, err := x.Execute(ctx, &wire.Request{Schedule: *settling(), Input: c.Input}); err != nil {
			return err
		}
	}
	s.Rejoin = cfg.Rejoin
	real := cfg.Debug != nil && cfg.Debug.Real
	events, r, err := replayOnce(ctx, s, c, x, real)
	if err != nil {
		return err
	}
	for i := range events {
		send(&wire.Record{Type: "event", Test: c.Test, Event: &events[i]})
	}
	send(r)
	return nil
}

// replayOnce returns the events of one replay and the Record that says how it went. real: it is
// known that the execution goes by real time.
func replayOnce(ctx context.Context, s *trace.Schedule, c *wire.Clip, x Executor, real bool) ([]wire.Event,
	*wire.Record, error) {
	q := &wire.Request{Schedule: *s, Record: true, Watched: accessesOf(c.Places), Visible: sitesOf(c),
		Stacks: true, Only: true, Expect: expectationOf(c), Input: c.Input, Early: c.Early(), Real: real,
		Plain: true}
	ex, err := x.Execute(ctx, q)
	if err == nil && ex.Outside && !real {
		q.Real = true // as the execution that was recorded
		ex, err = x.Execute(ctx, q)
	}
	if err != nil {
		return nil, nil, err
	}
	r := verdictOn(c, &ex, x.Resolve)
	if ex.Cycle > 0 {
		ex.Trace.Events = ex.Trace.Events[:ex.Cycle]
	} else if ex.Trace.Verdict == trace.TimedOut {
		ex.Trace.Events = judge.UntilWaiting(ex.Trace)
	}
	events := eventsOf(ex.Trace, x.Resolve)
	if r.Finding != nil && tellable(ex.Trace) {
		r.Finding.Story = tell(ex.Trace, events, x.Resolve)
	}
	withStacks(events, x)
	return events, r, nil
}

// verdictOn says how a replay of a clip went.
func verdictOn(c *wire.Clip, ex *Execution, resolve func(trace.Site) wire.Place) *wire.Record {
	r := &wire.Record{Type: "replayed", Test: c.Test, Result: "clean", Executions: 1}
	if ex.Diverged != nil {
		r.Result, r.Reason = "diverged", divergence(c, ex.Diverged, resolve)
	}
	r.Finding = ex.shows(judge.KeyOf(&wire.Finding{Kind: c.Kind, Places: c.Places}))
	for _, f := range ex.Found { // another one then, of the same kind rather than not
		if r.Finding == nil || r.Finding.Kind != c.Kind {
			r.Finding = f.Finding
		}
	}
	if r.Finding != nil && r.Result == "clean" {
		r.Result = "finding"
	}
	if r.Result == "clean" {
		r.Result, r.Reason = uncut(ex.Trace, len(c.Steps))
	}
	return r
}

// uncut says how a replay went that shows nothing: one that time or memory has ended says nothing
// about the code.
func uncut(t *trace.Trace, steps int) (result, reason string) {
	if !t.Verdict.Early() {
		return "clean", ""
	}
	return "diverged",
		fmt.Sprintf("%s after %d of the clip's %d steps and of what follows them", t.Verdict, len(t.Steps),
			steps)
}

// eventsOf returns the events of an execution as the table of a replay wants them.
func eventsOf(t *trace.Trace, resolve func(trace.Site) wire.Place) []wire.Event {
	events := make([]wire.Event, len(t.Events))
	cases := chosenCases(t)
	step := int32(-1)
	for i := range t.Events {
		ev := &t.Events[i]
		w := &events[i]
		*w = wire.Event{Index: i, G: t.Name(ev.G), Op: opText(ev), Arg: ev.Arg, Where: resolve(ev.Site),
			Quiet: ev.Quiet, Partner: int(ev.Partner), Step: int(ev.Step)}
		if k := int(ev.Step); k >= 0 && k < len(t.Steps) && t.Steps[k].Site.Loud() == ev.Site.Loud() {
			w.Call = callOf(t, k, resolve)
		}
		if c, ok := cases[i]; ok {
			w.Case, w.Cases = c.n+1, c.of
		}
		if ev.Val > 0 && ev.Op != trace.OpTimerStart {
			w.Value = t.Values[ev.Val-1]
		}
		if ev.Obj > 0 && int(ev.Obj) < len(t.Objects) {
			w.Object, w.Obj, w.Cap = objectName(t, ev.Obj), int(ev.Obj), int(t.Objects[ev.Obj].Cap)
		}
		if ev.Op == trace.OpGo {
			w.Child = t.Name(trace.GID(ev.Arg))
		}
		if ev.Step != step && ev.Step >= 0 && int(ev.Step) < len(t.Steps) {
			step = ev.Step
			w.Switch = t.Steps[step].G != t.Steps[step].Default
		}
	}
	return events
}

func opText(ev *trace.Event) string {
	switch ev.Op {
	case trace.OpArrive:
		return "arrive to " + trace.Op(ev.Arg).String()
	case trace.OpWGAdd:
		return fmt.Sprintf("wg-add %d", ev.Arg)
	case trace.OpTryLock, trace.OpTryRLock:
		if ev.Arg == 0 {
			return ev.Op.String() + " (fails)"
		}
	case trace.OpRecv:
		if ev.Arg == 0 {
			return "recv (closed)"
		}
	case trace.OpSelect:
		if ev.Arg == -1 {
			return "select default"
		}
	}
	return ev.Op.String()
}

// objectName names an object by the goroutine that made it: "chan main#2".
func objectName(t *trace.Trace, id trace.ObjID) string {
	o := t.Objects[id]
	if o.G == trace.NoG {
		return fmt.Sprintf("%s %d", o.Kind, id)
	}
	name := fmt.Sprintf("%s %s#%d", o.Kind, t.Name(o.G), o.N)
	if o.Offset > 0 && o.Kind != trace.ObjChan {
		name += fmt.Sprintf("+%d", o.Offset)
	}
	return name
}
