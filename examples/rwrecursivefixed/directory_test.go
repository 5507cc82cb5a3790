package rwrecursive

import "testing"

func TestLookup(t *testing.T) {
	d := New()
	d.Set("Ada", "1815")
	d.Alias("Countess", "Ada")
	moved := make(chan struct{})
	go func() {
		d.Set("Ada", "1852")
		close(moved)
	}()
	if n := d.Lookup("Countess"); n != "1815" && n != "1852" {
		t.Errorf("the number is %q", n)
	}
	<-moved
	if n := d.Lookup("Ada"); n != "1852" {
		t.Errorf("the new number is %q", n)
	}
}
