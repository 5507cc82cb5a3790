// Package stopper ends a loop from several places.
package stopper

type Loop struct{ stop chan struct{} }

func New() *Loop { return &Loop{stop: make(chan struct{})} }

// Stop ends the loop. It may be called more than once.
func (l *Loop) Stop() {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
}

// Run returns when Stop was called.
func (l *Loop) Run() { <-l.stop }
