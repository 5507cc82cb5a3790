package config

import "testing"

func TestRate(t *testing.T) {
	r := &Rates{}
	done := make(chan struct{})
	go func() {
		r.Load()
		close(done)
	}()
	if rate := r.Rate("USD"); rate != 0 && rate != 1.1 {
		t.Errorf("rate is %v", rate)
	}
	<-done
}

func TestRateTwice(t *testing.T) {
	r := &Rates{}
	go r.Load()
	first := r.Rate("USD")
	second := r.Rate("USD")
	if first == 0 && second != 0 {
		t.Error("the rate changed between two reads")
	}
}
