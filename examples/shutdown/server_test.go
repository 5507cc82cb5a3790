// heddle finds: deadlock
package shutdown

import "testing"

func TestStop(t *testing.T) {
	s := Start(2)
	s.Do(func() error { return ErrFatal })
	s.Stop()
	if n := int(s.handled.Load()) + len(s.requests); n != 1 {
		t.Errorf("%d requests were handled or dropped, want 1", n)
	}
}
