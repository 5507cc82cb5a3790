package richtest

import (
	"errors"
	"sync"

	"heddle/bench/model"
)

// DME is distributed mutual exclusion (Ricart & Agrawala 1981) between n
// processes that pass their critical section once. A process is two
// goroutines, one that asks the others and one that answers them, with a
// semaphore between them.
func DME(n int) error {
	type request struct{ number, from int }
	type process struct {
		lock         *model.Semaphore
		requests     chan request
		replies      chan int
		requesting   bool
		high, number int
		deferred     []bool
	}
	ps := make([]*process, n)
	for i := range ps {
		ps[i] = &process{
			lock: model.NewSemaphore(1), deferred: make([]bool, n),
			requests: make(chan request, n-1), replies: make(chan int, n-1),
		}
	}
	var wg sync.WaitGroup
	wg.Add(2 * n)
	inside := 0
	var err error
	for i, p := range ps {
		go func() {
			p.lock.P()
			p.requesting = true
			p.number = p.high + 1
			number := p.number
			p.lock.V()
			for j, q := range ps {
				if j != i {
					q.requests <- request{number, i}
				}
			}
			for range n - 1 {
				<-p.replies
			}
			if inside++; inside != 1 {
				err = errors.New("two inside")
			}
			inside--
			p.lock.P()
			p.requesting = false
			for j, d := range p.deferred {
				if d {
					p.deferred[j] = false
					ps[j].replies <- i
				}
			}
			p.lock.V()
			wg.Done()
		}()
		go func() {
			for range n - 1 {
				r := <-p.requests
				p.lock.P()
				p.high = max(p.high, r.number)
				wait := p.requesting && (p.number < r.number || p.number == r.number && i < r.from)
				if wait {
					p.deferred[r.from] = true
				}
				p.lock.V()
				if !wait {
					ps[r.from].replies <- i
				}
			}
			wg.Done()
		}()
	}
	wg.Wait()
	return err
}
