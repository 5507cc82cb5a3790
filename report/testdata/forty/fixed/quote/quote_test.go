package quote

import (
	"testing"
	"time"
)

func TestLate(t *testing.T) {
	slow := func() int {
		time.Sleep(20 * time.Millisecond)
		return 7
	}
	if p, err := Price(slow, 20*time.Millisecond); err == nil && p != 7 {
		t.Errorf("price is %d", p)
	}
}
