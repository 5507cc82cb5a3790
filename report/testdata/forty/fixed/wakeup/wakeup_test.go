package wakeup

import "testing"

func TestTake(t *testing.T) {
	w := New()
	go w.Add("index")
	if jobs := w.Take(); len(jobs) != 1 {
		t.Errorf("took %d jobs", len(jobs))
	}
}
