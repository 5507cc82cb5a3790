package account

import (
	"sync"
	"testing"
)

func TestDeposits(t *testing.T) {
	var a Account
	var wg sync.WaitGroup
	wg.Go(func() { a.Deposit(50) })
	wg.Go(func() { a.Deposit(70) })
	wg.Wait()
	if n := a.Balance(); n != 120 {
		t.Errorf("balance is %d, want 120", n)
	}
}
