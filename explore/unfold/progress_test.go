package unfold

import (
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen/shapes"
)

// Where goroutines lock, unlock and are waited for, progress finds without the solver that none is
// left blocked; where one may be left, an execution shows it.
func TestProgress(t *testing.T) {
	solved := map[string]bool{"buffered channel": true, "unbuffered channel": true, "pipeline": true}
	for _, x := range shapes.All() {
		t.Run(x.Name, func(t *testing.T) {
			s := New(Options{})
			most, _ := explored(t, x.Whole, dpor.New(dpor.Options{}))
			n, left := explored(t, x.Whole, s)
			if s.Why != "" || !s.Result().Complete || left > 0 || n > most {
				t.Fatalf("%s %v, %d executions of %d, %d with a goroutine left", s.Why, s.Result(), n, most,
					left)
			}
			if asked := s.rest != nil; asked != solved[x.Name] {
				t.Errorf("the solver was asked: %v", asked)
			}
			_, want := explored(t, x.Buggy, dpor.New(dpor.Options{}))
			if _, left := explored(t, x.Buggy, New(Options{})); want == 0 || left == 0 {
				t.Errorf("with the bug %d executions of dpor and %d of unfold left a goroutine", want, left)
			}
		})
	}
}
