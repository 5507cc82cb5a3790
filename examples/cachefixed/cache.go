// Package cache holds a price list that is loaded at the first request.
package cache

import (
	"sync"
	"sync/atomic"
)

// A Prices is a price list. Its load function is called at most once.
type Prices struct {
	load func() map[string]int

	mu    sync.Mutex
	table atomic.Pointer[map[string]int] // written under mu, not changed afterwards
}

// New returns a list that load will fill.
func New(load func() map[string]int) *Prices {
	return &Prices{load: load}
}

// Of returns the price of an article. Once the list is there, no lock is taken.
func (p *Prices) Of(article string) (int, bool) {
	table := p.table.Load()
	if table == nil {
		table = p.fill()
	}
	price, ok := (*table)[article]
	return price, ok
}

func (p *Prices) fill() *map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if table := p.table.Load(); table != nil {
		return table
	}
	table := p.load()
	p.table.Store(&table)
	return &table
}
