package routes

import (
	"sync"
	"testing"
)

func TestFindWhileAdding(t *testing.T) {
	r := New()
	var wg sync.WaitGroup
	wg.Go(func() { r.Add("/help", "help") })
	wg.Go(func() {
		if h := r.FindAny("/"); h != "index" {
			t.Errorf("handler is %q", h)
		}
	})
	wg.Wait()
}
