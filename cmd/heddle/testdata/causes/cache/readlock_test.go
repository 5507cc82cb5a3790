package cache

import (
	"sync"
	"testing"
)

func TestUse(t *testing.T) {
	c := New("a", "b")
	var wg sync.WaitGroup
	for _, k := range []string{"a", "b"} {
		wg.Go(func() { c.Use(k) })
	}
	wg.Wait()
	if n := len(c.Keys()); n != 2 {
		t.Errorf("%d keys", n)
	}
}

func TestUseOne(t *testing.T) {
	c := New("a")
	done := make(chan bool)
	go func() { done <- c.Use("a") }()
	c.Use("a")
	<-done
}
