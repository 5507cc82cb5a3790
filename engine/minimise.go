package engine

import (
	"fmt"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// deviations reads off a trace where it left the non-preemptive schedule: fewer
// deviations are fewer switches, and that is what minimising removes.
func deviations(t *trace.Trace) []wire.Deviation {
	var ds []wire.Deviation
	steps := make([]int32, len(t.Goroutines))
	choices := make([]int32, len(t.Goroutines))
	for _, s := range t.Steps {
		if s.Op == trace.OpChoose {
			if s.Choice != 0 {
				ds = append(ds, wire.Deviation{G: s.G, N: choices[s.G], Choice: true, To: s.Choice})
			}
			choices[s.G]++
			continue
		}
		if s.G != s.Default {
			ds = append(ds, wire.Deviation{G: s.Default, N: steps[s.Default], To: int32(s.G)})
		}
		steps[s.G]++
		if s.Choice >= 0 { // of a partner or a case
			if s.Choice > 0 {
				ds = append(ds, wire.Deviation{G: s.G, N: choices[s.G], Choice: true, To: s.Choice})
			}
			choices[s.G]++
		}
	}
	return ds
}

// minimiseTime bounds the time spent on making one clip simpler.
const minimiseTime = 2 * time.Second

// keep makes a clip of a finding of the execution ex of schedule s: the fewest
// deviations that still show it are searched for, then executed once more with
// values recorded. fromClip is the path of the clip that s is, if any.
//
// It returns false, and the finding is not reported, if the same schedule does
// not show it again.
func (e *exploration) keep(ex *Execution, f wire.Found, s *trace.Schedule, fromClip string) bool {
	n, elapsed, paths, input := e.n, time.Since(e.start).Seconds(), e.paths, e.input
	if e.cfg.Compare {
		f.Finding.Executions = n
		e.send(&wire.Record{Type: "finding", Test: e.test, Executions: n, Elapsed: elapsed,
			Finding: f.Finding})
		return true
	}
	asSeen := !e.asSeenFrom.IsZero() && !time.Now().Before(e.asSeenFrom)
	if e.unit.Name == PredictUnit && e.late() { // it keeps to its budget
		if e.kept && e.overdue() {
			e.untold++
			return false
		}
		asSeen = true
	}
	defer func(keeping bool, doing string) {
		e.n, e.paths, e.input, e.keeping, e.doing = n, paths, input, keeping, doing
	}(e.keeping, e.doing)
	e.keeping, e.doing = true, "making a clip simpler"
	e.paths = nil // what is executed from here on says nothing new of inputs
	m := &minimiser{e: e, key: f.Key, seed: s.Seed, free: s.Free, exhaustive: s.Exhaustive,
		deadline: e.minimiseUntil(), places: accessesOf(f.Finding.Places)}
	m.needs = explore.Needs{Accesses: ex.needs.Accesses, Steps: ex.needs.Steps}
	m.pastDeadlock = f.Finding.Kind != judge.Deadlock // it may show after a deadlock that is known by now
	var again *wire.Finding
	t := matters(&f, ex.Trace)
	whole := m.needs.Steps
	switch at := max(f.Steps, f.Finding.Decided); {
	case ex.Final || asSeen:
	case len(ex.Trace.Steps) > longClip && at > 0 && at+afterFound < len(ex.Trace.Steps):
		m.needs.Steps = at + afterFound // if it shows by then
	case t.Verdict.Cut():
		m.shorten(deviations(t))
	}
	if v := m.inVirtualTime(s); v != nil && !ex.Final {
		t = v
	}
	if !ex.Final && !asSeen {
		if v := m.held(f.Finding, t); v != nil {
			t = v
		}
	}
	switch {
	case ex.Final || asSeen:
		again, m.found = f.Finding, ex.Found // there is no second time
	case m.late():
		ds := deviations(t)
		var u *trace.Trace
		if again, u = m.recorded(ds); again == nil && m.goesOn(whole) {
			again, u = m.recorded(ds)
		}
		if again != nil {
			t = u
		}
	case m.shows(deviations(t)) != nil, m.goesOn(whole) && m.shows(deviations(t)) != nil:
		if again, t = m.simplest(deviations(t)); again != nil {
			again, t = m.smallerInput(again, t)
		}
	default:
		// The deviations alone do not lead there (a policy that the fairness
		// rule interrupted): keep every step.
		again, t = m.follow(&trace.Schedule{Steps: slices.Clone(t.Steps)})
	}
	for i := 0; again == nil && i < moreTries && e.err == nil && m.equal(f.Finding) == nil; i++ {
		// What is outside control, or real time on a busy machine, may have come in between.
		again, t = m.follow(&trace.Schedule{Steps: slices.Clone(t.Steps), Rejoin: i%2 == 1})
		if again == nil {
			t = matters(&f, ex.Trace)
		}
	}
	if e.err != nil {
		return false
	}
	if again == nil {
		if again = m.equal(f.Finding); again == nil {
			e.lost(f.Finding, n, ex.Outside)
			return false
		}
		if m.key = judge.KeyOf(again); e.seen[m.key] != nil {
			return false // told
		}
		e.seen[m.key] = f.Finding
	}
	if f.Finding.Kind == judge.Race && !m.late() {
		again, t = m.showAccesses(again, t)
	}
	*f.Finding = *again
	f.Finding.Executions, f.Finding.FromClip, f.Finding.Real = n, fromClip, e.real
	if !ex.Final { // else the executor knows best how to come there again
		f.Finding.Clip = e.clipOf(f.Finding, t, m)
		if !asSeen { // there is no time for it, neither to write nor to read
			f.Finding.Story = storyOf(t, e.x.Resolve)
		}
		e.restOf(f.Finding, t)
	}
	f.Finding.Switches = t.Switches()
	f.Finding.Beside = beside(m.found, m.key)
	if e.spoilt(f.Finding, ex) {
		e.nondet = true
		e.move = fmt.Sprintf("execution %d showed this: %s, and from then on it shows in the first schedule too, which had been executed without it", n, f.Finding.Name())
		return false
	}
	e.send(&wire.Record{Type: "finding", Test: e.test, Executions: n, Elapsed: elapsed, Finding: f.Finding})
	e.kept = true
	return true
}

// mostBeside bounds what is told of an execution beside the finding that it is about.
const mostBeside = 50

// beside returns what an execution shows beside the finding of that key: kinds and places.
func beside(found []wire.Found, key string) []wire.Finding {
	var fs []wire.Finding
	for _, f := range found {
		if f.Key != key && len(fs) < mostBeside {
			fs = append(fs, wire.Finding{Kind: f.Finding.Kind, Places: f.Finding.CorePlaces()})
		}
	}
	return fs
}

// moreTries is how often a schedule that showed a finding once is executed again before the
// finding is lost.
const moreTries = 4

// spoilt reports whether a test fails because of what the executions before left in the process
// (files that are open, say): the first schedule fails too by now. Where inputs are searched for
// it may have passed with another one.
func (e *exploration) spoilt(f *wire.Finding, ex *Execution) bool {
	if !e.passed || e.input != nil || e.cfg.Isolate != "auto" || ex.Final ||
		f.Kind != judge.TestFailure && f.Kind != judge.Panic {
		return false
	}
	x := e.execute(&wire.Request{Schedule: *e.schedule(0, "")}, explore.Needs{})
	return e.err == nil && failing(&x)
}

// matters returns t without the steps that say nothing about f.
func matters(f *wire.Found, t *trace.Trace) *trace.Trace {
	if f.Steps == 0 {
		return t
	}
	u := *t
	u.Steps = t.Steps[:f.Steps]
	return &u
}

// lost is called when a finding does not show again under its own schedule.
func (e *exploration) lost(f *wire.Finding, n int, outside bool) {
	text := fmt.Sprintf("execution %d showed this: %s, but the same schedule does not show it again", n, f.Name())
	if e.cfg.Isolate == "auto" && !outside {
		e.nondet, e.move = true, text
		return
	}
	e.nondet = true
	e.note("not deterministic: %s, so it is not reported; likely cause: %s", text, e.cause(outside))
}

// A minimiser looks for simpler executions that show one finding.
type minimiser struct {
	e        *exploration
	key      string
	found    []wire.Found // by the last execution
	record   bool
	deadline time.Time

	// Of all schedules.
	seed       uint64
	free       bool
	exhaustive bool

	pastDeadlock bool
	needs        explore.Needs // of all executions

	places []trace.Site // of the accesses that the finding is about
}

// accessesOf returns the instrumented sites among places.
func accessesOf(places []wire.Place) []trace.Site {
	var sites []trace.Site
	for _, p := range places {
		if x := trace.Site(p.Site); p.Site != 0 && x.PC() == 0 {
			sites = append(sites, x)
		}
	}
	return sites
}

// shows executes a list of deviations and returns the finding if it shows.
func (m *minimiser) shows(ds []wire.Deviation) *wire.Finding {
	f, _ := m.execute(&wire.Request{Deviate: true, Deviations: ds})
	return f
}

func (m *minimiser) execute(q *wire.Request) (*wire.Finding, *trace.Trace) {
	q.Record, q.PastDeadlock = m.record, m.pastDeadlock
	needs := m.needs
	if m.record {
		q.Watched, needs.Plain = m.places, true
	}
	q.Schedule.Seed, q.Schedule.Free, q.Schedule.Exhaustive = m.seed, m.free, m.exhaustive
	ex := m.e.execute(q, needs)
	m.found = ex.Found
	if f := ex.found(m.key); f != nil {
		return f.Finding, matters(f, ex.Trace)
	}
	return nil, ex.Trace
}

// equal returns what the last execution showed instead of the race f: the same, but for the place
// of one access. Of the accesses between two operations of a goroutine the detector remembers
// those that no other stands for (a write for a read), and which these are depends on whether it
// is told of each at once.
func (m *minimiser) equal(f *wire.Finding) *wire.Finding {
	if f.Kind != judge.Race {
		return nil
	}
	for i := range m.found {
		g := m.found[i].Finding
		if g.Kind != judge.Race || len(g.Places) != 2 || len(f.Places) != 2 {
			continue
		}
		for k := range 4 { // which of the two came later makes no difference
			i, j := k&1, k>>1
			if p, q := f.Places[i], g.Places[j]; g.Places[1-j] == f.Places[1-i] &&
				p.Goroutine == q.Goroutine {
				return g
			}
		}
	}
	return nil
}

// afterFound is how many steps of a long execution are made after the finding was there.
const afterFound = 1_000

// goesOn gives executions their own bound of steps again. It reports whether they had less.
func (m *minimiser) goesOn(steps int) bool {
	had := m.needs.Steps
	m.needs.Steps = steps
	return had != steps
}

// shorten bounds executions that go on for ever by fewer steps, if the finding shows by then.
func (m *minimiser) shorten(ds []wire.Deviation) {
	whole := m.needs.Steps
	for _, m.needs.Steps = range []int{2_000, 20_000, 200_000} {
		if m.shows(ds) != nil {
			return
		}
	}
	m.needs.Steps = whole
}

// inVirtualTime looks for an execution that shows the finding without timers
// that fire early, which makes a simpler clip; nil if it came up in virtual time, or no such
// execution came up in virtualTries.
func (m *minimiser) inVirtualTime(s *trace.Schedule) *trace.Trace {
	if !s.Free || m.e.cfg.Time == "free" || m.e.early {
		return nil
	}
	for i := range virtualTries {
		if m.late() {
			break
		}
		seed := mix(s.Seed, uint64(i))
		sc := trace.Schedule{Policy: samplePolicies[i%len(samplePolicies)], Seed: seed, Depth: m.e.depth()}
		ex := m.e.execute(&wire.Request{Schedule: sc, PastDeadlock: m.pastDeadlock}, m.needs)
		if f := ex.found(m.key); f != nil {
			m.seed, m.free = seed, false
			return matters(f, ex.Trace.Clone())
		}
	}
	return nil
}

const virtualTries = 100

// held looks for an execution that shows a livelock, and in which a loop that polls is held back
// until something changes, as searches do: elsewhere it goes round thousands of times before that
// is a livelock. nil if there is none, or t is one.
func (m *minimiser) held(f *wire.Finding, t *trace.Trace) *trace.Trace {
	if f.Kind != judge.Livelock || m.exhaustive || m.late() {
		return nil
	}
	m.exhaustive = true
	for _, ds := range [][]wire.Deviation{deviations(t), nil} {
		if again, u := m.execute(&wire.Request{Deviate: true, Deviations: ds}); again != nil {
			return u.Clone()
		}
	}
	m.exhaustive = false
	return nil
}

// smallerInput looks for a smaller input with which the finding f, in the execution of t, still
// shows by the same deviations, and makes it the input. It returns the finding and trace with it,
// recorded.
func (m *minimiser) smallerInput(f *wire.Finding, t *trace.Trace) (*wire.Finding, *trace.Trace) {
	e, input := m.e, m.e.input
	values, err := corpus.Values(input)
	if err != nil || len(values) == 0 {
		return f, t
	}
	t, ds := t.Clone(), deviations(t)
	m.deadline = e.minimiseUntil()
	values = corpus.Smaller(values, func(vs []any) bool {
		e.input = corpus.Texts(vs)
		return m.shows(ds) != nil
	}, m.late)
	if e.input = corpus.Texts(values); slices.Equal(e.input, input) {
		return f, t
	}
	if g, better := m.simplest(ds); g != nil {
		return g, better
	}
	e.input = input
	return f, t
}

// late reports whether making it simpler has taken long enough.
func (m *minimiser) late() bool {
	now := time.Now()
	m.e.tellWorking(now)
	return m.e.err != nil || now.After(m.deadline)
}

// simplest leaves out what it can of a list of deviations that shows the
// finding, and returns the finding and trace of what is left, recorded.
func (m *minimiser) simplest(ds []wire.Deviation) (*wire.Finding, *trace.Trace) {
	ds = reduce(ds, m.late, func(ds []wire.Deviation) bool { return m.shows(ds) != nil })
	ds = m.fewest(ds)
	if seed := m.seed; seed != 0 {
		if m.seed = 0; m.shows(ds) == nil {
			m.seed = seed
		}
	}
	if m.free {
		if m.free = false; m.shows(ds) == nil {
			m.free = true
		}
	}
	return m.recorded(ds)
}

// recorded executes a list of deviations with values recorded.
func (m *minimiser) recorded(ds []wire.Deviation) (*wire.Finding, *trace.Trace) {
	m.record = true
	defer func() { m.record = false }()
	return m.execute(&wire.Request{Deviate: true, Deviations: ds})
}

// follow executes a schedule with values recorded.
func (m *minimiser) follow(s *trace.Schedule) (*wire.Finding, *trace.Trace) {
	m.record = true
	defer func() { m.record = false }()
	return m.execute(&wire.Request{Schedule: *s})
}

// showAccesses executes a race, f in the execution of t, once more with its two
// accesses as steps of their own, put in where they come, so that the clip shows
// them. It returns f and t where it does not show again that way.
func (m *minimiser) showAccesses(f *wire.Finding, t *trace.Trace) (*wire.Finding, *trace.Trace) {
	e := m.e
	if !e.visibleByNeed() {
		return f, t
	}
	visible := e.visible
	defer func() { e.visible = visible }()
	e.visible = slices.Clone(visible)
	e.visible = append(e.visible, accessesOf(f.Places)...)
	t = t.Clone()
	// by Sites: an access that is put in is not taken for the next one of its goroutine
	if g, better := m.follow(&trace.Schedule{Steps: t.Steps, Insert: true, Sites: true}); g != nil {
		return g, better
	}
	return f, t
}

// reduce removes deviations while try still succeeds: halves, quarters, ... single ones (Zeller &
// Hildebrandt's ddmin, TSE 2002, without its complements), and until over says that it is enough.
func reduce(ds []wire.Deviation, over func() bool, try func([]wire.Deviation) bool) []wire.Deviation {
	if len(ds) > 0 && try(nil) {
		return nil
	}
	for size := (len(ds) + 1) / 2; size >= 1; {
		removed := false
		for i := 0; i < len(ds); {
			if over() {
				return ds
			}
			cand := append(slices.Clone(ds[:i]), ds[min(i+size, len(ds)):]...)
			if try(cand) {
				ds = cand
				removed = true
			} else {
				i += size
			}
		}
		if size == 1 && !removed {
			break
		}
		if size > 1 {
			size /= 2
		}
	}
	return ds
}

// clipOf writes down the execution just recorded.
func (e *exploration) clipOf(f *wire.Finding, t *trace.Trace, m *minimiser) wire.Clip {
	c := wire.Clip{
		Test: e.test, Kind: f.Kind, Message: f.Message, Policy: "first", Seed: m.seed, Free: m.free,
		Exhaustive: m.exhaustive, Places: f.CorePlaces(), Pattern: f.Pattern,
		Input: e.input, Named: e.named,
	}
	if e.cfg.Isolate == "process" {
		c.Isolate = e.cfg.Isolate
	}
	c.Visible = VisibleIn(t)
	c.Steps = StepsOf(withoutEnd(t), e.x.Resolve)
	return c
}

// longClip is from how many steps on a clip leaves out what goes without saying.
const longClip = 5_000

// withoutEnd returns a very long execution without its end, from where on the
// program takes the order that it takes by itself.
func withoutEnd(t *trace.Trace) *trace.Trace {
	n := len(t.Steps)
	if n <= longClip {
		return t
	}
	for n > shortClip && t.Steps[n-1].G == t.Steps[n-1].Default && t.Steps[n-1].Choice <= 0 {
		n--
	}
	u := *t
	u.Steps = t.Steps[:n]
	return &u
}

// restOf keeps, for the reader, the last steps of an execution whose clip does without its end.
func (e *exploration) restOf(f *wire.Finding, t *trace.Trace) {
	const shown = 50
	from := max(len(f.Clip.Steps), len(t.Steps)-shown)
	f.Skipped, f.Rest = from-len(f.Clip.Steps), nil
	if from < len(t.Steps) {
		f.Rest = stepsFrom(t, from, e.x.Resolve)
	}
}

// shortClip is how much of it is left at least, for the reader.
const shortClip = 100

// VisibleIn returns the sites whose memory accesses are steps of an execution: they must be steps
// when its clip is replayed, with whatever -visible.
func VisibleIn(t *trace.Trace) (visible []uint64) {
	for _, st := range t.Steps {
		if st.Op == trace.OpRead || st.Op == trace.OpWrite {
			if v := uint64(st.Site); !slices.Contains(visible, v) {
				visible = append(visible, v)
			}
		}
	}
	return visible
}

// StepsOf returns the steps of an execution as a clip has them; resolve tells their places.
func StepsOf(t *trace.Trace, resolve func(trace.Site) wire.Place) []wire.Step {
	return stepsFrom(t, 0, resolve)
}

// stepsFrom is StepsOf for the steps from an index on.
func stepsFrom(t *trace.Trace, from int, resolve func(trace.Site) wire.Place) []wire.Step {
	steps := make([]wire.Step, len(t.Steps)-from)
	for i, st := range t.Steps[from:] {
		steps[i] = wire.Step{
			G: t.Name(st.G), Op: st.Op.String(), Choice: int(st.Choice), Switch: st.G != st.Default,
			Where: resolve(st.Site), Call: callOf(t, from+i, resolve),
		}
	}
	outcomes(t, from, steps)
	return steps
}

// callOf returns the program's own call that led to step i, with what it calls as Op; nil if none
// was recorded.
func callOf(t *trace.Trace, i int, resolve func(trace.Site) wire.Place) *wire.Place {
	if i < 0 || i >= len(t.Calls) || t.Calls[i].From == 0 {
		return nil
	}
	p := resolve(t.Calls[i].From)
	p.Op = resolve(t.Calls[i].Into).Func
	return &p
}
