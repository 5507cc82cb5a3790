package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// A Judgement is what a search for the bug of a clip came to that did not show it.
type Judgement struct {
	Result *TestResult // of the exploration of the test; nil: the test was not run
	Near   wire.Near   // what came of the executions near the clip
	Fixed  bool        // the search was enough to call the bug fixed
	Other  bool        // it showed another bug
	Err    error       // how the exploration ended early
}

// Judged tells p what a search for the bug came to, which no replay of the clip showed.
func (p *Replay) Judged(j *Judgement) { p.judged = j }

// verdictOf writes the verdict of a search, and returns the exit code.
func (p *Replay) verdictOf(b *strings.Builder, j *Judgement) int {
	t := j.Result
	cannot := func(format string, args ...any) int {
		fmt.Fprintf(b, "Cannot tell: "+format+"\n", args...)
		return 2
	}
	switch {
	case j.Err != nil:
		return cannot("the search for the bug ended early: %s", clean(j.Err.Error()))
	case t == nil:
		return cannot("the test %s was not run: is it still there?", oneLine(p.clip.Test))
	case t.Result == "skip":
		return cannot("the test %s is skipped now", t.Name)
	case j.Other:
		fmt.Fprintf(b, "%s does not show in %s of the new code. There is another bug:\n\n",
			p.bugName(), plural(t.Executions, "execution"))
		for _, f := range t.Findings {
			if f.ClipPath == "" {
				b.WriteString(p.r.boldHead(f.Text))
			}
		}
		return 1
	case t.Result == "fail":
		return cannot("the test %s fails in every order:\n%s", t.Name, p.r.plainFailure(t))
	case !j.Fixed:
		return cannot("%s does not show, but there was time for %s only; allow more (-budget)", p.bugName(),
			plural(t.Executions, "execution"))
	}
	fmt.Fprintf(b, "%s: %s does not show any more: %s\n", p.r.green("FIXED"), p.bugName(), searched(t))
	if !t.Complete && !t.Why.Is(why.Alone) {
		b.WriteString(indent(2, nearness(&j.Near)))
	}
	return 0
}

// bugName names the bug of the clip.
func (p *Replay) bugName() string {
	f := &wire.Finding{Kind: p.clip.Kind, Message: p.clip.Message, Places: p.clip.Places}
	return "the " + oneLine(f.Name())
}

// searched says how much of a test was executed that showed nothing.
func searched(t *TestResult) string {
	switch {
	case t.Why.Is(why.Alone):
		return "nothing is left to interleave"
	case t.Complete:
		return fmt.Sprintf("%s (%s)", t.CoveredBy(), seconds(t.Elapsed))
	}
	return fmt.Sprintf("not in %s (%s, %s)", plural(t.Executions, "execution"),
		sampled(t.Why, t.Executions, t.Estimate, t.Elapsed), seconds(t.Elapsed))
}

// nearness says how close to the clip the search came.
func nearness(n *wire.Near) string {
	near := plural(n.Executions, "execution") + " near the clip's order"
	switch {
	case n.Follows:
		return "the clip's own order can still be followed, and shows nothing; " + near + " as well"
	case n.Reached > 0:
		return fmt.Sprintf("%s, %d of them with all its switches tried at the nearest operations", near,
			n.Reached)
	}
	return near + "; its own is not possible any more: an operation beside one of its switches is gone"
}

// Clip prints what a clip shows, without a replay. dir is the folder that its files are below.
func (r *Reporter) Clip(c *wire.Clip, dir string) {
	in := *c
	at := func(p *wire.Place) {
		if p.File != "" && !filepath.IsAbs(p.File) {
			p.File = filepath.Join(dir, p.File)
		}
	}
	in.Places, in.Steps = slices.Clone(c.Places), slices.Clone(c.Steps)
	for i := range in.Places {
		at(&in.Places[i])
	}
	f := &wire.Finding{Kind: c.Kind, Message: c.Message, Places: in.Places, Clip: in}
	for i := range in.Steps {
		at(&in.Steps[i].Where)
		if in.Steps[i].Switch {
			f.Switches++
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text := r.explain(c.Test, Finding{Finding: f, ClipPath: r.short(c.Path)})
	r.print(c.Test + "\n" + r.boldHead(text))
}
