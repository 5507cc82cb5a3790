package sched

import (
	"runtime"
	"strings"
	"unsafe"

	"heddle/rt/states"
	"heddle/trace"
)

// Places. Operations of sync, time and atomics are known by program counter:
// that of the call, or, where that tells a user nothing, of one further up the stack.

// A pcTable caches what is known about return addresses.
type pcTable struct {
	m     map[uintptr]pcInfo
	cache [256]pcEntry // direct-mapped, in front of m
	// sites, and what place returns for them, where that is always the same
	places [places][2]trace.Site
	own    map[trace.Site]bool // sites that are known to be in the program's own code, see noteCall
	begin  map[uintptr]string  // see writtenIn
}

// writtenIn returns the path of the package whose source has the function that begins at pc, "" for
// the standard library, assembly and what the compiler makes: it may call a function of another
// package.
func (t *pcTable) writtenIn(pc uintptr) string {
	path, ok := t.begin[pc]
	if ok {
		return path
	}
	frames := runtime.CallersFrames([]uintptr{pc + 1})
	f, more := frames.Next()
	for more { // what is inlined there
		f, more = frames.Next()
	}
	if !Standard(f.File) && strings.HasSuffix(f.File, ".go") && !strings.HasSuffix(f.Function, "-fm") {
		path = PackageOf(f.Function)
	}
	if t.begin == nil {
		t.begin = map[uintptr]string{}
	}
	t.begin[pc] = path
	return path
}

const places = 256

type pcEntry struct {
	pc   uintptr
	info pcInfo
}

// A pcInfo is what is known about a frame.
type pcInfo struct {
	pkg     string
	own     bool // the scheduler's, or a wrapper
	wrapper bool // a promoted method, a deferred call: the stack must be walked
	// package testing calls what the test gave it, which may be a method such as mu.Unlock
	given  bool
	within bool // in what stands for a connection: the place is where it is used
	quiet  bool // offers no scheduling points
	std    bool // in the standard library
	kept   bool // in a module of the module cache, or a vendored one
	whole  bool // announces all the state that it uses itself (package states)
	falls  bool // tries another address after a time of its own choice

	effect trace.Effect // of a quiet place, see EffectOf
	scope  Scope
}

// place returns site with the quiet bit set where its package offers no
// scheduling points. For wrappers it replaces the program counter by the caller's.
func (s *Sched) place(site trace.Site) trace.Site {
	if e := &s.pcs.places[site%places]; e[0] == site {
		return e[1]
	}
	return s.findPlace(site)
}

// findPlace is place for a site that is not in pcTable.places.
func (s *Sched) findPlace(site trace.Site) trace.Site {
	pc := site.PC()
	if pc == 0 {
		return site
	}
	info := s.pcs.look(pc)
	quiet := info.quiet
	if info.within {
		return s.usePlace(site)
	}
	if info.wrapper {
		given := info.given
		if site = s.pcs.userPlace(site); !given && s.pcs.look(site.PC()).quiet {
			site |= 1 << 63
		}
		return site
	}
	at := &s.pcs.places[site%places]
	if at[0] = site; quiet {
		site |= 1 << 63
	}
	at[1] = site
	return site
}

// callPlace returns the place of the operation at site as the user knows it.
func (s *Sched) callPlace(site trace.Site) trace.Site {
	if s.pcs.look(site.PC()).within {
		return s.usePlace(site)
	}
	return s.pcs.userPlace(site)
}

// oncePlace is place for the Once at p: what the standard library does once and for all (its
// package-level Onces), it does in the first execution only, so it offers no choice. Others, such
// as that of a context.AfterFunc, belong to values of the program.
func (s *Sched) oncePlace(p unsafe.Pointer, pc uintptr) trace.Site {
	site := s.place(trace.PCSite(pc))
	if packageLevel(p) && s.pcs.look(site.PC()).std {
		site |= 1 << 63
	}
	return site
}

// anchor is a package-level variable, and variables are the more or less that all are away from it
// at most.
var anchor byte

const variables = 1 << 31

func packageLevel(p unsafe.Pointer) bool {
	d := int64(uintptr(p)) - int64(uintptr(unsafe.Pointer(&anchor)))
	return d > -variables && d < variables
}

// userPlace is the first frame that is not of packages sync, sync/atomic or time.
func (t *pcTable) userPlace(site trace.Site) trace.Site {
	for pc, in := range t.frames {
		if in.pkg != "sync" && in.pkg != "sync/atomic" && (in.pkg != "time" || site.PC() == 0) {
			return trace.PCSite(pc)
		}
	}
	return site
}

