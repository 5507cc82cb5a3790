package jobqueue

import (
	"sync"
	"testing"
)

func TestWorkers(t *testing.T) {
	var q Queue
	q.Push("resize")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { q.Next() })
	}
	wg.Wait()
	if n := q.Len(); n != 0 {
		t.Errorf("%d jobs left", n)
	}
}
