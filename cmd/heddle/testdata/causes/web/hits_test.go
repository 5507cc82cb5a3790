package web

import (
	"sync"
	"testing"

	"example.com/causes/stats"
)

func TestVisits(t *testing.T) {
	var h stats.Hits
	var wg sync.WaitGroup
	for _, page := range []string{"/", "/cart"} {
		wg.Go(func() { h.Visit(page) })
	}
	wg.Wait()
	if n := h.Total(); n != 2 {
		t.Errorf("%d visits", n)
	}
}
