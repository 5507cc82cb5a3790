package web

import (
	"sync"
	"testing"
)

func TestClosingAndOpening(t *testing.T) {
	s := NewServer()
	var wg sync.WaitGroup
	wg.Go(s.Closing)
	wg.Go(s.Opening)
	wg.Wait()
}
