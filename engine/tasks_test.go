package engine

import (
	"testing"
	"time"

	"heddle/predict"
	"heddle/rt/wire"
	"heddle/trace"
)

// Tasks are handed out where others have the time to record and to analyse first, and one process
// has not the time for all.
func TestWorthSharing(t *testing.T) {
	for _, c := range []struct {
		again, tried, left time.Duration // left: until the deadline; 0: there is none
		phase              time.Duration // until the end of the phase; 0: there is none
		next               int
		want               bool
	}{
		{again: time.Millisecond, left: time.Second, want: true},
		{again: time.Second, tried: time.Second / 2, left: time.Hour},
		{again: time.Second, tried: 2 * time.Second, left: time.Hour, next: 10, want: true},
		{again: time.Second, tried: 2 * time.Second, next: 10, want: true},
		{again: time.Second, tried: 2 * time.Second, left: time.Hour, phase: time.Second, next: 10,
			want: true},
		{again: time.Second, tried: 2 * time.Second, left: time.Hour, phase: time.Minute, next: 10},
		{again: time.Second, tried: 2 * time.Second, left: time.Second, next: 10},
		{again: time.Second, tried: 2 * time.Second, left: time.Hour, next: 90},
		{again: time.Second, tried: 2 * time.Second, left: time.Second, next: 100},
	} {
		p := &prediction{told: &wire.Predicted{Recorded: c.again.Seconds()}, trying: time.Now().Add(-c.tried),
			tasks: make([]predict.Candidate, 100)}
		if c.left > 0 {
			p.deadline = time.Now().Add(c.left)
		}
		if c.phase > 0 {
			p.phase = time.Now().Add(c.phase)
		}
		if got := p.worthSharing(c.next); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What is other in each process, such as the times of steps, does not change the hash of an
// execution; each thing that was done does.
func TestRecorded(t *testing.T) {
	example := func() *trace.Trace {
		return &trace.Trace{Goroutines: make([]trace.Goroutine, 2), Steps: make([]trace.Step, 3),
			Events: make([]trace.Event, 3)}
	}
	was := recorded(example())
	if recorded(example()) != was {
		t.Error("the same execution has two hashes")
	}
	hashes := map[uint64]int{was: -1}
	for i, change := range []func(*trace.Trace){
		func(t *trace.Trace) { t.Verdict++ },
		func(t *trace.Trace) { t.Goroutines = t.Goroutines[:1] },
		func(t *trace.Trace) { t.Steps = t.Steps[:2] },
		func(t *trace.Trace) { t.Steps[0].G++ },
		func(t *trace.Trace) { t.Steps[2].G++ },
		func(t *trace.Trace) { t.Steps[1].Choice++ },
		func(t *trace.Trace) { t.Events[1].Op++ },
		func(t *trace.Trace) { t.Events[1].Obj++ },
		func(t *trace.Trace) { t.Events[2].Site++ },
	} {
		x := example()
		change(x)
		h := recorded(x)
		if j, ok := hashes[h]; ok {
			t.Errorf("changes %d and %d have one hash", i, j)
		}
		hashes[h] = i
	}
}
