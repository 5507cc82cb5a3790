package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/report/cause"
	"heddle/rt/wire"
)

// A Package prints the results of one test binary.
type Package struct {
	r     *Reporter
	path  string
	held  strings.Builder // its text, while an earlier package prints
	after strings.Builder // text of packages that started later and have ended
	openTest
	later  []openTest // postponed tests
	done   bool       // the test binary reported its end
	failed bool
	result *Result
}

// An openTest is a test that is being explored.
type openTest struct {
	open  *TestResult
	notes []string
	subs  *subtests // with -json
}

// Postpone sets a test aside until a later begin record resumes it.
func (p *Package) Postpone(test string) {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if p.open != nil && p.open.Name == test {
		p.later = append(p.later, p.openTest)
		p.openTest = openTest{}
	}
}

// resume resumes a postponed test.
func (p *Package) resume(test string) bool {
	for i, t := range p.later {
		if t.open.Name == test {
			p.openTest = t
			p.later = append(p.later[:i], p.later[i+1:]...)
			return true
		}
	}
	return false
}

// Record takes a record of the test binary. A finding that is kept in a clip goes to Finding
// instead.
func (p *Package) Record(rec *wire.Record) {
	if rec.Type == "finding" || rec.Type == "replayed" && rec.Finding != nil {
		p.Finding(rec.Test, rec.Finding, rec.Finding.Clip.Path)
		return
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	switch rec.Type {
	case "begin":
		p.begin(rec.Test)
	case "output":
		p.output(rec)
	case "progress":
		if p.open != nil && p.open.Name == rec.Test {
			p.open.Executions, p.open.Elapsed = rec.Executions, rec.Elapsed
		}
		p.r.status.progress(rec)
		p.r.draw()
	case "note", "replayed":
		p.note(rec)
	case "verdict":
		p.verdict(rec)
	case "predicted":
		p.predicted(rec)
	case "coverage":
		p.coverage(rec)
	case "end":
		p.test(rec.Test)
		p.endTest(rec)
	case "done":
		p.done = true
	}
}

// Output prints output of the test binary outside its tests.
func (p *Package) Output(text string) {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if text != "" {
		p.text("", text)
	}
}

// Known reports whether f is a data race between lines for which a race was already reported in
// this test. x++ in two goroutines has three races (read and write twice, two writes) and is one
// bug. The same holds for all accesses within the standard library that two lines of the user lead
// to.
func (p *Package) Known(test string, f *wire.Finding) bool {
	if f.Kind != "data race" {
		return false
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	lines := func(f *wire.Finding) string {
		var at []string
		for _, q := range f.Places {
			if u, ok := p.r.caller(q, f.Stacks); ok {
				q = u
			}
			at = append(at, fmt.Sprintf("%s:%d %s", p.r.short(q.File), q.Line, q.Object))
		}
		slices.Sort(at)
		return strings.Join(at, " ")
	}
	want := lines(p.r.resolve(f))
	return p.open != nil && p.open.Name == test &&
		slices.ContainsFunc(slices.Concat(p.open.Findings, p.open.Known), func(old Finding) bool {
			return old.Kind == f.Kind && lines(old.Finding) == want
		})
}

// Finding reports a finding of an execution of test, and the path of its clip or "". A clip that
// no longer fits the code is no failure.
func (p *Package) Finding(test string, f *wire.Finding, clipPath string) {
	r := p.r
	r.mu.Lock()
	defer r.mu.Unlock()
	t := p.test(test)
	res := Finding{Finding: r.resolve(f), ClipPath: r.short(clipPath)}
	if res.Known = p.knownBy(test, res.Finding); res.Known != "" {
		if r.o.JSON {
			r.jsonLine(r.findingEvent(p.path, test, res))
		}
		t.Known = append(t.Known, res)
		return
	}
	if staleClip(f) {
		if r.o.JSON {
			r.jsonLine(r.findingEvent(p.path, test, res))
		}
		p.notes = append(p.notes, stale(res))
		return
	}
	res.index = r.causes.Add(cause.Finding{Finding: res.Finding, Package: p.path, Test: test,
		Explained: r.explained(&res).Cause})
	t.Findings = append(t.Findings, res)
	r.status.findings++
	r.draw()
}

// Result returns the results of the package. After End it does not change.
func (p *Package) Result() *Result { return p.result }

// Failed reports whether there was a failure so far.
func (p *Package) Failed() bool {
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	return p.failed || p.open != nil && len(p.open.Findings) > 0 ||
		slices.ContainsFunc(p.later, func(t openTest) bool { return len(t.open.Findings) > 0 })
}

// End ends the package. err says how the test binary ended, if not with exit code 0.
func (p *Package) End(elapsed time.Duration, err error) {
	r := p.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.open != nil {
		p.cutShort(err)
	}
	for len(p.later) > 0 {
		p.resume(p.later[0].open.Name)
		p.cutShort(err)
	}
	if err != nil {
		if !p.failed { // otherwise its tests have said why
			p.result.Error = err.Error()
		}
		p.failed = true
	}
	seconds := elapsed.Seconds()
	line := fmt.Sprintf("\t%s\t%.3fs", p.path, seconds)
	verdict := "pass"
	switch {
	case p.failed && r.o.Asks && p.result.Error == "":
		verdict = "fail"
		p.text("", "ok  "+line+"\n")
	case p.failed:
		verdict = "fail"
		p.text("", r.red("FAIL")+"\n")
		if p.result.Error != "" {
			p.text("", clean(p.result.Error)+"\n")
		}
		p.text("", r.red("FAIL")+line+"\n")
	default:
		if r.o.Verbose || r.o.JSON {
			p.text("", "PASS\n")
		}
		if p.result.cached() {
			line = fmt.Sprintf("\t%s\t(cached)", p.path)
		}
		if len(p.result.Tests) == 0 {
			line += " [no tests to run]"
		}
		p.text("", "ok  "+line+"\n")
	}
	p.ended(verdict, seconds, "")
}

// cutShort ends the open test of a binary that has ended.
func (p *Package) cutShort(err error) {
	why := "the test binary ended in the middle of this test (os.Exit?)"
	if err != nil {
		why = "the test binary ended in the middle of this test: " + err.Error()
	}
	if len(p.open.Findings) > 0 {
		p.notes = append(p.notes, why)
	}
	p.endTest(&wire.Record{Test: p.open.Name, Result: "fail", Reason: why, Executions: p.open.Executions,
		Elapsed: p.open.Elapsed})
}

// ended removes the package from the queue and lets the next one print.
func (p *Package) ended(verdict string, seconds float64, failedBuild string) {
	r := p.r
	p.result.Elapsed = seconds
	p.result.Failed = verdict == "fail"
	if p.failed {
		r.failed = true
	}
	if r.o.JSON {
		r.event(event{Action: verdict, Package: p.path, Elapsed: &seconds, FailedBuild: failedBuild})
	}
	for i, q := range r.queue {
		if q == p {
			r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
			if i > 0 {
				r.queue[i-1].after.WriteString(p.held.String() + p.after.String())
				return
			}
			break
		}
	}
	r.print(p.after.String())
	if len(r.queue) > 0 {
		r.print(r.queue[0].held.String())
		r.queue[0].held.Reset()
	}
}

// text prints s, whole lines, as output of a test, or of the package if test is "".
func (p *Package) text(test, s string) {
	switch r := p.r; {
	case r.o.JSON:
		for line := range lines(s) {
			r.event(event{Action: "output", Package: p.path, Test: test, Output: &line})
		}
	case len(r.queue) == 0 || r.queue[0] == p:
		r.print(s)
	default:
		p.held.WriteString(s)
	}
}

// print writes s to Out after it has cleared the status line.
func (r *Reporter) print(s string) {
	if s == "" {
		return
	}
	r.status.clear(r.o.Status)
	io.WriteString(r.o.Out, s)
}

// test returns the open test of that name. If its begin record was lost, test opens it.
func (p *Package) test(name string) *TestResult {
	if p.open == nil || p.open.Name != name {
		p.begin(name)
	}
	return p.open
}

func (p *Package) begin(name string) {
	if p.open != nil {
		p.cutShort(nil)
	}
	if p.resume(name) {
		return
	}
	p.open = &TestResult{Name: name}
	p.notes = nil
	p.result.Tests = append(p.result.Tests, p.open)
	p.r.status.test = name
	p.r.status.progress(&wire.Record{Test: name})
	if p.r.o.JSON {
		p.r.event(event{Action: "run", Package: p.path, Test: name})
		p.subs = &subtests{p: p, test: name, current: name}
	}
	if p.r.o.Verbose || p.r.o.JSON {
		p.text(name, "=== RUN   "+name+"\n")
	}
	p.r.draw()
}

func (p *Package) output(rec *wire.Record) {
	t := p.test(rec.Test)
	t.Output += rec.Text
	switch {
	case p.r.o.JSON:
		p.subs.output(rec.Text)
	case p.r.o.Verbose:
		p.text(t.Name, ownLines(t.Name, rec.Text))
	}
}

// note stores a note for the end of its test. A note without a test is printed at once.
func (p *Package) note(rec *wire.Record) {
	if rec.Type == "replayed" {
		if p.r.o.Verbose && rec.Test != "" {
			p.test(rec.Test)
			p.notes = append(p.notes, "a clip was followed and nothing was wrong: "+clean(rec.Reason))
		}
		return
	}
	text := p.r.noteText(rec)
	if p.open == nil || rec.Test != p.open.Name {
		p.text("", "note: "+clean(text)+"\n")
		return
	}
	if !slices.Contains(p.notes, text) { // with -isolate=process a test begins several times
		p.notes = append(p.notes, text)
	}
}

// noteText returns a note with its place.
func (r *Reporter) noteText(rec *wire.Record) string {
	text := rec.Reason
	if text == "" {
		text = rec.Text
	}
	text = r.marked(text)
	if r.o.Dir != "" { // shortens paths in the text
		text = strings.ReplaceAll(text, r.o.Dir+string(filepath.Separator), "")
	}
	if rec.Place != nil {
		p := *rec.Place
		r.o.Resolve(&p)
		if pos := r.position(p); pos != "" && !strings.Contains(text, pos) {
			text += " (" + pos + ")"
		}
	}
	return text
}

// endTest prints the verdict of the open test.
func (p *Package) endTest(rec *wire.Record) {
	r, t := p.r, p.open
	t.Executions, t.Elapsed = rec.Executions, rec.Elapsed
	t.Covering = cmp.Or(rec.Covering, rec.Executions)
	t.Complete, t.Strategy, t.Reason, t.Why, t.Estimate = rec.Complete, rec.Strategy, rec.Reason, rec.Why,
		rec.Estimate
	t.Result, t.Notes, t.Cached = rec.Result, p.notes, rec.Cached
	if len(t.Findings) > 0 {
		t.Result = "fail"
	}
	if t.Result == "" || t.Result == "fail" && len(t.Known) > 0 && len(t.Findings) == 0 {
		t.Result = "pass"
	}
	if t.Result == "fail" {
		p.failed = true
		t.Complete = t.Complete && len(t.Findings) > 0
	}
	if r.o.JSON {
		p.subs.flush()
	}
	p.settle(t)
	p.text(t.Name, r.verdict(t, p.notes))
	if r.o.JSON {
		p.subs.end()
		r.event(event{Action: t.Result, Package: p.path, Test: t.Name, Elapsed: &t.Elapsed})
		r.jsonLine(summaryEvent{"summary", p.path, t.Name, t.Strategy, t.Executions, t.Complete,
			len(t.Findings) + len(t.Known), t.Elapsed, t.Why.Code(t.Complete || t.Result == "skip"), t.Reason,
			len(t.Known), t.Cached, t.Why.Within, t.Why.EarlyFailures})
	}
	r.status.ended(rec)
	r.status.over(p.path, t)
	p.openTest = openTest{}
	r.draw()
}

// staleClip reports whether f only says that a clip no longer fits the code.
func staleClip(f *wire.Finding) bool {
	return f.FromClip != "" && (f.Kind == "divergence" || f.Divergence != "")
}
