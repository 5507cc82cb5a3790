package trace

import "testing"

// The second goroutine of a chain knows the first and does nothing. A third that does not know the
// first gets a chain of its own: else what the two do would count as ordered.
func TestChainsKeepWhatMustBeKnown(t *testing.T) {
	var c Chains
	c.Reset(0)
	k, _ := c.Begin(Clock{}.Vector())
	c.End(k, 5, 6)
	knows := Clock{}.Set(k, 5)
	if second, first := c.Begin(knows.Vector()); second != k || first != 7 {
		t.Fatalf("chain %d from %d, want %d from 7", second, first, k)
	}
	c.End(k, 0, 7)
	if third, _ := c.Begin(Clock{}.Vector()); third == k {
		t.Error("a goroutine that does not know the first one has its chain")
	}
	if fourth, first := c.Begin(knows.Vector()); fourth != k || first != 8 {
		t.Errorf("chain %d from %d, want %d from 8", fourth, first, k)
	}
	c.Reset(0)
	k, _ = c.Begin(Clock{}.Vector())
	c.End(k, 0, 1)
	if again, _ := c.Begin(Clock{}.Vector()); again != k {
		t.Errorf("chain %d, want %d: nothing is left of what was before Reset", again, k)
	}
}
