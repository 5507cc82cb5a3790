package queue

import (
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	f := NewFeed(1)
	var wg sync.WaitGroup
	wg.Go(func() { f.Tell(1) })
	f.Stop()
	wg.Wait()
}

func TestStopWithReader(t *testing.T) {
	f := NewFeed(2)
	go f.Tell(1)
	go f.Tell(2)
	<-f.C
	f.Stop()
}
