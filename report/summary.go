package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"heddle/explore/why"
)

// A tally counts what became of the tests of a run.
type tally struct {
	cached                                                                           int // of all
	tests, packages, covered, but, alone, sampled, failed, skipped, unbuilt, untried int
	kinds                                                                            map[string]int
	causes                                                                           map[string]bool
	known                                                                            int
	reasons                                                                          map[why.Code]int
	all                                                                              []*TestResult
}

func (r *Reporter) tally() tally {
	c := tally{kinds: map[string]int{}, causes: map[string]bool{}, reasons: map[why.Code]int{}}
	for _, p := range r.results {
		if p.BuildError != "" {
			c.unbuilt++
		}
		if len(p.Tests) > 0 {
			c.packages++
		}
		for _, t := range p.Tests {
			c.add(t)
		}
	}
	return c
}

func (c *tally) add(t *TestResult) {
	c.tests++
	if t.Cached {
		c.cached++
	}
	c.all = append(c.all, t)
	c.known += len(t.Known)
	for _, f := range t.Findings {
		c.kinds[f.Kind]++
		c.causes[f.Cause] = true
	}
	switch {
	case t.Result == "fail":
		c.failed++
	case t.Result == "skip":
		c.skipped++
	case t.Why.Is(why.Alone):
		c.alone++
	case t.Why.Is(why.NoTime):
		c.untried++
		c.reasons[why.NoTime]++
	case t.Complete && len(t.Known) > 0:
		c.but++
	case t.Complete:
		c.covered++
	default:
		c.sampled++
		c.reasons[t.Why.Code(false)]++
	}
}

// mostReasons is how many reasons a summary names, and manySlow how many slow tests.
const (
	mostReasons = 3
	manySlow    = 3
	slow        = 0.1 // seconds: a faster test is not worth a word
)

// summary is what stands at the end of a run of several tests; "" for one test.
func (r *Reporter) summary() string {
	c := r.tally()
	if c.tests < 2 || r.o.Asks {
		return ""
	}
	var b strings.Builder
	type part struct {
		n    int
		what string
	}
	some := func(ps ...part) (parts []string) {
		for _, p := range ps {
			if p.n > 0 {
				parts = append(parts, thousands(p.n)+" "+p.what)
			}
		}
		return parts
	}
	// a test that failed may be covered too
	passed := strings.Join(some(part{c.covered, "covered"},
		part{c.but, "covered but for known findings"}, part{c.alone, "without concurrency"},
		part{c.sampled, "sampled"}, part{c.untried, "without time"}), ", ")
	parts := some(part{c.covered + c.but + c.alone + c.sampled + c.untried, "ok (" + passed + ")"},
		part{c.failed, "failed"}, part{c.skipped, "skipped"})
	cached := ""
	if c.cached > 0 {
		cached = fmt.Sprintf("; %s from the cache", thousands(c.cached))
	}
	fmt.Fprintf(&b, "%s in %s (%s): %s%s\n", plural(c.tests, "test"), plural(c.packages, "package"),
		seconds(r.o.Now().Sub(r.status.begin).Seconds()), strings.Join(parts, ", "), cached)
	if s := c.findings(); s != "" {
		fmt.Fprintf(&b, "    findings  %s\n", s)
	}
	for i, code := range most(c.reasons, mostReasons) {
		title := "sampled "
		if i > 0 {
			title = "        "
		}
		reason := ReasonOf(code)
		fmt.Fprintf(&b, "    %s  %s: %s\n", title, thousands(c.reasons[code]), c.means(reason))
		if reason.Change != "" {
			fmt.Fprintf(&b, "              to change it: %s\n", reason.Change)
		}
	}
	if s := c.slowest(r.o.Verbose); s != "" {
		fmt.Fprintf(&b, "    slowest   %s\n", s)
	}
	return b.String()
}

// means says what a reason means; of one that only the result says, what it says of the first test.
func (c *tally) means(r Reason) string {
	if r.Code == why.Other || r.Means == "" {
		for _, t := range c.all {
			if t.Result == "pass" && !t.Complete && t.Why.Code(false) == r.Code {
				return fmt.Sprintf("%s (%s)", oneLine(t.Why.Details()), t.Name)
			}
		}
	}
	return cmp.Or(r.Means, string(r.Code))
}

// findings says how many there are of each kind, and of how many causes.
func (c *tally) findings() string {
	var parts []string
	n := 0
	for _, kind := range most(c.kinds, len(c.kinds)) {
		parts = append(parts, counted(c.kinds[kind], kind))
		n += c.kinds[kind]
	}
	s := strings.Join(parts, ", ")
	if n > len(c.causes) {
		s += ", of " + plural(len(c.causes), "cause")
	}
	if c.known > 0 {
		if s != "" {
			s += "; "
		}
		s += plural(c.known, "known finding") + " left out"
	}
	return s
}

// counted is a number of findings of a kind: 2 leaks, 1 misuse, 3 misuse.
func counted(n int, kind string) string {
	switch kind {
	case "misuse", "uncontrolled", "reached":
		return fmt.Sprintf("%s %s", thousands(n), kind)
	}
	if s, ok := strings.CutSuffix(kind, "y"); ok && n > 1 {
		return thousands(n) + " " + s + "ies"
	}
	return plural(n, kind)
}

// slowest names the slowest tests; verbose: ten of them.
func (c *tally) slowest(verbose bool) string {
	many := manySlow
	if verbose {
		many = 10
	}
	slices.SortStableFunc(c.all, func(x, y *TestResult) int { return cmp.Compare(y.Elapsed, x.Elapsed) })
	var parts []string
	for _, t := range c.all {
		if t.Elapsed > slow && len(parts) < many {
			parts = append(parts, t.Name+" "+seconds(t.Elapsed))
		}
	}
	return strings.Join(parts, ", ")
}

// most returns the keys with the greatest counts.
func most[K cmp.Ordered](counts map[K]int, n int) []K {
	keys := slices.Collect(maps.Keys(counts))
	slices.SortFunc(keys, func(x, y K) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	return keys[:min(n, len(keys))]
}

// end prints the summary.
func (r *Reporter) end() {
	if !r.o.JSON {
		io.WriteString(r.o.Out, r.summary())
	}
}
