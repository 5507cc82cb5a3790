package trace

import "testing"

func TestCommutes(t *testing.T) {
	for _, c := range []struct {
		a, b Effect
		want bool
	}{
		{Known, Known, true},
		{0, Known, false},
		{0, 0, false},
		{Changes(FactFailed), Changes(FactFailed), true},
		{Changes(FactFailed), Looks(FactFailed), false},
		{Looks(FactFailed), Looks(FactFailed), true},
		{Changes(FactFailed) | Looks(FactEnded), Looks(FactSkipped), true},
		{Changes(FactFailed) | Looks(FactEnded), Changes(FactEnded), false},
		{Looks(FactSkipped), Known, true},
	} {
		if c.a.Commutes(c.b) != c.want || c.b.Commutes(c.a) != c.want {
			t.Errorf("%b and %b: %v, %v, want %v", c.a, c.b, c.a.Commutes(c.b), c.b.Commutes(c.a), c.want)
		}
	}
}
