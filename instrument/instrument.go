// Package instrument rewrites Go source so that the operations which
// goroutines can notice of each other pass through heddlert/hook:
//
//	mu.Lock(); s.n++; mu.Unlock()       mu.Lock(); { _hd1 := _hd.P(&s.n, 0x..); _hd1.Set(_hd1.Get() + 1) }; mu.Unlock()
//	c <- v                              _hd.To(c, 0x..).Send(v)
//	go f(x)                             { _hd1 := x; _hd.GoArgs(0x.., func() { f(_hd1) }, func() []interface{} { return []interface{}{_hd1} }) }
//
// The text is edited, never printed anew: comments, directives and line
// numbers stay (columns do not). The language version of a file stays what it
// was, except that files older than generics become Go 1.21, the newest
// version with the same loop variables.
//
// What gc does with one statement is kept to where a program can rely on it, and
// mostly beyond: calls before the variables of the left side, operands before
// assignments, which of two panics comes first. Known differences, all within one expression:
// in a[i] + f() the element is found (not loaded) before f is called, and its read announced; in m[f()] the
// read of the map is announced before f is called. Without calls what is read is taken when it is announced. A range over a map visits the keys it had at the start.
//
// What is not rewritten: files with import "C"; functions whose directives
// forbid calls (memory accesses only); initialisers of package-level variables
// (allocations only); and the few constructs that Output.Skipped lists. The
// primitives of sync, sync/atomic and time are not this package's business:
// package std patches their bodies, and the Sites of op "call" tell what they
// were called on.
package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// An Input is one package of the build, as go list -deps -test prints it.
type Input struct {
	ImportPath string // including " [p.test]"
	Name       string
	Dir        string
	Files      []File            // the Go files to compile, but for those with import "C"
	CgoFiles   []string          // absolute paths; left alone
	GoVersion  string            // language version of the module, such as "1.21"; "" if none
	ImportMap  map[string]string // as in go list
	Standard   bool              // of the standard library
	Bodiless   []string          // of a package whose Files are not given: functions without a body
	Mode       Mode
}

// A File is a source file.
type File struct {
	Path    string // absolute
	Content []byte
}

// Mode says how a package is rewritten.
type Mode struct {
	Memory    bool // reads, writes and allocations too
	Receivers bool // without Memory: what calls by way of interfaces read of their receivers is announced all the same
	Quiet     bool // sites are marked quiet: operations give order but are no scheduling points
	Linked    bool // what is linked from the runtime by name, clock and random numbers, is the execution's
	Globals   bool // package-level variables are made known, to be put back between executions
	Flow      bool // values carry labels that say what they were computed from; with Memory
	Exprs     bool // labels say how; with Flow
	Marks     bool // names of the source are marked, for Compare
	Tested    bool // loops of its tests, which are rewritten apart, may call its functions

	// Plain: files whose loops have shared variables (before go1.22) get no line directives: behind one, the compilers of go1.26.0 to
	// go1.26.2 take the file for one of the newest language. Lines and columns of moved text may be those of where it went.
	Plain bool
}

// Output is a package rewritten.
type Output struct {
	Files   map[string][]byte // by the path of the original; only files that changed
	Sites   []SitePos         // the position table, by the index in a trace.Site
	Skipped []string          // "file:line: reason" of what was left alone though it should not be
}

// A SitePos is a row of a package's position table. Rows with Op "call" are
// referred to by no site: they name the object of a call to sync, sync/atomic or time by its file and line.
type SitePos struct {
	File string
	Line int
	Col  int    // in bytes
	Op   string // the word of trace.Op where there is one; "alloc", "range", "call"
	Text string // source of the variable, channel or receiver, such as acct.balance
	Type string
}

// Rewrite rewrites one package. If imp is an *Importer that knows in, its
// parsed files are used, and it learns the types. The error is a syntax or type error of the package.
func Rewrite(in *Input, imp types.Importer) (*Output, error) {
	im, _ := imp.(*Importer)
	if im == nil || im.pkgs[in.ImportPath] == nil || im.pkgs[in.ImportPath].in != in {
		own := NewImporter([]*Input{in})
		return rewrite(in, own, imp, func(p *pkg, info *types.Info) (*types.Package, error) {
			if err := p.load(own.fset); err != nil {
				return nil, err
			}
			return p.check(own.fset, imp, info)
		})
	}
	return rewrite(in, im, im, im.full)
}

func rewrite(in *Input, im *Importer, imp types.Importer, check func(*pkg, *types.Info) (*types.Package, error)) (*Output, error) {
	p := im.pkgs[in.ImportPath]
	info := newInfo()
	tp, err := check(p, info)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.ImportPath, err)
	}
	out := &Output{Files: map[string][]byte{}}
	sites := newSites(in, im.fset, out)
	shared := findShared(in, tp, info, p.files)
	polls := newPolls(in, tp, info, p.files)
	for i, f := range in.Files {
		if importsC(p.files[i]) {
			out.Skipped = append(out.Skipped, f.Path+`:1: import "C"`)
			continue
		}
		r := &rewriter{in: in, fset: im.fset, ast: p.files[i], tok: im.fset.File(p.files[i].FileStart), pkg: tp, info: info,
			shared: shared, polls: polls, sites: sites, buf: newBuffer(f.Content), out: out, prefix: "_hd", im: im}
		if in.Mode.Marks {
			r.buf.marks = r.marksOf()
		}
		if text := r.file(); text != nil {
			out.Files[f.Path] = text
		}
	}
	if in.Mode.Flow {
		im.flowPass(in, imp, out)
	}
	return out, nil
}

// newInfo returns what a package's types are kept in.
func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
}

func importsC(f *ast.File) bool {
	for _, s := range f.Imports {
		if s.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// plainPath returns the import path without " [p.test]".
func plainPath(path string) string {
	path, _, _ = strings.Cut(path, " ")
	return path
}
