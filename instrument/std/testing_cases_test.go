package std

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// The test binary of testdata/plain is run without control, by the stub drive, and with patterns.
var testingTests = []struct {
	name string
	run  func(t *testing.T, dir string)
}{
	{"plain", testBinary(nil, "-test.v")},
	{"drive", testBinary([]string{"STUB_DRIVE=1"}, "-test.skip=Two")},
	{"verbose", testBinary([]string{"STUB_DRIVE=1"}, "-test.v",
		"-test.run=^TestPass$|TestSkip|ExamplePass|FuzzSeeds/seed#0")},
	{"subtest", testBinary([]string{"STUB_DRIVE=1"}, "-test.run=TestFail/a/b#01", "-test.v")},
}

var volatile = regexp.MustCompile(`\(\d+\.\d+s\)|\n=== [A-Z]+ .*|\d+\.\d+s\n`)

// testBinary runs m.test and compares what it prints with testdata/<subtest>.golden.
func testBinary(env []string, args ...string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(dir, "m.test"), args...)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		got := volatile.ReplaceAllString(string(out), "")
		if err != nil {
			got += err.Error() + "\n"
		}
		if ctx.Err() != nil {
			t.Fatalf("hangs\n%s", got)
		}
		golden := filepath.Join("testdata", filepath.Base(t.Name())+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("got\n%s\nwant (%s)\n%s", got, golden, want)
		}
	}
}
