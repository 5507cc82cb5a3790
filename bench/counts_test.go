package main

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
)

var (
	large = flag.Bool("large", false, "all rows of Table 4")
	huge  = flag.Bool("huge", false, "six philosophers too: 901,752 executions")
)

// TestTable4 explores the programs of Lei & Carver with both strategies. The numbers of executions
// are exact, no execution is partial, and exactly one execution of the philosophers with a
// deadlock does deadlock. A sequence of reach is a trace of dpor: docs/design/dpor.md says why.
func TestTable4(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	counts := smallCounts
	if *large || *huge {
		counts = append(counts[:len(counts):len(counts)], largeCounts...)
	}
	if *huge {
		counts = append(counts, hugeCounts...)
	}
	b, err := buildRichTest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, strategy := range []string{"reach", "dpor"} {
		found, err := b.search(context.Background(), strategy, counts)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range counts {
			c.check(t, strategy, found[c.test])
		}
	}
}

// check checks the result of the search of c.
func (c count) check(t *testing.T, strategy string, s *search) {
	if s == nil {
		t.Errorf("%s by %s: not explored", c.test, strategy)
		return
	}
	if s.executions != c.want || !s.complete {
		t.Errorf("%s by %s: %d executions, complete %v (%s); want %d", c.test, strategy, s.executions,
			s.complete, s.reason, c.want)
	}
	if strings.HasPrefix(c.test, "TestDPDeadlock") {
		if len(s.findings) != 1 || s.findings[0].Kind != "deadlock" {
			t.Errorf("%s by %s: %d findings, want a deadlock", c.test, strategy, len(s.findings))
		}
	} else if len(s.findings) > 0 {
		t.Errorf("%s by %s: %s", c.test, strategy, s.findings[0].Message)
	}
}

// TestFib covers Fib of Kähkönen et al.
func TestFib(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	b, err := buildPrograms(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	counts := fibCounts[:1]
	if *large || *huge {
		counts = fibCounts
	}
	for _, c := range counts {
		for _, strategy := range []string{"dpor", "reach"} {
			found, err := b.runs(context.Background(), "^"+c.test+"$", strategy, true, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			r := found[c.test]
			if r.Executions != c.want || c.want <= 100_000 && r.Distinct != c.want {
				t.Errorf("%s by %s: %+v, want %d executions, none equivalent to another", c.test, strategy, r,
					c.want)
			}
		}
	}
}

// TestExactlyOnce collects the executions of searches independently of the strategies, and finds
// no two equivalent ones. Neither strategy takes more memory than the paper's tool without a
// history, where the paper says how much that was.
func TestExactlyOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	b, err := buildRichTest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	counts := smallCounts
	if *large {
		counts = append(counts[:len(counts):len(counts)], largeCounts...)
	}
	var names []string
	for _, c := range counts {
		names = append(names, c.test)
	}
	for _, strategy := range []string{"reach", "dpor"} {
		found, err := b.runs(context.Background(), "^("+strings.Join(names, "|")+")$", strategy, false, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range counts {
			if r := found[c.test]; r == nil || r.Executions != c.want || r.Distinct != c.want {
				t.Errorf("%s by %s: %+v; want %d executions, none equivalent to another", c.test, strategy, r,
					c.want)
			} else if goal, ok := goalMemory[c.test]; ok && float64(int64(r.After-r.Before)) > goal*1e6 {
				t.Errorf("%s by %s: %d bytes held, want %g MB at most", c.test, strategy,
					int64(r.After-r.Before), goal)
			}
		}
	}
}

// TestReductions explores with the reductions of sections 7 and 8 of the paper.
func TestReductions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	b, err := buildRichTest(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := reductions(b.replies(t))
	if *large {
		all = append(all, largeReductions...)
	}
	for _, r := range all {
		found, err := b.explore(context.Background(), "reach", []string{r.test}, r.set)
		if err != nil {
			t.Fatal(err)
		}
		s := found[r.test]
		switch {
		case s == nil:
			t.Errorf("%s: not explored", r.test)
		case s.executions < r.least || s.executions > r.most:
			t.Errorf("%s: %d executions (%s), want %d to %d", r.test, s.executions, s.reason, r.least, r.most)
		case len(s.findings) > 0:
			t.Errorf("%s: %s", r.test, s.findings[0].Message)
		}
	}
}

// replies returns the sites at which DME makes the channels for its replies.
func (b *binary) replies(t *testing.T) (sites []uint64) {
	text, err := os.ReadFile("programs/richtest/dme.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "make(chan struct{}, 1)")
	for _, s := range b.sites.At("richtest/dme.go", strings.Count(before, "\n")+1, "alloc") {
		sites = append(sites, uint64(s.Plain()))
	}
	if len(sites) == 0 {
		t.Fatal("no line of dme.go makes channels for replies")
	}
	return sites
}
