package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heddle/report/pattern"
	"heddle/rt/wire"
)

// An explanation says why a finding happened and what to change.
type explanation struct {
	Pattern pattern.Name // "" if none fits
	Why     string       // a paragraph, or ""
	Hint    string       // or ""
	Told    []pattern.Told
	Cause   string // as in pattern.Match
}

// explanation returns the one explanation of a resolved finding that text, JSON, SARIF, JUnit and
// pages share.
func (r *Reporter) explanation(f *wire.Finding) explanation {
	if f.Kind == "reached" { // no defect
		return explanation{Hint: hint(f)}
	}
	if m := pattern.Recognise(f, r.parsed, r.std); m != nil {
		return explanation{m.Name, oneLine(m.Text), oneLine(m.Hint), m.Told(), m.Cause}
	}
	e := explanation{Hint: hint(f)}
	if f.Kind == "panic" || f.Kind == "test failure" {
		e.Why = oneLine(r.between(f))
	}
	return e
}

// general reports whether the message of a finding only says what its kind means. A deadlock beside
// which other goroutines run, or of a test that only the clock keeps going, says more.
func general(f *wire.Finding) bool {
	if f.Early != "" || strings.Contains(f.Message, "on for ever") ||
		strings.Contains(f.Message, "its own time") {
		return false
	}
	return f.Message == "" || f.Kind == "deadlock" || f.Kind == "leak"
}

// needsMessage reports whether the message of a finding says more than e.
func (e explanation) needsMessage(f *wire.Finding) bool { return e.Pattern == "" || !general(f) }

// explained returns the explanation of f, made once: what it is made from is dropped after that.
func (r *Reporter) explained(f *Finding) explanation {
	if f.explained == nil {
		e := r.explanation(f.Finding)
		f.explained = &e
	}
	return *f.explained
}

// sentences returns the paragraph and the hint, as far as there are any.
func (e explanation) sentences() (out []string) {
	for _, s := range []string{e.Why, e.Hint} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// between describes the steps that ran between two steps of another goroutine because of the last
// switch that explains anything; "" if there is none.
func (r *Reporter) between(f *wire.Finding) string {
	for i := range slices.Backward(f.Clip.Steps) {
		if f.Clip.Steps[i].Switch && i > 0 {
			if text := r.broken(f.Clip.Steps, i); text != "" {
				return text
			}
		}
	}
	return ""
}

// broken describes the switch at i: the two steps that it separates, and the steps in between.
func (r *Reporter) broken(steps []wire.Step, i int) string {
	before := &steps[i-1]
	if before.G == steps[i].G {
		return ""
	}
	back := i
	for back < len(steps) && steps[back].G != before.G {
		back++
	}
	var own []int // steps in between
	for k := i; k < back; k++ {
		if steps[k].G == steps[i].G && steps[k].Op != "start" && steps[k].Op != "resume" {
			own = append(own, k)
		}
	}
	other := oneLine(steps[i].G)
	if len(own) == 0 || back == len(steps) {
		return ""
	}
	first, last := r.stepAt(&steps[own[0]]), r.stepAt(&steps[own[len(own)-1]])
	what := "made " + first
	switch n := len(own); {
	case n > 1 && first == last:
		what = fmt.Sprintf("made %s, all in %s", plural(n, "step"), first)
	case n > 1:
		what = fmt.Sprintf("made %s, the last being %s", plural(n, "step"), last)
	}
	from, to := r.stepAt(before), r.stepAt(&steps[back])
	if from == to {
		return fmt.Sprintf("%s was interrupted in %s; in between %s %s.", oneLine(before.G), from, other,
			what)
	}
	return fmt.Sprintf("%s was interrupted after %s and went on with %s; in between %s %s.",
		oneLine(before.G), from, to, other, what)
}

// stepAt returns a step with its line, "lock mu (bank.go:12)"; of a step inside the standard
// library or a dependency the user's call, "the call at store.go:26".
func (r *Reporter) stepAt(s *wire.Step) string {
	if s.Call != nil && r.foreign(s.Where.File) {
		return fmt.Sprintf("the call at %s:%d", filepath.Base(s.Call.File), s.Call.Line)
	}
	text := fit(r.stepText(s), 40)
	if s.Where.File != "" {
		text += fmt.Sprintf(" (%s:%d)", filepath.Base(s.Where.File), s.Where.Line)
	}
	return text
}
