package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heddle/rt/wire"
)

// A predictionEvent is the event of one prediction. The fields and their order are stable.
type predictionEvent struct {
	Action  string // "prediction"
	Package string
	Test    string
	Kind    string
	Pattern string
	Places  []jsonPlace
	Verdict string // confirmed, refuted, untried, unknown
	Reason  string
}

// A predictedEvent is the summary of a test's predictions; times in seconds.
type predictedEvent struct {
	Action                                string // "predicted"
	Package                               string
	Test                                  string
	Goroutines, Locations, Events         int
	Schedules, Executions, Panics         int
	Excluded, Questions                   int
	Plain, Recorded, Analysis, Scheduling float64
	Solving, First                        float64
}

// verdict prints a verdict as JSON when it comes. The summary has it again.
func (p *Package) verdict(rec *wire.Record) {
	t, r := p.test(rec.Test), p.r
	t.verdicts++
	if c := rec.Verdict; r.o.JSON && c != nil {
		r.prediction(p.path, t.Name, c)
	}
}

// prediction prints one prediction as JSON, with its places resolved.
func (r *Reporter) prediction(path, test string, c *wire.Prediction) {
	c.Places, c.Reason = r.resolved(c.Places), r.marked(c.Reason)
	e := predictionEvent{"prediction", path, test, c.Kind, c.Pattern, []jsonPlace{}, c.Verdict, c.Reason}
	for _, q := range c.Places {
		e.Places = append(e.Places, jsonPlace{r.short(q.File), q.Line, q.Op, q.Object, q.Goroutine})
	}
	r.jsonLine(e)
}

// predicted stores the results of a prediction for the verdict.
func (p *Package) predicted(rec *wire.Record) {
	t, r := p.test(rec.Test), p.r
	t.Predicted = rec.Predicted
	for i := range t.Predicted.All {
		c := &t.Predicted.All[i]
		if r.o.JSON && i >= t.verdicts {
			r.prediction(p.path, t.Name, c)
			continue
		}
		c.Places = r.resolved(c.Places)
		c.Reason = r.marked(c.Reason)
	}
	t.verdicts = 0
	if c := rec.Predicted; r.o.JSON {
		r.jsonLine(predictedEvent{"predicted", p.path, t.Name, c.Goroutines, c.Locations, c.Events,
			c.Schedules, c.Executions, c.Panics, c.Excluded, c.Questions,
			c.Plain, c.Recorded, c.Analysis, c.Scheduling, c.Solving, c.First})
	}
}

// marked replaces site numbers between zero bytes by positions.
func (r *Reporter) marked(text string) string {
	parts := strings.Split(text, "\x00")
	for i := 1; i < len(parts); i += 2 {
		site, _ := strconv.ParseUint(parts[i], 10, 64)
		p := wire.Place{Site: site}
		r.o.Resolve(&p)
		parts[i] = r.position(p)
	}
	return strings.Join(parts, "")
}

// predictions returns the lines about the predictions: by kind the counts, the unknown ones and,
// with -v, those that no execution showed.
func (r *Reporter) predictions(t *TestResult) string {
	if t.Predicted == nil {
		return ""
	}
	var b strings.Builder
	for _, k := range Kinds {
		n := map[string]int{}
		for _, c := range t.Predicted.All {
			if c.Kind == k.Name {
				n[c.Verdict]++
			}
		}
		total := n[wire.Confirmed] + n[wire.Refuted] + n[wire.Untried] + n[wire.Unknown]
		if total == 0 {
			continue
		}
		fmt.Fprintf(&b, "    %-26s %d predicted: %d confirmed, %d refuted", k.Name, total, n[wire.Confirmed],
			n[wire.Refuted])
		if n[wire.Unknown] > 0 {
			fmt.Fprintf(&b, ", %d unknown", n[wire.Unknown])
		}
		if n[wire.Untried] > 0 {
			fmt.Fprintf(&b, ", %d not tried", n[wire.Untried])
		}
		b.WriteByte('\n')
		r.listed(&b, t, k.Name, wire.Unknown)
		if r.o.Verbose {
			r.listed(&b, t, k.Name, wire.Refuted)
		}
	}
	if n := t.Predicted.Excluded; n > 0 && r.o.Verbose {
		fmt.Fprintf(&b, "    note: for %s the solver has proved that no correct order of the recorded operations shows it\n", plural(n, "candidate"))
	}
	if t.Predicted.Cut {
		fmt.Fprintf(&b, "    note: the time ran out before every set of goroutines that could deadlock was checked (-budget)\n")
	}
	if t.Predicted.Short {
		b.WriteString("    note: prediction used up its share of the time or of the memory before all of the execution was analysed (-budget, -memory)\n")
	}
	if bound := t.Predicted.Bounded; bound != "" {
		fmt.Fprintf(&b, "    note: only the first %s of the execution were analysed: %s\n",
			plural(t.Predicted.Events, "event"), bound)
	}
	return b.String()
}

// listed prints the predictions of a kind with one verdict, and why.
func (r *Reporter) listed(b *strings.Builder, t *TestResult, kind, verdict string) {
	for _, c := range t.Predicted.All {
		if c.Kind != kind || c.Verdict != verdict {
			continue
		}
		var at []string
		for _, p := range c.Places {
			at = append(at, fmt.Sprintf("%s %s by %s", p.Op, r.position(p), p.Goroutine))
		}
		fmt.Fprintf(b, "      %s: %s (%s)\n               %s\n", verdict, clean(strings.Join(at, ", ")),
			c.Pattern, oneLine(c.Reason))
	}
}

// confirmed counts the confirmed predictions.
func confirmed(p *wire.Predicted) int {
	n := 0
	for _, c := range p.All {
		if c.Verdict == wire.Confirmed {
			n++
		}
	}
	return n
}

// predictedText returns the verdict of a test without findings.
func predictedText(t *TestResult) string {
	p := t.Predicted
	took := fmt.Sprintf("(%s, %s)", plural(t.Executions, "execution"), seconds(t.Elapsed))
	switch untried := slices.ContainsFunc(p.All,
		func(c wire.Prediction) bool { return c.Verdict == wire.Untried || c.Verdict == wire.Unknown }); {
	case len(p.All) == 0:
		if p.From > 1 {
			return fmt.Sprintf("nothing predicted from %d executions %s", p.From, took)
		}
		return "nothing predicted from one execution of " + plural(p.Events, "event") + " " + took
	case untried:
		return fmt.Sprintf("%d of %s confirmed, not all decided %s", confirmed(p),
			plural(len(p.All), "prediction"), took)
	default:
		return fmt.Sprintf("%d of %s confirmed %s", confirmed(p), plural(len(p.All), "prediction"), took)
	}
}
