package sessions

import (
	"sync"
	"testing"
)

func TestOneSession(t *testing.T) {
	var s Store
	var a, b *Session
	var wg sync.WaitGroup
	wg.Go(func() { a = s.Get("ann") })
	wg.Go(func() { b = s.Get("ann") })
	wg.Wait()
	if a != b {
		t.Error("ann has two sessions")
	}
}
