// Package jobqueue hands out jobs in the order in which they came.
package jobqueue

import "sync"

type Queue struct {
	mu   sync.Mutex
	jobs []string
}

func (q *Queue) Push(job string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// Next returns the oldest job; ok is false if there is none.
func (q *Queue) Next() (job string, ok bool) {
	if q.Len() == 0 {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	job = q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}
