package engine

import (
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

// An execution of a test that starts no goroutine shows that there is nothing to interleave, but
// not one that was ended before it could start any.
func TestAlone(t *testing.T) {
	goroutines := func(n int) *trace.Trace { return &trace.Trace{Goroutines: make([]trace.Goroutine, n)} }
	timer := goroutines(2)
	timer.Events = []trace.Event{{Op: trace.OpTimerStart}}
	for _, c := range []struct {
		name string
		time string
		ex   Execution
		want bool
	}{
		{"it starts none", "auto", Execution{Trace: goroutines(2)}, true},
		{"it starts one", "auto", Execution{Trace: goroutines(3)}, false},
		{"it has no time to start one", "auto", Execution{Trace: goroutines(2), Broken: true}, false},
		{"it starts a timer", "auto", Execution{Trace: timer}, false},
		{"it starts one that is never early", "virtual", Execution{Trace: timer}, true},
	} {
		e := &exploration{cfg: &wire.Config{Time: c.time}}
		if got := e.alone(&c.ex); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
