package build

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tests are the names of a package's tests, fuzz targets and examples with output.
type Tests struct {
	ImportPath string
	Names      []string // none: there are none, or the files cannot be read
}

// choose keeps the roots that Choose selects.
func (b *Builder) choose(roots []*root) ([]*root, error) {
	if b.Choose == nil {
		return roots, nil
	}
	all := make([]Tests, len(roots))
	if err := parallel(len(roots), func(i int) error {
		all[i] = Tests{roots[i].pkg.ImportPath, testNames(roots[i].pkg)}
		return nil
	}); err != nil {
		return nil, err
	}
	want, err := b.Choose(all)
	if err != nil {
		return nil, err
	}
	var chosen []*root
	for i, r := range roots {
		if want[i] {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// testNames returns the names that the go command finds in the test files of a package, or nil if
// one of them does not parse.
func testNames(p *listed) (names []string) {
	if p.Error != nil {
		return nil
	}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), p.abs(name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && (isTest(fn, "Test", "T") || isTest(fn, "Fuzz", "F")) {
				names = append(names, fn.Name.Name)
			}
		}
		for _, e := range doc.Examples(f) {
			if e.Output != "" || e.EmptyOutput {
				names = append(names, "Example"+e.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isTest reports whether fn is a test function: its name is prefix and then no lower-case letter,
// and its only parameter is a *testing.typ.
func isTest(fn *ast.FuncDecl, prefix, typ string) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, prefix)
	if first, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && unicode.IsLower(first) {
		return false
	}
	params := fn.Type.Params.List
	if fn.Type.Results != nil && len(fn.Type.Results.List) > 0 || len(params) != 1 ||
		len(params[0].Names) > 1 {
		return false
	}
	ptr, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := ptr.X.(type) {
	case *ast.Ident:
		return x.Name == typ
	case *ast.SelectorExpr:
		return x.Sel.Name == typ
	}
	return false
}
