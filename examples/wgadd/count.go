// Package wgadd counts the letters of texts with a few workers.
package wgadd

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

type counter struct {
	ready   chan struct{} // a value for every worker that is there
	texts   chan string
	letters atomic.Int64
	workers sync.WaitGroup
}

func (c *counter) work() {
	c.ready <- struct{}{}
	c.workers.Add(1)
	defer c.workers.Done()
	for s := range c.texts {
		c.letters.Add(int64(utf8.RuneCountInString(s)))
	}
}

// Count returns how many letters the texts have, counted by n workers.
func Count(n int, texts ...string) int64 {
	c := &counter{ready: make(chan struct{}), texts: make(chan string)}
	for range n {
		go c.work()
	}
	for range n {
		<-c.ready
	}
	for _, s := range texts {
		c.texts <- s
	}
	close(c.texts)
	c.workers.Wait()
	return c.letters.Load()
}
