package sched

import (
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
)

// A loop that asks a server for its state waits for goroutines that are younger than both, one
// behind the other: they have their turns too, whatever the policy prefers.
func TestLoopThatAsksAServer(t *testing.T) {
	program := func() {
		var mu tmutex
		state := 0
		ask, answer, mid := mkchan[int](0), mkchan[int](0), mkchan[int](0)
		spawn(func() { // the server
			for now := 0; now == 0; {
				hook.Recv(ask, 3)
				mu.Lock()
				now = state
				mu.Unlock()
				hook.To(answer, 4).Send(now)
			}
		})
		spawn(func() {
			v := hook.Recv(mid, 5)
			mu.Lock()
			state = v
			mu.Unlock()
		})
		spawn(func() { hook.To(mid, 6).Send(1) })
		for now := 0; now == 0; now = hook.Recv(answer, 8) {
			hook.To(ask, 7).Send(0)
		}
	}
	for _, name := range policies {
		runAll(t, name, 20, program, func(tr *trace.Trace) {
			if tr.Verdict != trace.Finished {
				t.Errorf("%s: %v after %d steps", name, tr.Verdict, len(tr.Steps))
			}
			for i, st := range tr.Steps { // what is no switch is told as none
				if name == "first" && st.Op != trace.OpChoose && st.Default != st.G {
					t.Fatalf("step %d is by %d, not by %d", i, st.G, st.Default)
				}
			}
		})
	}
}
