package quota

import (
	"sync"
	"testing"
)

func TestLimit(t *testing.T) {
	var q Quota
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if n := q.Limit(); n != 100 {
				t.Errorf("limit %d", n)
			}
		})
	}
	wg.Wait()
}
