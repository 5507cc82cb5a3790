// Package hits counts the requests to each page.
package hits

import "sync/atomic"

type Counter struct {
	total atomic.Int64
}

// Hit counts n requests.
func (c *Counter) Hit(n int64) {
	t := c.total.Load()
	c.total.Store(t + n)
}

func (c *Counter) Total() int64 { return c.total.Load() }
