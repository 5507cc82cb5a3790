// Package mirror copies values between two tables.
package mirror

import "sync"

var (
	left, right     sync.Mutex
	leftN, rightN   int
	toLeft, toRight = func() { left.Lock(); right.Lock(); leftN = rightN; right.Unlock(); left.Unlock() },
		func() { left.Lock(); right.Lock(); rightN = leftN; right.Unlock(); left.Unlock() }
)
