package states

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/version"
	"os"
	"runtime"
	"strings"
	"testing"
)

// The functions of the table are there, and have receivers with names where the table says that
// these are the state.
func TestFunctions(t *testing.T) {
	left := map[string]bool{}
	dirs := map[string]bool{}
	for f, u := range Functions {
		if version.Compare(version.Lang(runtime.Version()), u.Since) < 0 {
			continue
		}
		left[f] = true
		slash := strings.LastIndexByte(f, '/') + 1
		dirs[f[:slash+strings.IndexByte(f[slash:], '.')]] = true
	}
	for f := range inside {
		left[f] = true
	}
	for dir := range dirs {
		p, err := build.Import(dir, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(p.Dir + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok || d.Body == nil {
					continue
				}
				name := dir + "."
				if d.Recv != nil {
					p, ok := d.Recv.List[0].Type.(*ast.StarExpr)
					if !ok {
						continue
					}
					id, ok := p.X.(*ast.Ident)
					if !ok {
						continue
					}
					name += "(*" + id.Name + ")."
				}
				name += d.Name.Name
				u, ok := Functions[name]
				named := d.Recv != nil && len(d.Recv.List[0].Names) > 0
				if ok && (u.Object == "" || u.Object[0] == '.') && !named {
					t.Errorf("%s: the receiver, which is the state, has no name", name)
				}
				delete(left, name)
			}
		}
	}
	for f := range left {
		t.Errorf("the standard library has no function %s", f)
	}
}
