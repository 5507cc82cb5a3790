package programs

import (
	"context"
	"sync"
	"testing"
	"time"
)

// TestLeftBehind ends while some of its goroutines are suspended forever: those served by a ticker
// never end, and their stacks must be released.
func TestLeftBehind(t *testing.T) {
	for range 3 {
		go func() {
			for range time.Tick(time.Second) {
			}
		}()
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {})
	}
	wg.Wait()
}

// TestContexts makes timers, channels, maps and contexts.
func TestContexts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	c := make(chan int)
	var mu sync.Mutex
	seen := map[int][]byte{}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			seen[i] = make([]byte, 100)
			mu.Unlock()
			select {
			case c <- i:
			case <-ctx.Done():
			}
		})
	}
	<-c
	cancel()
	wg.Wait()
}

// TestLong has 1,000 goroutines that make 1,000,000 operations.
func TestLong(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for range 1000 {
		wg.Go(func() {
			for range 500 {
				mu.Lock()
				total++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	equal(t, total, 500_000)
}
