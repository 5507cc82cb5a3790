package shop

import (
	"sync"
	"testing"
)

func TestShop(t *testing.T) {
	var s Shop
	var wg sync.WaitGroup
	wg.Go(s.Sell)
	wg.Go(s.Pay)
	wg.Go(s.Refund)
	wg.Wait()
	if s.items != 0 || s.open != 0 || s.paid != 0 {
		t.Errorf("items %d, open %d, paid %d", s.items, s.open, s.paid)
	}
}
