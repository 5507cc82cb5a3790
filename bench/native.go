package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A native is the test binary of a package as go test builds it, without heddle.
type native struct{ path, dir string }

// buildNative builds the one of a package, which go finds from the folder dir, with more flags of
// go test, in a folder that the caller removes.
func buildNative(ctx context.Context, pkg, dir string, flags ...string) (*native, error) {
	tmp, err := os.MkdirTemp("", "native-")
	if err != nil {
		return nil, err
	}
	n := &native{filepath.Join(tmp, "native.test"), dir}
	args := append(append([]string{"test", "-c", "-o", n.path}, flags...), pkg)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.remove()
		return nil, fmt.Errorf("go test -c %s: %w\n%s", pkg, err, out)
	}
	return n, nil
}

func (n *native) remove() { os.RemoveAll(filepath.Dir(n.path)) }

// cpu returns the processor time, in seconds, of a number of executions of a test.
func (n *native) cpu(ctx context.Context, test string, executions int) (float64, error) {
	cmd := exec.CommandContext(ctx, n.path, "-test.run=^Test"+test+"$",
		fmt.Sprintf("-test.count=%d", executions))
	cmd.Dir = n.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// nativeLeast is how much processor time executions are to take that are measured, and nativeMost
// how many there are at most.
const (
	nativeLeast = 0.2
	nativeMost  = 1 << 14
)

// execution returns the processor time of one execution of a test, in seconds: the difference that
// more of them make. ok is false where it fails, as programs with bugs may.
func (n *native) execution(ctx context.Context, test string) (seconds float64, ok bool) {
	few, err := n.cpu(ctx, test, 1)
	if err != nil {
		return 0, false
	}
	for k := 4; ; k *= 4 {
		many, err := n.cpu(ctx, test, 1+k)
		if err != nil {
			return 0, false
		}
		if took := many - few; took > nativeLeast || k >= nativeMost {
			return max(took, 0) / float64(k), true
		}
	}
}
