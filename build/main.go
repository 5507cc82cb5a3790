package build

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// mainFile is added to a main package that heddle run builds.
const mainFile = `package main

import _heddle "heddlert/drive"

func main() { _heddle.Main(heddleMain) }
`

// layMain changes a main package so that heddlert/drive calls its func main, by
// then called heddleMain. The rewritten files, if any, are in replace; new ones go to dir.
func layMain(replace map[string]string, p *listed, dir string) error {
	for i, name := range p.GoFiles {
		file := p.abs(name)
		from := file
		if r := replace[file]; r != "" {
			from = r
		}
		src, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		text := renameMain(src)
		if text == nil {
			continue
		}
		to := filepath.Join(dir, fmt.Sprintf("main%d-%s", i, name))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return err
		}
		replace[file] = to
		added := filepath.Join(dir, "heddle_main.go")
		replace[filepath.Join(p.Dir, "heddle_main.go")] = added
		return os.WriteFile(added, []byte(mainFile), 0o666)
	}
	return nil // no func main: the compiler will say so
}

// renameMain returns src with func main, and the calls of it, renamed; nil if it declares none.
func renameMain(src []byte) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var decl *ast.FuncDecl
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "main" {
			decl = d
		}
	}
	if decl == nil {
		return nil
	}
	var out []byte
	done := 0
	rename := func(id *ast.Ident) {
		at := fset.Position(id.Pos()).Offset
		out = append(append(out, src[done:at]...), "heddleMain"...)
		done = at + len(id.Name)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n == decl {
				rename(n.Name)
			}
		case *ast.CallExpr: // main calls itself
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "main" {
				rename(id)
			}
		}
		return true
	})
	return append(out, src[done:]...)
}
