// Package std has heddle's changes to the Go standard library. With them its blocking, atomic,
// timing and random operations ask heddlert/hook when a goroutine under test calls them:
//
//	func (rw *RWMutex) RLock() { if _hs.Here() { rw.heddleRLock(_hs.CallerPC()); return };
//		...
//	}
//
// A change is a text edit of one file of GOROOT/src, anchored to text that must occur there
// (edit.go), or a file added to a package (folder added). Edits keep the number of lines, so
// positions in reports and stack traces stay right. Mode says how the rewriter treats the patched
// files (channels, go statements).
//
// The edits fit the Releases. If an anchor is missing, Patch says which.
package std

import (
	"embed"
	"fmt"
	"go/version"
	"path"
	"runtime"
	"slices"
)

// GoVersion is the version of the patched sources, for messages. The command sets it to the
// GOVERSION of the build.
var GoVersion = runtime.Version()

//go:embed added
var addedFiles embed.FS

// A pkg has the changes of one package of the standard library.
type pkg struct {
	files map[string]file          // by base name
	added func() []byte            // content of the file heddle.go; nil: none
	more  map[string]func() []byte // further files, by name
	first string                   // first release of Go with the package; "": all have it

	// systems: there are more files for single systems. poll_linux.go.txt in folder added becomes
	// heddle_linux.go of internal/poll, which Go compiles only for Linux because of its name. A
	// file whose name ends in _other has a build constraint.
	systems bool
}

// A file has the edits of one file. hook: it imports heddlert/hook as _hs.
type file struct {
	hook  bool
	edits []edit
}

// packages has all changes, by import path. Each entry is defined in its own file of this package.
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
	"testing/quick":         quickPatch,
	"testing/synctest":      synctestPatch,
	"iter":                  iterPatch,
	"os":                    osPatch,
	"encoding/base64":       base64Patch,
	"hash/fnv":              fnvPatch,
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
	"internal/fuzz":         fuzzPatch,
	"log":                   logPatch,
	"log/slog":              slogPatch,
	"expvar":                expvarPatch,
	"database/sql":          sqlPatch,
	"encoding/asn1":         asn1Patch,
	"encoding/binary":       binaryPatch,
	"encoding/gob":          gobPatch,
	"encoding/json":         jsonPatch,
	"encoding/xml":          xmlPatch,
}

// The base names of the files that Added returns. Accesses in LoopbackName and PacketName are
// operations of the program, whatever the package.
const (
	AddedName    = "heddle.go"
	LoopbackName = "heddleloopback.go"
	PacketName   = "heddlepacket.go"
)

// Patched reports whether Patch or Added change the package.
func Patched(importPath string) bool { return changed(importPath) != nil }

// changed returns the changes of a package for the release, or nil.
func changed(importPath string) *pkg {
	if p := packages[importPath]; p != nil && version.Compare(release(), p.first) >= 0 {
		return p
	}
	return nil
}

// of returns the packages of the table that a release has.
func of(release string) map[string]*pkg {
	ps := make(map[string]*pkg, len(packages))
	for path, p := range packages {
		if version.Compare(release, p.first) >= 0 {
			ps[path] = p
		}
	}
	return ps
}

// Patch returns src, the text of the named file of the package, with heddle's edits; src itself if
// there are none. lost says what is lost because optional edits do not fit. An error names the Go
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

// release returns the release of GoVersion.
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

// Added returns the files to add to a package, by base name, or nil.
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

// embedded returns a function that returns the named file of folder added.
func embedded(name string) func() []byte {
	return func() []byte {
		b, err := addedFiles.ReadFile("added/" + name)
		if err != nil {
			panic(err) // embedded: cannot fail
		}
		return b
	}
}
