package richtest

import (
	"errors"
	"sync"

	"heddle/bench/model"
)

// processes is the number of processes of DME.
const processes = 3

// A port is asynchronous: the messages of two senders may arrive in either order, even if one was
// sent because of the other. So each sender has a channel with room for all its messages.
type port[T any] [processes]chan T

func newPort[T any](owner int, channel func() chan T) (p port[T]) {
	for i := range p {
		if i != owner {
			p[i] = channel()
		}
	}
	return p
}

func newRequests() chan int { return make(chan int, 1) }

// newReplies makes a channel for replies, whose order does not matter (bench -one-order).
func newReplies() chan struct{} { return make(chan struct{}, 1) }

func (p *port[T]) receive() (x T, from int) {
	select {
	case x = <-p[0]:
		return x, 0
	case x = <-p[1]:
		return x, 1
	case x = <-p[2]:
		return x, 2
	}
}

// A process of DME.
type process struct {
	lock         *model.Semaphore
	requests     port[int] // numbers
	replies      port[struct{}]
	requesting   bool
	high, number int
	deferred     [processes]bool
}

// DME is distributed mutual exclusion (Ricart & Agrawala 1981) between three processes that pass
// their critical section once. A process has two goroutines, one that asks the others and one that
// answers them, with a semaphore between them.
func DME() error { return dme((*process).collect) }

// DMEInOrder is DME with the replies received in a fixed order, which has the same effect for the
// program.
func DMEInOrder() error { return dme((*process).collectInOrder) }

// collect receives the replies of all other processes.
func (p *process) collect(int) {
	for range processes - 1 {
		p.replies.receive()
	}
}

func (p *process) collectInOrder(i int) {
	for j := range processes {
		if j != i {
			<-p.replies[j]
		}
	}
}

func dme(collect func(p *process, i int)) error {
	var ps [processes]*process
	for i := range ps {
		ps[i] = &process{lock: model.NewSemaphore(1), requests: newPort(i, newRequests),
			replies: newPort(i, newReplies)}
	}
	var wg sync.WaitGroup
	wg.Add(2 * processes)
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
					q.requests[i] <- number
				}
			}
			collect(p, i)
			if inside++; inside != 1 {
				err = errors.New("two inside")
			}
			inside--
			p.lock.P()
			p.requesting = false
			for j, d := range p.deferred {
				if d {
					p.deferred[j] = false
					ps[j].replies[i] <- struct{}{}
				}
			}
			p.lock.V()
			wg.Done()
		}()
		go func() {
			for range processes - 1 {
				number, from := p.requests.receive()
				p.lock.P()
				p.high = max(p.high, number)
				wait := p.requesting && (p.number < number || p.number == number && i < from)
				if wait {
					p.deferred[from] = true
				}
				p.lock.V()
				if !wait {
					ps[from].replies[i] <- struct{}{}
				}
			}
			wg.Done()
		}()
	}
	wg.Wait()
	return err
}
