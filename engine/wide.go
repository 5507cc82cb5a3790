package engine

import (
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/rt/wire"
	"heddle/trace"
)

// showNarrow reports what an execution shows in which every access is a step, from one with the
// same steps but for those at memory that only one goroutine uses, if that shows it as well.
func (e *exploration) showNarrow(ex Execution, s *trace.Schedule, shared func() []trace.Site) {
	if !slices.ContainsFunc(ex.Found, e.fresh) {
		e.look(ex, s, "")
		return
	}
	ex.Trace = ex.Trace.Clone()
	visible := e.visible
	defer func() { e.only, e.visible = false, visible }()
	e.only, e.visible = true, shared()
	n := e.n
	less, narrow := e.narrowed(&ex, s,
		func(s *trace.Schedule) Execution { return e.perform(s, explore.Needs{Steps: ex.needs.Steps}) })
	e.n = n
	if narrow != nil {
		e.look(less, narrow, "")
		return
	}
	e.only, e.visible = false, visible // as ex was made: its steps fit no other
	e.look(ex, s, "")
}

// fresh reports whether a finding was not told yet.
func (e *exploration) fresh(f wire.Found) bool { return e.seen[f.Key] == nil }

// narrowed performs the steps of ex, an execution of s, once more, of those at memory only the
// ones at visible sites. It returns that execution and its schedule, nil if it does not show all
// that is fresh in ex.
func (e *exploration) narrowed(ex *Execution, s *trace.Schedule,
	perform func(*trace.Schedule) Execution) (Execution, *trace.Schedule) {
	narrow := *s
	narrow.Strict, narrow.Sites = false, false
	narrow.Steps = e.withoutHidden(ex.Trace.Steps)
	less := perform(&narrow)
	if e.err != nil ||
		slices.ContainsFunc(ex.Found,
			func(f wire.Found) bool { return e.fresh(f) && less.shows(f.Key) == nil }) {
		return less, nil
	}
	return less, &narrow
}

// withoutHidden returns steps without those at memory that is no scheduling point now.
func (e *exploration) withoutHidden(steps []trace.Step) []trace.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(st trace.Step) bool {
		return (st.Op == trace.OpRead || st.Op == trace.OpWrite) &&
			!slices.ContainsFunc(e.visible, func(x trace.Site) bool { return x.Plain() == st.Site.Plain() })
	})
}

// A coverage is MAP-coverage over time.
type coverage struct {
	set    *mapcov.Set
	own    bool            // the strategy adds executions itself
	left   *explore.Listed // what the strategy tells beside; nil: nothing
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
	c.points = append(c.points,
		wire.CoverPoint{Elapsed: time.Since(e.start).Seconds(), Executions: e.n, Covered: n})
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

// covers adds an execution to what is measured: orders, and patterns where the strategy does not
// count them itself.
func (e *exploration) covers(ex *Execution) {
	for _, o := range [...]*orders{e.orders, e.compared} {
		if o != nil && e.err == nil {
			o.add(ex)
		}
	}
	if !e.cfg.MapCover || e.cover != nil && e.cover.own || e.err != nil {
		return
	}
	if e.cover == nil {
		e.cover = &coverage{set: mapcov.NewSet()}
	}
	e.cover.set.Add(ex.Trace)
	e.cover.point(e)
}

// tellCoverage sends what was covered, and what the strategy has counted.
func (e *exploration) tellCoverage() {
	if e.cover == nil || e.n == 0 {
		return
	}
	c := &wire.Coverage{
		Covered: e.cover.set.Covered(), Estimate: e.cover.set.Estimate(), Truncated: e.cover.set.Truncated(),
		Elapsed: time.Since(e.start).Seconds(), Points: e.cover.points,
	}
	if e.cfg.Forms {
		c.Forms = e.cover.set.Forms()
	}
	if e.cfg.MapCover && !e.cfg.Forms {
		e.listPatterns(c)
	}
	m := &e.measures
	c.Formulas, c.Intended, c.Shown = e.formulas(m), m.Intended, m.Shown
	e.send(&wire.Record{Type: "coverage", Test: e.test, Executions: e.n, Coverage: c})
}

// formulas returns what was asked of a solver, for the command; nil if nothing is.
func (e *exploration) formulas(m *explore.Measures) *wire.Formulas {
	st := m.Formulas
	if st == nil {
		return nil
	}
	f := &wire.Formulas{
		Candidates: st.Candidates, Solved: st.Solved, Found: st.Found, Refuted: st.Refuted,
		Skipped:    st.Skipped,
		Duplicates: st.Duplicates, Missed: st.Missed, Solving: st.Solving.Seconds(),
		Undecided: len(st.Unknown),
	}
	for i := range st.Unknown[:min(len(st.Unknown), wire.MaxUnknown)] {
		u := &st.Unknown[i]
		f.Unknown = append(f.Unknown,
			wire.UnknownFormula{Reason: u.Reason, Places: e.patternPlaces(m.Patterns, &u.Pattern)})
	}
	return f
}
