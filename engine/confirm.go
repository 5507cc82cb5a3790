package engine

import (
	"fmt"
	"slices"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/predict"
	"heddle/rt/wire"
	"heddle/trace"
)

// What becomes of a prediction: the schedules that are tried, the verdict, and its words.

// A verdict gathers what became of the instances of a candidate.
type verdict struct {
	p     *prediction
	told  wire.Prediction
	first predict.Anomaly // or the one that was shown
	// of an instance it was proved that there is no such order, and no other was tried
	excluded bool
}

func (p *prediction) newVerdict(a *predict.Anomaly) *verdict {
	return &verdict{p: p, first: *a,
		told: wire.Prediction{Kind: a.Pattern.Kind, Pattern: a.Pattern.Name, Verdict: wire.Untried,
			Places: p.placesOf(a)}}
}

// tell adds the verdict to what is told. What was proved not to be possible was
// no prediction, where the solver decides what is one.
func (v *verdict) tell() {
	if v.excluded && v.told.Verdict == wire.Untried {
		v.p.told.Excluded++
		return
	}
	if len(v.first.Pattern.E) > 0 {
		v.told.Active = v.p.activelyTested(&v.first)
	}
	v.p.told.All = append(v.p.told.All, v.told)
}

// tellPart tells what a part of the sets of goroutines that may wait for one another came to;
// others may have a verdict on the same.
func (v *verdict) tellPart() {
	if v.excluded && v.told.Verdict == wire.Untried {
		v.told.Verdict = wire.Excluded
	}
	v.p.told.Parts = append(v.p.told.Parts, v.told)
}

// attempt tries one instance, and reports whether it was shown: by a schedule of
// Moves, where there is none that shows it by one of the solver's, and at last, for the
// first instance, by bringing its goroutines there, whatever they do on the way.
func (v *verdict) attempt(a *predict.Anomaly) bool {
	p := v.p
	told := v.told.Verdict
	if v.scheduled(a) {
		return true
	}
	// What does not fit may come about otherwise.
	if !p.enough() && p.guides() && len(a.Pattern.E) > 0 && (!p.cfg.Complete || a.Pattern != predict.Race) &&
		v.told.Verdict == wire.Refuted && told != wire.Refuted {
		for _, exact := range []bool{true, false} {
			s := &trace.Schedule{Policy: "first", Exhaustive: true,
				Guide: predict.NewDirector(p.graph, a, exact)}
			if p.follow(a, []*trace.Schedule{s}) == "" {
				return v.confirm(a)
			}
		}
	}
	return false
}

// guides reports whether executions can be guided: those in processes of their own cannot.
func (p *prediction) guides() bool {
	_, here := p.x.(Process)
	return here
}

// scheduled is attempt by schedules that are made beforehand.
func (v *verdict) scheduled(a *predict.Anomaly) bool {
	p := v.p
	moved := ""
	if !a.Pattern.Solved() {
		schedules, why := p.schedules(predict.Moves{}, a)
		if len(schedules) == 0 {
			moved = "no schedule: " + why.Explain(p.at, p.atEvent)
		} else if moved = p.follow(a, schedules); moved == "" {
			return v.confirm(a)
		}
	}
	if p.solver == nil || p.enough() {
		if moved != "" {
			v.refute(moved)
		}
		return false
	}
	schedules, why := p.schedules(p.solver, a)
	switch {
	case len(schedules) > 0:
		if moved = p.follow(a, schedules); moved == "" {
			return v.confirm(a)
		}
		v.refute(moved)
	case why.Open:
		v.told.Verdict, v.told.Reason = wire.Unknown, why.Explain(p.at, p.atEvent)
		if moved != "" {
			v.told.Reason = moved + "; " + v.told.Reason
		}
	case p.cfg.Complete && a.Pattern == predict.Race || a.Pattern.Solved():
		v.excluded = true
	default:
		v.refute(moved)
	}
	return false
}

func (v *verdict) confirm(a *predict.Anomaly) bool {
	v.first = *a
	v.told.Verdict, v.told.Reason, v.told.Places = wire.Confirmed, "", v.p.placesOf(a)
	return true
}

// giveUp notes that not every instance was tried: nothing was proved of the candidate.
func (v *verdict) giveUp() {
	v.excluded = false
	if v.p.cfg.Complete && v.told.Verdict == wire.Refuted {
		v.told.Verdict, v.told.Reason = wire.Unknown,
			v.told.Reason+"; others were not tried, the time was over"
	}
}

// refute notes why an instance was not shown, unless it is not known of another one.
func (v *verdict) refute(reason string) {
	if v.told.Verdict != wire.Unknown {
		v.told.Verdict, v.told.Reason = wire.Refuted, reason
	}
}

