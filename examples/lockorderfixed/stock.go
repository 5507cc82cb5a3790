// Package lockorder moves goods between warehouses.
package lockorder

import "sync"

type warehouse struct {
	mu    sync.Mutex
	items int
}

// A Stock is the content of three warehouses.
type Stock [3]warehouse

// Move moves n items to another warehouse, or as many as there are, and returns the number.
func (s *Stock) Move(from, to, n int) int {
	if from == to {
		return 0
	}
	first, second := &s[min(from, to)], &s[max(from, to)]
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	a, b := &s[from], &s[to]
	n = min(n, a.items)
	a.items -= n
	b.items += n
	return n
}

// Add adds n new items to a warehouse.
func (s *Stock) Add(to, n int) {
	w := &s[to]
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items += n
}

// Total returns the number of items. No goroutine may move items meanwhile.
func (s *Stock) Total() int {
	sum := 0
	for i := range s {
		s[i].mu.Lock()
		defer s[i].mu.Unlock()
		sum += s[i].items
	}
	return sum
}
