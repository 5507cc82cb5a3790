package siteset

import (
	"testing"

	"heddle/trace"
)

// A set has the sites that were put into it, by package and index, and no others.
func TestSet(t *testing.T) {
	var some []trace.Site
	for i := range trace.Site(500) {
		some = append(some, (2*i+2)<<12)
	}
	s := Of(append(some, 0))
	for _, x := range some {
		s.Add(x)
		if !s.Has(x) || s.Has(x+1<<12) {
			t.Errorf("%#x: %v, and the one after it: %v", x, s.Has(x), s.Has(x+1<<12))
		}
	}
	if s.n != len(some) || s.Empty() || s.Has(0) {
		t.Errorf("%d of %d sites", s.n, len(some))
	}
}
