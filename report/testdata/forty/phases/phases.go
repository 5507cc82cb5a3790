// Package phases runs steps one after the other, and tells an observer of each.
package phases

import "sync"

type Runner struct{ wg sync.WaitGroup }

// Phase runs the steps of one phase and waits for them.
func (r *Runner) Phase(steps ...func()) {
	for _, step := range steps {
		r.wg.Add(1)
		go func() {
			defer r.wg.Done()
			step()
		}()
	}
	r.wg.Wait()
}

// Idle waits until no step runs.
func (r *Runner) Idle() { r.wg.Wait() }
