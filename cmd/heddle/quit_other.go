//go:build !linux

package main

import "errors"

// quitThread sends SIGQUIT to one thread of a process, where that is possible.
func quitThread(pid, tid int) error { return errors.ErrUnsupported }
