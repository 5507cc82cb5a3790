// Package growth has programs of any size n, for the table of how the cost of an execution grows
// with it (go run ./bench -growth).
package growth

import "sync"

// Crowd starts n goroutines that lock one mutex once each, and returns how often it was locked: n.
func Crowd(n int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	locked := 0
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			locked++
			mu.Unlock()
		}()
	}
	wg.Wait()
	return locked
}

// Apart starts n goroutines that lock a mutex of their own, and returns how many there were: n.
func Apart(n int) int {
	mus := make([]sync.Mutex, n)
	var wg sync.WaitGroup
	for i := range mus {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mus[i].Lock()
			mus[i].Unlock()
		}()
	}
	wg.Wait()
	return n
}

// Lines lets two goroutines lock and unlock a mutex of their own: n events in all.
func Lines(n int) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var mu sync.Mutex
			for range n / 4 {
				mu.Lock()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// Turns lets two goroutines lock and unlock one mutex: n events in all.
func Turns(n int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range n / 4 {
				mu.Lock()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// Pipe sends values from one goroutine to another over a channel without a buffer, in n events, and
// returns how many values came.
func Pipe(n int) int {
	ch := make(chan int)
	go func() {
		for i := range n / 2 {
			ch <- i
		}
		close(ch)
	}()
	got := 0
	for range ch {
		got++
	}
	return got
}

// Market lets two goroutines send over one channel without a buffer and two receive from it, in n
// events.
func Market(n int) {
	ch := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range n / 4 {
				ch <- i
			}
		})
		wg.Go(func() {
			for range n / 4 {
				<-ch
			}
		})
	}
	wg.Wait()
}
