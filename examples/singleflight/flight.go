// Package singleflight lets concurrent callers with the same key share one call.
package singleflight

import "sync"

type call struct {
	done  chan struct{} // closed when value is there
	value string
}

// A Group knows the calls under way. At most one is under way for a key.
type Group struct {
	mu    sync.Mutex
	calls map[string]*call
}

// Do returns the result of fn, or that of a call for key that is already in progress.
func (g *Group) Do(key string, fn func() string) string {
	if c := g.find(key); c != nil {
		<-c.done
		return c.value
	}
	c := g.start(key)
	c.value = fn()
	g.forget(key)
	close(c.done)
	return c.value
}

func (g *Group) find(key string) *call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[key]
}

func (g *Group) start(key string) *call {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls == nil {
		g.calls = make(map[string]*call)
	}
	c := &call{done: make(chan struct{})}
	g.calls[key] = c
	return c
}

func (g *Group) forget(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.calls, key)
}
