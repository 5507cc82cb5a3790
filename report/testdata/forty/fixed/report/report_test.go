package report

import "testing"

func TestQuiet(t *testing.T) {
	c := New(false)
	if n := c.Run("spelling"); n != 1 {
		t.Errorf("%d checks ran, want 1", n)
	}
}
