package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRaise: the highest number stays, for each test its own, and a broken file is none.
func TestRaise(t *testing.T) {
	file := filepath.Join(t.TempDir(), highestFile)
	for _, c := range []struct {
		name    string
		n, want int
	}{{"p TestA", 5, 5}, {"p TestA", 3, 5}, {"p TestB", 1, 1}, {"p TestA", 7, 7}, {"p TestA", 6, 7}} {
		if got := raise(file, c.name, c.n); got != c.want {
			t.Errorf("%s with %d: the highest number is %d, want %d", c.name, c.n, got, c.want)
		}
	}
	if err := os.WriteFile(file, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := raise(file, "p TestA", 2); got != 2 {
		t.Errorf("after the file was broken the highest number is %d", got)
	}
}
