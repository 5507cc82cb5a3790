package sched

import (
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
)

// The first draws of an execution are choices; of many, every value comes up under any policy.
func TestDraws(t *testing.T) {
	for _, name := range []string{"first", "random"} {
		for _, n := range []int{drawnChoices, 20 * drawnChoices} {
			var drawn [3]int
			tr := S.Run(func() {
				for range n {
					drawn[hook.Draw(3, 5)]++
				}
			}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, name)})
			choices := 0
			for _, s := range tr.Steps {
				if s.Op == trace.OpChoose {
					choices++
				}
			}
			if choices != drawnChoices {
				t.Errorf("%s: %d of %d draws are choices", name, choices, n)
			}
			if n > drawnChoices && (drawn[0] == 0 || drawn[1] == 0 || drawn[2] == 0) {
				t.Errorf("%s: of %d draws, %v", name, n, drawn)
			}
		}
	}
}
