package bank

import (
	"sync"
	"testing"
)

func TestTake(t *testing.T) {
	s := &Safe{coins: 3}
	var wg sync.WaitGroup
	for _, n := range []int{1, 3} {
		wg.Go(func() { s.Take(n) })
	}
	wg.Wait()
}

func TestTakeIsLeft(t *testing.T) {
	s := &Safe{coins: 1}
	go s.Take(2)
	go s.Take(1)
}
