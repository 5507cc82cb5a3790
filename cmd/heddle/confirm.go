package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/clip"
	"heddle/engine"
	"heddle/explore/why"
	"heddle/rt/wire"
)

// What is told has a clip that shows it again: every clip is replayed, as heddle replay does it, in
// a new process before its finding is told. Clips that come while others are replayed share a
// process, and those that do not show their finding there get one of their own. A clip that was
// recorded among other tests, or after many executions, may count on what those left behind where
// nothing is put back, such as variables of other modules. Its finding is not told then. The test
// is explored again in a process in which it comes first; where that was so already, each execution
// has a process of its own.

// A misfit is why findings of a test are not told: their clips do not show them in a new process.
type misfit struct {
	test, why string // of the first
	clips     []*wire.Clip
}

// checkTime bounds a replay of a clip before its finding is told, which takes no more than twice
// what its test has taken so far, or a moment; what takes longer is told all the same.
const (
	checkTime   = time.Minute
	checkMoment = 5 * time.Second
)

// checkLeft is how long replays of clips of the open test may still take, beside which its
// exploration goes on: in all a minute, or the budget if that is more. heddle predict has more
// findings, and keeps to its budget: they end when half of it has gone by after it.
func (r *packageRun) checkLeft() time.Duration {
	left := max(checkTime, r.o.budget) - r.checked
	if r.o.strategy == engine.PredictUnit && r.o.budget > 0 {
		left = min(left, time.Until(r.begun.Add(r.o.budget+max(checkMoment, r.o.budget/2))))
	}
	return left
}

// realTries is how many replays a clip has that goes by real time: what is outside control does not
// always do the same.
const realTries = 3

// replays reports whether a finding may be told: a new process shows it by its clip, or nothing
// better can be had than its clip.
func (r *packageRun) replays(test string, f *wire.Finding) bool {
	if f.Died && f.FromClip == "" && f.Clip.Policy == "" {
		return r.unconfirmed(test, f, "it ended between two executions")
	}
	if !r.hasOwnClip(f) || r.idle.ctx.Err() != nil || r.shown[f] {
		return true
	}
	c, err := r.clips.asRead(test, f)
	if err != nil {
		return true // keeping it fails too, and tells why
	}
	if r.checkLeft() <= 0 {
		g := *f
		g.Places = slices.Clone(f.Places)
		for i := range g.Places {
			r.clips.resolve(&g.Places[i])
		}
		r.unchecked = append(r.unchecked, g.Name())
		return true
	}
	defer func(began time.Time) { r.checked += time.Since(began) }(time.Now())
	tries := 1
	if f.Real || f.Died {
		tries = realTries
	}
	why := ""
	for range tries {
		if why = r.misses(c, false); why == "" {
			return true
		}
	}
	if (r.o.verbose || r.o.json) && r.misses(c, true) == "" {
		f.Verbose = true
		return true
	}
	if f.Died {
		return r.unconfirmed(test, f, "its clip does not show it in a new process: "+why)
	}
	// auto would explore the test in processes of its own now
	if r.o.isolate == "none" || r.o.isolate == "vars" {
		text := fmt.Sprintf("%s was seen and is not reported, since its clip does not show it in a new process: %s; with -isolate=%s executions see what earlier ones left behind", f.Name(), why, r.o.isolate)
		r.report.Record(&wire.Record{Type: "note", Test: test, Text: text})
		r.lost = "something was seen that a new process does not show"
		return false
	}
	why = fmt.Sprintf("the clip of this: %s does not show it in a new process: %s", f.Name(), why)
	if f.Real || r.processes || r.o.isolate != "auto" {
		r.report.Record(&wire.Record{Type: "note", Test: test, Text: why})
		return true
	}
	if r.misfit == nil {
		r.misfit = &misfit{test: test, why: why}
	}
	r.misfit.clips = append(r.misfit.clips, c)
	return false
}

