package signup

import (
	"sync"
	"testing"

	"heddle.forty/signup/db"
)

func TestOnce(t *testing.T) {
	d := db.Open()
	var wg sync.WaitGroup
	var mu sync.Mutex
	added := 0
	for range 2 {
		wg.Go(func() {
			if Sign(d, "ann") {
				mu.Lock()
				added++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if added != 1 {
		t.Errorf("added %d times", added)
	}
}
