// heddle finds: deadlock
package lockorder

import (
	"sync"
	"testing"
)

func TestMove(t *testing.T) {
	var s Stock
	for i := range s {
		s.Add(i, 10)
	}
	var vans sync.WaitGroup
	vans.Go(func() { s.Move(1, 2, 7) })
	vans.Go(func() { s.Move(2, 0, 5) })
	s.Move(0, 1, 4)
	vans.Wait()
	if n := s.Total(); n != 30 {
		t.Errorf("%d items, want 30", n)
	}
}
