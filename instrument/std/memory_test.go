package std

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/internal/goroot"
)

// Every exported function of the standard library that could access memory of its caller has a
// decision in memory.txt, and every decision fits the function. HEDDLE_GOROOTS lists the roots of
// further Go releases to check.
func TestMemory(t *testing.T) {
	roots := filepath.SplitList(os.Getenv("HEDDLE_GOROOTS"))
	for _, root := range append(roots, goroot.Real(t)) {
		t.Run(filepath.Base(root), func(t *testing.T) {
			for _, problem := range checkMemory(t, root, memoryTable, releaseOf(t, root)) {
				t.Error(problem)
			}
		})
	}
}

// The check notices a package and a function without decision, a decision without function, and
// one that does not fit.
func TestMemoryGaps(t *testing.T) {
	lib := map[string]string{
		"p/p.go": "package p\nimport \"q\"\ntype T struct { b []byte }\nfunc Old(b []byte) int { return len(b) }\nfunc New(b []byte, t q.Q) {}\n" +
			"func (t *T) M() {}\nfunc Plain(n int, s string) {}\nfunc hidden(b []byte) {}\ntype u struct{}\nfunc (u) Read(p []byte) (n int, err error) { return }\n",
		"q/q.go": "package q\ntype Q struct{ P *int }\nfunc (q Q) M() {}\n",
		"r/r.go": "package r\nfunc F() {}\n",
	}
	root := t.TempDir()
	for name, text := range lib {
		file := filepath.Join(root, "src", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		table string
		want  []string
	}{
		{"p all\nq all\nr all\n", nil},
		{"p all\nq all\n", []string{"package r has no decision"}},
		{"p all\nq all\ngo1.26+ r all\ngo1.27+ s some\n\tX = own\n", nil},
		{"p some\n\tOld New = r\n\tgo1.26+ T.M = own\n\tgo1.27+ T.N = own\nq all\nr all\n", nil},
		{"p some\n\tOld = r\n\tNew = own\n\tT.M = w:t\nq some\n\tQ.M = own\nr some\n", nil},
		{"p some\n\tOld = r\nq all\nr all\n", []string{"p.New has no decision", "p.T.M has no decision"}},
		{"p some\n\tOld New T.M Gone = r\nq all\nr all\n", []string{"p.Gone: there is no such function"}},
		{"p some\n\tOld = f:b\n\tNew = a:b\n\tT.M = w:x\nq all\nr all\n",
			[]string{"p.New: a:b: no result is of the type of b", "p.T.M: w:x: there is no parameter x"}},
		{"p some\n\tOld = r:b.c\n\tNew T.M = r\n\tu.Read = f:p\nq all\nr all\n",
			[]string{"p.Old: r:b.c: b has no field c"}},
		{"p all\nq all\nr all\ns all\n", []string{"package s has a decision, but is not there"}},
	} {
		if got := checkMemory(t, root, test.table, "go1.26"); !slices.Equal(got, test.want) {
			t.Errorf("%q:\n got %q\nwant %q", test.table, got, test.want)
		}
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]string{
		"p":                              "memory.txt:1: expected all, some or left after p, found \"\"",
		"p all\n\np some\n":              "memory.txt:3: package p has two decisions: leave one",
		"p some\n\tF = r\n\tG F = w:x\n": "memory.txt:3: F has two decisions: leave one",
		"p some\n\tF\n":                  "memory.txt:2: expected names = parts below a package, found \"F\"",
		"\tF = r\n":                      "memory.txt:1: expected names = parts below a package, found \"F = r\"",
		"p some\n\tF =\n":                "memory.txt:2: expected parts after =, found none",
		"p some # why\n\tF = r:x q:y # z": "memory.txt:2: expected body, own, r, R or one of the letters " +
			partsOf + " with a name, such as r:p, found \"q:y\"",
	} {
		if _, err := parseMemory(text, "go1.26"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// releaseOf returns the release of Go in root.
func releaseOf(t *testing.T, root string) string {
	data, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return version.Lang(first)
}

// checkMemory returns the errors of a table for the standard library of the given release in root,
// in order.
func checkMemory(t *testing.T, root, table, release string) []string {
	t.Helper()
	ds, err := parseMemory(table, release)
	if err != nil {
		return []string{err.Error()}
	}
	lib := &library{t: t, src: filepath.Join(root, "src"), fset: token.NewFileSet(),
		known: map[string]*types.Package{}, decls: map[string]map[string]*ast.FuncDecl{}}
	var problems []string
	paths := lib.paths()
	for _, path := range paths {
		switch d := ds[path]; {
		case d == nil:
			problems = append(problems, "package "+path+" has no decision")
		case d.word == "some":
			problems = append(problems, lib.gaps(path, d)...)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(ds)) {
		d := ds[path]
		if _, err := os.Stat(filepath.Join(lib.src, path)); err != nil {
			problems = append(problems, "package "+path+" has a decision, but is not there")
		} else if len(d.funcs) > 0 {
			problems = append(problems, lib.misfits(path, d)...)
		}
	}
	return problems
}

// A library is a standard library to check.
type library struct {
	t     *testing.T
	src   string
	fset  *token.FileSet
	known map[string]*types.Package
	decls map[string]map[string]*ast.FuncDecl // by package and name; only functions with a body
}

// paths returns the packages that programs can import.
func (l *library) paths() []string {
	var paths []string
	err := filepath.WalkDir(l.src, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || name == l.src {
			return err
		}
		if n := d.Name(); n == "internal" || n == "testdata" || n == "vendor" || n == "cmd" ||
			n == "builtin" || n[0] == '_' {
			return fs.SkipDir
		}
		if p, err := build.Default.ImportDir(name, 0); err == nil && p.Name != "main" {
			rel, _ := filepath.Rel(l.src, name)
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return paths
}

// Import type-checks a package's declarations.
func (l *library) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := l.known[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(l.src, filepath.FromSlash(path))
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Join(l.src, "vendor", filepath.FromSlash(path))
	}
	p, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	decls := map[string]*ast.FuncDecl{}
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(l.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for name, text := range Added(path) {
		f, err := parser.ParseFile(l.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				decls[FunctionName(d)] = d
			}
		}
	}
	conf := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Importer: l, Error: func(error) {}}
	// patched code and heddlert/hook are missing, which does not matter
	pkg, _ := conf.Check(path, l.fset, files, nil)
	l.known[path], l.decls[path] = pkg, decls
	return pkg, nil
}

// gaps returns the exported functions of a package that could access memory of their callers and
// have no decision.
func (l *library) gaps(path string, d *decision) []string {
	pkg, err := l.Import(path)
	if err != nil {
		l.t.Fatal(err)
	}
	var gaps []string
	for name, f := range functions(pkg) {
		if d.funcs[name] == nil && exported(name) && touches(f.Signature()) {
			gaps = append(gaps, path+"."+name+" has no decision")
		}
	}
	slices.Sort(gaps)
	return gaps
}

func exported(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !ast.IsExported(part) {
			return false
		}
	}
	return true
}

// functions returns a package's functions and methods by name.
func functions(pkg *types.Package) map[string]*types.Func {
	fs := map[string]*types.Func{}
	for _, name := range pkg.Scope().Names() {
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			fs[name] = o
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && !o.IsAlias() {
				for m := range n.Methods() {
					fs[name+"."+m.Name()] = m
				}
			}
		}
	}
	return fs
}

// touches reports whether a parameter of the function leads to memory.
func touches(s *types.Signature) bool {
	seen := map[types.Type]bool{}
	if s.Recv() != nil && leads(s.Recv().Type(), seen) {
		return true
	}
	for p := range s.Params().Variables() {
		if leads(p.Type(), seen) {
			return true
		}
	}
	return false
}

func leads(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Pointer, *types.Map, *types.Interface, *types.Signature:
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if leads(f.Type(), seen) {
				return true
			}
		}
	case *types.Array:
		return leads(u.Elem(), seen)
	}
	return false
}

// misfits returns the decisions for functions of a package that do not exist or that the decisions
// do not fit.
func (l *library) misfits(path string, d *decision) []string {
	pkg, err := l.Import(path)
	if err != nil {
		l.t.Fatal(err)
	}
	fs := functions(pkg)
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(d.funcs)) {
		f, b := fs[name], d.funcs[name]
		own := !b.Body && b.Rest == 0 && len(b.Parts) == 0
		switch decl := l.decls[path][name]; {
		case f == nil || decl == nil:
			bad = append(bad, fmt.Sprintf("%s.%s: there is no such function", path, name))
			continue
		case decl.Body == nil && !own:
			bad = append(bad, fmt.Sprintf("%s.%s: it has no body to announce anything in", path, name))
			continue
		}
		for _, p := range b.Parts {
			if why := misfit(f, p); why != "" {
				bad = append(bad, fmt.Sprintf("%s.%s: %c:%s: %s", path, name, p.Do, p.Name, why))
			}
		}
	}
	return bad
}

