package norm

import "testing"

func TestMessage(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"sum is 90 at 0xc00012, want 100", "sum is 80 at 0xc000ff, want 100", true},
		{"index 3 out of range [0:2]", "index 12 out of range [0:9]", true},
		{"a\tb", " a b\n", true},
		{"worker 1 left", "worker left", false},
		{"sum is 90", "count is 90", false},
	} {
		if got := Message(c.a) == Message(c.b); got != c.same {
			t.Errorf("%q and %q: alike %v, want %v", c.a, c.b, got, c.same)
		}
		if m := Message(c.a); Message(m) != m {
			t.Errorf("%q: Message changes what it returned", c.a)
		}
	}
}

func TestName(t *testing.T) {
	for _, s := range []string{"data race", "Data Race", "data-race", " DATA-RACE "} {
		if got := Name(s); got != "data-race" {
			t.Errorf("Name(%q) = %q", s, got)
		}
	}
}
