package term

import (
	"context"
	"testing"
)

// TestRead: a reader that waits for a line does not keep the debugger from ending.
func TestRead(t *testing.T) {
	line, err := read(t.Context(), func(string) (string, error) { return "next", nil })
	if line != "next" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	wait := make(chan bool)
	defer close(wait)
	if _, err := read(ctx, func(string) (string, error) { cancel(); <-wait; return "", nil }); err == nil {
		t.Error("want the error of the context")
	}
}

func TestPlace(t *testing.T) {
	s := &session{}
	s.at.Source = nil
	for _, arg := range []string{"", "x", "12", "a.go:x"} {
		if _, _, err := s.place(arg); err == nil {
			t.Errorf("break %s without a file: want an error", arg)
		}
	}
	if file, line, err := s.place("/m/a.go:7"); file != "/m/a.go" || line != 7 || err != nil {
		t.Errorf("%s:%d, %v", file, line, err)
	}
}