func misfit(f *types.Func, p Part) string {
	s := f.Signature()
	root, path, _ := strings.Cut(p.Name, ".")
	var t types.Type
	vars := slices.Collect(s.Params().Variables())
	if s.Recv() != nil {
		vars = append(vars, s.Recv())
	}
	for _, v := range vars {
		if v.Name() == root {
			t = v.Type()
		}
	}
	if t == nil {
		return "there is no parameter " + root
	}
	for name := range strings.SplitSeq(path, ".") {
		if name == "" {
			continue
		}
		o, _, _ := types.LookupFieldOrMethod(t, true, f.Pkg(), name)
		if o == nil {
			return root + " has no field " + name
		}
		t = o.Type()
	}
	results := slices.Collect(s.Results().Variables())
	switch p.Do {
	case 'a':
		if len(results) == 0 || !types.Identical(results[0].Type().Underlying(), t.Underlying()) {
			return "no result is of the type of " + p.Name
		}
	case 'f', 'g':
		i := strings.IndexByte("fg", p.Do)
		if _, ok := t.Underlying().(*types.Slice); !ok || len(results) <= i ||
			!types.Identical(results[i].Type(), types.Typ[types.Int]) {
			return "it is no slice of which a result says how much was written"
		}
	case 'r', 'w', 'R', 'W', 'u', 'v':
		switch u := t.Underlying().(type) {
		case *types.Slice, *types.Pointer, *types.Map:
		case *types.Interface:
			if _, ok := t.(*types.TypeParam); !ok {
				return "it is an interface"
			}
			_ = u
		default:
			if p.Do == 'w' || p.Do == 'W' {
				return "it is a value"
			}
		}
	}
	return ""
}
