// Package crawler visits pages.
package crawler

import "sync"

type Crawler struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	pages []string
}

func (c *Crawler) visit(url string) {
	defer c.wg.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = append(c.pages, url)
}

// Crawl visits all pages and returns how many it saw.
func (c *Crawler) Crawl(urls ...string) int {
	for _, u := range urls {
		c.wg.Add(1)
		go c.visit(u)
	}
	c.wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pages)
}
