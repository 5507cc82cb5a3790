package mirror

import (
	"sync"
	"testing"
)

func TestMirror(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(toLeft)
	wg.Go(toRight)
	wg.Wait()
	if leftN != rightN {
		t.Errorf("%d and %d", leftN, rightN)
	}
}
