package firstreply

import "testing"

func TestAsk(t *testing.T) {
	server := func(q string) string { return "re: " + q }
	if a := Ask("time?", server, server); a != "re: time?" {
		t.Errorf("answer is %q", a)
	}
}
