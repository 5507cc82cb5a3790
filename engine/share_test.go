package engine

import (
	"testing"
	"time"

	"heddle/engine/judge"
	"heddle/rt/wire"
	"heddle/trace"
)

// A finding that hides no others leaves a test a fair share of its budget, one that every
// execution shows and that ends it does not.
func TestFairShare(t *testing.T) {
	const budget = 10 * time.Second
	finding := func(kind string) []*wire.Finding { return []*wire.Finding{{Kind: kind}} }
	for _, c := range []struct {
		kind       string
		everywhere bool
		want       time.Duration
	}{
		{judge.Race, true, budget / fairShare}, {judge.Leak, true, budget / fairShare},
		{judge.Misuse, true, budget / fairShare},
		{judge.Panic, true, moreAfter}, {judge.TestFailure, true, moreAfter},
		{judge.Deadlock, true, moreAfter},
		{judge.Deadlock, false, budget / fairShare}, {judge.TestFailure, false, budget / fairShare},
	} {
		if got := After(time.Millisecond, budget, hides(finding(c.kind), c.everywhere)); got != c.want {
			t.Errorf("%s, in every execution %v: %v more, want %v", c.kind, c.everywhere, got, c.want)
		}
	}
	if got := After(time.Millisecond, 24*time.Hour, false); got != mostShare {
		t.Errorf("of a budget of a day: %v more, want %v", got, mostShare)
	}
	if got := After(budget, budget, true); got != afterFinding*budget {
		t.Errorf("after as long as the budget: %v more", got)
	}
}

// Each finding that hides no others gives a test another while, within its budget; others do not,
// and none shortens what it has.
func TestHasten(t *testing.T) {
	e := newBudget(t.Context(), &wire.Config{Budget: int64(time.Hour)})
	end := e.start.Add(time.Hour)
	e.deadline = end
	e.hasten(true, true)
	first := e.deadline
	if d := time.Until(first); d > time.Minute {
		t.Errorf("%v more after a finding that hides others", d)
	}
	e.hasten(false, false)
	second := e.deadline
	if !second.After(first.Add(mostShare/2)) || second.After(end) {
		t.Errorf("%v more after one that hides none", time.Until(second))
	}
	e.hasten(false, true)
	if e.deadline != second {
		t.Error("a later finding that hides others has changed the deadline")
	}
	e.allotted = time.Now().Add(time.Minute)
	e.deadline = e.start
	e.hasten(false, false)
	if e.deadline.After(e.allotted) {
		t.Error("a test goes on for longer than its budget")
	}
}

// A replay that time or memory has ended is not called clean.
func TestReplayCut(t *testing.T) {
	for v, want := range map[trace.Verdict]string{trace.Finished: "clean", trace.Expired: "diverged",
		trace.Filled: "diverged", trace.Deadlocked: "clean"} {
		result, reason := uncut(&trace.Trace{Verdict: v}, 3)
		if result != want || (reason == "") != (want == "clean") {
			t.Errorf("%v: %s, %q, want %s", v, result, reason, want)
		}
	}
}
