package nearest

import "testing"

func TestTo(t *testing.T) {
	names := []string{"budget", "run", "skip", "strategy", "visible", "time", "timeout"}
	for _, c := range []struct{ s, want string }{
		{"budgt", "budget"}, {"bugdet", "budget"}, {"budgets", "budget"}, {"stratgy", "strategy"},
		{"skip", "skip"}, {"rnu", "run"},
		{"urn", "run"}, {"x", ""}, {"rung", "run"}, {"tiem", "time"}, {"colour", ""},
		{"", ""}, {"visibel", "visible"}, {"timeouts", "timeout"},
	} {
		if got := To(c.s, names); got != c.want {
			t.Errorf("To(%q) = %q, want %q", c.s, got, c.want)
		}
	}
}

// TestDistance: on all short strings of two letters, the distance is the same both ways, is 0 for
// equal strings alone, and one more letter changes it by one at most.
func TestDistance(t *testing.T) {
	var all []string
	for n := range 4 {
		for bits := range 1 << n {
			s := ""
			for i := range n {
				s += string("ab"[bits>>i&1])
			}
			all = append(all, s)
		}
	}
	for _, a := range all {
		for _, b := range all {
			d := Distance(a, b)
			if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) ||
				d < max(len(a), len(b))-min(len(a), len(b)) {
				t.Errorf("Distance(%q, %q) = %d, back %d", a, b, d, Distance(b, a))
			}
			if e := Distance(a, b+"c"); e > d+1 || e < d-1 {
				t.Errorf("Distance(%q, %q) = %d, with a letter more %d", a, b, d, e)
			}
		}
	}
}
