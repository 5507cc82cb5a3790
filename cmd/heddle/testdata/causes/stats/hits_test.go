package stats

import (
	"sync"
	"testing"
)

func TestVisit(t *testing.T) {
	var h Hits
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { h.Visit("/") })
	}
	wg.Wait()
	if h.Total() != 2 {
		t.Errorf("%d visits, want 2", h.Total())
	}
}

func TestThreeVisits(t *testing.T) {
	var h Hits
	done := make(chan struct{})
	for range 3 {
		go func() {
			h.Visit("/cart")
			done <- struct{}{}
		}()
	}
	for range 3 {
		<-done
	}
	if n := h.Total(); n != 3 {
		t.Fatalf("%d visits, want 3", n)
	}
}
