package drive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/internal/goroot"
)

// opaque are the functions of package testing that lock and are in no table: they may do anything,
// so that results are sampled where two goroutines call them.
var opaque = []string{
	"testing.(*B).Run", "testing.(*B).run1", "testing.(*B).runN", "testing.(*F).Helper", "testing.fRunner",
	"testing.(*chattyPrinter).Printf", "testing.(*chattyPrinter).Updatef", "testing.(*matcher).clearSubNames",
	"testing.(*matcher).fullName",
	"testing.(*common).Cleanup", "testing.(*common).frameSkip", "testing.(*common).makeTempDir",
	"testing.(*common).runCleanup", "testing.(*common).setRan",
}

// Each function of package testing that locks is in the table of effects or among the opaque ones:
// a release that moves a lock into another function must not make tests that log "sampled".
func TestEffectsOfTesting(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goroot.Real(t), "src/testing/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of package testing: %v", err)
	}
	locking := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && locks(d.Body) {
				locking[symbol(d)] = true
			}
		}
	}
	for name := range locking {
		known := slices.Contains(opaque, name)
		for f := range effects {
			known = known || f == name || strings.HasPrefix(f, name+".func")
		}
		if !known {
			t.Errorf("%s locks: say in the table of effects which of its orders make a difference, or add it to opaque", name)
		}
	}
}

// locks reports whether a function calls a method of a lock.
func locks(body *ast.BlockStmt) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && len(c.Args) == 0 {
				yes = yes || s.Sel.Name == "Lock" || s.Sel.Name == "RLock"
			}
		}
		return !yes
	})
	return yes
}

// symbol is the name of a function of package testing in the notation of package runtime.
func symbol(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return "testing." + d.Name.Name
	}
	switch r := d.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return "testing.(*" + r.X.(*ast.Ident).Name + ")." + d.Name.Name
	case *ast.Ident:
		return "testing." + r.Name + "." + d.Name.Name
	}
	return "testing." + d.Name.Name
}
