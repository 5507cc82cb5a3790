package web

import (
	"sync"
	"testing"
)

func TestPrice(t *testing.T) {
	s := NewServer()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if p := s.Price(); p != "10 EUR" {
				t.Errorf("price is %q", p)
			}
		})
	}
	wg.Wait()
}
