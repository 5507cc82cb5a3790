//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package build

import (
	"errors"
	"os"
)

// lockFile cannot be had here: nothing is known of other heddles, and so nothing but old entries is trimmed.
func lockFile(*os.File, bool, bool) (bool, error) { return false, errors.ErrUnsupported }

func unlockFile(*os.File) {}
