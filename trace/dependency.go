package trace

import "strings"

// Dependency reports whether a file, with slashes in its path, belongs to a module in the module
// cache, whose folders have the version in their names (modernc.org/sqlite@v1.61.1/), or to a
// vendored one. Such code is not the program's own, and not the user's to change.
func Dependency(file string) bool {
	if strings.HasPrefix(file, "vendor/") || strings.Contains(file, "/vendor/") {
		return true
	}
	i := strings.LastIndex(file, "@v")
	return i >= 0 && i+2 < len(file) && file[i+2] >= '0' && file[i+2] <= '9' &&
		strings.Contains(file[i:], "/")
}
