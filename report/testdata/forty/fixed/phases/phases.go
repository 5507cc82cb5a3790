// Package phases runs steps one after the other, and tells an observer of each.
package phases

import "sync"

type Runner struct {
	mu      sync.Mutex
	idle    *sync.Cond
	running int
}

func New() *Runner {
	r := &Runner{}
	r.idle = sync.NewCond(&r.mu)
	return r
}

func (r *Runner) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running += n
	r.idle.Broadcast()
}

// Phase runs the steps of one phase and waits for them.
func (r *Runner) Phase(steps ...func()) {
	var wg sync.WaitGroup
	for _, step := range steps {
		wg.Add(1)
		r.add(1)
		go func() {
			defer wg.Done()
			defer r.add(-1)
			step()
		}()
	}
	wg.Wait()
}

// Idle waits until no step runs.
func (r *Runner) Idle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.running > 0 {
		r.idle.Wait()
	}
}
