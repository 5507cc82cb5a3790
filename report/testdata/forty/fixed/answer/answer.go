// Package answer asks a slow service and gives up after a while.
package answer

import "time"

// Ask returns the answer of f, or late if that takes longer than a millisecond.
func Ask(f func() string, late string) string {
	c := make(chan string, 1)
	go func() { c <- f() }()
	select {
	case s := <-c:
		return s
	case <-time.After(time.Millisecond):
		return late
	}
}
