//go:build unix

package filenames

import "syscall"

// isFolder reports whether there is a folder of that name.
func isFolder(name string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(name, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR
}
