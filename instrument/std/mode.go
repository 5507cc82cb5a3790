package std

import (
	"go/ast"
	"strings"
)

// Mode says what the rewriter does to a package of the standard library:
// whether it rewrites it at all, whether it instruments memory accesses, and
// whether the package's operations are quiet (they give order, but are no
// scheduling points).
func Mode(importPath string) (rewrite, memory, quiet bool) {
	importPath, _, _ = strings.Cut(importPath, " ") // "p [q.test]"
	if !rewritable(importPath) {
		return false, false, !loud[importPath]
	}
	d := decisionOf(importPath)
	return true, d != nil && (d.word == "all" || d.bodies()), !loud[importPath]
}

// Accesses reports whether the memory accesses of a function of a package are instrumented, or for d == nil those of all
// of it, where Mode says that the package's are.
func Accesses(importPath string, d *ast.FuncDecl) bool {
	importPath, _, _ = strings.Cut(importPath, " ")
	switch p := decisionOf(importPath); {
	case p == nil: // what is no standard package has none
		return true
	case p.word == "all":
		return d == nil || p.funcs[FunctionName(d)] == nil || p.funcs[FunctionName(d)].Body
	default:
		return d != nil && p.funcs[FunctionName(d)] != nil && p.funcs[FunctionName(d)].Body
	}
}

// FunctionName is d's name, T.name for a method of T or *T.
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

// loud packages offer scheduling points: what they do is what programs
// synchronise with. In the others a lock or a cache is an implementation
// detail, and every Printf would multiply the executions.
var loud = map[string]bool{
	"sync":        true,
	"sync/atomic": true,
	"context":     true, // cancellation races
	"time":        true, // timers' sends
	"io":          true, // Pipe
	"net":         true, // Pipe
	// the network of net/http/httptest.NewTestServer, since Go 1.27
	"internal/nettest": true,
	"internal/gate":    true,
	"slices":           true, // these have no locks, but call what they are given:
	"maps":             true, // slices.IndexFunc(locks, (*sync.Mutex).TryLock)
	"sort":             true,
}

// laterPackages are packages of the tables here that not all releases have, with the first that does.
var laterPackages = map[string]string{"internal/nettest": "go1.27", "internal/gate": "go1.27"}

// Receivers reports whether it is announced in a package what calls by way of interfaces read of their receivers, even where its memory
// accesses are not instrumented: they may be methods of the program (Stringer, Marshaler, Writer). Not so in packages that only call their own.
func Receivers(importPath string) bool {
	switch importPath {
	case "reflect", "time", "os", "syscall", "strconv", "testing":
		return false
	}
	return rewritable(importPath) && !strings.HasPrefix(importPath, "internal/") && !strings.HasPrefix(importPath, "crypto/internal/") && !strings.HasPrefix(importPath, "unicode")
}

// Keyed reports whether a quiet package has maps keyed by pointers whose order shows:
// they are visited in the order in which what they point to was made, which must be known then.
func Keyed(importPath string) bool {
	return importPath == "net/http" || importPath == "net/http/internal/http2"
}

// left are packages that the rewriter leaves alone, beside those below package sync.
// They are what goroutines under test must not block in, or what
// works only with goroutines of the runtime's own.
var left = map[string]bool{
	"sync":              true, // patched by hand; channels and goroutines: none but WaitGroup.Go
	"sync/atomic":       true, // likewise
	"internal/sync":     true, // below sync
	"internal/synctest": true, // below sync
	"iter":              true, // patched by hand
	"unsafe":            true, // no source
	"plugin":            true, // runtime internals
	"os/exec":           true, // its goroutines copy from pipes while Wait blocks in the kernel: they must be real
	"os/signal":         true, // a goroutine that waits in the runtime for ever
	"net/http/pprof":    true, // the runtime's tools
	"internal/fuzz":     true, // runs worker processes
	"embed":             true, // no operations
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

// Followed reports whether labels are kept in a package of the standard
// library where they are expressions: what reads text and numbers a byte at a time.
func Followed(importPath string) bool { return followed[importPath] }

var followed = map[string]bool{
	"bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true, "encoding/binary": true, "encoding/hex": true,
	"maps": true, "regexp": true, "regexp/syntax": true, "slices": true, "sort": true, "strconv": true, "strings": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// belowRuntime is what package runtime imports, transitively, and runtime
// itself, except for internal/runtime/... (TestBelowRuntime keeps it complete):
// heddlert/hook imports runtime, so these cannot import hook.
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
		// Cryptography has no goroutines: what announces nothing stays as it is.
		d := decisionOf(importPath)
		return d != nil && (d.word == "all" || d.bodies() || d.borders())
	}
	return true
}
