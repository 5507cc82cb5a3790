package main

import (
	"context"
	"fmt"
	"time"

	"heddle/clip"
	"heddle/engine"
	"heddle/explore/why"
	"heddle/predict"
	"heddle/rt/wire"
)

// What is told has a clip that shows it again: every clip is replayed, as heddle replay does it, in
// a new process before its finding is told. One that was recorded among other tests, or after many
// executions, may count on what those left behind where nothing is put back, such as variables of
// other modules. Its finding is not told then. The test is explored again in a process in which it
// comes first; where that was so already, each execution has a process of its own.

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

// checkAll bounds the replays of all clips of a test, beside which its exploration goes on: a
// minute, or the budget if that is more.
func (r *packageRun) checkAll() time.Duration { return max(checkTime, r.o.budget) }

// realTries is how many replays a clip has that goes by real time: what is outside control does not
// always do the same.
const realTries = 3

// replays reports whether a finding may be told: a new process shows it by its clip, or nothing
// better can be had than its clip.
func (r *packageRun) replays(test string, f *wire.Finding) bool {
	if f.Died && f.FromClip == "" && f.Clip.Policy == "" {
		return r.unconfirmed(test, f, "it ended between two executions")
	}
	if f.FromClip != "" || f.Kind == "uncontrolled" || f.Divergence != "" || f.Clip.Policy == "" ||
		r.o.question != nil || r.idle.ctx.Err() != nil {
		return true
	}
	c, err := r.clips.asRead(test, f)
	if err != nil {
		return true // keeping it fails too, and tells why
	}
	if r.checked > r.checkAll() {
		r.report.Record(&wire.Record{Type: "note", Test: test,
			Text: fmt.Sprintf("the clip of this was not replayed in a new process before it is told, since those before it took %v: %s", r.checkAll(), f.Name())})
		return true
	}
	defer func(began time.Time) { r.checked += time.Since(began) }(time.Now())
	tries := 1
	if f.Real || f.Died {
		tries = realTries
	}
	why := ""
	if showsAtOnce(c) && r.misses(c, false, len(c.Steps)+stepsMore) == "" {
		return true
	}
	for range tries {
		if why = r.misses(c, false, 0); why == "" {
			return true
		}
	}
	if (r.o.verbose || r.o.json) && r.misses(c, true, 0) == "" {
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

// stepsMore is after how many steps more than a long clip has its replay is ended: what it is to
// show has shown by then.
const stepsMore = 10_000

// showsAtOnce reports whether what a long clip is to show shows while its steps are made, whatever
// comes after them.
func showsAtOnce(c *wire.Clip) bool {
	switch c.Kind {
	case predict.DataRace, predict.Atomicity, predict.Serializability:
		return len(c.Steps) > stepsLong
	}
	return false
}

// stepsLong is from how many steps on a clip is a long one.
const stepsLong = 200

// misses replays a clip in a new process, with -v or without. It says what happened instead of the
// clip's finding, or nothing if that shows. steps bounds the execution, if not 0.
func (r *packageRun) misses(c *wire.Clip, verbose bool, steps int) string {
	o := *r.o
	if steps > 0 && (o.steps == 0 || steps < o.steps) {
		o.steps = steps
	}
	o.verbose, o.json, o.failFast = verbose, false, false
	ctx, cancel := context.WithTimeout(r.idle.ctx, min(checkTime, max(checkMoment, 2*time.Since(r.began))))
	defer cancel()
	t, err := r.attempts(ctx, r.pkg, c, &o, true)
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
		t, err := r.attempts(ctx, r.pkg, c, &o, c.Same)
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
