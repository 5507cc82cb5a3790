package sched

import (
	"testing"
	"time"

	"heddle/rt/hook"
	"heddle/trace"
)

const ms = 1_000_000

// waiting executes twice a test that waits until done, while another goroutine
// sleeps n times d (0: for ever) and then lets it go on, and returns how the executions ended.
func waiting(t *testing.T, n int, d int64, also func()) (trace.Verdict, trace.Verdict) {
	t.Helper()
	S.ForgetDeadlocks()
	var verdicts []trace.Verdict
	var steps []int
	for range 2 {
		tr := S.Run(func() {
			wg := new(twg)
			wg.Add(1)
			sleeper(n, d, func() { wg.Add(-1) })
			also()
			wg.Wait()
		}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first")})
		verdicts, steps = append(verdicts, tr.Verdict), append(steps, len(tr.Steps))
	}
	if verdicts[1] == trace.TimedOut && steps[0] > 3*fewTicks && steps[1] >= steps[0] {
		t.Errorf("%d steps, then %d, though it was known that it times out", steps[0], steps[1])
	}
	return verdicts[0], verdicts[1]
}

func TestTimesOut(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		d    int64
		also func()
		want trace.Verdict
	}{
		{"for ever, every second", 0, 1000 * ms, func() {}, trace.TimedOut},
		{"for ever, every millisecond", 0, ms, func() {}, trace.TimedOut},
		{"for ever, every microsecond", 0, 1000, func() {}, trace.Bounded},
		{"for nine minutes", 540, 1000 * ms, func() {}, trace.Finished},
		{"one long sleep", 1, 100_000_000 * ms, func() {}, trace.Finished},
		{"another timer is still to fire", 2000, 1000 * ms,
			func() { sleeper(1, 3_600_000*ms, func() {}) }, trace.Finished},
		{"the test slept for long itself", 5000, ms, func() { hook.Sleep(100_000_000*ms, 9) },
			trace.Finished},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, second := waiting(t, c.n, c.d, c.also)
			if first != c.want || second != c.want {
				t.Errorf("%v, then %v, want %v", first, second, c.want)
			}
		})
	}
}

// A test that polls for ever times out, one that does so for nine minutes does not.
func TestTimesOutPolling(t *testing.T) {
	for _, c := range []struct {
		n    int
		want trace.Verdict
	}{{0, trace.TimedOut}, {54_000, trace.Finished}} {
		S.ForgetDeadlocks()
		tr := S.Run(func() {
			for i := 0; c.n == 0 || i < c.n; i++ {
				hook.Sleep(10*ms, 9)
			}
		}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first")})
		if tr.Verdict != c.want || tr.Verdict == trace.TimedOut && !S.KeptAsking() {
			t.Errorf("%d times: %v, kept asking %v, want %v", c.n, tr.Verdict, S.KeptAsking(), c.want)
		}
	}
}

// An execution that takes as long as it may, or as much memory, is ended, and the next one has its
// own time.
func TestExpires(t *testing.T) {
	never, always := func() bool { return false }, func() bool { return true }
	for _, c := range []struct {
		longest time.Duration
		full    func() bool
		want    trace.Verdict
	}{{time.Nanosecond, nil, trace.Expired}, {24 * time.Hour, never, trace.Finished},
		{0, nil, trace.Finished}, {0, always, trace.Filled}} {
		S.ForgetDeadlocks()
		tr := S.Run(func() {
			var mu tmutex
			for range 100_000 {
				mu.Lock()
				mu.Unlock()
			}
		}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Longest: c.longest,
			Full: c.full})
		if tr.Verdict != c.want || tr.Verdict.Cut() != (c.want != trace.Finished) {
			t.Errorf("%v at most: %v, want %v", c.longest, tr.Verdict, c.want)
		}
	}
}
