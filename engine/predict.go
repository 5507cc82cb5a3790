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
	predictSteps     = 1 << 22
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
	solverTest, solverAlone = 20_000, 1 << 20

	// weakAlone, weakTest and guessesAlone bound candidates that are guesses: races that messages
	// order which might have gone otherwise, and patterns of regions of whole goroutines.
	weakAlone, weakTest, guessesAlone = 100, 20, 100

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
	solver   *predict.Solver    // nil: it is not asked
	loose    *predict.Solver    // see verdict.guessed; nil: it was not asked
	guesses  []*predict.Pattern // those whose regions are a guess: what they lead to is reported
	races    [][2]trace.Site    // that were shown

	from     *trace.Schedule // what to record, nil: the first execution
	plain    *shown          // the first execution, as long as it was not told of
	shows    []shown         // executions that are not told of yet
	kept     int             // their steps
	waiting  map[string]bool // keys of what they show
	analysed stopwatch       // since the recorded execution ended
	streams  bool            // verdicts are told as they come
	trying   time.Time       // when the first candidate was tried
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
func Predicted() why.End { return why.Bare(why.With(why.Predicted, "one execution")) }

// predictOnly is the strategy "predict".
func (e *exploration) predictOnly() (result string, complete bool, end why.End) {
	result = "pass"
	e.whole = true // a finding does not shorten it
	s := &trace.Schedule{Policy: "first"}
	p := &prediction{exploration: e, alone: true, deadline: e.deadline, told: new(wire.Predicted)}
	watch := p.stopwatch()
	e.q = wire.Request{Schedule: *s, Show: e.showOnce()}
	began := time.Now()
	plain := e.execute(&e.q, explore.Needs{})
	took := time.Since(began)
	p.told.Plain = watch.seconds()
	e.covers(&plain)
	if len(plain.Found) > 0 {
		plain.Trace = plain.Trace.Clone()
	}
	p.plain = &shown{ex: plain, s: s, visible: e.visible, n: e.n, took: took}
	if len(plain.Trace.Steps) < longRecording {
		p.tellPlain(1)
	}
	if e.cfg.Measure {
		if p.plain != nil {
			plain.Trace = plain.Trace.Clone()
			p.plain.ex = plain
		}
		p.told.Plain = p.average(func() { e.perform(s, explore.Needs{}) })
	}
	if plain.Skipped {
		result = "skip"
	}
	e.send(&wire.Record{Type: "output", Test: e.test, Text: string(plain.Output)})
	switch {
	case e.ended() || plain.Skipped || e.heir(&plain):
	case len(plain.Trace.Goroutines) <= 2:
		if p.tellPlain(1); e.found == 0 {
			return result, false, e.nothing()
		}
	default:
		p.run()
		p.tellPlain(1)
		if e.share != nil {
			p.furtherBefore(e.share)
			e.share.Result = result
			return result, false, end
		}
		p.told.From = p.further()
		end = PredictedFrom(p.told.From, e.n)
		if p.told.Events > 0 {
			e.send(&wire.Record{Type: "predicted", Test: e.test, Predicted: p.told})
		}
	}
	p.tellPlain(1)
	if e.untold > 0 {
		e.note("%d findings more were seen, and are not reported: the time to make their clips was over (-budget)", e.untold)
	}
	if e.found > 0 {
		result = "fail"
	}
	if e.real {
		return result, false, why.Bare(why.Of(why.Unpredicted))
	}
	if end.Open() {
		end = Predicted()
	}
	return result, false, end
}

// run records, searches, and tries what was found.
func (p *prediction) run() {
	e := p.exploration
	if p.told == nil {
		p.told = new(wire.Predicted)
	}
	p.races, p.waiting = append(p.races, e.races()...), make(map[string]bool)
	p.streams = p.alone
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
	p.trying = time.Now()
	if p.alone {
		p.begin(tryShare)
		p.graph.Limit = p.limit
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
	p.phase = time.Time{}
	p.tellShown(1)
}

// prepare records and searches. It returns false where nothing can be predicted.
func (p *prediction) prepare() bool {
	p.begin(recordShare)
	t := p.record()
	if t == nil {
		return false
	}
	p.analysed = p.stopwatch()
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
	// tryShare is for the candidates, beside what it takes to tell of what they show.
	tryShare = 0.6
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
	if p.from != nil {
		s = p.from
	}
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
	p.told.Events = len(t.Events)
	if t.Verdict.Cut() {
		if p.told.Bounded = t.Verdict.String(); t.Verdict == trace.Bounded {
			p.told.Bounded += fmt.Sprintf(" (%d steps)", len(t.Steps))
		}
	}
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
	candidates = append(candidates, p.wholeGoroutines(t, candidates, most)...)
	if !p.cfg.Complete {
		weak := weakAlone
		if !p.alone {
			weak = weakTest
		}
		candidates = append(candidates, p.graph.WeakRaces(candidates, weak, p.limit)...)
	}
	if p.alone {
		p.told.Locations = p.graph.Shared()
	}
	if f := p.foretold; f != nil {
		f.learn(t)
		candidates = f.untried(candidates)
	}
	p.told.Analysis = watch.seconds()
	return candidates, nil
}

// wholeGoroutines returns the patterns of regions that reach from one wait of a goroutine to the
// next, where the outermost critical sections show none. That these belong together is a guess, so
// only what they lead to is reported.
func (p *prediction) wholeGoroutines(t *trace.Trace, found []predict.Candidate,
	most int) []predict.Candidate {
	if p.cfg.Regions != "" && p.cfg.Regions != "auto" {
		return nil
	}
	if slices.ContainsFunc(found, func(c predict.Candidate) bool {
		return len(c.Pattern.E) > 0 && c.Pattern != predict.Race
	}) {
		return nil
	}
	p.guesses = predict.Builtin(predict.Goroutines)
	if most == 0 {
		most = guessesAlone
	}
	cs := predict.NewGraphWithin(t, predict.Goroutines, p.limit).Search(p.guesses, most)
	return slices.DeleteFunc(cs, func(c predict.Candidate) bool { return c.Pattern == predict.Race })
}

// try makes schedules for a candidate and executes them until one shows it.
func (p *prediction) try(c *predict.Candidate) {
	if !p.alone && c.Pattern != predict.Race && len(c.Pattern.E) > 0 && p.isRace(c) {
		return // it follows from a race that was reported
	}
	v := p.newVerdict(&c.Instances[0])
	if v.weak = c.Weak; v.weak && p.solver == nil {
		return
	}
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
	if p.solver == nil && !p.alone {
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
		switch {
		case parts > 1:
			v.tellPart()
		case p.solver != nil || v.told.Verdict == wire.Confirmed: // else it was a guess
			v.tell()
		}
	}
}

// enough reports whether no more is to be tried.
func (p *prediction) enough() bool {
	return p.ended() || p.expired() || p.cfg.Runs > 0 && !p.alone && p.told.Executions >= p.cfg.Runs
}
