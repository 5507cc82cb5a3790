// Package quota computes a limit once.
package quota

import "sync"

// A Quota is a limit that is computed when it is first asked for.
type Quota struct {
	mu    sync.Mutex
	limit int64
}

// Limit returns the limit.
func (q *Quota) Limit() int64 {
	if q.limit == 0 {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.limit == 0 {
			q.limit = 100
		}
	}
	return q.limit
}
