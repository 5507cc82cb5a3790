package answer

import "testing"

func TestAsk(t *testing.T) {
	if got := Ask(func() string { return "yes" }, "late"); got != "yes" {
		t.Errorf("got %q", got)
	}
}
