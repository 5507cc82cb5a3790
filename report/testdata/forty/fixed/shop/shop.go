// Package shop has a stock, orders and a ledger, each with its own lock.
package shop

import "sync"

type Shop struct {
	stock  sync.Mutex
	orders sync.Mutex
	ledger sync.Mutex

	items, open, paid int
}

// Sell takes an item from the stock for an order.
func (s *Shop) Sell() {
	s.stock.Lock()
	defer s.stock.Unlock()
	s.items--
	s.orders.Lock()
	defer s.orders.Unlock()
	s.open++
}

// Pay closes an order.
func (s *Shop) Pay() {
	s.orders.Lock()
	defer s.orders.Unlock()
	s.open--
	s.ledger.Lock()
	defer s.ledger.Unlock()
	s.paid++
}

// Refund takes a payment and an item back.
func (s *Shop) Refund() {
	s.stock.Lock()
	defer s.stock.Unlock()
	s.items++
	s.ledger.Lock()
	defer s.ledger.Unlock()
	s.paid--
}
