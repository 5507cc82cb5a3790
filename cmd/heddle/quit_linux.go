package main

import "syscall"

// quitThread sends SIGQUIT to one thread of a process.
func quitThread(pid, tid int) error { return syscall.Tgkill(pid, tid, syscall.SIGQUIT) }
