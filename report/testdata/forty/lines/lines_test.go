package lines

import (
	"slices"
	"testing"
)

func TestRead(t *testing.T) {
	out := make(chan []byte, 2)
	go Read("aabbcc", 2, out)
	if got := Collect(out); !slices.Equal(got, []string{"aa", "bb", "cc"}) {
		t.Error(got)
	}
}
