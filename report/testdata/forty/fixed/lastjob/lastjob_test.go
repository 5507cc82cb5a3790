package lastjob

import "testing"

func TestCloseRunsAll(t *testing.T) {
	w := New()
	ran := 0
	w.Submit(func() { ran++ })
	w.Submit(func() { ran++ })
	w.Close()
	if ran != 2 {
		t.Errorf("%d of 2 jobs ran before Close returned", ran)
	}
}
