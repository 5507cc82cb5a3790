package engine

import (
	"fmt"

	"heddle/rt/wire"
)

// withStacks gives events, which are those of x's last execution from its first on, the stacks of
// their goroutines. Stacks that differ below the program only have one number.
func withStacks(events []wire.Event, x Executor) {
	s, ok := x.(Stacker)
	if !ok {
		return
	}
	numbers := map[int]int{} // by the executor's number
	same := map[string]int{} // by the frames
	for i := range events {
		n := s.EventStack(i)
		if n == 0 {
			continue
		}
		if _, known := numbers[n]; !known {
			frames := s.StackFrames(n)
			text := fmt.Sprint(frames)
			if same[text] == 0 && len(frames) > 0 {
				same[text] = len(same) + 1
				events[i].Frames = frames
			}
			numbers[n] = same[text]
		}
		events[i].Stack = numbers[n]
	}
}
