package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heddle/explore/mapcov"
	"heddle/report/timeline"
	"heddle/rt/wire"
)

// Patterns returns the memory-access patterns of the tests that have them, for drawing.
func Patterns(results []*Result) (all []timeline.Covered) {
	for _, r := range results {
		for _, t := range r.Tests {
			if t.Patterns != nil {
				all = append(all, *t.Patterns)
			}
		}
	}
	return all
}

// patterns lists the patterns of a test; nil if there are none, or they were not asked for.
func (r *Reporter) patterns(pkg, test string, c *wire.Coverage) *timeline.Covered {
	if len(c.Groups) == 0 {
		return nil
	}
	x := &timeline.Covered{Package: pkg, Test: test, Chart: coverageChart(c),
		Summary: coverageSentence(c)}
	if !c.Whole {
		x.Notes = append(x.Notes,
			"only patterns that executions have shown are known here; strategy map looks for those that none has shown")
	}
	if c.Truncated {
		x.Notes = append(x.Notes, tooManyPairs)
	}
	if c.More > 0 {
		x.Notes = append(x.Notes, fmt.Sprintf("%s more are not listed", plural(c.More, "pattern")))
	}
	for s := mapcov.Shown; s <= mapcov.Refuted; s++ {
		x.States = append(x.States, s.String())
	}
	numbers := map[string]int{}
	for i := range c.Groups {
		x.Groups = append(x.Groups, r.coverGroup(&c.Groups[i], numbers, x.States))
	}
	for _, row := range mapcov.Table {
		k := timeline.CoveredKind{Steps: row.Steps, Counts: make([]int, len(x.States))}
		for _, g := range x.Groups {
			for _, p := range g.Patterns {
				if p.Steps == row.Steps {
					k.Counts[slices.Index(x.States, p.State)]++
				}
			}
		}
		if slices.Max(k.Counts) > 0 {
			x.Kinds = append(x.Kinds, k)
		}
	}
	if n := c.Next; n != nil {
		p := r.coverPattern(&n.Pattern)
		x.Next = &p
		for _, s := range n.Schedule {
			at := s.Until
			r.o.Resolve(&at)
			x.Schedule = append(x.Schedule, timeline.CoveredStep{Goroutine: oneLine(s.Goroutine),
				What: fmt.Sprintf("%s, up to %s", plural(s.Events, "operation"),
					operation(at.Op, at.Object, "")),
				Where: r.position(at)})
		}
	}
	return x
}

const tooManyPairs = "there are too many pairs of variables: some are not counted"

// coverGroup returns a group. numbers tells variables apart that have one name.
func (r *Reporter) coverGroup(g *wire.CoverGroup, numbers map[string]int,
	states []string) (out timeline.CoveredGroup) {
	counts := map[string]int{}
	names := make([]map[string]int, len(g.Kinds)) // by variable: how often the source calls it so
	for i := range names {
		names[i] = map[string]int{}
	}
	for i := range g.Patterns {
		p := &g.Patterns[i]
		counts[p.State]++
		out.Patterns = append(out.Patterns, r.coverPattern(p))
		for k, at := range p.Places {
			r.o.Resolve(&at)
			if k < len(p.Vars) && p.Vars[k] < len(names) && at.Object != "" {
				names[p.Vars[k]][oneLine(at.Object)]++
			}
		}
	}
	var vars []string
	for i, kind := range g.Kinds {
		best := ""
		for n, k := range names[i] {
			if best == "" || k > names[i][best] || k == names[i][best] && n < best {
				best = n
			}
		}
		name := fmt.Sprintf("%s (%s)", cmp.Or(best, "a variable"), kind)
		key := fmt.Sprint(name, g.IDs[i])
		if numbers[key] == 0 {
			numbers[name]++
			numbers[key] = numbers[name]
		}
		if n := numbers[key]; n > 1 {
			name += fmt.Sprintf(" #%d", n)
		}
		vars = append(vars, name)
	}
	out.Name = strings.Join(vars, " and ")
	var texts []string
	for _, s := range states {
		if counts[s] > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	out.Counts = strings.Join(texts, ", ")
	return out
}

func (r *Reporter) coverPattern(p *wire.CoverPattern) timeline.CoveredPattern {
	out := timeline.CoveredPattern{State: p.State, Steps: mapcov.Table[p.Row-1].Steps}
	for _, at := range p.Places {
		r.o.Resolve(&at)
		out.Of = append(out.Of, timeline.CoveredStep{Goroutine: oneLine(at.Goroutine),
			Other: at.Goroutine != p.Places[0].Goroutine,
			What:  operation(at.Op, at.Object, ""), Where: r.position(at)})
	}
	return out
}

// mostPatternLines bounds the patterns that are printed for a test without -v.
const mostPatternLines = 40

// patternsText prints the list of patterns.
func (r *Reporter) patternsText(x *timeline.Covered) string {
	var b strings.Builder
	n := 0
	for _, g := range x.Groups {
		fmt.Fprintf(&b, "      %s: %s\n", g.Name, g.Counts)
		for _, p := range g.Patterns {
			if p.State != mapcov.Shown.String() && p.State != mapcov.Untried.String() && !r.o.Verbose {
				continue
			}
			if n++; n <= mostPatternLines || r.o.Verbose {
				fmt.Fprintf(&b, "        %s\n", patternText(&p))
			}
		}
	}
	if n > mostPatternLines && !r.o.Verbose {
		fmt.Fprintf(&b, "      %s more: -v prints all of them, -html draws them\n",
			plural(n-mostPatternLines, "pattern"))
	}
	if x.Next != nil {
		fmt.Fprintf(&b, "      next: %s\n        by the schedule\n", patternText(x.Next))
		for _, s := range x.Schedule {
			fmt.Fprintf(&b, "          %s: %s %s\n", s.Goroutine, s.What, s.Where)
		}
	}
	if len(x.Notes) > 0 && !strings.HasPrefix(x.Notes[0], "there are") {
		fmt.Fprintf(&b, "      note: %s\n", x.Notes[0])
	}
	return b.String()
}

func patternText(p *timeline.CoveredPattern) string {
	var of []string
	for _, s := range p.Of {
		of = append(of, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Goroutine, s.What, s.Where)))
	}
	return fmt.Sprintf("%-12s %-16s %s", p.State, p.Steps, strings.Join(of, ", "))
}
