package build

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
)

// In-package tests may declare methods on the package's types, and names that hide predeclared
// ones. A method hides promoted fields and methods of the same name (those of embedded fields). So
// an expression such as w.run can mean something else when the tests are compiled in, in the
// package's own files and in those of packages that import it.

// variants returns, by full import path, the packages that get units of their own: "p [p.test]"
// and "q [p.test]" in which such a name occurs.
func (g *graph) variants() map[string]bool {
	own := map[string]bool{}
	added := map[string]*additions{} // by the path of p
	for _, p := range g.pkgs {
		if p.ForTest == "" || p.Standard || p.isTestMain() ||
			p.ImportPath == p.ForTest+"_test ["+p.ForTest+".test]" {
			continue
		}
		a, ok := added[p.ForTest]
		if !ok {
			a = g.additions(p.ForTest)
			added[p.ForTest] = a
		}
		if a.usedIn(p, base(p.ImportPath) == p.ForTest) {
			own[p.ImportPath] = true
		}
	}
	return own
}

// additions are the declarations of in-package tests that could change the meaning of other files.
type additions struct {
	tests   map[string]bool // the test files, absolute
	methods []string
	names   []string // package-level names that hide predeclared ones
}

// additions collects the additions of a package's in-package tests. Errors of parsing are left to
// the compiler.
func (g *graph) additions(path string) *additions {
	a := &additions{tests: map[string]bool{}}
	p := g.byPath[path]
	if p == nil {
		p = g.byPath[path+" ["+path+".test]"]
	}
	if p == nil {
		return a
	}
	for _, name := range p.TestGoFiles {
		file := p.abs(name)
		a.tests[file] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			a.declared(d)
		}
	}
	return a
}

func (a *additions) declared(d ast.Decl) {
	name := func(id *ast.Ident) {
		if types.Universe.Lookup(id.Name) != nil && !slices.Contains(a.names, id.Name) {
			a.names = append(a.names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch {
		case d.Recv == nil:
			name(d.Name)
		case !slices.Contains(a.methods, d.Name.Name):
			a.methods = append(a.methods, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				name(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					name(id)
				}
			}
		}
	}
}

// usedIn reports whether a file of p mentions such a name. p is the package of the tests (itself)
// or imports it. Names in p's own tests do not count. The search is textual and may report too
// much.
func (a *additions) usedIn(p *listed, itself bool) bool {
	var parts []string
	for _, m := range a.methods {
		if itself || token.IsExported(m) {
			parts = append(parts, `\.\s*`+m+`\b`)
		}
	}
	if itself {
		for _, n := range a.names {
			parts = append(parts, `\b`+n+`\b`)
		}
	}
	if len(parts) == 0 {
		return false
	}
	used := regexp.MustCompile(strings.Join(parts, "|"))
	for _, f := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if f = p.abs(f); a.tests[f] {
			continue
		}
		if src, err := os.ReadFile(f); err == nil && used.Match(src) {
			return true
		}
	}
	return false
}

// together divides roots into sets that can be compiled with one overlay: a binary with units of
// its own is alone.
func (g *graph) together(roots []*root) [][]*root {
	var sets [][]*root
	var common []*root
	for _, r := range roots {
		if slices.ContainsFunc(g.units,
			func(u *unit) bool { return u.only != "" && u.only == r.main.ImportPath }) {
			sets = append(sets, []*root{r})
		} else {
			common = append(common, r)
		}
	}
	if len(common) > 0 {
		sets = append(sets, common)
	}
	return sets
}
