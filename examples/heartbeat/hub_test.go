// heddle finds: deadlock
package heartbeat

import (
	"sync"
	"testing"
)

// The heart still beats while two guests wait for each other.
func TestEnterWhileTheLastOneLeaves(t *testing.T) {
	h := NewHub()
	r := h.Enter("go")
	var guests sync.WaitGroup
	guests.Go(r.Leave)
	guests.Go(func() { h.Enter("go") })
	guests.Wait()
}
