package gate

import (
	"sync"
	"testing"
)

func TestOpen(t *testing.T) {
	g := New()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(g.Pass)
	}
	g.Open()
	wg.Wait()
}
