package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What the runtime calls at a timer has no hook: it runs on the runtime's stack, and a lock of the
// timer is held. What the scheduler calls has hooks: else a timer under control sends into a native
// channel, which no goroutine waits for, and starts native goroutines.
func TestOfRuntime(t *testing.T) {
	inputs := append(laidInputs(t), load(t, ".", "time")...)
	for _, in := range inputs {
		patch(t, in)
	}
	im := NewImporter(inputs)
	in := inputs[len(inputs)-1]
	if in.ImportPath != "time" {
		t.Fatal("the last package is", in.ImportPath)
	}
	in.Mode.Memory = true
	out, err := Rewrite(in, im)
	if err != nil {
		t.Fatal(err)
	}
	called, ours, written := map[string]bool{}, map[string]bool{}, map[string]string{}
	fset := token.NewFileSet()
	for _, f := range in.Files {
		text, ok := out.Files[f.Path]
		if !ok {
			text = f.Content
		}
		file, err := parser.ParseFile(fset, filepath.Base(f.Path), text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
				written[n.Name.Name] = string(text[from:to])
			case *ast.CallExpr: // newTimer(when, period, f, arg, channel)
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "newTimer" {
					called[n.Args[2].(*ast.Ident).Name] = true
				}
				// TimerStart(timer, when, period, f, arg, channel, pc)
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "TimerStart" {
					ours[n.Args[3].(*ast.Ident).Name] = true
				}
			}
			return true
		})
	}
	if len(called) < 2 || len(ours) < 2 {
		t.Errorf("only %v and %v are called at timers", called, ours)
	}
	for name := range ours {
		if text := written[name]; !strings.Contains(text, "_hd.") {
			t.Errorf("%s, which the scheduler calls, has no hook:\n%s", name, text)
		}
	}
	for name := range called {
		if text := written[name]; text == "" || strings.Contains(text, "_hd.") {
			t.Errorf("%s, which the runtime calls, has a hook:\n%s", name, text)
		}
	}
}
