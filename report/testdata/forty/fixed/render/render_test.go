package render

import (
	"sync"
	"testing"
)

func TestPage(t *testing.T) {
	var wg sync.WaitGroup
	for _, n := range []string{"one", "two"} {
		wg.Go(func() {
			if got := string(Page(n)); got != "<h1>"+n {
				t.Errorf("%s: %s", n, got)
			}
		})
	}
	wg.Wait()
}
