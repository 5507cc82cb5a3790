package main

import (
	"context"
	"flag"
	"strings"
	"testing"
)

var (
	large = flag.Bool("large", false, "all rows of Table 4")
	huge  = flag.Bool("huge", false, "six philosophers too: 901,752 executions")
)

// TestTable4 explores the programs of Lei & Carver with reachability testing:
// the numbers of executions are exact, no run is partial, and of the
// philosophers who deadlock one execution does.
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
	found, err := b.search(context.Background(), "reach", counts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		s := found[c.test]
		if s == nil {
			t.Errorf("%s: not explored", c.test)
			continue
		}
		if s.executions != c.want || !s.complete {
			t.Errorf("%s: %d executions, complete %v (%s); want %d", c.test, s.executions, s.complete, s.reason, c.want)
		}
		if strings.HasPrefix(c.test, "TestDPDeadlock") {
			if len(s.findings) != 1 || s.findings[0].Kind != "deadlock" {
				t.Errorf("%s: %d findings, want a deadlock", c.test, len(s.findings))
			}
		} else if len(s.findings) > 0 {
			t.Errorf("%s: %s", c.test, s.findings[0].Message)
		}
	}
}
