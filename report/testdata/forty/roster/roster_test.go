package roster

import (
	"sync"
	"testing"
)

func TestNames(t *testing.T) {
	var r Roster
	r.Add("ann")
	r.Add("bob")
	var wg sync.WaitGroup
	wg.Go(func() { r.Rename("bob", "rob") })
	n := 0
	for _, name := range r.Names() {
		n += len(name)
	}
	if n != 6 {
		t.Errorf("%d letters", n)
	}
	wg.Wait()
}
