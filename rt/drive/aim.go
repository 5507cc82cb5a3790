package drive

import (
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/explore/maptest"
	"heddle/explore/pcr"
	"heddle/rt/wire"
	"heddle/trace"
)

// The strategies that ask for an execution with something new in it: a pattern of memory accesses (map, maptest), or a value (mcr).
// They see every access, so all of them are steps. What is reported is shown again
// with steps at shared memory alone: that is easier to read, and fits other builds too.

// A sighted strategy sees every access to memory.
type sighted interface {
	explore.Strategy
	Sites() []trace.Site // at which shared memory is accessed
}

// An aimer is one that aims.
type aimer interface {
	sighted
	Coverage() *mapcov.Set // what has been covered
}

// aims are these strategies.
var aims = map[string]func(*exploration) aimer{
	"map":     func(e *exploration) aimer { return pcr.New(e.aimOptions(pcr.Map())) },
	"mcr":     func(e *exploration) aimer { return pcr.New(e.aimOptions(pcr.MCR())) },
	"maptest": func(e *exploration) aimer { return maptest.New(mix(e.cfg.Seed, 1)) },
}

// aimOptions completes options by the configuration.
func (e *exploration) aimOptions(o pcr.Options) pcr.Options {
	o.Seed, o.Expired = mix(e.cfg.Seed, 1), e.late
	if e.cfg.Formula > 0 {
		o.Limit = time.Duration(e.cfg.Formula)
	}
	if e.cfg.Rules != "" && e.cfg.Strategy == "map" {
		o.Rules, _ = pcr.ParseRules(e.cfg.Rules)
	}
	return o
}

// aim explores a test by such a strategy.
func (e *exploration) aim() (result string, complete bool, reason string) {
	s := aims[e.cfg.Strategy](e)
	if _, guides := s.(trace.Guide); guides && e.cfg.Isolate == "process" {
		e.note("this strategy chooses while the execution runs, which it cannot in processes of their own (-isolate=process): sampled instead")
		return e.sample()
	}
	e.all, e.valued = true, true
	defer func() { e.all, e.valued = false, false }()
	e.cover = &coverage{set: s.Coverage()}
	defer func() {
		if e.share == nil {
			e.tellCoverage(s)
		}
	}()
	result = "pass"
	var last *trace.Trace
	for first := true; !e.ended() && (first || !e.stop(e.n)); first = false {
		if !first && (e.shareLeads(s, result) || e.shareErrands(s, last, result)) {
			return result, false, ""
		}
		next := s.Next()
		if next == nil {
			break
		}
		if !first {
			e.prepare(s, next)
		}
		ex := e.performWide(next)
		if e.err != nil {
			break
		}
		if e.expired(&ex, next) {
			if first {
				e.tellOutput(ex.Output)
			}
			break
		}
		last = ex.Trace
		s.Done(ex.Trace)
		e.cover.point(e)
		if !first {
			e.showNarrow(ex, next, s.Sites())
			e.tell()
			continue
		}
		if ex.Skipped {
			result = "skip"
		}
		e.send(&wire.Record{Type: "output", Test: e.test, Text: string(ex.Output)})
		alone := len(ex.Trace.Goroutines) <= 2
		if !e.again(ex, next, s) {
			e.all, e.valued = false, false
			return e.sample()
		}
		if alone && !e.choices && e.found == e.before {
			return result, false, e.nothing()
		}
	}
	if e.found > 0 {
		result = "fail"
	}
	switch {
	case e.real:
		return result, false, "sampled; partly uncontrolled"
	case e.cuts != (wire.Cuts{}):
		return result, false, "sampled; " + e.cuts.String()
	case e.late() || e.cfg.Runs > 0 && e.n >= e.cfg.Runs:
		return result, false, "sampled"
	}
	return result, false, "sampled; " + s.Result().Reason
}

// again reports what the first execution shows and executes its schedule once more, which does not count. It
// returns false where that says that replaying is not to be trusted.
func (e *exploration) again(ex Execution, s *trace.Schedule, st aimer) bool {
	first := ex
	first.Trace = ex.Trace.Clone()
	visible := e.visible
	e.showNarrow(ex, s, st.Sites())
	if e.ended() {
		return true
	}
	n := e.n
	e.second(s, visible, &first)
	e.n = n
	return e.err == nil && !e.nondet && e.move == ""
}

// sides bounds how often an execution is made again because it was learnt where channels are polled.
const sides = 4

// performWide executes one schedule with every access to memory a step.
func (e *exploration) performWide(s *trace.Schedule) (ex Execution) {
	n := e.n
	for range sides {
		polled := len(e.polled)
		e.n = n
		if ex = e.perform(s); len(e.polled) == polled || e.err != nil {
			break
		}
	}
	return ex
}

