// heddle finds: leak
package pipeline

import "testing"

func TestFirstAbove(t *testing.T) {
	for _, c := range []struct{ n, limit, want int }{
		{5, 3, 4},
		{3, 9, 0},
	} {
		if got := FirstAbove(c.n, c.limit); got != c.want {
			t.Errorf("FirstAbove(%d, %d) = %d, want %d", c.n, c.limit, got, c.want)
		}
	}
}