// endsUnfollowed reports whether an execution in which a goroutine ran on and on comes to its end
// where the package is built without data flow: there loops are up to a hundred times as fast, so a
// third of the time is enough.
func (r *packageRun) endsUnfollowed(test string, f *wire.Finding) bool {
	ctx := r.idle.ctx
	c, err := r.clips.asRead(test, f)
	if err != nil {
		return false
	}
	b, res := r.buildAnew(ctx, build.Config{Lean: r.o.lean(), Symbolic: r.namesOf, Names: r.o.namesAsked()})
	if res == nil {
		return false
	}
	o := *r.o
	o.verbose, o.json, o.failFast, o.hang = false, false, false, r.o.hang/loopFactor
	res.Sites.FindIn(c)
	e := &exploration{tool: r.tool, o: &o, sites: res.Sites, unlink: b.Unlink, launch: r.launch}
	t, err := e.attempt(ctx, &res.Packages[0], c, &o, way{}, true)
	return err == nil && ctx.Err() == nil && t.last != nil && !t.timedOut && !t.showsKind(f.Kind)
}

// mostUnchecked is how many of these are named.
const mostUnchecked = 5

// tellUnchecked names the findings that are told though there was no time to replay their clips.
func (r *packageRun) tellUnchecked(test string) {
	if n := len(r.unchecked); n > 0 {
		text := strings.Join(r.unchecked[:min(n, mostUnchecked)], "; ")
		if n > mostUnchecked {
			text += fmt.Sprintf("; and %d more", n-mostUnchecked)
		}
		r.report.Record(&wire.Record{Type: "note", Test: test, Text: "there was no time (-budget) to replay the clips of these in a new process before they are told: " + text})
	}
	r.unchecked = nil
}

// hasOwnClip reports whether a finding came with a clip that is to be replayed before it is told.
func (r *packageRun) hasOwnClip(f *wire.Finding) bool {
	return f.FromClip == "" && f.Kind != "uncontrolled" && f.Divergence == "" && f.Clip.Policy != "" &&
		r.o.question == nil
}

// showTogether replays the clips of the findings among the records that have come, if there are
// several: in one process, which does nothing else. What a clip does not show there is left for a
// process of its own.
func (r *packageRun) showTogether(recs []*wire.Record) {
	r.shown = nil
	for len(recs) > 0 {
		test := recs[0].Test
		n := slices.IndexFunc(recs, func(rec *wire.Record) bool { return rec.Test != test })
		if n < 0 {
			n = len(recs)
		}
		var fs []*wire.Finding
		for _, rec := range recs[:n] {
			f := rec.Finding
			if rec.Type == "finding" && f != nil && r.hasOwnClip(f) && !f.Real && !f.Died {
				fs = append(fs, f)
			}
		}
		if len(fs) > 1 {
			r.showAll(test, fs)
		}
		recs = recs[n:]
	}
}

// showAll notes which findings of a test a new process shows by their clips.
func (r *packageRun) showAll(test string, fs []*wire.Finding) {
	left := r.checkLeft()
	if left <= 0 || r.idle.ctx.Err() != nil {
		return
	}
	defer func(began time.Time) { r.checked += time.Since(began) }(time.Now())
	var clips []wire.Clip
	var of []*wire.Finding
	for _, f := range fs {
		if c, err := r.clips.asRead(test, f); err == nil {
			clips, of = append(clips, *c), append(of, f)
		}
	}
	if len(clips) == 0 {
		return
	}
	o := *r.o
	o.verbose, o.json, o.failFast = false, false, false
	ctx, cancel := context.WithTimeout(r.idle.ctx, left)
	defer cancel()
	b := r.replaying(r.pkg, &clips[0], &o)
	b.config.Clips, b.config.Brief = clips, true
	i := 0
	b.record = func(rec *wire.Record) {
		if rec.Type != "replayed" || i == len(of) {
			return
		}
		if rec.Result == "finding" && rec.Finding != nil && rec.Finding.Kind == clips[i].Kind {
			if r.shown == nil {
				r.shown = make(map[*wire.Finding]bool)
			}
			r.shown[of[i]] = true
		}
		i++
	}
	b.run(ctx) // an error shows again in the next process
}

