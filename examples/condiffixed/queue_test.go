package condif

import (
	"sync"
	"testing"
)

func TestQueue(t *testing.T) {
	q := New()
	var got [2]string
	var readers sync.WaitGroup
	for i := range got {
		readers.Go(func() { got[i] = q.Get() })
	}
	q.Put("warp")
	q.Put("weft")
	readers.Wait()
	if got != [2]string{"warp", "weft"} && got != [2]string{"weft", "warp"} {
		t.Errorf("got %q", got)
	}
}
