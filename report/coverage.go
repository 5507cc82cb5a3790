package report

import (
	"fmt"
	"strings"

	"heddle/report/timeline"
	"heddle/rt/wire"
)

// A coverageEvent is the event of the MAP-coverage of a test. The fields and their order are
// stable.
type coverageEvent struct {
	Action             string // "coverage"
	Package            string
	Test               string
	Covered, Highest   int     // patterns covered; most patterns that a run of the test covered
	Estimate           float64 // T_C of Zhao et al.
	Solved, Refuted    int     // formulas
	Skipped, Undecided int
	Points             []wire.CoverPoint
}

// coverage stores the coverage for the verdict and the page.
func (p *Package) coverage(rec *wire.Record) {
	t, r := p.test(rec.Test), p.r
	t.Coverage = rec.Coverage
	c := rec.Coverage
	if f := c.Formulas; f != nil {
		for i := range f.Unknown {
			f.Unknown[i].Places = r.resolved(f.Unknown[i].Places)
		}
	}
	if r.o.MapCover {
		t.Patterns = r.patterns(p.path, t.Name, c)
	}
	if r.o.JSON && !c.Shared {
		e := coverageEvent{Action: "coverage", Package: p.path, Test: t.Name, Covered: c.Covered,
			Highest: c.Highest, Estimate: c.Estimate, Points: c.Points}
		if f := c.Formulas; f != nil {
			e.Solved, e.Refuted, e.Skipped, e.Undecided = f.Solved, f.Refuted, f.Skipped, f.Undecided
		}
		r.jsonLine(e)
	}
}

// coverageText returns the lines with the coverage, if requested, and the number of formulas that
// were not decided, which is always shown.
func (r *Reporter) coverageText(t *TestResult) string {
	c := t.Coverage
	if c == nil {
		return ""
	}
	var b strings.Builder
	f := c.Formulas
	if r.o.MapCover {
		fmt.Fprintf(&b, "    map-coverage  %s\n", coverageSentence(c))
		if t.Patterns != nil {
			b.WriteString(r.patternsText(t.Patterns))
		}
		if c.Truncated {
			fmt.Fprintf(&b, "    note: %s\n", tooManyPairs)
		}
	}
	if f == nil {
		return b.String()
	}
	if r.o.MapCover || r.o.Verbose {
		fmt.Fprintf(&b, "    formulas      %d solved in %s: %d gave a schedule, %d cannot be met; %d skipped because of these\n", f.Solved, seconds(f.Solving), f.Found, f.Refuted, f.Skipped)
	}
	if f.Undecided > 0 {
		fmt.Fprintf(&b, "    note: %s not decided in time (option formula): whether the pattern can be covered is not known\n", plural(f.Undecided, "formula"))
		for _, u := range f.Unknown {
			var at []string
			for _, p := range u.Places {
				at = append(at, fmt.Sprintf("%s %s by %s", p.Op, r.position(p), p.Goroutine))
			}
			fmt.Fprintf(&b, "      unknown: %s (%s)\n", clean(strings.Join(at, ", ")), oneLine(u.Reason))
		}
	}
	return b.String()
}

// coverageSentence says how much was covered.
func coverageSentence(c *wire.Coverage) string {
	return fmt.Sprintf("%s: %s of T_C = %.0f, %s of %d, the highest number seen",
		plural(c.Covered, "pattern"), percent(float64(c.Covered), c.Estimate), c.Estimate,
		percent(float64(c.Covered), float64(c.Highest)), c.Highest)
}

// percent returns part/whole in percent.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// coverageChart returns the coverage of a test over time, for the index page.
func coverageChart(c *wire.Coverage) *timeline.Chart {
	if c == nil || len(c.Points) == 0 {
		return nil
	}
	x := &timeline.Chart{Caption: fmt.Sprintf("MAP-coverage: %s in %s", plural(c.Covered, "pattern"),
		seconds(c.Elapsed)), Seconds: c.Elapsed, Most: max(c.Highest, c.Covered)}
	for _, p := range c.Points {
		x.Points = append(x.Points, timeline.ChartPoint{Seconds: p.Elapsed, Value: p.Covered})
	}
	return x
}
