// Package transfer moves money between accounts.
package transfer

import "sync"

type Account struct {
	id      int
	mu      sync.Mutex
	balance int
}

// Transfer moves n from one account to another.
func Transfer(from, to *Account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= n
	to.balance += n
}
