//go:build unix && !linux

package drive

import "syscall"

func dup(fd int) (int, error) {
	n, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(n)
	}
	return n, err
}

func dup2(from, to int) { syscall.Dup2(from, to) }
