// Package instrument rewrites Go source so that the operations of a goroutine that others can
// observe pass through heddlert/hook:
//
//	s.n++      { _hd1 := _hd.U('+', &s.n, 0x..); _hd1.Set(_hd1.Get() + _hd1.By(1)) }
//	c <- v     _hd.To(c, 0x..).Send(v)
//	go f(x)    { _hd1 := x; _hd.GoArgs(0x.., func() { f(_hd1) },
//	             func() []interface{} { return []interface{}{_hd1} }) }
//
// The text is edited, not printed from a syntax tree: comments, directives and line numbers stay;
// columns do not. The language version of a file stays, except that files older than generics
// become Go 1.21, the newest version with the same loop variables.
//
// Within a statement the order of gc is kept as far as a program can rely on it, and mostly
// further: calls before the variables of the left side, operands before assignments, and the order
// of two panics. There are known differences, all within one expression. In a[i] + f() the element
// is located (not loaded) before the call of f, and its read is announced then. In m[f()] the read
// of the map is announced before the call of f. Without calls a value is loaded when its read is
// announced. A range over a map visits the keys that the map had at the start.
//
// The following is not rewritten: files with import "C"; functions whose directives forbid calls
// (memory accesses only); initialisers of package-level variables (allocations only); and the few
// constructs that Output.Skipped lists. The primitives of sync, sync/atomic and time are not
// rewritten here: package std patches their bodies, and the sites with op "call" name the objects
// of their calls.
package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// An Input is one package of the build, as go list -deps -test prints it.
type Input struct {
	ImportPath string // including " [p.test]"
	Name       string
	Dir        string
	Files      []File            // the Go files to compile, except those with import "C"
	CgoFiles   []string          // absolute paths; not rewritten
	Cgo        bool              // the package has such files, also where they are not listed
	GoVersion  string            // language version of the module, such as "1.21"; "" if unknown
	ImportMap  map[string]string // as in go list
	Standard   bool              // belongs to the standard library
	Bodiless   []string          // functions without body, for a package without Files
	Mode       Mode
	Changed    map[string]bool // the Files whose text is not that of the file, by path: see NamedOf
}

// A File is a source file.
type File struct {
	Path    string // absolute
	Content []byte
}

// Mode says how a package is rewritten.
type Mode struct {
	Memory    bool // also announce reads, writes and allocations
	Receivers bool // without Memory: announce what calls through interfaces read of their receivers
	Quiet     bool // mark sites quiet: operations order events but are no scheduling points
	// replace functions that are linked from the runtime by name (clock, random numbers) by the
	// execution's
	Linked  bool
	Globals bool // register package-level variables, to be reset between executions
	Flow    bool // with Memory: labels of values say from which reads they were computed
	Exprs   bool // with Flow: labels say how values were computed
	Marks   bool // mark the names of the source, for Compare

	// Plain: files whose loops have shared variables (before go1.22) get no line directives,
	// because the compilers of go1.26.0 to go1.26.2 take a file for the newest language version
	// behind one. Moved text may then have the lines and columns of its new position.
	Plain bool
}

// Output is a rewritten package.
type Output struct {
	Files   map[string][]byte // by the path of the original; only files that changed
	Sites   []SitePos         // the position table, by the index in a trace.Site
	Skipped []string          // "file:line: reason" of each construct that could not be rewritten
}

// A SitePos is a row of a package's position table. No site refers to a row with Op "call": it
// names the object of a call to sync, sync/atomic or time by file and line.
type SitePos struct {
	File string
	Line int
	Col  int    // in bytes
	Op   string // the word of trace.Op if there is one; or "alloc", "range", "call"
	Text string // source of the variable, channel or receiver, such as acct.balance
	Type string
}

// Rewrite rewrites one package. If imp is an *Importer that knows in, Rewrite uses its parsed
// files and gives it the types. The error is a syntax or type error of the package.
func Rewrite(in *Input, imp types.Importer) (*Output, error) {
	im, _ := imp.(*Importer)
	if im == nil || im.pkgs[in.ImportPath] == nil || im.pkgs[in.ImportPath].in != in {
		own := NewImporter([]*Input{in})
		if im != nil { // of the rest of the build it knows the same
			own.fset = im.fset
			for path, p := range im.pkgs {
				if own.pkgs[path] == nil {
					own.pkgs[path] = p
				}
			}
		}
		return rewrite(in, own, imp, func(p *pkg, info *types.Info) (*types.Package, error) {
			if err := p.load(own.fset); err != nil {
				return nil, err
			}
			return p.check(own.fset, imp, info)
		})
	}
	return rewrite(in, im, im, im.full)
}

func rewrite(in *Input, im *Importer, imp types.Importer,
	check func(*pkg, *types.Info) (*types.Package, error)) (*Output, error) {
	p := im.pkgs[in.ImportPath]
	info := newInfo()
	tp, err := check(p, info)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.ImportPath, err)
	}
	out := &Output{Files: map[string][]byte{}}
	sites := newSites(in, im.fset, out)
	shared := findShared(in, tp, info, p.files)
	polls := newPolls(in, im, tp, info, shared, p.files)
	mute := in.Mode.Memory && !in.Standard && slices.ContainsFunc(p.files, mutes)
	for i, f := range in.Files {
		if importsC(p.files[i]) {
			out.Skipped = append(out.Skipped, f.Path+`:1: import "C"`)
			continue
		}
		r := &rewriter{in: in, fset: im.fset, ast: p.files[i], tok: im.fset.File(p.files[i].FileStart),
			pkg: tp, info: info,
			shared: shared, polls: polls, sites: sites, buf: newBuffer(f.Content), out: out, prefix: "_hd",
			im: im, mute: mute}
		mute = false // once
		if in.Mode.Marks {
			r.buf.marks = r.marksOf()
		}
		if text := r.file(); text != nil {
			out.Files[f.Path] = text
		} else if in.Changed[f.Path] {
			out.Files[f.Path] = f.Content
		}
	}
	if in.Mode.Flow {
		im.flowPass(in, imp, out)
	}
	return out, nil
}

// newInfo returns the tables for the types of a package.
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
