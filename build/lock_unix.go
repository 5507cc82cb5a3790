//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package build

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks an open file, exclusively or shared, until it is unlocked or closed or the
// process ends. Without wait it returns false if another process holds the lock.
func lockFile(f *os.File, alone, wait bool) (bool, error) {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

func unlockFile(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
