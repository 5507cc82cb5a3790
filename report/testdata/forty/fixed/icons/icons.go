// Package icons is a cache that knows how often it helped.
package icons

import "sync"

type Cache struct {
	mu    sync.RWMutex
	icons map[string]string
	hits  int
}

func New() *Cache { return &Cache{icons: map[string]string{}} }

func (c *Cache) Get(name string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	icon, ok := c.icons[name]
	if ok {
		c.hits++
	}
	return icon, ok
}

func (c *Cache) Put(name, icon string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.icons[name] = icon
}

func (c *Cache) Hits() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.hits
}
