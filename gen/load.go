// Package gen writes tests for types that several goroutines may use: random calls build an
// object, and then two or three goroutines call its methods (the form of the tests of MAPTest and
// of Pradel & Gross, "Fully automatic and precise detection of thread safety violations", PLDI
// 2012).
//
//	p, err := gen.Load(ctx, dir, "example.com/q", false) // the package, type-checked
//	s, err := p.Suite("Queue", gen.Options{Tests: 10})   // its calls
//	s.Prepare(ctx)                                       // which of them can be made
//	s.Search(ctx, runner, budget)                        // tests that fail, or show new patterns
//	text, err := s.File()                                // a Go test file
//
// The tests use only the standard library and the package itself, so go.mod does not change. They
// check that the results of the calls are those of some sequential order of the same calls, which
// keeps the order in time (linearizability: Herlihy and Wing, TOPLAS 1990). heddle detects panics,
// deadlocks and data races.
//
// Before a search all calls are compiled into one binary (pool.tmpl), and a scenario is a line of
// text: so thousands of scenarios need one build.
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
	"go/version"
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

	types     *types.Package
	tests     []string            // existing test files
	withTests bool                // types has what they declare
	values    map[string][]string // constants and literals of the source, by basic type
	docs      map[token.Pos]string
	calls     map[token.Pos][]string // see calls
	fset      *token.FileSet

	// qual is what names of the package begin with in test files: nothing, or its name and a dot,
	// where it declares names that the tests need otherwise.
	qual  string
	old   bool // its language is older than Go 1.18
	ctx   *types.Context
	funcs []*types.Func
	insts map[*types.Func][]instantiated
	enums map[*types.Named][]string
}

// A listed is a package as go list prints it.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles             []string
	TestGoFiles, XTestGoFiles     []string
	DepOnly                       bool
	ForTest                       string
	Module                        *struct{ GoVersion string }
	Error                         *struct{ Err string }
}

// Load reads the package that pattern names, relative to dir, tests: with what its test files
// declare. The error says why it cannot be read or does not compile.
func Load(ctx context.Context, dir, pattern string, tests bool) (*Package, error) {
	args := []string{"list", "-e", "-deps", "-export",
		"-json=ImportPath,Name,Dir,Export,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,DepOnly,ForTest,Module,Error"}
	if tests {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "--", pattern)...)
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
		if l.ForTest != "" || strings.HasSuffix(l.ImportPath, ".test") {
			continue
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
	return check(&own[0], exports, tests)
}

// check parses and type-checks a package against the compiled packages that it imports.
func check(l *listed, exports map[string]string, tests bool) (*Package, error) {
	p := &Package{Path: l.ImportPath, Name: l.Name, Dir: l.Dir, withTests: tests, ctx: types.NewContext(),
		insts: map[*types.Func][]instantiated{}, enums: map[*types.Named][]string{},
		tests: slices.Concat(l.TestGoFiles, l.XTestGoFiles), values: map[string][]string{}}
	if l.Module != nil && l.Module.GoVersion != "" {
		p.old = version.Compare("go"+l.Module.GoVersion, "go1.18") < 0
	} else if l.Module != nil {
		p.old = true // go.mod does not say: Go 1.16
	}
	fset := token.NewFileSet()
	var files []*ast.File
	names := slices.Clone(l.GoFiles)
	if tests {
		// those that heddle gen wrote say nothing that it needs
		names = append(names, slices.DeleteFunc(slices.Clone(l.TestGoFiles),
			func(f string) bool { return strings.HasSuffix(f, "_heddle_test.go") })...)
	}
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil,
			parser.SkipObjectResolution|parser.ParseComments)
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
	p.docs, p.calls, p.fset = docs(files), calls(files), fset
	for _, name := range needed {
		if p.types.Scope().Lookup(name) != nil {
			p.qual = p.Name + "."
		}
	}
	return p, nil
}

// at returns where something is declared, "q.go:12: ", for the beginning of an error.
func (p *Package) at(obj types.Object) string {
	pos := p.fset.Position(obj.Pos())
	return fmt.Sprintf("%s:%d: ", filepath.Base(pos.Filename), pos.Line)
}

// needed are names that test files use in their ordinary meaning.
var needed = strings.Fields(`any append bool byte copy error int int32 len make map new nil panic recover rune string true
	false delete cap min max fmt reflect sort strings strconv sync atomic testing time flag os runtime context errors io cmp`)

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
			if len(methodsOn(obj.Type())) > 0 {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
