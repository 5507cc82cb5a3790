package sched

import (
	"time"
	"unsafe"
)

// BareSwitches hands control round n coroutines, without a scheduler, and
// returns how long the given number of switches took: the limit that an
// execution can come close to.
func BareSwitches(n, switches int) time.Duration {
	parked := make([]unsafe.Pointer, n+1) // the last is the caller's
	left := switches
	for i := range n {
		parked[i] = newcoro(func(unsafe.Pointer) {
			for {
				next := i + 1
				if next == n {
					next = 0
				}
				left--
				if left <= 0 {
					next = n
				}
				c := parked[next]
				parked[i] = c
				coroswitch(c)
			}
		})
	}
	S.coros.alive += n // they are no outsiders
	start := time.Now()
	c := parked[0]
	parked[n] = c
	coroswitch(c)
	return time.Since(start) // the coroutines stay suspended for the rest of the process
}
