// Package std holds what heddle changes in the Go standard library so that its
// blocking, atomic, timing and random operations ask heddlert/hook when a
// goroutine under test calls them:
//
//	func (m *Mutex) Lock() { if _hs.Here() { m.heddleLock(_hs.CallerPC()); return };
//		m.mu.Lock()
//	}
//
// Each change is a text edit of one file of GOROOT/src, anchored to text that
// must stand there (edit.go), or a file added to a package (folder added). Edits keep the
// number of lines, so positions in reports and stack traces stay true. What the
// rewriter does to the standard library after that (channels, go statements) is
// said by Mode.
//
// The edits fit the Releases. Where an anchor is gone, Patch says which.
package std

import (
	"embed"
	"fmt"
	"go/version"
	"path"
	"runtime"
	"slices"
)

// GoVersion is the Go whose sources are patched, for messages. The command
// sets it to the GOVERSION of the build.
var GoVersion = runtime.Version()

//go:embed added
var addedFiles embed.FS

// A pkg is what changes in one package of the standard library.
type pkg struct {
	files map[string]file          // by base name
	added func() []byte            // the file heddle.go; nil: none
	more  map[string]func() []byte // further files, by name
	first string                   // the release of Go that has the package first; "": all have it

	// systems: there are files for systems beside that. The file poll_linux.go.txt of folder added
	// is heddle_linux.go of internal/poll, which Go compiles for Linux only, as its name says; one whose name ends in
	// _other says itself what it is for.
	systems bool
}

// A file is the edits of one file. hook: it gets an import of heddlert/hook as _hs.
type file struct {
	hook  bool
	edits []edit
}

// packages is the table of all changes, by import path. Each entry has a file of its own here.
var packages = map[string]*pkg{
	"runtime":               runtimePatch,
	"sync":                  syncPatch,
	"sync/atomic":           atomicPatch,
	"time":                  timePatch,
	"runtime/debug":         debugPatch,
	"plugin":                pluginPatch,
	"internal/runtime/maps": mapsPatch,
	"uuid":                  uuidPatch,
	"testing":               testingPatch,
	"testing/synctest":      synctestPatch,
	"iter":                  iterPatch,
	"os":                    osPatch,
	"sort":                  sortPatch,
	"errors":                errorsPatch,
	"regexp/syntax":         syntaxPatch,
	"unicode/utf8":          utf8Patch,
	"image":                 imagePatch,
	"image/jpeg":            jpegPatch,
	"image/png":             pngPatch,
	"reflect":               reflectPatch,
	"fmt":                   fmtPatch,
	"strconv":               strconvPatch,
	"hash/maphash":          maphashPatch,
	"math/rand":             randPatch,
	"crypto/rand":           cryptoRandPatch,
	"crypto/internal/rand":  internalRandPatch,
	"math/rand/v2":          rand2Patch,
	"internal/poll":         pollPatch,
	"os/signal":             signalPatch,
	"net":                   netPatch,
	"net/http":              httpPatch,
	"syscall":               syscallPatch,
	"flag":                  flagPatch,
	"log":                   logPatch,
	"log/slog":              slogPatch,
	"expvar":                expvarPatch,
	"database/sql":          sqlPatch,
}

// The base names of the files that Added returns. What goroutines do in
// LoopbackName and PacketName are operations of the program, in whichever package it is.
const (
	AddedName    = "heddle.go"
	LoopbackName = "heddleloopback.go"
	PacketName   = "heddlepacket.go"
)

// Patched reports whether Patch or Added change the package.
func Patched(importPath string) bool { return changed(importPath) != nil }

// changed returns what changes in a package of the release, nil if nothing does.
func changed(importPath string) *pkg {
	if p := packages[importPath]; p != nil && version.Compare(release(), p.first) >= 0 {
		return p
	}
	return nil
}

// of returns the packages that a release has of the table.
func of(release string) map[string]*pkg {
	ps := make(map[string]*pkg, len(packages))
	for path, p := range packages {
		if version.Compare(release, p.first) >= 0 {
			ps[path] = p
		}
	}
	return ps
}

// Patch returns src, the text of the file with that base name of the package,
// with heddle's edits; src itself where there are none. lost says what is lost
// because edits that may be left out do not fit. An error names the Go
// version, the file and the anchor that does not fit:
//
//	unsupported Go version go1.27: sync/mutex.go: found 0 times, not 1: "func (m *Mutex) Lock() {"
func Patch(importPath, file string, src []byte) (text []byte, lost []string, err error) {
	p := changed(importPath)
	if p == nil {
		return src, nil, nil
	}
	f := p.files[file]
	if len(f.in(release())) == 0 {
		return src, nil, nil
	}
	out, edits, err := f.apply(string(src), path.Base(importPath), release())
	if err != nil {
		return nil, nil, fmt.Errorf("unsupported Go version %s: %s/%s: %v", GoVersion, importPath, file, err)
	}
	for _, e := range edits {
		lost = append(lost, fmt.Sprintf("%s/%s is not as heddle knows it: %s", importPath, file, e.lost))
	}
	return []byte(out), lost, nil
}

// release is that of GoVersion.
func release() string { return langOf(GoVersion) }

// Needed returns the files of a package that Patch changes, sorted.
func Needed(importPath string) []string {
	var names []string
	if p := changed(importPath); p != nil {
		for name, f := range p.files {
			if slices.ContainsFunc(f.in(release()), func(e edit) bool { return e.lost == "" }) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Added returns the files to add to a package, by base name; nil if none.
func Added(importPath string) map[string][]byte {
	p := changed(importPath)
	if p == nil {
		return nil
	}
	files := map[string][]byte{}
	if p.added != nil {
		files[AddedName] = p.added()
	}
	if text := stateFile(importPath); text != nil {
		files[StateName] = text
	}
	for name, text := range p.more {
		files[name] = text()
	}
	for name, text := range systemFiles(path.Base(importPath)) {
		if p.systems {
			files[name] = text
		}
	}
	return files
}

// systemFiles returns the files that a package gets for single systems, by base name.
func systemFiles(pkgName string) map[string][]byte {
	files := map[string][]byte{}
	for _, system := range []string{"linux", "darwin", "windows", "other"} {
		if text, err := addedFiles.ReadFile("added/" + pkgName + "_" + system + ".go.txt"); err == nil {
			files["heddle_"+system+".go"] = text
		}
	}
	return files
}

// embedded returns the added file that the folder added holds under name.
func embedded(name string) func() []byte {
	return func() []byte {
		b, err := addedFiles.ReadFile("added/" + name)
		if err != nil {
			panic(err) // embedded: cannot be
		}
		return b
	}
}
