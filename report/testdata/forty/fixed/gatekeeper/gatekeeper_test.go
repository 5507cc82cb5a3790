package gatekeeper

import "testing"

func TestDo(t *testing.T) {
	g := New(1)
	done := make(chan bool)
	go func() {
		g.Do("", func() {})
		close(done)
	}()
	g.Do("a", func() {})
	<-done
}
