// Package account has accounts between which money goes.
package account

import (
	"errors"
	"sync"
)

// ErrPoor is returned when there is not enough.
var ErrPoor = errors.New("not enough money")

// Account has a lock. Absorb locks this account and then the other one: two that absorb each other
// wait for ever.
type Account struct {
	mu    sync.Mutex
	cents int64
	peer  *Account
}

// Open returns an account with money, and a second one beside it.
func Open(cents int64) (*Account, error) {
	if cents < 0 {
		return nil, ErrPoor
	}
	a := &Account{cents: cents}
	a.peer = &Account{cents: cents, peer: a}
	return a, nil
}

// Give sends money to the account beside.
func (a *Account) Give(cents int64) error { return move(a, a.peer, cents) }

// Take gets money from it.
func (a *Account) Take(cents int64) error { return move(a.peer, a, cents) }

func move(from, to *Account, cents int64) error {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	if cents < 0 || from.cents < cents {
		return ErrPoor
	}
	from.cents -= cents
	to.cents += cents
	return nil
}

// FixedAccount is the twin.
type FixedAccount struct {
	mu          sync.Mutex
	here, there int64
}

// OpenFixed returns an account with money, and a second one beside it.
func OpenFixed(cents int64) (*FixedAccount, error) {
	if cents < 0 {
		return nil, ErrPoor
	}
	return &FixedAccount{here: cents, there: cents}, nil
}

// Give sends money to the account beside.
func (a *FixedAccount) Give(cents int64) error { return a.move(&a.here, &a.there, cents) }

// Take gets money from it.
func (a *FixedAccount) Take(cents int64) error { return a.move(&a.there, &a.here, cents) }

func (a *FixedAccount) move(from, to *int64, cents int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cents < 0 || *from < cents {
		return ErrPoor
	}
	*from -= cents
	*to += cents
	return nil
}
