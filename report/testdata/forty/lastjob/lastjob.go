// Package lastjob runs jobs until it is told to stop.
package lastjob

type Worker struct {
	jobs chan func()
	stop chan struct{}
	done chan struct{}
}

func New() *Worker {
	w := &Worker{jobs: make(chan func(), 8), stop: make(chan struct{}), done: make(chan struct{})}
	go w.loop()
	return w
}

func (w *Worker) Submit(job func()) { w.jobs <- job }

// Close returns after all jobs that were submitted before.
func (w *Worker) Close() {
	close(w.stop)
	<-w.done
}

func (w *Worker) loop() {
	defer close(w.done)
	for {
		select {
		case job := <-w.jobs:
			job()
		case <-w.stop:
			return
		}
	}
}
