package errgroup

import "sync"

// A Group runs functions concurrently and keeps the first error.
type Group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

// Go starts f.
func (g *Group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

// Wait waits for all functions and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	return g.err
}
