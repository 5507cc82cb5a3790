package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// ofTests returns a reporter with results, as they are at the end of a run.
func ofTests(out *bytes.Buffer, o Options, tests ...*TestResult) *Reporter {
	now := time.Unix(1000, 0)
	o.Out, o.Now = out, func() time.Time { return now }
	r := New(o)
	r.results = []*Result{{Package: "a", Tests: tests[:1]}, {Package: "b", Tests: tests[1:]},
		{Package: "none"}}
	now = now.Add(41 * time.Second)
	return r
}

func TestSummary(t *testing.T) {
	race := Finding{Finding: &wire.Finding{Kind: "data race"}, Cause: "1"}
	same := Finding{Finding: &wire.Finding{Kind: "panic"}, Cause: "1"}
	other := Finding{Finding: &wire.Finding{Kind: "data race"}, Cause: "2"}
	sampled := func(c why.Code, seconds float64) *TestResult {
		return &TestResult{Name: "TestS", Result: "pass", Elapsed: seconds, Why: why.Sampled(why.Of(c))}
	}
	tests := []*TestResult{
		{Name: "TestA", Result: "pass", Complete: true, Elapsed: 0.01},
		{Name: "TestB", Result: "pass", Complete: true, Elapsed: 0.2},
		{Name: "TestC", Result: "pass", Complete: true, Known: []Finding{race}},
		{Name: "TestD", Result: "fail", Findings: []Finding{race, same, other}, Elapsed: 9},
		{Name: "TestE", Result: "skip"},
		{Name: "TestF", Result: "pass", Why: why.Bare(why.Of(why.Alone))},
		sampled(why.HeldBack, 1), sampled(why.HeldBack, 2), sampled(why.StepBound, 3), sampled(why.Hidden, 4),
		sampled(why.Lost, 5), sampled(why.Hidden, 6), {Name: "TestG", Result: "pass"},
	}
	var out bytes.Buffer
	ofTests(&out, Options{}, tests...).Close()
	want := `13 tests in 2 packages (41s): 11 ok (2 covered, 1 covered but for known findings, 1 without concurrency, ` +
		`7 sampled), 1 failed, 1 skipped
    findings  2 data races, 1 panic, of 2 causes; 1 known finding left out
    sampled   2: ` + ReasonOf(why.HeldBack).Means + `
              to change it: ` + ReasonOf(why.HeldBack).Change + `
              2: ` + ReasonOf(why.Hidden).Means + `
              to change it: ` + ReasonOf(why.Hidden).Change + `
              1: ` + ReasonOf(why.Lost).Means + `
              to change it: ` + ReasonOf(why.Lost).Change + `
    slowest   TestD 9.0s, TestS 6.0s, TestS 5.0s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	// -v adds, and changes nothing
	var verbose bytes.Buffer
	ofTests(&verbose, Options{Verbose: true}, tests...).Close()
	for line := range strings.Lines(want) {
		if !strings.Contains(verbose.String(), strings.TrimSuffix(line, "\n")) {
			t.Errorf("with -v there is no %q in\n%s", line, verbose.String())
		}
	}
	for name, c := range map[string]struct {
		o     Options
		tests []*TestResult
	}{"JSON": {Options{JSON: true}, tests}, "one test": {Options{}, tests[:1]},
		"a question": {Options{Asks: true}, tests}} {
		out.Reset()
		if ofTests(&out, c.o, c.tests...).Close(); out.Len() > 0 {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

// TestProgress: how many tests are over, and how long the others take.
func TestProgress(t *testing.T) {
	var out, err bytes.Buffer
	now := time.Unix(1000, 0)
	r := New(Options{Out: &out, Err: &err, Now: func() time.Time { return now }})
	r.Expect(map[string]float64{"p TestA": 10, "p TestB": 0, "p TestC": 30}, 2)
	if _, ok := r.status.left(); ok {
		t.Error("nothing is known of TestB, and no test is over")
	}
	if got := strings.Join(r.status.whole(), " "); got != "0 of 3 tests" {
		t.Error(got)
	}
	p := r.Package("p")
	end := func(test string, seconds float64) {
		p.Record(&wire.Record{Type: "begin", Test: test})
		p.Record(&wire.Record{Type: "end", Test: test, Elapsed: seconds})
	}
	end("TestA", 20)
	if left, ok := r.status.left(); !ok || left != (20+30)/2 {
		t.Errorf("%v %v left", left, ok)
	}
	if err.Len() > 0 {
		t.Errorf("told too early: %s", err.String())
	}
	now = now.Add(61 * time.Second)
	end("TestB", 1)
	if got := err.String(); got != "heddle: 1 of 3 tests, about 25s left, 0 findings\n" &&
		got != "heddle: 2 of 3 tests, about 15s left, 0 findings\n" {
		t.Errorf("%q", got)
	}
	end("TestC", 1)
	end("TestUnknown", 1)
	if got := strings.Join(r.status.whole(), " "); got != "3 of 3 tests" {
		t.Error(got)
	}
}
