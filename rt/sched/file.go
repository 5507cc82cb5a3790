package sched

import (
	"slices"
	"syscall"
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/states"
	"heddle/trace"
)

// Files. Goroutines communicate by them too, so what the program does to one is an operation on an object that
// stands for it: reads commute with each other, and with nothing else. As objects of kind ObjMap are, they are
// loaded and stored; what a store did happened before what comes after it.
//
// A file is there as long as the folders above it are, so the same step loads those; making, renaming or removing a folder
// stores it. What a folder has in it is an object of its own, which is stored by a listing and loaded by what makes, renames
// or removes something there, since no two of these need an order because of it.
//
// Objects go by names. A file that is open keeps the object of the name it was opened by, and has those that it was
// renamed to as well. After a link was made, or a folder renamed, two names may be one file in ways that names
// do not tell: from then on all operations on files are operations on one object too.

// cells stand for files, by a hash of the name: package-level, so that an object is the same in every execution and process.
var cells [1 << 12]byte

// files is what was done to names: in the running execution, or before it.
type files struct {
	one     bool                // names do not tell files apart
	renamed map[string][]string // what files that were opened by a name are called since
}

// file announces what the goroutine is about to do with the file or folder name, and with also where use takes two.
// What the standard library does for itself (testing) is no operation.
func (s *Sched) file(use hook.FileUse, name, also string) {
	g := s.enter()
	site, ok := s.filePlace()
	if s.inert() || !ok || !plainFile(name) {
		if !s.unwind {
			s.filesBefore = s.filesBefore || use == hook.FileLink || use == hook.FileMove && isFolder(also)
		}
		s.leave()
		return
	}
	if name[0] != '/' || also != "" && also[0] != '/' {
		s.useState(g, unsafe.Add(processState(states.Dir), 1), false, site)
		name, also = absolute(name), absolute(also)
	}
	u := fileUse{s: s, g: g, site: site, op: trace.OpMapLoad, names: use.Writes() && !use.Open()}
	if use.Writes() {
		u.op = trace.OpMapStore
	}
	o := s.fileObject(name, site)
	if use == hook.OpenList {
		o = s.fileObject(name+"/", site)
	}
	s.point(g, u.op, o, site)
	g.filed = len(s.t.Steps)
	u.event(u.op, o)
	u.above(name)
	if also != "" && plainFile(also) {
		u.event(u.op, s.fileObject(also, site))
		u.above(also)
	}
	if use.Open() {
		for _, n := range s.files.renamed[name] {
			u.event(u.op, s.fileObject(n, site))
		}
	}
	if s.files.one || s.filesBefore {
		u.arg = trace.AllFiles
		u.event(u.op, s.fileObject("/", site))
	}
	s.files.note(use, name, also)
	s.leave()
}

// note takes down what names no longer tell once the operation is done.
func (f *files) note(use hook.FileUse, name, also string) {
	switch {
	case use == hook.FileLink, use == hook.FileMove && isFolder(also):
		f.one = true
	case use == hook.FileMove:
		if f.renamed == nil {
			f.renamed = make(map[string][]string)
		}
		for opened, names := range f.renamed {
			if slices.Contains(names, also) {
				f.renamed[opened] = append(names, name)
			}
		}
		f.renamed[also] = append(f.renamed[also], name)
	}
}

// A fileUse is an operation on files, whose events are all of one step.
type fileUse struct {
	s     *Sched
	g     *G
	site  trace.Site
	op    trace.Op
	arg   int64
	names bool // what is in the folder may be other files then
}

// event notes that the operation is one on o.
func (u *fileUse) event(op trace.Op, o *object) {
	s := u.s
	s.event(u.g, op, o, u.arg, u.site)
	if !s.loosely(u.g) {
		s.acquire(u.g, o.clock)
	}
	if op == trace.OpMapStore {
		s.release(u.g, &o.clock)
	}
}

// above notes that a name is found by the folders above it, and that the last of these may have another content then.
func (u *fileUse) above(name string) {
	last := true
	for i := len(name) - 1; i > 0; i-- {
		if name[i] != '/' {
			continue
		}
		u.s.event(u.g, trace.OpMapLoad, u.s.fileObject(name[:i], u.site), 0, u.site)
		if last && u.names {
			u.s.event(u.g, trace.OpMapLoad, u.s.fileObject(name[:i+1], u.site), 0, u.site)
		}
		last = false
	}
}

func (s *Sched) fileObject(name string, site trace.Site) *object {
	o, _ := s.object(unsafe.Pointer(&cells[fileHash(name)%uint64(len(cells))]), trace.ObjMap, site)
	return o
}

// fileHash is a hash of a name (FNV-1a) that leaves out long numbers: names of temporary files differ by them between processes.
func fileHash(name string) uint64 {
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

// plainFile reports whether name is that of a file which keeps what is written to it, as far as the name tells.
func plainFile(name string) bool {
	return name != "" && name[0] != '|' && !(len(name) > 5 && (name[:5] == "/dev/" || name[:5] == "/proc" || name[:5] == "/sys/"))
}

// absolute returns the name with the working directory before it.
func absolute(name string) string {
	if name == "" || name[0] == '/' {
		return name
	}
	dir, err := syscall.Getwd()
	if err != nil || name == "." {
		return dir
	}
	return dir + "/" + name
}

// filePlace returns where the program uses a file; ok is false if it is not the program that does.
func (s *Sched) filePlace() (site trace.Site, ok bool) {
	for pc, in := range s.frames {
		site = trace.PCSite(pc).OnFile()
		if !in.std {
			return site, true
		}
		if ownFiles(in.pkg) {
			return 0, false
		}
		ok = ok || in.pkg == "net/http" // a server, which serves what the program gave it
	}
	return site, ok
}

// ownFiles reports whether a package uses files for itself. Others do because their callers do.
func ownFiles(pkg string) bool {
	switch pkg {
	case "testing", "net", "time", "mime", "os/user", "runtime", "crypto/x509", "crypto/tls":
		return true
	}
	return len(pkg) > 8 && pkg[:8] == "testing/"
}
