package report

import (
	"strings"
	"testing"
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// The status line of a search says which share of it is done and how long the rest takes.
func TestStatusTellsShareOfASearch(t *testing.T) {
	s := status{}
	s.progress(&wire.Record{Test: "TestX", Executions: 1500, Elapsed: 0.5, Estimate: 6104})
	line := s.line(s.begin.Add(time.Second), 0)
	for _, want := range []string{"1,500 executions", "25% of about 6,100", "1.5s left"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q does not say %q", line, want)
		}
	}
	s.ended(&wire.Record{Executions: 6000})
	if line := s.line(s.begin.Add(time.Second), 0); strings.Contains(line, "about") {
		t.Errorf("%q speaks of a search that is over", line)
	}
}

func TestAboutRoundsToTwoDigits(t *testing.T) {
	for n, want := range map[float64]string{7: "7", 64: "64", 218243: "220,000", 1.26e9: "1.3e+09"} {
		if got := about(n); got != want {
			t.Errorf("about(%g) = %s, want %s", n, got, want)
		}
	}
}

// The verdict of an incomplete search never reads like a proof, and says how far the search came.
func TestSampledSearchSaysHowFarItCame(t *testing.T) {
	got := covered(&TestResult{Executions: 1000, Elapsed: 2, Estimate: 50400,
		Why: why.Sampled(why.Of(why.NotAll))})
	if !strings.Contains(got, "sampled of about 50,000 interleavings, which take 1m41s, 2.0s") ||
		strings.Contains(got, "covered") {
		t.Error(got)
	}
}
