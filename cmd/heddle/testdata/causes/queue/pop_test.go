package queue

import (
	"sync"
	"testing"
)

func TestNext(t *testing.T) {
	var q Queue
	q.Push(1)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { q.Next() })
	}
	wg.Wait()
}

func TestNextOfTwo(t *testing.T) {
	var q Queue
	q.Push(1)
	q.Push(2)
	done := make(chan bool)
	for range 3 {
		go func() {
			_, ok := q.Next()
			done <- ok
		}()
	}
	served := 0
	for range 3 {
		if <-done {
			served++
		}
	}
	if served != 2 {
		t.Errorf("%d served", served)
	}
}
