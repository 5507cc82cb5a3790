// Package cache holds a price list that is loaded at the first request.
package cache

import "sync"

// A Prices is a price list. Its load function is called at most once.
type Prices struct {
	load func() map[string]int

	mu    sync.Mutex
	table map[string]int
}

// New returns a list that load will fill.
func New(load func() map[string]int) *Prices {
	return &Prices{load: load}
}

// Of returns the price of an article. Once the list is there, no lock is taken.
func (p *Prices) Of(article string) (int, bool) {
	if p.table == nil {
		p.fill()
	}
	price, ok := p.table[article]
	return price, ok
}

func (p *Prices) fill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.table == nil {
		p.table = p.load()
	}
}
