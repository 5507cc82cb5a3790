package config

import (
	"sync"
	"testing"
)

func TestGet(t *testing.T) {
	settings = nil
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if s := Get(); s.Limit != 100 {
				t.Errorf("limit is %d", s.Limit)
			}
		})
	}
	wg.Wait()
}

func TestCurrency(t *testing.T) {
	settings = nil
	done := make(chan string)
	go func() { done <- Get().Currency }()
	if c := Get().Currency; c != "EUR" {
		t.Errorf("currency is %q", c)
	}
	if c := <-done; c != "EUR" {
		t.Errorf("the other's currency is %q", c)
	}
}
