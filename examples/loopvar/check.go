// Package loopvar checks files concurrently. Its module declares Go 1.21.
package loopvar

import (
	"fmt"
	"sync"
)

// A Checker looks for faults in files.
type Checker struct {
	Check func(name string) error
	Files int // number of files checked

	mu   sync.Mutex
	errs []error
}

// All returns the errors of the named files, in the order in which they occur.
func (c *Checker) All(names ...string) []error {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Add(1)
		err := c.Check(name)
		go func() {
			defer wg.Done()
			if err != nil {
				c.report(fmt.Errorf("%s: %w", name, err))
			}
		}()
		c.Files++
	}
	wg.Wait()
	return c.errs
}

func (c *Checker) report(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, err)
}
