// Package cache keeps pages.
package cache

import "sync"

type page struct {
	key        string
	prev, next *page
}

// A Cache keeps the pages that were used last in front.
type Cache struct {
	mu    sync.RWMutex
	pages map[string]*page
	root  page
}

// New returns a cache of pages.
func New(keys ...string) *Cache {
	c := &Cache{pages: map[string]*page{}}
	c.root.prev, c.root.next = &c.root, &c.root
	for _, k := range keys {
		p := &page{key: k}
		c.pages[k] = p
		c.push(p)
	}
	return c
}

func (c *Cache) push(p *page) {
	p.prev, p.next = &c.root, c.root.next
	p.prev.next, p.next.prev = p, p
}

// Use reports whether the page is there. It moves it under a lock that is for reading only.
func (c *Cache) Use(key string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p := c.pages[key]
	if p == nil {
		return false
	}
	p.prev.next, p.next.prev = p.next, p.prev
	c.push(p)
	return true
}

// Keys returns the keys, the page used last first.
func (c *Cache) Keys() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []string
	for p := c.root.next; p != &c.root && len(keys) < 10; p = p.next {
		keys = append(keys, p.key)
	}
	return keys
}
