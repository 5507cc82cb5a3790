package tally

import "testing"

func TestWords(t *testing.T) {
	if n := Words([]string{"to be or", "not to be"}); n != 6 {
		t.Errorf("%d words, want 6", n)
	}
}
