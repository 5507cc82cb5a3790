package sched

import (
	"testing"
	"unsafe"
)

// TestReopen: a goroutine outside control may take what is in a channel while that is emptied.
func TestReopen(t *testing.T) {
	for range 2000 {
		c := make(chan int, 500)
		for i := range cap(c) {
			c <- i
		}
		begun, taken := make(chan bool), make(chan bool)
		go func() {
			close(begun)
			for len(c) > 0 {
				select {
				case <-c:
				default:
				}
			}
			close(taken)
		}()
		<-begun
		if !Reopen(*(*unsafe.Pointer)(unsafe.Pointer(&c))) {
			t.Fatal("no goroutine waits at the channel")
		}
		<-taken
		if len(c) != 0 {
			t.Fatalf("%d values are left", len(c))
		}
	}
}
