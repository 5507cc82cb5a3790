package reach

import (
	"context"
	"testing"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/sched"
)

// A search whose sets or shapes would take too much memory, ends and says so.
func TestLimits(t *testing.T) {
	defer func(l, w, n int) { longest, mostWords, mostShapes = l, w, n }(longest, mostWords, mostShapes)
	main := func() {
		m := new(mutex)
		for range 4 {
			spawn(func() {
				m.Lock()
				m.Unlock()
			})
		}
	}
	for _, c := range []struct {
		longest, words, shapes int
		want                   why.Code
	}{
		{longest, mostWords, mostShapes, ""},
		{5, mostWords, mostShapes, why.TooLong},
		{longest, 100, mostShapes, why.TooLong},
		{longest, mostWords, 3, why.TooLong},
	} {
		longest, mostWords, mostShapes = c.longest, c.words, c.shapes
		sched.S.SetPolled(nil)
		r, err := explore.Run(context.Background(), New(Options{}), &executor{main: main},
			1000, nil)
		if err != nil || r.Complete != (c.want == "") || r.Reason.Code != c.want {
			t.Errorf("%d steps, %d words, %d shapes: %v, %+v, want %q", c.longest, c.words, c.shapes, err, r,
				c.want)
		}
	}
}
