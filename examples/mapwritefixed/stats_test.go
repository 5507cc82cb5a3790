package mapwrite

import "testing"

func TestAdd(t *testing.T) {
	v := New("/", "/help")
	done := make(chan struct{})
	go func() {
		v.Add("/help")
		close(done)
	}()
	v.Add("/")
	<-done
	if a, b := v.Of("/"), v.Of("/help"); a != 1 || b != 1 {
		t.Errorf("visits are %d and %d, want 1 and 1", a, b)
	}
}
