// Package lru has a cache that forgets what was not used for the longest time.
package lru

import (
	"container/list"
	"sync"
)

type item struct {
	key   string
	value int
}

// Cache holds values by key. Get moves the item to the front under a lock for readers: two of them
// change the list at once.
type Cache struct {
	mu    sync.RWMutex
	size  int
	order *list.List
	items map[string]*list.Element
}

// New returns a cache for size values.
func New(size int) *Cache {
	return &Cache{size: size, order: list.New(), items: map[string]*list.Element{}}
}

// Get returns the value of a key.
func (c *Cache) Get(key string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.get(key)
}

func (c *Cache) get(key string) (int, bool) {
	e, ok := c.items[key]
	if !ok {
		return 0, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*item).value, true
}

// Add sets the value of a key, and reports whether another key was forgotten for it.
func (c *Cache) Add(key string, value int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		e.Value.(*item).value = value
		return false
	}
	c.items[key] = c.order.PushFront(&item{key, value})
	if c.order.Len() <= c.size {
		return false
	}
	last := c.order.Back()
	c.order.Remove(last)
	delete(c.items, last.Value.(*item).key)
	return true
}

// Remove removes a key, and reports whether it was there.
func (c *Cache) Remove(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if ok {
		c.order.Remove(e)
		delete(c.items, key)
	}
	return ok
}

// Len returns the number of values.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.order.Len()
}

// FixedCache is the twin.
type FixedCache struct{ Cache }

// NewFixed returns a cache for size values.
func NewFixed(size int) *FixedCache {
	return &FixedCache{Cache{size: size, order: list.New(), items: map[string]*list.Element{}}}
}

// Get returns the value of a key.
func (c *FixedCache) Get(key string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(key)
}
