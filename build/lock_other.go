//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package build

import (
	"errors"
	"os"
)

// lockFile is not available on this system. Nothing is known of other heddle processes, so only
// old entries are trimmed.
func lockFile(*os.File, bool, bool) (bool, error) { return false, errors.ErrUnsupported }

func unlockFile(*os.File) {}
