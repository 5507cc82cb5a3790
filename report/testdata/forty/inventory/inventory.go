// Package inventory counts what is in stock.
package inventory

import (
	"errors"
	"sync"
)

var ErrUnknown = errors.New("unknown item")

type Inventory struct {
	mu    sync.Mutex
	items map[string]int
}

func New() *Inventory { return &Inventory{items: map[string]int{"screw": 10}} }

// Take takes an item out of stock.
func (i *Inventory) Take(item string) error {
	i.mu.Lock()
	n, ok := i.items[item]
	if !ok {
		return ErrUnknown
	}
	i.items[item] = n - 1
	i.mu.Unlock()
	return nil
}
