package engine

import (
	"fmt"
	"slices"
	"time"

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
	weak     bool // the order relation excludes it: only the solver is asked
	values   bool // it was proved from the values that reads got
}

func (p *prediction) newVerdict(a *predict.Anomaly) *verdict {
	return &verdict{p: p, first: *a,
		told: wire.Prediction{Kind: a.Pattern.Kind, Pattern: a.Pattern.Name, Verdict: wire.Untried,
			Places: p.placesOf(a)}}
}

// tell adds the verdict to what is told. What was proved not to be possible was
// no prediction, where the solver decides what is one.
func (v *verdict) tell() {
	if (v.weak || v.p.isGuess(&v.first)) && v.told.Verdict != wire.Confirmed {
		return // it was no prediction
	}
	if v.excluded && v.told.Verdict == wire.Untried {
		v.p.told.Excluded++
		return
	}
	if len(v.first.Pattern.E) > 0 {
		v.told.Active = v.p.activelyTested(&v.first)
	}
	v.p.told.All = append(v.p.told.All, v.told)
	v.p.tellVerdict(&v.told)
}

// tellVerdict sends a verdict, since the summary comes only when all is over.
func (p *prediction) tellVerdict(x *wire.Prediction) {
	if p.told.First == 0 {
		p.told.First = p.analysed.seconds()
	}
	if p.streams {
		told := *x
		p.send(&wire.Record{Type: "verdict", Test: p.test, Verdict: &told})
	}
}

// tellPart tells what a part of the sets of goroutines that may wait for one another came to;
// others may have a verdict on the same.
func (v *verdict) tellPart() {
	if (v.weak || v.p.isGuess(&v.first)) && v.told.Verdict != wire.Confirmed {
		return // it was no prediction
	}
	if v.excluded && v.told.Verdict == wire.Untried {
		v.told.Verdict = wire.Excluded
	}
	v.p.told.Parts = append(v.p.told.Parts, v.told)
}

