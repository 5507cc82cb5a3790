//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group makes cancelling a command also stop all processes that it started.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
