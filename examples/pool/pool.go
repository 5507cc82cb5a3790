// Package pool runs jobs on a fixed number of workers.
package pool

import (
	"sync"
	"sync/atomic"
)

// A Pool has workers that take jobs until it is closed.
type Pool struct {
	jobs    chan func()
	workers sync.WaitGroup
	closed  atomic.Bool
}

// New starts n workers.
func New(n int) *Pool {
	p := &Pool{jobs: make(chan func(), n)}
	for range n {
		p.workers.Go(p.work)
	}
	return p
}

func (p *Pool) work() {
	for job := range p.jobs {
		job()
	}
}

// Submit hands job to the next free worker. It must not be called after Close.
func (p *Pool) Submit(job func()) {
	p.jobs <- job
}

// Close waits until all jobs are done. It may be called more than once.
func (p *Pool) Close() {
	if !p.closed.Load() {
		p.closed.Store(true)
		close(p.jobs)
	}
	p.workers.Wait()
}
