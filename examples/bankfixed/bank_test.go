package bank

import "testing"

func TestTransfer(t *testing.T) {
	wages, rent, food := Open(100), Open(0), Open(0)
	paid := make(chan error, 1)
	go func() { paid <- Transfer(wages, food, 60) }()
	err1 := Transfer(wages, rent, 70)
	err2 := <-paid

	if b := wages.Balance(); b < 0 {
		t.Errorf("the account is overdrawn: %d", b)
	}
	if sum := wages.Balance() + rent.Balance() + food.Balance(); sum != 100 {
		t.Errorf("100 became %d", sum)
	}
	if err1 != nil && err2 != nil {
		t.Errorf("nobody was paid: %v, %v", err1, err2)
	}
}