// schedules asks s for schedules of a.
func (p *prediction) schedules(s predict.Scheduler, a *predict.Anomaly) ([]*trace.Schedule,
	*predict.Refutation) {
	watch := p.stopwatch()
	var schedules []*trace.Schedule
	why := &predict.Refutation{Reason: "the time was over", Open: true}
	p.limit.Within(func() { schedules, why = s.Schedules(p.graph, a.Goal()) })
	took := watch.seconds()
	if s == p.solver {
		p.told.Questions++
		p.told.Solving += took
	} else {
		p.told.Moved += max(1, len(schedules))
		p.told.Scheduling += took
	}
	return schedules, why
}

// perform executes a schedule. Unlike in a search, what is known has to show again.
func (p *prediction) perform(s *trace.Schedule) Execution {
	p.q = wire.Request{Schedule: *s}
	return p.execute(&p.q, explore.Needs{})
}

// isRace reports whether two accesses of a candidate were shown to race.
func (p *prediction) isRace(c *predict.Candidate) bool {
	return slices.ContainsFunc(p.races, func(r [2]trace.Site) bool {
		return slices.Contains(c.Sites, r[0]) && slices.Contains(c.Sites, r[1])
	})
}

// follow executes schedules for an anomaly. It returns "" if one showed it, or why the last
// did not. Both orders of a race are executed: what follows from it differs.
func (p *prediction) follow(a *predict.Anomaly, schedules []*trace.Schedule) (reason string) {
	shown := false
	for _, s := range schedules {
		p.told.Schedules++
		key := p.expectation(a)
		ex := p.perform(s)
		p.told.Executions++
		if p.err != nil {
			return p.err.Error()
		}
		if ex.Trace.Verdict == trace.Panicked {
			p.told.Panics++
		}
		showsIt := ex.Diverged == nil && (key != "" && ex.shows(key) != nil || p.shown(&ex, a))
		switch {
		case ex.Diverged != nil:
			reason = p.misfit(&ex, s)
		case !showsIt:
			reason = "the schedule was followed, and did not show it"
		}
		shown = shown || showsIt
		p.report(ex, s, a)
		if p.ended() || shown && a.Pattern != predict.Race {
			break
		}
	}
	if shown {
		return ""
	}
	return reason
}

// report tells of what an execution of a schedule showed. A clip is easier to
// read where only the accesses of the anomaly are steps: that is tried first.
func (p *prediction) report(ex Execution, s *trace.Schedule, a *predict.Anomaly) {
	if p.harmless(a) {
		ex.Found = slices.DeleteFunc(ex.Found,
			func(f wire.Found) bool { return f.Finding.Kind == a.Pattern.Kind })
		p.expect = nil // nor is it one of what is executed to tell of the others
	}
	if !slices.ContainsFunc(ex.Found, p.fresh) {
		return
	}
	if len(a.Pattern.E) == 0 { // nothing is about memory
		p.look(ex, s, "")
		return
	}
	wide := p.visible
	defer func() { p.visible = wide }()
	ex.Trace = ex.Trace.Clone()
	p.visible = p.sitesOf(a)
	n := p.n
	less, narrow := p.narrowed(&ex, s, p.perform)
	p.n = n
	if narrow != nil {
		p.look(less, narrow, "")
		return
	}
	p.visible = wide
	p.look(ex, s, "")
}

// harmless reports whether a by itself is no finding of heddle test, but only what
// it leads to. Without a race all its accesses hold one lock, and that another
// lock, held around them, is there to keep them together is a guess, but where an update is lost.
// Commands and options that ask for predictions, or for a pattern, are told of it.
func (p *prediction) harmless(a *predict.Anomaly) bool {
	return !p.alone && len(a.Pattern.E) > 0 && a.Pattern != predict.Race &&
		slices.Contains(p.builtin, a.Pattern) && !a.Pattern.LosesUpdate()
}

// sitesOf returns where the accesses of an anomaly stand.
func (p *prediction) sitesOf(a *predict.Anomaly) []trace.Site {
	var sites []trace.Site
	for _, n := range a.Nodes {
		if x := p.graph.Nodes[n].Site; !slices.Contains(sites, x) {
			sites = append(sites, x)
		}
	}
	return sites
}

// shown reports whether an execution showed an anomaly that others than expected find.
func (p *prediction) shown(ex *Execution, a *predict.Anomaly) bool {
	switch a.Pattern {
	case predict.Race:
		return p.raced(ex, a)
	case predict.Stuck, predict.OtherCase:
		return slices.ContainsFunc(ex.Found,
			func(f wire.Found) bool {
				return f.Finding.Kind == judge.Deadlock ||
					f.Finding.Kind == judge.Leak
			})
	}
	return slices.ContainsFunc(ex.Found, func(f wire.Found) bool { return f.Finding.Kind == a.Pattern.Kind })
}

