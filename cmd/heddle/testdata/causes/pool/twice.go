package pool

// A Worker stops when it is told.
type Worker struct {
	stop   chan struct{}
	closed bool
}

// NewWorker returns a worker.
func NewWorker() *Worker { return &Worker{stop: make(chan struct{})} }

// Close stops the worker; it may be called twice, but not by two goroutines.
func (w *Worker) Close() {
	if w.closed {
		return
	}
	w.closed = true
	close(w.stop)
}
