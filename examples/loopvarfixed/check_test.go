package loopvar

import (
	"errors"
	"testing"
)

func TestAll(t *testing.T) {
	rotten := errors.New("rotten")
	c := &Checker{Check: func(name string) error {
		if name == "apple" {
			return rotten
		}
		return nil
	}}
	errs := c.All("apple", "pear")
	if len(errs) != 1 || !errors.Is(errs[0], rotten) {
		t.Errorf("errors are %v", errs)
	}
	if c.Files != 2 {
		t.Errorf("%d files, want 2", c.Files)
	}
}
