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
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return "", false
	}
	job = q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}
