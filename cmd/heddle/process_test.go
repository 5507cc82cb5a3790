package main

import (
	"io"
	"os"
	"testing"
	"time"
)

// What a process wrote before it ended is read, however late.
func TestLateReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // a process that was left behind has it open
	w.WriteString("done")
	r.SetReadDeadline(time.Now().Add(-time.Second))
	got, err := io.ReadAll(lateReader{r})
	if string(got) != "done" || err == nil {
		t.Errorf("%q, %v, want \"done\" and a time-out", got, err)
	}
}
