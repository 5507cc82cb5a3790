package instrument

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFired runs a program with hooks that record their sites. The golden file shows which
// variables each line reads and writes, in order.
func TestFired(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir, err := filepath.Abs("testdata/behave/fired")
	if err != nil {
		t.Fatal(err)
	}
	texts, outs := rewritten(t, dir, Mode{Memory: true}, ".")
	step, err := os.ReadFile("testdata/behave/fired/step.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts[filepath.Join(dir, "step.go")] = step
	var got strings.Builder
	for line := range strings.Lines(run(t, dir, texts, "run", ".")) {
		f := strings.Fields(line)
		i, err := strconv.Atoi(f[1])
		if err != nil {
			got.WriteString(line)
			continue
		}
		s := outs[0].Sites[i]
		if f[0] != s.Op && f[0] != "read" && !(f[0] == "alloc" && s.Op == "write") { // append may do either
			t.Errorf("%s at a site for %s: %v", f[0], s.Op, s)
		}
		fmt.Fprintf(&got, "%s %s (%s bytes)\n", f[0], s.Text, f[2])
	}
	golden(t, "testdata/fired.golden", got.String())
}

// golden compares got with the file, or rewrites the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (-update rewrites it):\n%s", file, diff(string(want), got))
	}
}
