package lazylog

import "testing"

func TestPrint(t *testing.T) {
	var l Log
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Print("hello")
	}()
	<-done
	if n := len(l.lines); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}
