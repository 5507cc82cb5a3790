package phases

import "testing"

func TestPhases(t *testing.T) {
	r := New()
	idle := make(chan struct{})
	first := make(chan struct{})
	go func() {
		<-first
		r.Idle()
		close(idle)
	}()
	r.Phase(func() { close(first) })
	r.Phase(func() {})
	<-idle
}
