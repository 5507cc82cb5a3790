package pool

import (
	"sync"
	"testing"
)

func TestClose(t *testing.T) {
	w := NewWorker()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(w.Close)
	}
	wg.Wait()
}

func TestCloseBeside(t *testing.T) {
	w := NewWorker()
	done := make(chan struct{})
	go func() {
		w.Close()
		close(done)
	}()
	w.Close()
	<-done
}
