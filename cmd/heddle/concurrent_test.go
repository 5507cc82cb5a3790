package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What the command does while a test binary runs. .ci/run explores these tests
// with heddle itself, and runs them under the race detector.

// However a watch ends, its function is called at most once, and not after stop has said that it
// was in time.
func TestConcurrentWatch(t *testing.T) {
	var called atomic.Int32
	w := newWatch(10*time.Millisecond, func() { called.Add(1) })
	var wg sync.WaitGroup
	wg.Go(w.fire)
	wg.Go(func() { w.extend(10 * time.Millisecond) })
	var late bool
	wg.Go(func() { late = w.stop() })
	wg.Wait()
	before := called.Load()
	time.Sleep(50 * time.Millisecond) // longer than it was ever set to
	if n := called.Load(); n > 1 || n != before && !late {
		t.Errorf("called %d times, %d of them before stop returned; stop says that the time was over: %v", n,
			before, late)
	}
}

// Output comes from two pipes, and is looked at while it comes.
func TestConcurrentExcerpt(t *testing.T) {
	var e excerpt
	var wg sync.WaitGroup
	for _, text := range []string{"aaa", "bbb"} {
		wg.Go(func() {
			for range 2 {
				if n, err := e.Write([]byte(text)); n != 3 || err != nil {
					t.Error(n, err)
				}
			}
		})
	}
	for range 2 {
		if s := e.String(); len(s)%3 != 0 {
			t.Errorf("half a write: %q", s)
		}
	}
	wg.Wait()
	if s := e.String(); strings.Count(s, "aaa") != 2 || strings.Count(s, "bbb") != 2 || len(s) != 12 {
		t.Errorf("%q", s)
	}
}

// A pulse is asked for by the function that notes the end while it looks.
func TestConcurrentPulse(t *testing.T) {
	ended := make(chan struct{})
	p := &pulse{file: "/nowhere", cpu: func() time.Duration { return 0 }}
	var killed atomic.Int32
	stalled := make(chan bool, 1)
	go func() { stalled <- p.watch(0, ended, func() { killed.Add(1) }) }()
	p.still()
	close(ended)
	if <-stalled || killed.Load() != 0 {
		t.Error("a binary that ended by itself was killed")
	}
}

// What computes on and on is told apart from what waits.
func TestPulseHangs(t *testing.T) {
	const stall = time.Second
	now := time.Now()
	ago := func(n float64) time.Time { return now.Add(-time.Duration(n * float64(stall))) }
	for _, c := range []struct {
		name         string
		since, chose time.Time
		used         time.Duration // of the processor since
		between      bool          // executions
		hangs, busy  bool
	}{
		{"goes on", now, now, 0, false, false, false},
		{"computes for a while", now, ago(busyFactor - 1), 0, false, false, false},
		{"computes on and on", now, ago(busyFactor + 1), 0, false, true, true},
		{"waits", ago(1.5), ago(1.5), 0, false, true, false},
		{"computes without a sign of life", ago(1.5), ago(1.5), stall, false, false, true},
		{"loops without a sign of life", ago(loopFactor + 1), ago(loopFactor + 1), loopFactor * stall, false,
			true, true},
		{"waits between executions", ago(busyFactor - 1), now, 0, true, false, false},
		{"computes between executions", ago(busyFactor + 1), now, stall, true, false, false},
		{"does nothing between executions", ago(busyFactor + 1), now, 0, true, true, false},
	} {
		p := &pulse{since: c.since, chose: c.chose, used: time.Hour,
			cpu: func() time.Duration { return time.Hour + c.used }}
		p.last.info.Running = !c.between
		if hangs := p.hangs(stall); hangs != c.hangs || p.busy != c.busy {
			t.Errorf("%s: hangs %v, busy %v", c.name, hangs, p.busy)
		}
	}
}
