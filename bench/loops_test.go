package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"heddle/engine/judge"
	"heddle/rt/wire"
)

const (
	loops = "heddle/bench/programs/loops"
	waits = "heddle/bench/programs/waits"
)

// A loopRow is a program that waits or retries in loops: how many executions it has without
// iterations that failed, counted by hand or published for GenMC; 0: not known. kind is the finding
// that there is.
type loopRow struct {
	test       string
	executions int
	kind       string
}

var loopRows = []loopRow{
	{"TestTicket3", 6, ""},
	{"TestTicket4", 24, ""},
	{"TestTicket5", 120, ""},
	{"TestTicketBuggy", 0, judge.Livelock},
	{"TestSpin3", 6, ""},
	{"TestSpin4", 24, ""},
	{"TestSpinBuggy", 0, judge.Livelock},
	{"TestSpinRace", 0, judge.Race},
	{"TestTestAndSet3", 36, ""},
	{"TestTryLock3", 6, ""},
	{"TestTryOnce", 0, judge.TestFailure},
	{"TestFlag", 1, ""},
	{"TestPublished", 1, ""},
	{"TestPublishedRace", 0, judge.Race},
	{"TestSeenByFailure", 0, judge.Race},
	{"TestRaceInIteration", 0, judge.Race},
	{"TestPassingValue", 0, judge.Livelock},
	{"TestMissedValue", 0, judge.Livelock},
	{"TestEitherValue", 2, ""},
	{"TestPassingSecond", 0, judge.TestFailure},
	{"TestPolledChannel", 1, ""},
	{"TestIncrement2", 2, ""},
	{"TestIncrement3", 6, ""},
	{"TestIncrement4", 24, ""},
	{"TestIncrementBuggy", 0, judge.TestFailure},
	{"TestQueue22", 158, ""},
	{"TestQueue31", 666, ""},
	{"TestGivesUp", 0, judge.TestFailure},
	{"TestLibrary", 1, ""},
	{"TestCounted", 1, ""},
	{"TestUnderMutex", 1, ""},
	{"TestUnderMutexBuggy", 0, judge.Livelock},
	{"TestElsewhere", 1, ""},
	{"TestAsksClock", 1, ""},
	{"TestGetter", 2, ""},
	{"TestGetterBuggy", 0, judge.Livelock},
	{"TestGettersBuggy", 0, judge.Livelock},
	{"TestReader", 1, ""},
	{"TestWrittenByReader", 1, ""},
	{"TestWrittenByReaderRace", 0, judge.Race},
	{"TestTriedBuggy", 0, judge.TestFailure},
	{"TestTwoLocks", 1, ""},
	{"TestTwoLocksBuggy", 0, judge.Deadlock},
	{"TestOlderVariable", 1, ""},
	{"TestOlderVariableBuggy", 0, judge.TestFailure},
	{"TestOlderError", 2, ""},
	{"TestOlderErrorBuggy", 0, judge.TestFailure},
	{"TestHandedOver", 1, ""},
	{"TestHandedOverRace", 0, judge.Race},
	{"TestOrderOfFailure", 0, judge.Race},
	{"TestContext", 0, ""},
	{"TestContextBuggy", 0, judge.Livelock},
	{"TestClosed", 1, ""},
	{"TestClosedBuggy", 0, judge.TestFailure},
	{"TestTook", 1, ""},
}

// The first section, which ends before a loop that begins with its lock held can wait, is an event.
var waitRows = []loopRow{
	{"TestHeld", 2, ""},
	{"TestHeldBuggy", 0, judge.TestFailure},
	{"TestHeldNeverBuggy", 0, judge.Livelock},
	{"TestHeldTwo", 0, ""},
	{"TestHeldTwoBuggy", 0, judge.Livelock},
	{"TestTry", 6, ""},
	{"TestTryBuggy", 0, judge.TestFailure},
	{"TestSelect", 1, ""},
	{"TestSelectBuggy", 0, judge.Race},
	{"TestLen", 6, ""},
	{"TestLenBuggy", 0, judge.Livelock},
	{"TestBackoff", 0, ""},
	{"TestBackoffBuggy", 0, judge.TestFailure},
	{"TestMap", 0, ""},
	{"TestMapBuggy", 0, judge.TestFailure},
	{"TestHeldSleep", 0, ""},
	{"TestSleep", 0, ""},
	{"TestLenSleep", 0, ""},
	{"TestSelectWork", 0, ""},
	{"TestAttempts", 0, ""},
	{"TestFunction", 6, ""},
	{"TestFunctionBuggy", 0, judge.Livelock},
	{"TestFunctionCountsBuggy", 0, judge.TestFailure},
}

// TestLoops explores them by dpor.
func TestLoops(t *testing.T) {
	exploreLoops(t, loops, loopRows)
	exploreLoops(t, waits, waitRows)
}

func exploreLoops(t *testing.T, pkg string, rows []loopRow) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	t.Setenv("HEDDLE_BENCH", "1")
	b, err := buildPackage(context.Background(), pkg, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.test)
	}
	found, err := b.explore(context.Background(), "dpor", names, func(c *wire.Config) {
		c.Package, c.Budget, c.Race = pkg, int64(time.Minute), true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		s := found[r.test]
		if s == nil || !s.complete || r.executions > 0 && s.executions != r.executions {
			t.Errorf("%s: %+v; want all, by %d executions", r.test, s, r.executions)
			continue
		}
		kinds := []string{}
		for _, f := range s.findings {
			kinds = append(kinds, f.Kind)
		}
		if r.kind == "" && len(kinds) > 0 || r.kind != "" && !slices.Contains(kinds, r.kind) {
			t.Errorf("%s: findings %q, want %q", r.test, kinds, r.kind)
		}
	}
}
