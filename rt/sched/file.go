package sched

import (
	"syscall"
	"unsafe"

	"heddle/rt/states"
	"heddle/trace"
)

// Files. Goroutines communicate by them too, so what the program does to one is an operation on an object that
// stands for it: reads commute with each other, and with nothing else. As objects of kind ObjMap are, they are
// loaded and stored; what a store did happened before what comes after it.
//
// A folder is changed by what is made, renamed or removed in it, however deep, and no two of these need an order because
// of it. So they are noted as quiet loads of the folders; listing, renaming or removing a folder is a store. A search that meets
// the two in an order that might be another says so (transition.Path.Hidden).

// cells stand for files, by a hash of the name: package-level, so that an object is the same in every execution and process.
var cells [1 << 12]byte

// file announces that the goroutine is about to read or write the file or folder name, and to write also.
// What the standard library does for itself (testing) is no operation.
func (s *Sched) file(write bool, name, also string) {
	g := s.enter()
	site, ok := s.filePlace()
	if s.inert() || !ok || !plainFile(name) {
		s.leave()
		return
	}
	if name[0] != '/' || also != "" && also[0] != '/' {
		s.useState(g, unsafe.Add(processState(states.Dir), 1), false, site)
		name, also = absolute(name), absolute(also)
	}
	o, op := s.fileObject(name, site), trace.OpMapLoad
	if write {
		op = trace.OpMapStore
	}
	s.point(g, op, o, site)
	g.filed = len(s.t.Steps)
	s.event(g, op, o, 0, site)
	if !s.loosely(g) {
		s.acquire(g, o.clock)
	}
	if write {
		s.release(g, &o.clock)
		s.folders(g, name, site)
		if also != "" && plainFile(also) { // in the same step
			o = s.fileObject(also, site)
			s.event(g, op, o, 0, site)
			if !s.loosely(g) {
				s.acquire(g, o.clock)
			}
			s.release(g, &o.clock)
			s.folders(g, also, site)
		}
	}
	s.leave()
}

// folders notes that something below the folders of a file changes.
func (s *Sched) folders(g *G, name string, site trace.Site) {
	loud := g.quiet
	g.quiet = true
	defer func() { g.quiet = loud }()
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' {
			s.event(g, trace.OpMapLoad, s.fileObject(name[:i], site), 0, site)
		}
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