// showNarrow reports what an execution shows, from one with the same steps but for those at memory that
// only one goroutine uses, if that shows it as well.
func (e *exploration) showNarrow(ex Execution, s *trace.Schedule, shared []trace.Site) {
	if !slices.ContainsFunc(ex.Found, e.fresh) {
		e.look(ex, s, "")
		return
	}
	ex.Trace = ex.Trace.Clone()
	all, valued, flow, visible := e.all, e.valued, e.flow, e.visible
	defer func() { e.all, e.valued, e.flow, e.only, e.visible = all, valued, flow, false, visible }()
	e.all, e.valued, e.flow, e.only, e.visible = false, false, false, true, shared
	n := e.n
	less, narrow := e.narrowed(&ex, s, e.perform)
	e.n = n
	if narrow != nil {
		e.look(less, narrow, "")
		return
	}
	e.all, e.only, e.visible = true, false, visible // as ex was made: its steps fit no other
	e.look(ex, s, "")
}

// fresh reports whether a finding was not told yet.
func (e *exploration) fresh(f wire.Found) bool { return e.seen[f.Key] == nil }

// narrowed performs the steps of ex, an execution of s, once more, of those at memory only the ones at
// visible sites. It returns that execution and its schedule, nil if it does not show all that is fresh in ex.
func (e *exploration) narrowed(ex *Execution, s *trace.Schedule, perform func(*trace.Schedule) Execution) (Execution, *trace.Schedule) {
	narrow := *s
	narrow.Strict, narrow.Sites = false, false
	narrow.Steps = e.withoutHidden(ex.Trace.Steps)
	less := perform(&narrow)
	if e.err != nil || slices.ContainsFunc(ex.Found, func(f wire.Found) bool { return e.fresh(f) && less.shows(f.Key) == nil }) {
		return less, nil
	}
	return less, &narrow
}

// withoutHidden returns steps without those at memory that is no scheduling point now.
func (e *exploration) withoutHidden(steps []trace.Step) []trace.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(st trace.Step) bool {
		return (st.Op == trace.OpRead || st.Op == trace.OpWrite) && !slices.ContainsFunc(e.visible, func(x trace.Site) bool { return x.Plain() == st.Site.Plain() })
	})
}

// A coverage is MAP-coverage over time.
type coverage struct {
	set    *mapcov.Set
	points []wire.CoverPoint
}

// maxPoints bounds the points that are told.
const maxPoints = 400

// point notes how much is covered now, if that is more than before.
func (c *coverage) point(e *exploration) {
	n := c.set.Covered()
	if len(c.points) > 0 && c.points[len(c.points)-1].Covered == n {
		return
	}
	c.points = append(c.points, wire.CoverPoint{Elapsed: time.Since(e.start).Seconds(), Executions: e.n, Covered: n})
	if len(c.points) > maxPoints {
		half := c.points[:0]
		for i := range c.points {
			if i%2 == 0 || i == len(c.points)-1 {
				half = append(half, c.points[i])
			}
		}
		c.points = half
	}
}

// covers adds an execution to what is measured: orders, and patterns where the strategy does not count them itself.
func (e *exploration) covers(ex *Execution) {
	for _, o := range [...]*orders{e.orders, e.compared} {
		if o != nil && e.err == nil {
			o.add(ex)
		}
	}
	if !e.cfg.MapCover || aims[e.cfg.Strategy] != nil || e.err != nil {
		return
	}
	if e.cover == nil {
		e.cover = &coverage{set: mapcov.NewSet()}
	}
	e.cover.set.Add(ex.Trace)
	e.cover.point(e)
}

// tellCoverage sends what was covered, and what it took a strategy that solves formulas; s may be nil.
func (e *exploration) tellCoverage(s aimer) {
	if e.cover == nil || e.n == 0 {
		return
	}
	c := &wire.Coverage{
		Covered: e.cover.set.Covered(), Estimate: e.cover.set.Estimate(), Truncated: e.cover.set.Truncated(),
		Elapsed: time.Since(e.start).Seconds(), Points: e.cover.points,
	}
	switch s := s.(type) {
	case *pcr.Strategy:
		c.Formulas = e.formulas(s)
	case *maptest.Strategy:
		c.Intended, c.Shown = s.Intended()
	}
	e.send(&wire.Record{Type: "coverage", Test: e.test, Executions: e.n, Coverage: c})
}

func (e *exploration) formulas(s *pcr.Strategy) *wire.Formulas {
	st := s.Stats()
	f := &wire.Formulas{
		Candidates: st.Candidates, Solved: st.Solved, Found: st.Found, Refuted: st.Refuted, Skipped: st.Skipped,
		Duplicates: st.Duplicates, Missed: st.Missed, Solving: st.Solving.Seconds(), Undecided: len(st.Unknown),
	}
	for i := range st.Unknown[:min(len(st.Unknown), wire.MaxUnknown)] {
		u := &st.Unknown[i]
		f.Unknown = append(f.Unknown, wire.UnknownFormula{Reason: u.Reason, Places: e.patternPlaces(s, &u.Pattern)})
	}
	return f
}

func (e *exploration) patternPlaces(s *pcr.Strategy, p *mapcov.Pattern) (places []wire.Place) {
	for i := range p.Len() {
		st := &p.Steps[i]
		pl := e.x.Resolve(trace.Site(st.Site))
		pl.Op, pl.Goroutine = trace.OpRead.String(), s.Coverage().Names.ThreadName(st.Thread)
		if st.Write {
			pl.Op = trace.OpWrite.String()
		}
		places = append(places, pl)
	}
	return places
}
