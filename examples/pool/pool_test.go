// heddle finds: misuse
package pool

import (
	"sync/atomic"
	"testing"
)

func TestClose(t *testing.T) {
	p := New(2)
	var sum atomic.Int64
	for i := range 3 {
		p.Submit(func() { sum.Add(int64(i)) })
	}
	done := make(chan struct{})
	go func() {
		p.Close() // the request was cancelled
		close(done)
	}()
	p.Close()
	<-done
	if n := sum.Load(); n != 3 {
		t.Errorf("sum is %d, want 3", n)
	}
}
