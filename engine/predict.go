package engine

import (
	"fmt"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/predict"
	"heddle/rt/limit"
	"heddle/rt/wire"
	"heddle/trace"
)

// Prediction: one execution is recorded with all its memory accesses, package
// predict says what another order of it would show and by which schedules, and
// these are executed, strictly. What an execution has shown is a finding like
// any other, with its clip; nothing else is reported.

// Bounds of a prediction.
const (
	// predictSteps bounds the recording; what comes after it is not analysed.
	predictSteps     = 1 << 20
	predictStepsTest = 1 << 17 // where the prediction is only the beginning

	// predictShare is the part of the budget that the prediction may take there, and
	// predictMost the candidates it tries.
	predictShare = 4
	predictMost  = 200

	// solveTest, solveAlone and solveComplete bound the time for one question to the solver;
	// asksTest and asksAlone how many sets of goroutines it is asked about that may wait for one
	// another.
	solveTest, solveAlone, solveComplete = 100 * time.Millisecond, time.Second, 20 * time.Second
	asksTest, asksAlone                  = 100, 2000

	// solverTest and solverAlone bound the events of a trace that the solver is asked
	// about. With -complete there is no bound.
	solverTest, solverAlone = 20_000, 200_000

	// recordings bounds how often it is recorded until all sides of channels that are polled are
	// known.
	recordings = 4
)

// A prediction is one pass over a test.
type prediction struct {
	*exploration
	alone    bool // there is no exploration after it
	deadline time.Time
	phase    time.Time // the end of its first phases, recording and analysis; zero: they are over
	limit    *limit.Limit
	patterns []*predict.Pattern
	builtin  []*predict.Pattern // of patterns, those that the user did not write
	told     *wire.Predicted
	graph    *predict.Graph
	first    wire.Knowledge // by which it was recorded
	tasks    []predict.Candidate
	solver   *predict.Solver // nil: it is not asked
	races    [][2]trace.Site // that were shown
}

// A stopwatch tells how long something takes: to measure, in CPU time.
type stopwatch struct {
	cpu   bool
	start time.Time
	used  time.Duration
}

func (p *prediction) stopwatch() stopwatch {
	if p.cfg.Measure {
		return stopwatch{cpu: true, used: limit.ProcessorTime()}
	}
	return stopwatch{start: time.Now()}
}

func (w stopwatch) seconds() float64 {
	if w.cpu {
		return (limit.ProcessorTime() - w.used).Seconds()
	}
	return time.Since(w.start).Seconds()
}

// average returns how long f takes when it is called again and again, for a tenth of a second at
// least.
func (p *prediction) average(f func()) float64 {
	watch := p.stopwatch()
	for n := 1; ; n++ {
		f()
		if took := watch.seconds(); took > 0.1 {
			return took / float64(n)
		}
	}
}

// predictFirst is the prediction with which the exploration of a test begins.
// What it executes does not count: it is for one finding each, as minimising is.
func (e *exploration) predictFirst() {
	n := e.n
	p := &prediction{exploration: e}
	if !e.deadline.IsZero() {
		p.deadline = time.Now().Add(time.Until(e.deadline) / predictShare)
	}
	p.run()
	e.n = n
}

// Predicted is the end of a prediction.
func Predicted() why.End { return why.Bare(why.Of(why.Predicted)) }

// predictOnly is the strategy "predict".
func (e *exploration) predictOnly() (result string, complete bool, end why.End) {
	result = "pass"
	s := &trace.Schedule{Policy: "first"}
	p := &prediction{exploration: e, alone: true, deadline: e.deadline, told: new(wire.Predicted)}
	watch := p.stopwatch()
	plain := e.run(s)
	p.told.Plain = watch.seconds()
	if e.cfg.Measure {
		plain.Trace = plain.Trace.Clone()
		p.told.Plain = p.average(func() { e.perform(s, explore.Needs{}) })
	}
	if plain.Skipped {
		result = "skip"
	}
	e.send(&wire.Record{Type: "output", Test: e.test, Text: string(plain.Output)})
	switch {
	case e.ended() || plain.Skipped:
	case len(plain.Trace.Goroutines) <= 2:
		return result, false, e.nothing()
	default:
		p.run()
		if e.share != nil {
			e.share.Result = result
			return result, false, end
		}
		if p.told.Events > 0 {
			e.send(&wire.Record{Type: "predicted", Test: e.test, Predicted: p.told})
		}
	}
	if e.found > 0 {
		result = "fail"
	}
	if e.real {
		return result, false, why.Bare(why.Of(why.Unpredicted))
	}
	return result, false, Predicted()
}

