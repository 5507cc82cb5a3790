package browser

import "syscall"

// leastSpace is the address space that Chromium needs: it reserves far more than it uses.
const leastSpace = 64 << 30

// cramped reports whether the address space is limited (ulimit -v) below what a browser needs.
func cramped() bool {
	var l syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_AS, &l) == nil && l.Cur < leastSpace
}
