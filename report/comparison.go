package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"heddle/explore/why"
	"heddle/report/timeline"
	"heddle/rt/wire"
)

// A Comparison is the result of one test under one strategy.
type Comparison struct {
	Strategy   string
	First      int     // executions to the first finding; 0: no finding
	After      float64 // seconds to the first finding
	Findings   int     // distinct ones
	Executions int
	Complete   bool
	Covering   int // executions after which the search was complete
	// of a complete search: what it covered, if not interleavings; else why it is not complete
	Why      why.End
	Elapsed  float64
	Estimate float64 // estimated executions of a complete search; 0: unknown
	Orders   int     // pairs of successive operations on an object, see explore/succession
	Memory   int64   // peak memory of the process in bytes; 0: unknown
	Error    string  // why there is no result
}

// Alone reports whether the test starts no goroutine: every strategy does the same.
func (c *Comparison) Alone() bool { return c.Why.Is(why.Alone) }

const nothingToCompare = "no concurrency, nothing to compare"

// Take updates c by a record of the test binary.
func (c *Comparison) Take(rec *wire.Record) {
	switch rec.Type {
	case "progress":
		c.Executions, c.Elapsed = rec.Executions, rec.Elapsed
	case "finding":
		c.Findings++
		if c.First == 0 {
			c.First, c.After = rec.Executions, rec.Elapsed
		}
	case "isolate":
		c.Error = "executions in one process are not independent of each other, and compare does not start a process for each"
	case "end":
		c.Executions, c.Elapsed, c.Complete, c.Why = rec.Executions, rec.Elapsed, rec.Complete, rec.Why
		c.Covering = cmp.Or(rec.Covering, rec.Executions)
		c.Estimate, c.Orders, c.Memory = rec.Estimate, rec.Orders, rec.Memory
	}
}

// A comparisonEvent is the event of a comparison with -json. The fields and their order are
// stable.
type comparisonEvent struct {
	Action     string // "comparison"
	Package    string
	Test       string
	Strategy   string
	First      int
	After      float64
	Findings   int
	Executions int
	Complete   bool
	Covering   int
	Reason     string
	Elapsed    float64
	Estimate   float64
	Orders     int
	Memory     int64
	Error      string
	Code       why.Code `json:",omitempty"` // of Reason, if not complete

	EarlyFailures int `json:",omitempty"` // as of a summaryEvent
}

// A bestEvent is the event after the comparisons of a test with -json. The fields and their order
// are stable.
type bestEvent struct {
	Action     string // "best"
	Package    string
	Test       string
	Strategies []string // none: no strategy is better than the others
	Why        string
}

// Compare prints the comparisons of a test: a table, or events with -json.
func (r *Reporter) Compare(pkg, test string, all []Comparison) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o.JSON {
		for i := range all {
			c := &all[i]
			r.jsonLine(comparisonEvent{"comparison", pkg, test, c.Strategy, c.First, c.After, c.Findings,
				c.Executions, c.Complete, c.Covering, c.Why.Text(c.Complete), c.Elapsed, c.Estimate, c.Orders,
				c.Memory, c.Error, c.Why.Code(c.Complete), c.Why.EarlyFailures})
		}
		if names, why := best(all); why != "" {
			r.jsonLine(bestEvent{"best", pkg, test, append([]string{}, names...), oneLine(why)})
		}
		return
	}
	r.print(comparisonText(pkg, test, all))
}

// comparisonText returns the table of a test.
func comparisonText(pkg, test string, all []Comparison) string {
	var b strings.Builder
	if len(all) == 1 && all[0].Alone() {
		fmt.Fprintf(&b, "%s  %s: %s\n", pkg, test, nothingToCompare)
		return b.String()
	}
	fmt.Fprintf(&b, "%s  %s\n", pkg, test)
	t := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "    strategy\t%s\tcovered\n", strings.Join(compared, "\t"))
	for i := range all {
		all[i].row(t)
	}
	t.Flush()
	if names, why := best(all); why != "" {
		text := why
		if len(names) > 0 {
			text = strings.Join(names, ", ") + ": " + why
		}
		fmt.Fprintf(&b, "    best       %s\n", oneLine(text))
	}
	return b.String()
}

// row prints one line of a table.
func (c *Comparison) row(w io.Writer) {
	fmt.Fprintf(w, "    %s", c.Strategy)
	for _, a := range c.amounts() {
		fmt.Fprintf(w, "\t%s", a.Text)
	}
	fmt.Fprintf(w, "\t%s\n", c.covered())
}

// compared are the headings of the amounts.
var compared = []string{"first finding", "findings", "executions", "time", "orders", "memory"}

// amounts returns the amounts of a row.
func (c *Comparison) amounts() []timeline.Amount {
	none := timeline.Amount{Value: -1, Text: "-"}
	if c.Error != "" && c.Executions == 0 {
		return slices.Repeat([]timeline.Amount{none}, len(compared))
	}
	first, memory := none, none
	if c.First > 0 {
		first = timeline.Amount{Value: float64(c.First),
			Text: fmt.Sprintf("%s in %s", thousands(c.First), seconds(c.After))}
	}
	if c.Memory > 0 {
		memory = timeline.Amount{Value: float64(c.Memory),
			Text: fmt.Sprintf("%.0fM", float64(c.Memory)/(1<<20))}
	}
	number := func(n int) timeline.Amount { return timeline.Amount{Value: float64(n), Text: thousands(n)} }
	return []timeline.Amount{first, number(c.Findings), number(c.Executions),
		{Value: c.Elapsed, Text: seconds(c.Elapsed)}, number(c.Orders), memory}
}

// Compared returns the comparisons of a test for drawing.
func Compared(pkg, test string, all []Comparison) timeline.Compared {
	x := timeline.Compared{Package: pkg, Test: test, Columns: compared}
	if len(all) == 1 && all[0].Alone() {
		x.Note = nothingToCompare
		return x
	}
	x.Best, x.Why = best(all)
	for i := range all {
		c := &all[i]
		x.Rows = append(x.Rows,
			timeline.ComparedRow{Strategy: c.Strategy, Amounts: c.amounts(), Complete: c.Complete,
				Covered: c.covered()})
	}
	return x
}

// covered says what the search covered, or why it is not complete.
func (c *Comparison) covered() string {
	if c.Error != "" && c.Executions == 0 {
		return oneLine(c.Error)
	}
	if c.Complete {
		return fmt.Sprintf("all %s, by %s%s", cmp.Or(c.Why.Covered, "interleavings"),
			plural(c.Covering, "execution"), earlyFailures(c.Why))
	}
	text := oneLine(c.Why.String())
	if !c.Why.Is(why.Predicted) {
		text = sampled(c.Why, c.Executions, c.Estimate, c.Elapsed)
	}
	if c.Error != "" {
		text += "; " + oneLine(c.Error)
	}
	return text
}
