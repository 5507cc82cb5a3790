package events

import (
	"sync"
	"testing"
)

func TestClose(t *testing.T) {
	b := New()
	var wg sync.WaitGroup
	wg.Go(func() { b.Publish("login") })
	b.Close()
	wg.Wait()
	for range b.out {
	}
}
