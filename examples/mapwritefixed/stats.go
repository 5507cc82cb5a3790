// Package mapwrite counts the visits to the pages of a site.
package mapwrite

import "sync"

// Visits counts visits, page by page.
type Visits struct {
	mu    sync.RWMutex
	pages map[string]int
}

// New returns a count of zero for every given page.
func New(pages ...string) *Visits {
	v := &Visits{pages: make(map[string]int)}
	for _, p := range pages {
		v.pages[p] = 0
	}
	return v
}

// Add counts one visit of a page. Unknown pages are not counted.
func (v *Visits) Add(page string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, ok := v.pages[page]; ok {
		v.pages[page] = n + 1
	}
}

// Of returns how often a page was visited.
func (v *Visits) Of(page string) int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.pages[page]
}
