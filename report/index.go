package report

import (
	"fmt"

	"heddle/report/timeline"
)

// Index lists results for the index page.
func Index(results []*Result) timeline.Index {
	var x timeline.Index
	for _, r := range results {
		p := timeline.IndexPackage{Path: r.Package, Error: clean(r.BuildError + r.Error)}
		for _, t := range r.Tests {
			x.Tests++
			x.Findings += len(t.Findings)
			p.Tests = append(p.Tests, indexTest(t))
		}
		x.Packages = append(x.Packages, p)
	}
	switch x.Findings {
	case 0:
		x.Title = "Nothing was found"
	case 1:
		x.Title = "One finding"
	default:
		x.Title = plural(x.Findings, "finding")
	}
	x.Title += " in " + plural(x.Tests, "test")
	return x
}

func indexTest(t *TestResult) timeline.IndexTest {
	out := timeline.IndexTest{Name: t.Name, Verdict: t.Result, How: covered(t),
		Chart: coverageChart(t.Coverage)}
	if t.Result == "fail" {
		out.How = fmt.Sprintf("%s, %s", plural(t.Executions, "execution"), seconds(t.Elapsed))
	}
	for _, f := range t.Findings {
		g := timeline.IndexFinding{Kind: f.Kind, Heading: heading(f.Finding),
			Message: clean(message(f.Finding)), Page: f.Page, Of: f.Of}
		for _, p := range f.Places {
			if p.File != "" {
				g.Places = append(g.Places, fmt.Sprintf("%s:%d", p.File, p.Line))
			}
		}
		out.Findings = append(out.Findings, g)
	}
	return out
}
