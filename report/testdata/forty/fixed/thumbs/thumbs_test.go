package thumbs

import "testing"

func TestAll(t *testing.T) {
	if got := All([]string{"a", "b"}, func(s string) string { return s + ".s" }); len(got) != 2 {
		t.Error(got)
	}
}
