//go:build !unix

package filenames

// isFolder reports whether the name may be that of a folder.
func isFolder(string) bool { return true }
