// Package gen writes tests for types that several goroutines may use: random calls build an
// object, and then two or three goroutines call its methods (the form of the tests of MAPTest and
// of Pradel & Gross, "Fully automatic and precise detection of thread safety violations", PLDI
// 2012).
//
//	p, err := gen.Load(ctx, dir, "example.com/q") // the package, type-checked
//	s, err := p.Suite("Queue", gen.Options{Tests: 10})
//	s.Check(ctx)                                  // removes tests that fail even sequentially
//	text, err := s.File()                         // a Go test file
//
// The tests use only the standard library and the package itself, so go.mod does not change. They
// check that the results of the calls, and of the object's methods at the end, are those of some
// sequential order of the same calls. heddle detects panics, deadlocks and data races.
package gen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Package is a package to write tests for.
type Package struct {
	Path, Name, Dir string

	types  *types.Package
	tests  []string            // existing test files
	values map[string][]string // constants and literals of the source, by basic type
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	TestGoFiles, XTestGoFiles     []string
	DepOnly                       bool
	Error                         *struct{ Err string }
}

// Load reads the package that pattern names, relative to dir. The error says why it cannot be read
// or does not compile.
func Load(ctx context.Context, dir, pattern string) (*Package, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-export", "-json=ImportPath,Name,Dir,Export,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,DepOnly,Error", "--", pattern)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %v\n%s", pattern, err, strings.TrimSpace(stderr.String()))
	}
	var own []listed
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			own = append(own, l)
		}
	}
	switch {
	case len(own) != 1:
		return nil, fmt.Errorf("%s names %d packages: want one", pattern, len(own))
	case own[0].Error != nil:
		return nil, errors.New(own[0].Error.Err)
	case len(own[0].CgoFiles) > 0:
		return nil, fmt.Errorf("%s uses cgo", own[0].ImportPath)
	}
	return check(&own[0], exports)
}

// check parses and type-checks a package against the compiled packages that it imports.
func check(l *listed, exports map[string]string) (*Package, error) {
	p := &Package{Path: l.ImportPath, Name: l.Name, Dir: l.Dir,
		tests: append(l.TestGoFiles, l.XTestGoFiles...), values: map[string][]string{}}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s does not compile, or is not there", path)
		}
		return os.Open(exports[path])
	})}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var err error
	if p.types, err = conf.Check(l.ImportPath, fset, files, info); err != nil {
		return nil, err
	}
	p.collect(files, info)
	return p, nil
}

// maxValues is the largest number of values of one type.
const maxValues = 40

// collect collects the literals and constants of the source, which the code may compare with.
func (p *Package) collect(files []*ast.File, info *types.Info) {
	seen := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			tv, ok := info.Types[e]
			if !ok || tv.Value == nil {
				return true
			}
			b, ok := tv.Type.Underlying().(*types.Basic)
			if !ok {
				return true
			}
			kind := types.Default(b).(*types.Basic).Name()
			text := tv.Value.ExactString()
			if seen[kind+text] || len(p.values[kind]) >= maxValues || len(text) > 60 {
				return true
			}
			seen[kind+text] = true
			p.values[kind] = append(p.values[kind], text)
			return true
		})
	}
}

// Types returns the names of the types that have exported methods, sorted.
func (p *Package) Types() (names []string) {
	for _, name := range p.types.Scope().Names() {
		if obj, ok := p.types.Scope().Lookup(name).(*types.TypeName); ok && !obj.IsAlias() {
			if len(methodsOf(obj.Type())) > 0 {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// methodsOf returns the exported methods of a pointer to t, without those of interfaces and of an
// embedded lock: Unlock without Lock ends the program.
func methodsOf(t types.Type) (ms []*types.Func) {
	if types.IsInterface(t) {
		return nil
	}
	set := types.NewMethodSet(types.NewPointer(t))
	for i := range set.Len() {
		if f, ok := set.At(i).Obj().(*types.Func); ok && f.Exported() && f.Pkg().Path() != "sync" {
			ms = append(ms, f)
		}
	}
	return ms
}
