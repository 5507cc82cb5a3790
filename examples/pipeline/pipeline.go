// Package pipeline searches for a number through stages that run concurrently.
package pipeline

// numbers sends 1 to n.
func numbers(n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 1; i <= n; i++ {
			out <- i
		}
	}()
	return out
}

// squares sends the square of each number that it receives.
func squares(in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := range in {
			out <- i * i
		}
	}()
	return out
}

// FirstAbove returns the first square of 1 to n that is greater than limit, and 0 if there is none.
func FirstAbove(n, limit int) int {
	for sq := range squares(numbers(n)) {
		if sq > limit {
			return sq
		}
	}
	return 0
}
