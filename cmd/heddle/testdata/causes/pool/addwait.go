package pool

import "sync"

// Squares returns the squares of ns. Each goroutine announces itself.
func Squares(ns []int) []int {
	out := make([]int, len(ns))
	var wg sync.WaitGroup
	for i, n := range ns {
		go func() {
			wg.Add(1)
			defer wg.Done()
			out[i] = n * n
		}()
	}
	wg.Wait()
	return out
}
