package wire

import "strings"

// SourceRoot stands for the folder of the toolchain in the names that files of the standard
// library are compiled with, where heddle rewrites them, and laid packages: a compiled package may
// be used again where the toolchain is in another folder. Compiled on Windows, where it must have
// one, it is on Drive. The runtime puts the folder in its place when a binary starts, but with
// -trimpath.
const (
	SourceRoot = "/heddle-goroot"
	Drive      = "C:"
)

// FromRoot reports whether the name of a file begins with SourceRoot.
func FromRoot(file string) bool {
	return strings.HasPrefix(strings.TrimPrefix(file, Drive), SourceRoot+"/")
}
