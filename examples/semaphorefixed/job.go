// Package semaphore runs a limited number of jobs at the same time.
package semaphore

import "sync/atomic"

// A Job occupies a slot from its start until it is finished or cancelled.
type Job struct {
	slots Semaphore
	ended atomic.Bool
	done  chan struct{}
}

// Start waits for a slot and runs work in it.
func Start(slots Semaphore, work func()) *Job {
	slots.Acquire()
	j := &Job{slots: slots, done: make(chan struct{})}
	go func() {
		defer close(j.done)
		work()
		j.end()
	}()
	return j
}

// Cancel gives the job's slot to another job at once.
func (j *Job) Cancel() {
	j.end()
}

// Wait waits until the job's work is done.
func (j *Job) Wait() {
	<-j.done
}

func (j *Job) end() {
	if j.ended.CompareAndSwap(false, true) {
		j.slots.Release()
	}
}
