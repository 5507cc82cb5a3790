// Package fanin merges lists into one channel.
package fanin

import "sync"

// Merge returns a channel with the values of all lists, closed after the last one.
func Merge(lists ...[]int) <-chan int {
	out := make(chan int, 8)
	var wg sync.WaitGroup
	for _, list := range lists {
		wg.Go(func() {
			for _, v := range list {
				out <- v
			}
		})
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out
}
