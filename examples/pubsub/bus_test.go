// heddle finds: deadlock
package pubsub

import "testing"

func TestUnsubscribe(t *testing.T) {
	var b Bus
	leaving, staying := b.Subscribe(), b.Subscribe()
	published := make(chan struct{})
	go func() {
		b.Publish("news")
		close(published)
	}()
	leaving.Unsubscribe()
	if m := <-staying.C; m != "news" {
		t.Errorf("received %q", m)
	}
	<-published
}
