// Package filenames knows which names of files are those of one file, and which objects stand for
// them.
//
// Objects go by names. A file that is open keeps the object of the name it was opened by, and has
// those that it was renamed to as well. After a link was made, or a folder renamed, two names may
// be one file in ways that names do not tell: from then on all operations on files are operations
// on one object too.
package filenames

import (
	"slices"
	"syscall"
	"unsafe"

	"heddle/rt/hook"
)

// Names is what was done to the names of files: in the running execution, or before it.
type Names struct {
	one     bool                // names do not tell files apart
	before  bool                // they did not when the execution began
	renamed map[string][]string // what files that were opened by a name are called since
}

// Reset begins an execution.
func (n *Names) Reset() { n.one, n.renamed = false, nil }

// One reports whether names do not tell files apart.
func (n *Names) One() bool { return n.one || n.before }

// Renamed returns what a file that was opened by a name may be called by now.
func (n *Names) Renamed(name string) []string { return n.renamed[name] }

// Note notes what names no longer tell once an operation is done. also is the old name of a file
// that is renamed or linked.
func (n *Names) Note(use hook.FileUse, name, also string) {
	switch {
	case mixes(use, also):
		n.one = true
	case use == hook.FileMove:
		if n.renamed == nil {
			n.renamed = make(map[string][]string)
		}
		for opened, names := range n.renamed {
			if slices.Contains(names, also) {
				n.renamed[opened] = append(names, name)
			}
		}
		n.renamed[also] = append(n.renamed[also], name)
	}
}

// NoteBefore is Note for an operation that is no part of an execution.
func (n *Names) NoteBefore(use hook.FileUse, also string) { n.before = n.before || mixes(use, also) }

// mixes reports whether an operation leaves two names for one file that do not tell so.
func mixes(use hook.FileUse, also string) bool {
	return use == hook.FileLink || use == hook.FileMove && isFolder(also)
}

// cells stand for files, by a hash of the name: package-level, so that an object is the same in
// every execution and process.
var cells [1 << 12]byte

// Cell returns what stands for the file of that name.
func Cell(name string) unsafe.Pointer {
	return unsafe.Pointer(&cells[Hash(name)%uint64(len(cells))])
}

// Hash returns a hash of a name (FNV-1a) that leaves out long numbers: names of temporary files
// differ by them between processes.
func Hash(name string) uint64 {
	const long = 5
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		j := i
		for j < len(name) && '0' <= name[j] && name[j] <= '9' {
			j++
		}
		if j-i >= long {
			i = j - 1
			continue
		}
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// Keeps reports whether a file of that name keeps what is written to it, as far as the name tells.
func Keeps(name string) bool {
	return name != "" && name[0] != '|' &&
		!(len(name) > 5 && (name[:5] == "/dev/" || name[:5] == "/proc" || name[:5] == "/sys/"))
}

// Absolute returns the name with the working directory before it, unless it is absolute or empty.
func Absolute(name string) string {
	if name == "" || name[0] == '/' {
		return name
	}
	dir, err := syscall.Getwd()
	if err != nil || name == "." {
		return dir
	}
	return dir + "/" + name
}
