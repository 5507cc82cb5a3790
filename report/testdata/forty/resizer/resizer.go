// Package resizer resizes pictures with a few workers.
package resizer

import (
	"errors"
	"sync"
)

var ErrEmpty = errors.New("a picture without a name")

// Resize returns how many pictures were resized.
func Resize(pictures []string) (int, error) {
	jobs := make(chan string)
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range jobs {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	for _, p := range pictures {
		if p == "" {
			return 0, ErrEmpty
		}
		jobs <- p
	}
	close(jobs)
	wg.Wait()
	return n, nil
}
