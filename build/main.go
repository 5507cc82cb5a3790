package build

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// layMain changes a main package so that heddlert/drive calls its function main, renamed to
// heddleMain. replace has the rewritten files, if any. The changed file goes to dir. counts:
// branches are counted.
func layMain(replace map[string]string, p *listed, dir string, counts bool) error {
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
		if text := wrapMain(src, counts); text != nil {
			replace[file] = filepath.Join(dir, fmt.Sprintf("main%d-%s", i, filepath.Base(name)))
			return os.WriteFile(replace[file], text, 0o666)
		}
	}
	return nil // without func main the compiler reports the error
}

// wrapMain returns src with func main and its calls renamed, and with a new func main after the
// last line; nil if src has no func main.
func wrapMain(src []byte, counts bool) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []byte
	done := 0
	edit := func(from, to token.Pos, text string) {
		out = append(append(out, src[done:fset.Position(from).Offset]...), text...)
		done = fset.Position(to).Offset
	}
	edit(f.Name.End(), f.Name.End(), "; import _heddle \"heddlert/drive\"")
	if counts {
		edit(f.Name.End(), f.Name.End(), "; import _ \"heddlert/fuzzed\"")
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "main" {
				found = true
				edit(n.Name.Pos(), n.Name.End(), "heddleMain")
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "main" {
				edit(id.Pos(), id.End(), "heddleMain")
			}
		}
		return true
	})
	if !found {
		return nil
	}
	return append(append(out, src[done:]...), "\nfunc main() { _heddle.Main(heddleMain) }\n"...)
}
