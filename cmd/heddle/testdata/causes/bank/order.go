// Package bank moves money.
package bank

import "sync"

// An Account has a balance.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Move locks the two accounts in the order of its arguments.
func Move(from, to *Account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= n
	to.balance += n
}

// Balance returns the balance.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}
