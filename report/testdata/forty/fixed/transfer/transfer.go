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
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.balance -= n
	to.balance += n
}
