package drive

import (
	"fmt"

	"heddle/rt/sched"
	"heddle/rt/wire"
	"heddle/trace"
)

// scheduleOf turns a clip into a schedule.
func scheduleOf(c *wire.Clip, strict bool) (*trace.Schedule, error) {
	s := &trace.Schedule{Policy: c.Policy, Seed: c.Seed, Depth: c.Depth, Free: c.Free, Strict: strict, Names: []string{}}
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

func (e *exploration) clipSites(c *wire.Clip) {
	var sites []trace.Site
	for _, v := range c.Visible {
		sites = append(sites, trace.Site(v))
	}
	sched.S.SetVisible(sites)
}

// tryClip replays a clip of an earlier run before anything else. A clip that no
// longer fits is told of; it is not an error.
func (e *exploration) tryClip(c *wire.Clip) {
	s, err := scheduleOf(c, true)
	if err != nil {
		e.d.send(&wire.Record{Type: "note", Test: e.t.Name, Text: fmt.Sprintf("%s: %v", c.Path, err)})
		return
	}
	e.clipSites(c)
	old := e.visible
	e.visible = nil
	for _, v := range c.Visible {
		e.visible = append(e.visible, trace.Site(v))
	}
	t, _ := e.Execute(nil2ctx(), s)
	if d := sched.S.Diverged(); d != nil {
		e.d.send(&wire.Record{Type: "note", Test: e.t.Name, Text: fmt.Sprintf("%s no longer fits the code: %s", c.Path, e.divergence(c, t, d))})
	} else {
		e.look(t, s, c.Path)
	}
	e.visible = old
	sched.S.SetVisible(e.visible)
}

// divergence says where a clip does not fit.
func (e *exploration) divergence(c *wire.Clip, t *trace.Trace, d *sched.Divergence) string {
	want := c.Steps[d.Step]
	text := fmt.Sprintf("diverges at step %d: expected %s of goroutine %s", d.Step+1, want.Op, want.G)
	if want.Where.File != "" {
		text += fmt.Sprintf(" at %s:%d", base(want.Where.File), want.Where.Line)
	}
	switch {
	case !d.GotOK:
		text += ", but there is no such goroutine"
	case d.NoChoice && d.Want.Op == trace.OpChoose:
		text += ", but there was nothing to choose"
	case d.NoChoice:
		text += ", got a choice among several outcomes"
	case d.Got.Op != d.Want.Op:
		text += ", got " + d.Got.Op.String()
		if p := resolve(d.Got.Site &^ (1 << 63)); p.File != "" {
			text += fmt.Sprintf(" at %s:%d", base(p.File), p.Line)
		}
	case !d.Enabled:
		text += ", but it cannot go on there"
	}
	return text
}

// replay runs one clip with everything recorded and sends every event.
func (d *driver) replay(t *Test, c *wire.Clip) {
	e := &exploration{executor: newExecutor(d, t), seen: make(map[string]*wire.Finding)}
	d.send(&wire.Record{Type: "begin", Test: t.Name})
	s, err := scheduleOf(c, true)
	if err != nil {
		d.send(&wire.Record{Type: "replayed", Test: t.Name, Result: "diverged", Reason: err.Error()})
		return
	}
	e.clipSites(c)
	var watched []trace.Site
	for _, p := range c.Places {
		watched = append(watched, trace.Site(p.Site))
	}
	sched.S.SetWatched(watched)
	e.record = true
	tr, _ := e.Execute(nil2ctx(), s)
	tr = tr.Clone()
	if dl := sched.S.Deadlock(); dl != nil {
		tr.Events = tr.Events[:dl.Events]
	}
	e.sendEvents(tr)
	r := &wire.Record{Type: "replayed", Test: t.Name, Result: "clean", Executions: 1}
	if dv := sched.S.Diverged(); dv != nil {
		r.Result, r.Reason = "diverged", e.divergence(c, tr, dv)
	}
	want := keyOfFinding(&wire.Finding{Kind: c.Kind, Places: c.Places})
	fs := e.findings(tr, s)
	for i, f := range fs {
		if r.Finding == nil || f.key == want {
			r.Finding = fs[i].Finding
		}
	}
	if r.Finding != nil && r.Result == "clean" {
		r.Result = "finding"
	}
	d.send(r)
}

func (e *exploration) sendEvents(t *trace.Trace) {
	step := int32(-1)
	for i := range t.Events {
		ev := &t.Events[i]
		w := &wire.Event{Index: i, G: t.Name(ev.G), Op: opText(ev), Where: resolve(ev.Site &^ (1 << 63)), Quiet: ev.Quiet, Partner: int(ev.Partner)}
		if ev.Val > 0 {
			w.Value = t.Values[ev.Val-1]
		}
		if ev.Obj > 0 && int(ev.Obj) < len(t.Objects) {
			w.Object = objectName(t, ev.Obj)
		}
		if ev.Step != step && ev.Step >= 0 && int(ev.Step) < len(t.Steps) {
			step = ev.Step
			w.Switch = t.Steps[step].G != t.Steps[step].Default
		}
		e.d.send(&wire.Record{Type: "event", Test: e.t.Name, Event: w})
	}
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

// objectName names an object by who made it: "chan main#2".
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

func duration(ns int64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%.3gs", float64(ns)/1e9)
	case ns >= 1e6:
		return fmt.Sprintf("%.3gms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%dns", ns)
}
