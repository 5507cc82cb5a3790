package bank

import (
	"sync"
	"testing"
)

func TestMove(t *testing.T) {
	var a, b Account
	var wg sync.WaitGroup
	wg.Go(func() { Move(&a, &b, 10) })
	wg.Go(func() { Move(&b, &a, 5) })
	wg.Wait()
	if a.Balance() != -5 {
		t.Errorf("balance is %d", a.Balance())
	}
}

func TestMoveLeft(t *testing.T) {
	var a, b Account
	go Move(&a, &b, 10)
	go Move(&b, &a, 5)
}

func TestMoveAround(t *testing.T) {
	var a, b, c Account
	var wg sync.WaitGroup
	wg.Go(func() { Move(&a, &b, 1) })
	wg.Go(func() { Move(&b, &c, 1) })
	wg.Go(func() { Move(&c, &a, 1) })
	wg.Wait()
}
