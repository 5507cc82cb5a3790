// Package fetcher fetches pages with retries.
package fetcher

import "sync"

// FetchAll fetches all pages; a page that fails is tried once more.
func FetchAll(pages []string, fetch func(string) bool) {
	var wg sync.WaitGroup
	for _, p := range pages {
		wg.Add(1)
		go try(&wg, p, fetch, 2)
	}
	wg.Wait()
}

func try(wg *sync.WaitGroup, page string, fetch func(string) bool, left int) {
	defer wg.Done()
	if !fetch(page) && left > 1 {
		wg.Add(1)
		go try(wg, page, fetch, left-1)
	}
}
