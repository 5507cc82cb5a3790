package sched

import (
	"testing"
	"time"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Timers whose functions move the clock fire once each when they are due: a ticker of a nanosecond,
// always due again, keeps nothing from going on.
func TestAlwaysDue(t *testing.T) {
	uptime := hook.Uptime
	defer func() { hook.Uptime = uptime }()
	begun := time.Now()
	hook.Uptime = func() int64 { return int64(time.Since(begun)) }
	for _, real := range []bool{false, true} {
		for _, n := range []int{1, 3} {
			tickers := make([][8]int64, n)
			fired, steps := 0, 0
			tr := S.Run(func() {
				for i := range tickers {
					hook.TimerStart(unsafe.Pointer(&tickers[i]), 1, 1, func(any, uintptr, int64) {
						hook.Now()
						fired++
					}, nil, nil, 9)
				}
				var mu tmutex
				for range 2 * flowAfter {
					mu.Lock()
					mu.Unlock()
					steps++
				}
			}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "random"), Real: real,
				Steps: 8 * flowAfter})
			if tr.Verdict != trace.Finished || steps < 2*flowAfter || fired < n || fired > steps {
				t.Errorf("real %v: %v after %d ticks of %d tickers and %d steps", real, tr.Verdict, fired,
					n, steps)
			}
		}
	}
}

// An execution in which timers fire and let nothing make a step ends when its time is over.
func TestTimersExpire(t *testing.T) {
	var timers [2][8]int64
	n := 0
	tr := S.Run(func() {
		again := func(any, uintptr, int64) {
			n++
			hook.TimerReset(unsafe.Pointer(&timers[0]), int64(n)*ms, 0, 9)
		}
		hook.TimerStart(unsafe.Pointer(&timers[0]), ms, 0, again, nil, nil, 9)
		wg := new(twg)
		wg.Add(1)
		wg.Wait()
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Longest: 1})
	if tr.Verdict != trace.Expired || n > 2*restsPerLook {
		t.Errorf("%v after %d timers", tr.Verdict, n)
	}
}

// An execution that starts more goroutines than there may be ends there, though starting one is no
// step.
func TestTooManyGoroutines(t *testing.T) {
	n := 0
	tr := S.Run(func() {
		for range 2 * maxChains {
			n++
			hook.Go(9, func() {})
		}
	}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Race: true})
	if tr.Verdict != trace.Crowded || n > maxChains+1 {
		t.Errorf("%v after %d goroutines", tr.Verdict, n)
	}
}
