// Package poller reads a sensor again and again.
package poller

import "context"

// Poll returns the readings until ctx is cancelled.
func Poll(ctx context.Context, read func() int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for ctx.Err() == nil {
			out <- read()
		}
	}()
	return out
}