// run records, searches, and tries what was found.
func (p *prediction) run() {
	e := p.exploration
	if p.told == nil {
		p.told = new(wire.Predicted)
	}
	p.races = append(p.races, e.races()...)
	visible, only := e.visible, e.only
	defer func() {
		e.visible, e.only, e.expect = visible, only, nil
		for _, f := range e.seen {
			e.raceSites(f)
		}
	}()
	if !p.prepare() {
		return
	}
	for i := range p.tasks {
		if e.ended() || p.handOut(i) {
			return
		}
		p.try(&p.tasks[i])
	}
	if !p.handOut(len(p.tasks)) {
		p.tryStuck(0, 1)
	}
}

// prepare records and searches. It returns false where nothing can be predicted.
func (p *prediction) prepare() bool {
	p.begin(recordShare)
	t := p.record()
	if t == nil {
		return false
	}
	p.begin(analyseShare)
	p.doing = "analysing the execution"
	defer func() { p.doing = "" }()
	whole := p.limit.Within(func() { p.tasks, p.err = p.analyse(t) })
	p.told.Short = !whole || p.limit.Now()
	p.phase = time.Time{}
	p.limit = limit.New(p.expired)
	if p.err != nil || p.graph == nil {
		return false
	}
	p.graph.Limit = p.limit
	p.mayAsk()
	return true
}

// Of the time that is left, recording and the analysis may have a share, each: the rest is for
// what they lead to.
const (
	recordShare  = 0.3
	analyseShare = 0.5
)

// begin begins a phase that may have a share of the time that is left.
func (p *prediction) begin(share float64) {
	p.phase = time.Time{}
	if !p.deadline.IsZero() {
		now := time.Now()
		p.phase = now.Add(time.Duration(share * float64(max(0, p.deadline.Sub(now)))))
	}
	p.limit = limit.New(p.expired)
}

// expired reports whether there is no time left for a phase, or for the prediction, or no memory.
func (p *prediction) expired() bool {
	now := time.Now()
	over := func(t time.Time) bool { return !t.IsZero() && now.After(t) }
	return over(p.phase) || over(p.deadline) || p.late()
}

// mayAsk makes the solver, if the trace is not too long for it.
func (p *prediction) mayAsk() {
	most, events := solveAlone, solverAlone
	switch {
	case p.cfg.Complete:
		most, events = solveComplete, p.told.Events
	case !p.alone:
		most, events = solveTest, solverTest
	}
	if p.cfg.Solve > 0 {
		most = time.Duration(p.cfg.Solve)
	}
	if p.told.Events <= events {
		p.solver = &predict.Solver{Limit: most}
	}
}

// record executes the test once with every access recorded, and reports what
// that shows by itself. nil: nothing can be predicted from it.
func (p *prediction) record() *trace.Trace {
	e := p.exploration
	s := &trace.Schedule{Policy: "first", Exhaustive: true}
	steps := predictStepsTest
	if p.alone {
		steps = predictSteps
	}
	if e.cfg.Steps > 0 {
		steps = min(steps, e.cfg.Steps)
	}
	var ex Execution
	record := func() {
		ex = e.performing(wire.Request{Schedule: *s, Show: e.showOnce(), Known: e.isKnown,
			Record: p.cfg.Complete}, explore.Needs{Accesses: true, Steps: steps})
	}
	for range recordings {
		polled := len(e.polled)
		p.first = e.knowledge()
		watch := p.stopwatch()
		record()
		p.told.Recorded = watch.seconds()
		if len(e.polled) == polled {
			break
		}
	}
	if p.cfg.Measure {
		p.told.Recorded = p.average(record)
	}
	if e.err != nil || e.real || ex.Final {
		return nil
	}
	t := ex.Trace.Clone()
	p.told.Events, p.told.Bounded = len(t.Events), t.Verdict.Cut()
	p.told.Goroutines = len(t.Goroutines) - 1 // the timers
	return t
}

