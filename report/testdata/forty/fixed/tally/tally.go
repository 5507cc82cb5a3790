// Package tally counts words of several documents at once.
package tally

import (
	"strings"
	"sync"
)

// Words returns the number of words of all documents.
func Words(docs []string) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for _, d := range docs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := len(strings.Fields(d))
			mu.Lock()
			total += n
			mu.Unlock()
		}()
	}
	wg.Wait()
	return total
}
