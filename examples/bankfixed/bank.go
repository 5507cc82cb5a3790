// Package bank keeps accounts and moves money between them.
package bank

import (
	"errors"
	"sync"
)

// ErrFunds says that an account holds less than was asked for.
var ErrFunds = errors.New("bank: not enough money")

// An Account holds a balance that many goroutines may use. It is never meant to go below zero.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Open returns an account with a first deposit.
func Open(deposit int) *Account {
	return &Account{balance: deposit}
}

// Balance returns what the account holds.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// Deposit adds amount.
func (a *Account) Deposit(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}

// Withdraw takes amount out, or returns ErrFunds.
func (a *Account) Withdraw(amount int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < amount {
		return ErrFunds
	}
	a.balance -= amount
	return nil
}

// Transfer moves amount from one account to another.
func Transfer(from, to *Account, amount int) error {
	if err := from.Withdraw(amount); err != nil {
		return err
	}
	to.Deposit(amount)
	return nil
}
