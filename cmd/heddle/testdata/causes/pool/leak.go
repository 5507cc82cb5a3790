// Package pool has goroutines that work for others.
package pool

import (
	"context"
)

// First returns the first answer of several. The others' answers are never received.
func First(ctx context.Context, ask ...func() int) (int, error) {
	answers := make(chan int)
	for _, f := range ask {
		go func() { answers <- f() }()
	}
	select {
	case n := <-answers:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
