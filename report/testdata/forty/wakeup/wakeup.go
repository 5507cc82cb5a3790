// Package wakeup wakes a worker when there is work.
package wakeup

import "sync"

type Worker struct {
	mu   sync.Mutex
	work []string
	wake chan struct{}
}

func New() *Worker { return &Worker{wake: make(chan struct{})} }

// Add adds work and wakes the worker if it sleeps.
func (w *Worker) Add(job string) {
	w.mu.Lock()
	w.work = append(w.work, job)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Take waits for work and takes all of it.
func (w *Worker) Take() []string {
	for {
		w.mu.Lock()
		work := w.work
		w.work = nil
		w.mu.Unlock()
		if len(work) > 0 {
			return work
		}
		<-w.wake
	}
}
