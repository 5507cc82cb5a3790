package programs

import (
	"errors"
	"sync/atomic"
)

// Bluetooth is the model of the Windows Bluetooth driver (Qadeer and Wu, KISS, 2004): n requests
// count themselves in and out, and the goroutine that stops the driver waits until no request is
// in.
//
// Bug: a request reads the stopping flag before it counts itself in. The driver may be stopped in
// between, and the request works on a stopped driver.
func Bluetooth(n int) error {
	var (
		stopping, stopped, used atomic.Bool // used: while it was stopped
		pending                 atomic.Int32
		idle                    = make(chan struct{}) // the driver's stopping event
		set                     atomic.Bool
		requests                = make(chan struct{}, n)
	)
	leave := func() {
		if pending.Add(-1) == 0 && set.CompareAndSwap(false, true) {
			close(idle)
		}
	}
	request := func() {
		if !stopping.Load() {
			pending.Add(1)
			if stopped.Load() {
				used.Store(true)
			}
			leave()
		}
		requests <- struct{}{}
	}
	pending.Store(1) // the driver itself
	for range n {
		go request()
	}
	stopping.Store(true)
	leave()
	<-idle
	stopped.Store(true)
	for range n {
		<-requests
	}
	if used.Load() {
		return errors.New("bluetooth: a request worked on a stopped driver")
	}
	return nil
}
