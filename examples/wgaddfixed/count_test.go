package wgadd

import "testing"

func TestCount(t *testing.T) {
	if n := Count(2, "warp", "weft", "naïve"); n != 13 {
		t.Errorf("%d letters, want 13", n)
	}
}
