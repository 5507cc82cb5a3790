package engine

import (
	"testing"
	"time"
)

// Others make executions that take longer than to send them.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		execution time.Duration
		bytes     int
		want      bool
	}{
		{50 * time.Microsecond, 5_000, false},
		{5 * time.Millisecond, 5_000, true},
		{5 * time.Millisecond, 1_000_000, false},
		{100 * time.Millisecond, 1_000_000, true},
	} {
		if pays(c.execution, c.bytes) != c.want {
			t.Errorf("%v with traces of %d bytes: %v", c.execution, c.bytes, !c.want)
		}
	}
}