// unconfirmed notes the end of a test binary that cannot be shown again: what outside control, or
// earlier executions, have part in it is not known.
func (r *packageRun) unconfirmed(test string, f *wire.Finding, why string) bool {
	r.report.Record(&wire.Record{Type: "note", Test: test,
		Text: fmt.Sprintf("%s; it is not reported, since %s", f.Message, why)})
	r.lost = "the test binary ended in the middle, and nothing shows it again"
	return false
}

// notLost corrects the end of a test in which something was seen that could not be shown again, and
// is not reported.
func (r *packageRun) notLost(rec *wire.Record) {
	if r.lost != "" {
		if rec.Complete = false; len(r.found) == 0 {
			rec.Result = "pass"
		}
		rec.Why = why.Sampled(why.With(why.Lost, "%s", r.lost))
		rec.Reason = rec.Why.String()
	}
	r.lost = ""
}

// misses replays a clip in a new process, with -v or without. It says what happened instead of the
// clip's finding, or nothing if that shows.
func (r *packageRun) misses(c *wire.Clip, verbose bool) string {
	o := *r.o
	o.verbose, o.json, o.failFast = verbose, false, false
	most := min(checkTime, max(checkMoment, 2*time.Since(r.began)), max(checkMoment, r.checkLeft()))
	ctx, cancel := context.WithTimeout(r.idle.ctx, most)
	defer cancel()
	t, err := r.attempts(ctx, r.pkg, c, &o, true, true)
	switch {
	case err != nil || ctx.Err() != nil || t.timedOut:
		return "" // that says nothing about the clip
	case t.last == nil:
		return "it ended too soon"
	case t.last.Result == "diverged" || t.last.Result == "unusable":
		return t.last.Reason
	case t.last.Finding == nil:
		return "it shows nothing wrong"
	case t.last.Finding.Kind != c.Kind:
		return "it shows this: " + t.last.Finding.Name()
	}
	return ""
}

// refit ends an exploration that had a misfit: the test is explored in another way instead.
func (r *packageRun) refit() {
	m := r.misfit
	r.open, r.executions, r.misfit = "", 0, nil
	if r.heir {
		r.exploreFirst(m.test)
		return
	}
	r.finished = append(r.finished, m.test)
	to := moved{test: m.test, why: &wire.Record{Type: "isolate", Test: m.test,
		Text: m.why + engine.InProcesses}}
	for _, c := range m.clips {
		if s, err := engine.Rejoining(c); err == nil {
			to.first = append(to.first, s)
		}
		to.visible = append(to.visible, c.Visible...)
	}
	r.move(to)
}

// replayApart replays the clips of a test that were recorded under other settings than those of the
// command line, such as one of its subtests alone, each in a process of its own.
func (r *packageRun) replayApart(test string) {
	var others []*wire.Clip
	for _, c := range r.apart {
		if c.Test != test {
			others = append(others, c)
			continue
		}
		o := *r.o
		o.set, o.run, o.skip, o.verbose, o.json, o.failFast = nil, "", "", false, false, false
		ctx, cancel := context.WithTimeout(r.idle.ctx, checkTime)
		t, err := r.attempts(ctx, r.pkg, c, &o, c.Same, false)
		late := ctx.Err() != nil
		cancel()
		switch {
		case err != nil || late || t.last == nil:
		case t.last.Finding != nil:
			f := t.last.Finding
			f.FromClip, f.Clip, f.Switches = c.Path, *c, clip.Switches(c)
			if r.finding(test, f) {
				r.found = append(r.found, *f)
				r.tell(test, f) // the exploration of the whole test may come upon it too
			}
		case t.last.Result == "unusable":
			r.report.Record(&wire.Record{Type: "note", Test: test, Text: c.Path + ": " + t.last.Reason})
		case t.last.Result == "diverged" && !c.Same && r.o.verbose:
			r.report.Record(&wire.Record{Type: "note", Test: test,
				Text: c.Path + " no longer fits the code: " + t.last.Reason})
		}
	}
	r.apart = others
}
