package engine

import (
	"fmt"
	"runtime/debug"
	"strings"

	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// guarded is explore. A panic of what thinks between executions is heddle's own failure and says
// nothing of the program under test: it goes to the command as a Record "failure", and the test
// ends. A panic within an execution is let through: nothing could be executed after it.
func (e *exploration) guarded(first []*trace.Schedule) (end wire.Record) {
	defer func() {
		if e.here != nil && e.here.Live() {
			return
		}
		if v := recover(); v != nil {
			end = ended("pass", false, why.Bare(why.With(why.Lost, "heddle itself failed")))
			e.send(e.failure(v))
		}
	}()
	return e.explore(first)
}

// failure is what is told of a panic of heddle's own.
func (e *exploration) failure(v any) *wire.Record {
	return &wire.Record{Type: "failure", Test: e.test, Text: fmt.Sprintf("heddle failed at %s with strategy %s, and not the program under test; please report it, and try another -strategy meanwhile\npanic: %v\n%s",
		e.test, e.cfg.Strategy, v, panicStack(string(debug.Stack())))}
}

// panicStack leaves of a goroutine's stack what led to the panic, and of that what is below
// Explore.
func panicStack(stack string) string {
	if _, below, ok := strings.Cut(stack, "\npanic("); ok {
		if lines := strings.SplitAfterN(below, "\n", 3); len(lines) == 3 {
			stack = lines[2]
		}
	}
	above, _, _ := strings.Cut(stack, "engine.(*exploration).guarded(")
	above, _, _ = strings.Cut(above, "engine.(*Worker).guarded(")
	if i := strings.LastIndexByte(above, '\n'); i >= 0 {
		above = above[:i]
	}
	return above
}
