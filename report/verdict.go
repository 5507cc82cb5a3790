package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heddle/explore/why"
)

// verdict returns the lines that end a test: a heading as go test prints it, then the findings.
// For an incomplete search it never reads like a proof.
func (r *Reporter) verdict(t *TestResult, notes []string) string {
	var b strings.Builder
	count := fmt.Sprintf("(%s, %s)", plural(t.Executions, "execution"), took(t))
	long := r.o.Verbose || r.o.JSON
	if r.o.Asks && t.Result != "skip" {
		b.WriteString(r.answer(t, count))
		for _, n := range notes {
			b.WriteString(indent(4, "note: "+clean(n)))
		}
		return b.String()
	}
	switch t.Result {
	case "fail":
		if t.Complete {
			count = fmt.Sprintf("(%s, %s%s)", t.CoveredBy(), seconds(t.Elapsed), knownLeft(t))
		}
		fmt.Fprintf(&b, "%s: %s %s\n", r.red("--- FAIL"), t.Name, count)
		b.WriteString(r.byCause(t))
		if len(t.Findings) == 0 {
			b.WriteString(r.plainFailure(t))
		}
	case "skip":
		if long {
			fmt.Fprintf(&b, "--- SKIP: %s (%s)\n", t.Name, seconds(t.Elapsed))
			if t.Reason != "" {
				b.WriteString(indent(4, clean(t.Reason)))
			}
		}
	default:
		if long {
			fmt.Fprintf(&b, "--- PASS: %s %s\n", t.Name, count)
			fmt.Fprintf(&b, "    %s\n", covered(t))
		} else {
			fmt.Fprintf(&b, "%s   %s   %s\n", r.green("ok"), t.Name, covered(t))
		}
	}
	b.WriteString(r.known(t))
	b.WriteString(r.predictions(t))
	b.WriteString(r.coverageText(t))
	for _, n := range notes {
		b.WriteString(indent(4, "note: "+clean(n)))
	}
	return b.String()
}

// answer returns the answer of a test to a question (heddle ask).
func (r *Reporter) answer(t *TestResult, count string) string {
	switch {
	case len(t.Findings) > 0:
		return fmt.Sprintf("%s: %s %s\n%s", r.red("yes"), t.Name, count, r.boldHead(t.Findings[0].Text))
	case t.Result == "fail":
		return fmt.Sprintf("unknown: %s %s\n%s", t.Name, count, r.plainFailure(t))
	case t.Complete:
		return fmt.Sprintf("%s: %s has no such moment (all local states covered by %s, and the net asked, %s)\n", r.green("no"), t.Name, plural(t.Executions, "execution"), seconds(t.Elapsed))
	}
	return fmt.Sprintf("unknown: %s: no such moment in %s (%s, %s)\n", t.Name,
		plural(t.Executions, "execution"), oneLine(t.Why.String()), seconds(t.Elapsed))
}

// covered says how far a test without findings was explored, but for those that were known before.
func covered(t *TestResult) string {
	text := explored(t)
	if len(t.Known) > 0 {
		text = strings.Replace(text, "no findings", "no new findings", 1) + knownLeft(t)
	}
	return text
}

func explored(t *TestResult) string {
	switch {
	case t.Why.Is(why.NoTime) && t.Executions == 0:
		return "not explored: " + oneLine(t.Why.String())
	case t.Why.Is(why.Alone):
		text := "no concurrency: " + plural(t.Executions, "execution")
		if t.Cached {
			text += " (cached)"
		}
		return text
	case t.Predicted != nil:
		return predictedText(t)
	case t.Complete:
		return fmt.Sprintf("%s (%s)", t.CoveredBy(), took(t))
	}
	how := sampled(t.Why, t.Executions, t.Estimate, t.Elapsed)
	return fmt.Sprintf("no findings in %s (%s, %s)", plural(t.Executions, "execution"), how,
		seconds(t.Elapsed))
}

// took is the time of a test, or "cached".
func took(t *TestResult) string {
	if t.Cached {
		return "cached"
	}
	return seconds(t.Elapsed)
}

// cached reports whether all verdicts of a package are those of earlier runs.
func (p *Result) cached() bool {
	return len(p.Tests) > 0 &&
		!slices.ContainsFunc(p.Tests, func(t *TestResult) bool { return !t.Cached })
}

// sampled says why the search is incomplete and, if there is an estimate, how many executions a
// complete one has and how long it takes.
func sampled(end why.End, executions int, estimate, elapsed float64) string {
	text := oneLine(end.String())
	if end.Bare && !end.Is(why.Early) {
		text = "sampled: " + text
	}
	if estimate <= float64(executions) {
		return text
	}
	within := ""
	if b := end.Within; !b.None() {
		within = "; all with " + b.String() + " covered"
		end.Within = why.Bounds{}
		text = oneLine(end.String())
	}
	what := ""
	if end.Open() || len(end.Reasons) == 1 && end.Reasons[0] == why.Of(why.NotAll) && !end.Bare {
		text, what = "sampled", " interleavings"
	}
	return fmt.Sprintf("%s of about %s%s, which take %s%s", text, about(estimate), what,
		long(elapsed*estimate/float64(max(executions, 1))), within)
}

// CoveredBy says what a complete search covered, and how.
func (t *TestResult) CoveredBy() string {
	return fmt.Sprintf("all %s covered by %s%s", cmp.Or(t.Why.Covered, "interleavings"),
		plural(t.Covering, "execution"), earlyFailures(t.Why))
}

// earlyFailures says of a complete search in how many executions the test failed after an early
// timer; "" if it never did.
func earlyFailures(end why.End) string {
	if end.EarlyFailures == 0 {
		return ""
	}
	return fmt.Sprintf("; in %s a timer is early and the test fails, which is not reported (-time=free)",
		plural(end.EarlyFailures, "execution"))
}

// plainFailure explains a test that fails without heddle.
func (r *Reporter) plainFailure(t *TestResult) string {
	var b strings.Builder
	if t.Reason != "" {
		b.WriteString(indent(4, clean(t.Reason)))
	}
	if t.Output != "" && !r.o.Verbose && !r.o.JSON { // otherwise it was printed at once
		b.WriteString(indent(4, r.cut(ownLines(t.Name, t.Output))))
	}
	return b.String()
}

// cut shortens output to its first and its last lines.
func (r *Reporter) cut(s string) string {
	const first, last = 10, 20
	l := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	if r.o.Verbose || len(l) <= first+last+1 {
		return s
	}
	left := fmt.Sprintf("... %s left out (-v shows them)", plural(len(l)-first-last, "line"))
	return strings.Join(append(append(l[:first:first], left), l[len(l)-last:]...), "\n")
}

// ownLines returns text without package testing's lines about the test itself, as heddle prints
// its own.
func ownLines(test, text string) string {
	var b strings.Builder
	for line := range lines(text) {
		l := strings.TrimRight(line, "\n")
		if l == "=== RUN   "+test || l == "=== PAUSE "+test || l == "=== CONT  "+test ||
			strings.HasPrefix(l, "--- ") && strings.Contains(l, ": "+test+" (") {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}
