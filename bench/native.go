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
	return perExecution(1, 4, nativeLeast, func(executions int) (float64, bool) {
		took, err := n.cpu(ctx, test, executions)
		return took, err == nil
	})
}

// perExecution returns what an execution costs, in seconds. cpu tells what a number of them cost.
// From that of few executions and more the cost of few is taken off; more grows until what is left
// is above least. ok is false where cpu's is.
func perExecution(few, more int, least float64, cpu func(executions int) (float64, bool)) (seconds float64,
	ok bool) {
	off, ok := cpu(few)
	for k := more; ok; k *= 4 {
		var all float64
		if all, ok = cpu(few + k); ok && (all-off > least || k >= nativeMost) {
			return max(all-off, 0) / float64(k), true
		}
	}
	return 0, false
}