// attempt tries one instance, and reports whether it was shown: by a schedule of one of the
// schedulers, and at last, for the first instance, by bringing its goroutines there, whatever they
// do on the way.
func (v *verdict) attempt(a *predict.Anomaly) bool {
	p := v.p
	told := v.told.Verdict
	if v.scheduled(a) || v.guessed(a) {
		return true
	}
	if v.weak {
		return false
	}
	// What does not fit may come about otherwise.
	if !p.enough() && p.guides() && len(a.Pattern.E) > 0 && (!p.cfg.Complete || a.Pattern != predict.Race) &&
		v.told.Verdict == wire.Refuted && told != wire.Refuted {
		for _, exact := range []bool{true, false} {
			d := predict.NewDirector(p.graph, a, exact)
			if p.told.Events >= longRecording {
				d.After = afterSchedule
			}
			s := &trace.Schedule{Policy: "first", Exhaustive: true, Guide: d}
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

// schedulers are asked in this order: those first whose schedules are the shortest. The solver
// comes after them.
func (p *prediction) schedulers(a *predict.Anomaly) []predict.Scheduler {
	switch {
	case a.Pattern == predict.Stuck && p.solver == nil:
		return []predict.Scheduler{predict.Preserving{}}
	case a.Pattern.Solved():
		return nil
	case p.isGuess(a) && p.told.Events >= longRecording: // the long schedules cost too much for guesses
		return []predict.Scheduler{predict.Moves{Lean: true}}
	}
	return []predict.Scheduler{predict.Preserving{}, predict.Moves{Lean: true}, predict.Moves{}}
}

// scheduled is attempt by schedules that are made beforehand.
func (v *verdict) scheduled(a *predict.Anomaly) bool {
	p := v.p
	moved := ""
	v.values = false
	for _, x := range p.schedulers(a) {
		if p.enough() || v.weak {
			break
		}
		schedules, why := p.schedules(x, a)
		if len(schedules) == 0 {
			moved = "no schedule: " + why.Explain(p.at, p.atEvent)
		} else if moved = p.follow(a, schedules); moved == "" {
			return v.confirm(a)
		}
	}
	if a.Pattern.Solved() {
		moved = "" // it is a guess until the solver has found an order
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
	case why.Open && p.expired() && v.told.Verdict == wire.Untried:
		v.told.Reason = "the time was over"
	case why.Open:
		v.told.Verdict, v.told.Reason = wire.Unknown, why.Explain(p.at, p.atEvent)
		if moved != "" {
			v.told.Reason = moved + "; " + v.told.Reason
		}
	case p.cfg.Complete && a.Pattern == predict.Race || a.Pattern.Solved() || v.weak:
		v.excluded, v.values = true, why.Values
	default:
		v.refute(moved)
	}
	return false
}

// guessed tries an order of a race in which reads, or receives, get other values than they got,
// where that was all that spoke against it. That nothing depends on these values is a guess: the
// execution fits only if it is right.
func (v *verdict) guessed(a *predict.Anomaly) bool {
	p := v.p
	if !v.values || a.Pattern != predict.Race || p.solver == nil || p.enough() {
		return false
	}
	if p.loose == nil {
		p.loose = &predict.Solver{Limit: p.solver.Limit, Loose: true}
	}
	schedules, _ := p.schedules(p.loose, a)
	return len(schedules) > 0 && p.follow(a, schedules) == "" && v.confirm(a)
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
	if s == p.solver || s == p.loose {
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
	needs := explore.Needs{Steps: p.stepsFor(s)}
	ex := p.execute(&p.q, needs)
	if needs.Steps > 0 && ex.Trace.Verdict == trace.Bounded {
		ex.Broken = true // the bound is not one of the test's
	}
	return ex
}

// Where the recorded execution is long, one of a schedule goes on for a while after the schedule,
// or after the last event that it was directed to, and not to its end: what it leads to shows soon
// or, mostly, not at all.
const (
	longRecording = 5_000  // events
	afterSchedule = 10_000 // steps
)

// stepsFor bounds the steps of an execution of s; 0: there is no bound.
func (p *prediction) stepsFor(s *trace.Schedule) int {
	if p.told.Events < longRecording || s.Guide != nil {
		return 0
	}
	return len(s.Steps) + afterSchedule
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
		began := time.Now()
		ex := p.perform(s)
		took := time.Since(began)
		p.told.Executions++
		if p.err != nil {
			return p.err.Error()
		}
		if ex.Trace.Verdict == trace.Panicked {
			p.told.Panics++
		}
		showsIt := ex.Diverged == nil && (key != "" && ex.shows(key) != nil || p.showsAny(&ex, a))
		if p.isGuess(a) {
			showsIt = ex.Diverged == nil && slices.ContainsFunc(ex.Found,
				func(f wire.Found) bool { return f.Finding.Kind != a.Pattern.Kind })
		}
		switch {
		case ex.Diverged != nil:
			reason = p.misfit(&ex, s)
		case !showsIt:
			reason = "the schedule was followed, and did not show it"
		}
		shown = shown || showsIt
		p.report(ex, s, a, took)
		if p.ended() || shown && a.Pattern != predict.Race {
			break
		}
	}
	if shown {
		return ""
	}
	return reason
}

// A shown is an execution that showed something new, of which is told when all candidates have
// been tried: to make a clip simpler takes many executions.
type shown struct {
	ex      Execution
	s       *trace.Schedule
	visible []trace.Site
	sites   []trace.Site // of the anomaly, if it is about memory
	expect  *wire.Expectation
	n       int           // executions until then
	took    time.Duration // by the execution
}

// keptSteps bounds the steps, of all together, of what is kept to be told of later.
const keptSteps = 4 << 20

// report keeps what an execution of a schedule showed, to be told of.
func (p *prediction) report(ex Execution, s *trace.Schedule, a *predict.Anomaly, took time.Duration) {
	expect := p.expect
	if p.harmless(a) {
		ex.Found = slices.DeleteFunc(ex.Found,
			func(f wire.Found) bool { return f.Finding.Kind == a.Pattern.Kind })
		expect = nil // nor is it one of what is executed to tell of the others
	}
	if !slices.ContainsFunc(ex.Found, p.untold) {
		return
	}
	for i := range ex.Found {
		p.waiting[ex.Found[i].Key] = true
	}
	ex.Trace = ex.Trace.Clone()
	p.shows = append(p.shows, shown{ex: ex, s: s, visible: p.visible, sites: p.sitesOf(a), expect: expect,
		n: p.n, took: took})
	if p.kept += len(ex.Trace.Steps) + len(s.Steps); p.kept > keptSteps || p.cfg.FailFast {
		p.tellShown(1)
	}
}

// untold reports whether a finding was neither told of nor is waiting for that.
func (p *prediction) untold(f wire.Found) bool { return p.fresh(f) && !p.waiting[f.Key] }

// tellShown tells of what executions have shown, which are of a part of all tasks: the clips of
// the others have their part of the time. A clip is easier to read where only the accesses of the
// anomaly are steps: that is tried first.
func (p *prediction) tellShown(part float64) {
	visible, expect := p.visible, p.expect
	clips := p.within(part * clipShare)
	for i := range p.shows {
		if p.ended() {
			break
		}
		x := &p.shows[i]
		p.allot(clips, len(p.shows)-i, x.took)
		p.tellOne(x)
		*x = shown{}
	}
	p.shows, p.kept, p.clipUntil, p.asSeenFrom = nil, 0, time.Time{}, time.Time{}
	clear(p.waiting)
	p.visible, p.expect = visible, expect
}

// clipShare is the share of what is left of the time that clips have to become simpler. In the rest
// findings are told as they were seen, and the command replays their clips.
const clipShare = 0.6

// within returns when a part of the time that is left is over; zero: never.
func (p *prediction) within(part float64) time.Time {
	if p.deadline.IsZero() {
		return p.deadline
	}
	now := time.Now()
	return now.Add(time.Duration(part * float64(p.deadline.Sub(now))))
}

// tellPlain tells of what the first execution has shown, unless an execution of a schedule has
// shown it as well: that has the shorter clip. What is left to do leaves it a part of the time.
func (p *prediction) tellPlain(part float64) {
	x := p.plain
	if x == nil {
		return
	}
	p.plain = nil
	visible, only, expect, n := p.visible, p.only, p.expect, p.n
	p.visible, p.only, p.expect, p.n = x.visible, false, nil, x.n
	p.allot(p.within(part), 1, x.took)
	p.look(x.ex, x.s, "")
	p.visible, p.only, p.expect, p.n = visible, only, expect, n
	p.clipUntil, p.asSeenFrom = time.Time{}, time.Time{}
}

// allot gives the clips of one execution an equal part of the time that is left until then, of
// those of so many, to become simpler. took: the execution. Where that is time for a few executions
// alone, a clip is executed once, to be recorded. Where there is not even that, and after twice
// that time where the execution shows much, it is told as it was seen: the command replays it.
func (p *prediction) allot(until time.Time, left int, took time.Duration) {
	if until.IsZero() {
		return
	}
	now := time.Now()
	part := until.Sub(now) / time.Duration(left)
	p.asSeenFrom = now.Add(2 * part)
	switch {
	case part <= 0, took > longExecution && part < recordedTimes*took:
		p.asSeenFrom = now
		part = 0
	case part < fewExecutions*took:
		part = 0
	}
	p.clipUntil = now.Add(part)
}

// fewExecutions is how many executions it takes, about, to make a clip any simpler, and
// recordedTimes how many times as long as another one an execution of longExecution takes in which
// each step is recorded with its calls.
const (
	fewExecutions = 6
	recordedTimes = 12
	longExecution = 50 * time.Millisecond
)

func (p *prediction) tellOne(x *shown) {
	p.visible, p.expect = x.visible, x.expect
	all := p.n
	p.n = x.n
	defer func() { p.n = all }()
	if len(x.sites) == 0 || !p.clipUntil.IsZero() && !time.Now().Before(p.clipUntil) {
		// Nothing is about memory, or there is no time.
		p.look(x.ex, x.s, "")
		return
	}
	p.visible = x.sites
	less, narrow := p.narrowed(&x.ex, x.s, p.perform)
	p.n = x.n
	if narrow != nil {
		p.look(less, narrow, "")
		return
	}
	p.visible = x.visible
	p.look(x.ex, x.s, "")
}

// harmless reports whether a by itself is no finding of heddle test, but only what
// it leads to. Without a race all its accesses hold one lock, and that another
// lock, held around them, is there to keep them together is a guess, but where an update is lost.
// Commands and options that ask for predictions, or for a pattern, are told of it.
func (p *prediction) harmless(a *predict.Anomaly) bool {
	return p.isGuess(a) || !p.alone && len(a.Pattern.E) > 0 && a.Pattern != predict.Race &&
		slices.Contains(p.builtin, a.Pattern) && !a.Pattern.LosesUpdate()
}

// isGuess reports whether that the accesses of a belong together is a guess.
func (p *prediction) isGuess(a *predict.Anomaly) bool { return slices.Contains(p.guesses, a.Pattern) }

// sitesOf returns where the accesses of an anomaly stand.
func (p *prediction) sitesOf(a *predict.Anomaly) []trace.Site {
	var sites []trace.Site
	if len(a.Pattern.E) == 0 {
		return nil
	}
	for _, n := range a.Nodes {
		if x := p.graph.Nodes[n].Site; !slices.Contains(sites, x) {
			sites = append(sites, x)
		}
	}
	return sites
}

// showsAny reports whether an execution showed an anomaly that others than expected find.
func (p *prediction) showsAny(ex *Execution, a *predict.Anomaly) bool {
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
