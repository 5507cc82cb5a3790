// Package wgadd counts the letters of texts with a few workers.
package wgadd

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

type counter struct {
	texts   chan string
	letters atomic.Int64
	workers sync.WaitGroup
}

func (c *counter) work() {
	c.workers.Add(1)
	defer c.workers.Done()
	for s := range c.texts {
		c.letters.Add(int64(utf8.RuneCountInString(s)))
	}
}

// Count returns how many letters the texts have, counted by n workers.
func Count(n int, texts ...string) int64 {
	c := &counter{texts: make(chan string)}
	for range n {
		go c.work()
	}
	for _, s := range texts {
		c.texts <- s
	}
	close(c.texts)
	c.workers.Wait()
	return c.letters.Load()
}
