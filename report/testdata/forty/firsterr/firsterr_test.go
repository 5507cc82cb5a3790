package firsterr

import (
	"errors"
	"testing"
)

func TestError(t *testing.T) {
	var g Group
	g.Go(func() error { return nil })
	g.Go(func() error { return errors.New("disk full") })
	if g.Wait() == nil {
		t.Error("the error is lost")
	}
}
