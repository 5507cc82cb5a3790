// heddle finds: test failure
package atomicact

import "testing"

func TestEnter(t *testing.T) {
	d := New(1)
	other := make(chan bool)
	go func() { other <- d.Enter() }()
	a := d.Enter()
	b := <-other
	if a == b {
		t.Errorf("the two guests were let in: %t, %t", a, b)
	}
	if n := d.Inside(); n != 1 {
		t.Errorf("%d are inside", n)
	}
	d.Leave()
	if !d.Enter() {
		t.Error("nobody is inside, and the door is shut")
	}
}