// analyse makes the graph of t and searches it.
func (p *prediction) analyse(t *trace.Trace) ([]predict.Candidate, error) {
	watch := p.stopwatch()
	regions, _ := predict.ParseRegions(p.cfg.Regions)
	user, err := predict.Parse("patterns", p.cfg.Patterns)
	if err != nil {
		return nil, err
	}
	p.builtin = predict.Builtin(regions)
	p.patterns = append(slices.Clone(p.builtin), user...)
	p.graph = nil
	p.graph = predict.NewGraphWithin(t, regions, p.limit)
	p.visible, p.only = p.graph.Visible(), true
	most := 0
	if !p.alone {
		most = predictMost
	}
	var candidates []predict.Candidate
	if !p.cfg.Complete {
		candidates = p.graph.Deadlocks()
	}
	candidates = append(candidates, p.graph.Misuses()...)
	if p.cfg.Complete {
		candidates = append(candidates, p.graph.Races()...)
	}
	for _, c := range p.graph.Search(p.patterns, most) {
		if c.Pattern != predict.Race || !p.cfg.Complete {
			candidates = append(candidates, c)
		}
	}
	candidates = append(candidates, p.graph.WaitGroups()...)
	candidates = append(candidates, p.graph.Leaks()...)
	if p.alone {
		p.told.Locations = p.graph.Shared()
	}
	p.told.Analysis = watch.seconds()
	return candidates, nil
}

// try makes schedules for a candidate and executes them until one shows it.
func (p *prediction) try(c *predict.Candidate) {
	if !p.alone && c.Pattern != predict.Race && len(c.Pattern.E) > 0 && p.isRace(c) {
		return // it follows from a race that was reported
	}
	v := p.newVerdict(&c.Instances[0])
	for a := range c.All() {
		if p.enough() {
			v.giveUp()
			break
		}
		if v.attempt(&a) {
			break
		}
	}
	if v.told.Verdict == wire.Confirmed && c.Pattern == predict.Race {
		p.races = append(p.races, [2]trace.Site(c.Sites))
	}
	v.tell()
}

// tryStuck asks the solver about goroutines that may wait for one another, one verdict for the
// same places: about one of the parts of all of them (see predict.Graph.StuckPart).
func (p *prediction) tryStuck(part, parts int) {
	if p.solver == nil {
		return
	}
	asks := asksAlone
	if !p.alone {
		asks = asksTest
	}
	stop := func() bool { return p.enough() || p.handOut(len(p.tasks)) }
	sets := p.graph.Stuck(!p.cfg.Complete, stop)
	if parts > 1 {
		sets = p.graph.StuckPart(part, parts, stop)
	}
	verdicts := make(map[string]*verdict)
	var all []*verdict
	was, n := *p.told, p.n
	for a := range sets {
		if asks--; stop() || asks < 0 && !p.cfg.Complete {
			p.told.Cut = p.cfg.Complete
			break
		}
		key := judge.KeyOf(&wire.Finding{Places: p.placesOf(&a)})
		v := verdicts[key]
		if v == nil {
			v = p.newVerdict(&a)
			verdicts[key] = v
			all = append(all, v)
		}
		if v.told.Verdict != wire.Confirmed {
			v.attempt(&a)
		}
	}
	if p.share != nil { // others begin with the sets again
		*p.told, p.share.Tally.Executions = was, n
		p.share.Predicting.Told = was
		return
	}
	p.told.Cut = p.told.Cut || p.cfg.Complete && p.enough()
	for _, v := range all {
		if parts > 1 {
			v.tellPart()
		} else {
			v.tell()
		}
	}
}

// enough reports whether no more is to be tried.
func (p *prediction) enough() bool {
	return p.ended() || p.expired() || p.cfg.Runs > 0 && !p.alone && p.told.Executions >= p.cfg.Runs
}

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
