// Package pipeline searches for a number through stages that run concurrently.
package pipeline

// numbers sends 1 to n, until quit is closed.
func numbers(n int, quit <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 1; i <= n; i++ {
			select {
			case out <- i:
			case <-quit:
				return
			}
		}
	}()
	return out
}

// squares sends the square of each number that it receives, until quit is closed.
func squares(in <-chan int, quit <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range in {
			select {
			case out <- i * i:
			case <-quit:
				return
			}
		}
	}()
	return out
}

// FirstAbove returns the first square of 1 to n that is greater than limit, and 0 if there is none.
func FirstAbove(n, limit int) int {
	quit := make(chan struct{})
	defer close(quit)
	for sq := range squares(numbers(n, quit), quit) {
		if sq > limit {
			return sq
		}
	}
	return 0
}
