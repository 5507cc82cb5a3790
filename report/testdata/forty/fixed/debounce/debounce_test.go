package debounce

import (
	"testing"
	"time"
)

func TestClose(t *testing.T) {
	s := New()
	s.Changed("hello")
	time.Sleep(time.Millisecond)
	s.Close()
	for text := range s.saves {
		if text != "hello" {
			t.Errorf("saved %q", text)
		}
	}
}
