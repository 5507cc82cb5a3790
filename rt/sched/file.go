package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/sched/filenames"
	"heddle/rt/states"
	"heddle/trace"
)

// Files. Goroutines communicate by them too, so what the program does to one is an operation on an
// object that stands for it: reads commute with each other, and with nothing else. As objects of
// kind ObjMap are, they are loaded and stored; what a store did happened before what comes after
// it.
//
// A file is there as long as the folders above it are, so the same step loads those; making,
// renaming or removing a folder stores it. What a folder has in it is an object of its own, which
// is stored by a listing and loaded by what makes, renames or removes something there, since no two
// of these need an order because of it.
//
// Package filenames says which objects stand for a name.

// file is hook.File: the running goroutine is about to do something with the file or folder name,
// and with also where use takes two. What the standard library does for itself (testing) is no
// operation.
func (s *Sched) file(use hook.FileUse, name, also string) {
	g := s.enter()
	site, ok := s.pcs.filePlace()
	if s.inert() || !ok || !filenames.Keeps(name) {
		if !s.ending.on {
			s.files.NoteBefore(use, also)
		}
		s.leave()
		return
	}
	if name[0] != '/' || also != "" && also[0] != '/' {
		s.useState(g, unsafe.Add(processState(states.Dir), 1), false, site)
		name, also = filenames.Absolute(name), filenames.Absolute(also)
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
	if also != "" && filenames.Keeps(also) {
		u.event(u.op, s.fileObject(also, site))
		u.above(also)
	}
	if use.Open() {
		for _, n := range s.files.Renamed(name) {
			u.event(u.op, s.fileObject(n, site))
		}
	}
	if s.files.One() {
		u.arg = trace.AllFiles
		u.event(u.op, s.fileObject("/", site))
	}
	s.files.Note(use, name, also)
	// processes that append to one file do not disturb each other
	hook.Common = hook.Common || u.names && use != hook.FileAppend &&
		!(hook.OwnName(name) && (also == "" || hook.OwnName(also)))
	s.leave()
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
		s.acquire(u.g, &o.clock)
	}
	if op == trace.OpMapStore {
		s.release(u.g, &o.clock)
	}
}

// above notes that a name is found by the folders above it, and that the last of these may have
// another content then.
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
	o, _ := s.object(filenames.Cell(name), trace.ObjMap, site)
	return o
}

// filePlace returns where the program uses a file; ok is false if it is not the program that does.
func (t *pcTable) filePlace() (site trace.Site, ok bool) {
	for pc, in := range t.frames {
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
