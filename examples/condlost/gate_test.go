// heddle finds: deadlock
package condlost

import "testing"

func TestGate(t *testing.T) {
	g := New()
	var horses int
	ran := make(chan struct{})
	go func() {
		g.Wait()
		horses++
		close(ran)
	}()
	g.Open()
	<-ran
	if horses != 1 {
		t.Errorf("%d horses ran", horses)
	}
}
