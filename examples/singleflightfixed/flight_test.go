package singleflight

import (
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	var g Group
	var running, most atomic.Int32
	query := func() string {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		return "42"
	}
	other := make(chan string)
	go func() { other <- g.Do("answer", query) }()
	a := g.Do("answer", query)
	b := <-other
	if a != "42" || b != "42" {
		t.Errorf("the answers are %q and %q", a, b)
	}
	if n := most.Load(); n != 1 {
		t.Errorf("%d queries ran at the same time", n)
	}
}
