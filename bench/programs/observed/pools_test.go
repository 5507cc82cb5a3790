package observed

import (
	"slices"
	"sync"
	"testing"
)

// TestPool: three workers do six jobs; their results are sorted.
func TestPool(t *testing.T) {
	in, out := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for j := range in {
				out <- j * j
			}
		})
	}
	go func() {
		for j := range 6 {
			in <- j
		}
		close(in)
		wg.Wait()
		close(out)
	}()
	var got []int
	for r := range out {
		got = append(got, r)
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 1, 4, 9, 16, 25}) {
		t.Fatal(got)
	}
}

// TestOffers: four workers offer themselves for six jobs.
func TestOffers(t *testing.T) {
	type worker struct{ job, reply chan int }
	offers, done := make(chan worker), make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := worker{make(chan int), make(chan int)}
			for {
				select {
				case offers <- w:
					w.reply <- <-w.job * 2
				case <-done:
					return
				}
			}
		})
	}
	for j := range 6 {
		w := <-offers
		w.job <- j
		if got := <-w.reply; got != 2*j {
			t.Fatal(got)
		}
	}
	close(done)
	wg.Wait()
}

// TestServer: three clients have four requests each for a goroutine that keeps a sum.
func TestServer(t *testing.T) {
	type request struct {
		add   int
		reply chan int
	}
	requests := make(chan request)
	go func() {
		sum := 0
		for r := range requests {
			sum += r.add
			r.reply <- sum
		}
	}()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			reply := make(chan int)
			for range 4 {
				requests <- request{1, reply}
				<-reply
			}
		})
	}
	wg.Wait()
	close(requests)
}

// TestPasses: three goroutines pass two slots twice, and count how many are between.
func TestPasses(t *testing.T) {
	slots := make(chan struct{}, 2)
	var mu sync.Mutex
	within := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 2 {
				slots <- struct{}{}
				mu.Lock()
				if within++; within > 2 {
					t.Error(within)
				}
				mu.Unlock()
				mu.Lock()
				within--
				mu.Unlock()
				<-slots
			}
		})
	}
	wg.Wait()
}
