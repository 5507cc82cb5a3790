// Package account keeps a balance.
package account

import "sync"

type Account struct {
	mu      sync.RWMutex
	balance int
}

func (a *Account) Balance() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.balance
}

func (a *Account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}

// Deposit adds n to the balance.
func (a *Account) Deposit(n int) {
	a.set(a.Balance() + n)
}