// useConn is told when the goroutine that runs begins to use a connection or pipe, and when that is
// over: the stack is walked once then.
func (s *Sched) useConn(begins bool) {
	g := s.cur
	g.uses = 0
	if begins {
		g.uses = s.usePlace(0)
	}
}

// usePlace is where a connection or pipe is used: the first frame outside the standard library or,
// without one, outside of what makes connections, or in package net.
func (s *Sched) usePlace(site trace.Site) trace.Site {
	if s.cur.uses.PC() != 0 {
		return s.cur.uses
	}
	far := 0 // how good site is
	for pc, in := range s.pcs.frames {
		switch {
		case !in.std:
			return trace.PCSite(pc).Within()
		case far < 2 && !connects[in.pkg]:
			site, far = trace.PCSite(pc), 2
		case far < 1 && in.pkg == "net":
			site, far = trace.PCSite(pc), 1
		}
	}
	return site.Within()
}

// onBehalfOfLibrary reports whether what calls is the standard library: none of the packages
// that do what their callers want, unless another one of its packages calls them.
func (t *pcTable) onBehalfOfLibrary() bool {
	for _, in := range t.frames {
		if in.falls {
			return true
		}
		if !connects[in.pkg] && in.pkg != "context" {
			return in.std
		}
	}
	return false
}

// connects are the packages that connections and pipes go through.
var connects = map[string]bool{"sync": true, "time": true, "internal/poll": true, "net": true, "os": true}

// frames yields the stack from the innermost frame on, without the scheduler's own and wrappers.
func (t *pcTable) frames(yield func(pc uintptr, in *pcInfo) bool) {
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		if in := t.look(pc); !in.own && !yield(pc, in) {
			return
		}
	}
}

// look returns what is known of a return address. It holds until look is called again.
func (t *pcTable) look(pc uintptr) *pcInfo {
	if e := &t.cache[(pc^pc>>8)&255]; e.pc == pc {
		return &e.info
	}
	return t.find(pc)
}

func (t *pcTable) find(pc uintptr) *pcInfo {
	e := &t.cache[(pc^pc>>8)&255]
	info, ok := t.m[pc]
	if !ok {
		info = classify(pc)
		if t.m == nil {
			t.m = make(map[uintptr]pcInfo)
		}
		t.m[pc] = info
	}
	*e = pcEntry{pc, info}
	return &e.info
}

func classify(pc uintptr) pcInfo {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	info := pcInfo{pkg: PackageOf(f.Function), std: Standard(f.File), within: Loopback(f.File),
		kept: kept(f.File)}
	info.given = f.Function == "testing.heddleGiven"
	info.wrapper = info.given || f.File == "<autogenerated>" || info.pkg == "runtime" ||
		info.pkg == "heddlert/hook"
	info.own = info.wrapper || Internal(info.pkg)
	info.whole = info.std && states.Functions[f.Function].Whole
	info.falls = f.Function == "net.(*sysDialer).dialParallel"
	if info.wrapper || info.within {
		return info
	}
	// A call by reflection is the program's.
	if info.quiet = QuietPackage(info.pkg, f.File) && f.Function != "reflect.Value.call"; info.quiet {
		info.effect, info.scope = EffectOf(f.Function)
	}
	return info
}

// PackageOf returns the import path in a function's name, such as "net/http" of
// "net/http.(*Server).Serve".
func PackageOf(fn string) string {
	slash := 0
	for i := 0; i < len(fn); i++ {
		if fn[i] == '/' {
			slash = i
		} else if fn[i] == '[' {
			break
		}
	}
	for i := slash; i < len(fn); i++ {
		if fn[i] == '.' {
			return fn[:i]
		}
	}
	return fn
}

// Internal reports whether frames of the package are the scheduler's own.
func Internal(pkg string) bool {
	return len(pkg) >= 9 && pkg[:9] == "heddlert/" || pkg == "heddle/rt/sched" || pkg == "heddle/rt/hook"
}

// Loopback reports whether a file is what stands for connections and packets within the
// process, package std's loopback.go.txt and packet.go.txt: the program communicates by it.
func Loopback(file string) bool {
	return strings.HasSuffix(file, "/internal/poll/heddleloopback.go") ||
		strings.HasSuffix(file, "/internal/poll/heddlepacket.go")
}

// Standard reports whether a file is the standard library's. It is set by rt/drive.
var Standard = func(file string) bool { return false }

// QuietPackage reports whether operations called from a file of the package
// give order but no choice. It is set by rt/drive.
var QuietPackage = func(pkg, file string) bool { return false }
