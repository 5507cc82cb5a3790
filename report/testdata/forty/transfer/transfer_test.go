package transfer

import (
	"sync"
	"testing"
)

func TestTransfer(t *testing.T) {
	a, b := &Account{id: 1, balance: 100}, &Account{id: 2, balance: 100}
	var wg sync.WaitGroup
	wg.Go(func() { Transfer(a, b, 10) })
	wg.Go(func() { Transfer(b, a, 20) })
	wg.Wait()
	if a.balance+b.balance != 200 {
		t.Errorf("money was lost: %d and %d", a.balance, b.balance)
	}
}
