package resizer

import "testing"

func TestBadName(t *testing.T) {
	if _, err := Resize([]string{"cat.png", ""}); err != ErrEmpty {
		t.Errorf("error is %v, want %v", err, ErrEmpty)
	}
}
