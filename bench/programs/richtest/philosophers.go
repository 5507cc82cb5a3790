package richtest

import (
	"errors"
	"sync"

	"heddle/bench/model"
)

// DPMonitorSU is n dining philosophers that eat once each, by an SU monitor without deadlock or
// starvation: a hungry philosopher beside an eating one starves, unless a neighbour starves
// already, and none eats beside a starving one.
func DPMonitorSU(n int) error {
	const (
		thinking = iota
		hungry
		starving
		eating
	)
	m := model.NewMonitor(model.SU)
	state := make([]int, n)
	self := make([]*model.Cond, n)
	for i := range self {
		self[i] = m.NewCond()
	}
	var err error
	test := func(k int) {
		l, r := state[(k+n-1)%n], state[(k+1)%n]
		switch {
		case (state[k] == hungry || state[k] == starving) && l != eating && l != starving && r != eating &&
			r != starving:
			state[k] = eating
			self[k].Signal()
		case state[k] == hungry && l != starving && r != starving:
			state[k] = starving
		}
	}
	done := func() model.Next { return model.Done }
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			m.Do(func() model.Next {
				state[i] = hungry
				test(i)
				if state[i] != eating {
					return self[i].Wait(done)
				}
				return model.Done
			})
			m.Do(func() model.Next {
				if state[i] != eating || state[(i+1)%n] == eating {
					err = errors.New("neighbours eat")
				}
				state[i] = thinking
				test((i + n - 1) % n)
				test((i + 1) % n)
				return model.Done
			})
			wg.Done()
		}()
	}
	wg.Wait()
	return err
}

// DPDeadlock is n philosophers with semaphores for forks, each taking the left fork first. All may
// hold their left fork; then it never returns.
func DPDeadlock(n int) {
	forks := make([]*model.Semaphore, n)
	for i := range forks {
		forks[i] = model.NewSemaphore(1)
	}
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		left, right := forks[i], forks[(i+1)%n]
		go func() {
			left.P()
			right.P()
			left.V()
			right.V()
			wg.Done()
		}()
	}
	wg.Wait()
}
