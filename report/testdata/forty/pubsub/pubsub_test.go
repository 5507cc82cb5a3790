package pubsub

import "testing"

func TestUnsubscribe(t *testing.T) {
	h := New()
	id, messages := h.Subscribe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-messages:
		default:
		}
		h.Unsubscribe(id)
	}()
	h.Publish("news")
	<-gone
}