// raced reports whether an execution showed the race that a is.
func (p *prediction) raced(ex *Execution, a *predict.Anomaly) bool {
	x, y := p.graph.Nodes[a.Nodes[0]].Site.Plain(), p.graph.Nodes[a.Nodes[1]].Site.Plain()
	return slices.ContainsFunc(ex.Found, func(f wire.Found) bool {
		if f.Finding.Kind != judge.Race || len(f.Finding.Places) != 2 {
			return false
		}
		v, w := trace.Site(f.Finding.Places[0].Site).Plain(), trace.Site(f.Finding.Places[1].Site).Plain()
		return x == v && y == w || x == w && y == v
	})
}

// expectation lets executions look for the anomaly a, and returns the key of the
// finding. Races are found by their detector.
func (p *prediction) expectation(a *predict.Anomaly) string {
	p.expect = nil
	if len(a.Pattern.E) == 0 || a.Pattern == predict.Race {
		return ""
	}
	x := &wire.Expectation{Kind: a.Pattern.Kind, Message: a.Pattern.Message, Pattern: a.Pattern.String()}
	if x.Message == "" {
		x.Message = "the pattern " + a.Pattern.Name
	}
	// Goroutines may be numbered otherwise in another order, but are named the same.
	x.Places = p.places(a.Nodes)
	p.expect = x
	return judge.KeyOf(judge.FindingOf(x))
}

// places returns nodes as places of a finding.
func (p *prediction) places(nodes []int32) []wire.Place {
	var ps []wire.Place
	for _, n := range nodes {
		nd := &p.graph.Nodes[n]
		pl := p.x.Resolve(nd.Site)
		pl.Op, pl.Goroutine = nd.Op.String(), p.graph.Trace.Name(nd.G)
		ps = append(ps, pl)
	}
	return ps
}

// placesOf returns the places of an anomaly.
func (p *prediction) placesOf(a *predict.Anomaly) []wire.Place {
	if a.Events == nil {
		return p.places(a.Nodes)
	}
	var ps []wire.Place
	for _, i := range a.Events {
		op, site, g := p.eventAt(i)
		pl := p.x.Resolve(site)
		pl.Op, pl.Goroutine = op.String(), p.graph.Trace.Name(g)
		ps = append(ps, pl)
	}
	return ps
}

// siteMark surrounds the number of an instrumented site in a reason: the command puts the place
// there.
const siteMark = "\x00"

// at returns a node for a reason.
func (p *prediction) at(n int32) string {
	nd := &p.graph.Nodes[n]
	return fmt.Sprintf("%s of goroutine %s%s", nd.Op, p.graph.Trace.Name(nd.G), p.where(nd.Site))
}

// atEvent returns an event for a reason.
func (p *prediction) atEvent(i int32) string {
	op, site, g := p.eventAt(i)
	return fmt.Sprintf("%s of goroutine %s%s", op, p.graph.Trace.Name(g), p.where(site))
}

// eventAt returns what an event was. What goroutines were about to do when the trace ended has the
// numbers that follow.
func (p *prediction) eventAt(i int32) (trace.Op, trace.Site, trace.GID) {
	t := p.graph.Trace
	if k := int(i) - len(t.Events); k >= 0 {
		l := &t.Left[k]
		return l.Op, l.Site, l.G
	}
	e := &t.Events[i]
	return e.Op, e.Site, e.G
}

// where returns where a site stands, for a text that is told.
func (e *exploration) where(s trace.Site) string {
	switch pl := e.x.Resolve(s); {
	case pl.File != "":
		return fmt.Sprintf(" at %s:%d", judge.Base(pl.File), pl.Line)
	case pl.Site != 0:
		return fmt.Sprintf(" at %s%d%s", siteMark, pl.Site, siteMark)
	}
	return ""
}

// misfit says where an execution left its schedule.
func (p *prediction) misfit(ex *Execution, s *trace.Schedule) string {
	d := ex.Diverged
	if d.Step >= len(s.Steps) {
		return "the execution left the schedule"
	}
	want := s.Steps[d.Step]
	text := fmt.Sprintf("step %d was to be %s of goroutine %s%s", d.Step+1, want.Op, ex.Trace.Name(want.G),
		p.where(want.Site))
	switch {
	case !d.GotOK:
		return text + ", which there was not"
	case d.NoChoice:
		return text + ", with another outcome"
	case d.Got.Op == want.Op && d.Got.Site.Loud() == want.Site.Loud() && !d.Enabled:
		return text + ", but that had to wait"
	}
	return text + ", and it was about to " + d.Got.Op.String() + p.where(d.Got.Site)
}

// expectationOf is what a clip of an anomaly expects; nil for other clips.
func expectationOf(c *wire.Clip) *wire.Expectation {
	if c.Pattern == "" {
		return nil
	}
	return &wire.Expectation{Kind: c.Kind, Message: c.Message, Pattern: c.Pattern, Places: c.Places,
		Ask: c.Ask}
}
