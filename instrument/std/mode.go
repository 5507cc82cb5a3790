package std

import (
	"go/ast"
	"strings"
)

// Mode says how the rewriter treats a package of the standard library: whether it rewrites the
// package, whether it instruments memory accesses, and whether the package's operations are quiet.
func Mode(importPath string) (rewrite, memory, quiet bool) {
	importPath, _, _ = strings.Cut(importPath, " ") // "p [q.test]"
	if !rewritable(importPath) {
		return false, false, !loud[importPath]
	}
	d := decisionOf(importPath)
	return true, d != nil && (d.word == "all" || d.bodies()), !loud[importPath]
}

// Accesses reports whether the rewriter instruments the memory accesses of function d, if Mode
// says so for the package. d == nil stands for the whole package.
func Accesses(importPath string, d *ast.FuncDecl) bool {
	importPath, _, _ = strings.Cut(importPath, " ")
	switch p := decisionOf(importPath); {
	case p == nil: // packages outside the standard library have no entry
		return true
	case p.word == "all":
		return d == nil || p.funcs[FunctionName(d)] == nil || p.funcs[FunctionName(d)].Body
	default:
		return d != nil && p.funcs[FunctionName(d)] != nil && p.funcs[FunctionName(d)].Body
	}
}

// FunctionName returns d's name, T.name for a method of T or *T.
func FunctionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := ast.Unparen(d.Recv.List[0].Type)
	if p, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(p.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// loud packages have scheduling points, because programs synchronise with their operations. In the
// others a lock or a cache is an implementation detail, and every Printf would multiply the
// executions.
var loud = map[string]bool{
	"sync":        true,
	"sync/atomic": true,
	"context":     true, // cancellation races
	"time":        true, // sends of timers
	"io":          true, // Pipe
	"net":         true, // Pipe
	// the network of net/http/httptest.NewTestServer, since Go 1.27
	"internal/nettest": true,
	"internal/gate":    true,
	"slices":           true, // these have no locks, but call functions of the program:
	"maps":             true, // slices.IndexFunc(locks, (*sync.Mutex).TryLock)
	"sort":             true,
}

// laterPackages are packages of the tables here that older releases lack, with their first
// release.
var laterPackages = map[string]string{"internal/nettest": "go1.27", "internal/gate": "go1.27"}

// Receivers reports whether calls through interfaces announce the read of their receiver even if
// the package's memory accesses are not instrumented: the methods may be the program's (Stringer,
// Marshaler, Writer). It is false for packages that call only their own methods.
func Receivers(importPath string) bool {
	switch importPath {
	case "reflect", "time", "os", "syscall", "strconv", "testing":
		return false
	}
	return rewritable(importPath) && !strings.HasPrefix(importPath, "internal/") &&
		!strings.HasPrefix(importPath, "crypto/internal/") && !strings.HasPrefix(importPath, "unicode")
}

// Keyed reports whether a quiet package has maps keyed by pointers whose order of iteration can be
// observed. The order is that in which the memory was allocated, so allocations are announced.
func Keyed(importPath string) bool {
	return importPath == "net/http" || importPath == "net/http/internal/http2"
}

// OfRuntime reports whether d is a function that the runtime calls on a stack of its own, with a
// lock of its own held: a hook there could wait for the very lock.
func OfRuntime(importPath string, d *ast.FuncDecl) bool {
	return importPath == "time" && d.Recv == nil && (d.Name.Name == "sendTime" || d.Name.Name == "goFunc")
}

// left are packages that are not rewritten, beside those below package sync. Goroutines under test
// must not block in them, or they work only with the runtime's own goroutines.
var left = map[string]bool{
	"sync":              true, // patched by hand; it uses no channels, and goroutines only in WaitGroup.Go
	"sync/atomic":       true, // likewise
	"internal/sync":     true, // below sync
	"internal/synctest": true, // below sync
	"iter":              true, // patched by hand
	"unsafe":            true, // no source
	"plugin":            true, // runtime internals
	// its goroutines copy from pipes while Wait blocks in the kernel: they must be real
	"os/exec":        true,
	"os/signal":      true, // a goroutine that waits in the runtime until the process ends
	"net/http/pprof": true, // the runtime's tools
	"internal/fuzz":  true, // runs worker processes
}

// leftBelow are folders of such packages.
var leftBelow = []string{
	"runtime/",          // the runtime's tools: goroutines that read its buffers
	"internal/runtime/", // the runtime
	"internal/trace/",   // tools
	"internal/coverage/",
	"internal/cgotest/",
	"testing/internal/", // the test binary's main: signals, fuzz workers
	"vendor/",           // below net/http and crypto/tls: no goroutines
	"heddlert/",         // heddle itself
	"cmd/",
}

// Followed reports whether, with Mode.Exprs, labels are kept in a package of the standard library:
// those that read text and numbers byte by byte.
func Followed(importPath string) bool { return followed[importPath] }

var followed = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true,
	"container/heap": true, "container/list": true, "container/ring": true, "context": true,
	"encoding/base32": true, "encoding/base64": true, "encoding/binary": true, "encoding/csv": true,
	"encoding/hex": true, "errors": true, "fmt": true,
	"hash/adler32": true, "hash/crc32": true, "hash/crc64": true, "hash/fnv": true, "html": true, "io": true,
	"maps": true, "net/netip": true, "net/url": true, "path": true,
	"regexp": true, "regexp/syntax": true, "slices": true, "sort": true, "strconv": true,
	"strings": true, "time": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// Tables returns the fields of structs of a package, as T.field, that are arrays and are not
// written any more once a program can have the struct.
func Tables(importPath string) []string {
	switch importPath {
	case "encoding/base32", "encoding/base64":
		return []string{"Encoding.encode", "Encoding.decodeMap"}
	}
	return nil
}

// Counted reports whether the branches of a package of the standard library say something of the
// input of a fuzz target. Of those that tests run on, and those that hooks are called from, they do
// not.
func Counted(importPath string) bool {
	switch importPath {
	case "context", "errors", "io", "iter", "os", "plugin", "reflect", "runtime", "sync", "syscall",
		"testing", "time", "unsafe":
		return false
	}
	for _, below := range []string{"internal/", "heddlert/", "runtime/", "sync/", "testing/", "os/", "log",
		"vendor/", "crypto/internal/"} {
		if strings.HasPrefix(importPath, below) {
			return false
		}
	}
	return !belowRuntime[importPath]
}

// belowRuntime has runtime and all packages that it imports, also indirectly, except
// internal/runtime/... (TestBelowRuntime keeps it complete). heddlert/hook imports runtime, so
// these packages cannot import hook.
var belowRuntime = map[string]bool{
	"internal/abi":            true,
	"internal/asan":           true,
	"internal/bytealg":        true,
	"internal/byteorder":      true,
	"internal/chacha8rand":    true,
	"internal/coverage/rtcov": true,
	"internal/cpu":            true,
	"internal/goarch":         true,
	"internal/godebugs":       true,
	"internal/goexperiment":   true,
	"internal/goos":           true,
	"internal/msan":           true,
	"internal/profilerecord":  true,
	"internal/race":           true,
	"internal/strconv":        true,
	"internal/stringslite":    true,
	"internal/trace/tracev2":  true,
	"math/bits":               true,
	"runtime":                 true,
}

func rewritable(importPath string) bool {
	if left[importPath] || belowRuntime[importPath] {
		return false
	}
	for _, p := range leftBelow {
		if strings.HasPrefix(importPath, p) {
			return false
		}
	}
	if path, ok := strings.CutPrefix(importPath, "crypto/"); ok && path != "tls" {
		// Packages of cryptography have no goroutines: without announcements they stay unchanged.
		d := decisionOf(importPath)
		return d != nil && (d.word == "all" || d.bodies() || d.borders())
	}
	return true
}
