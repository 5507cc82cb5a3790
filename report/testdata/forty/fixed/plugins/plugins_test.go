package plugins

import "testing"

func TestPanic(t *testing.T) {
	var h Host
	called := make(chan struct{})
	go func() {
		defer close(called)
		h.Call(func() { panic("bad plugin") })
	}()
	<-called
	if n := h.Calls(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}
