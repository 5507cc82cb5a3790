package semaphore

import "testing"

func TestCancel(t *testing.T) {
	slots := New(2)
	worked := false
	j := Start(slots, func() { worked = true })
	j.Cancel()
	j.Wait()
	if !worked {
		t.Error("the job did not work")
	}
	if n := len(slots); n != 0 {
		t.Errorf("%d slots are still taken", n)
	}
}
