// Package stats counts what happens in a shop.
package stats

// Hits counts visits by page.
type Hits struct {
	total int
	last  string
}

// Visit counts a visit.
func (h *Hits) Visit(page string) {
	h.total++
	h.last = page
}

// Total returns the number of visits.
func (h *Hits) Total() int { return h.total }
