// Package sitemap follows links.
package sitemap

import "sync"

// Links maps pages to their links.
type Links map[string][]string

// A Map has the pages that were seen.
type Map struct {
	seen map[string]bool
	wg   sync.WaitGroup
}

// Walk returns how many pages can be reached.
func Walk(links Links, from string) int {
	m := &Map{seen: map[string]bool{}}
	m.wg.Add(1)
	m.visit(links, from)
	m.wg.Wait()
	return len(m.seen)
}

func (m *Map) visit(links Links, page string) {
	defer m.wg.Done()
	if m.seen[page] {
		return
	}
	m.seen[page] = true
	for _, next := range links[page] {
		m.wg.Add(1)
		go m.visit(links, next)
	}
}
