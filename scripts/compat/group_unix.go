//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group lets a command that is cancelled end with all that it has started.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
