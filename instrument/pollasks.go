package instrument

import (
	"go/ast"
	"strconv"
	"strings"
)

// Function values that a loop calls which may poll:
//
//	for !cond() {              for _hd.Loop(S, false); !_hd.Asked(cond, "p")(); _hd.Loop(S, true) {
//		runtime.Gosched()      	_hd.Gosched()
//	}                          }
//
// Which function it is turns out when it is called. One of the same package announces its changes:
// all of its functions do, and function literals too, also those that are made of a method value of
// an interface (lateMethod). Any other is a change.

// literals announces the changes of the function literals of a file, but those that are called
// where they stand by a go or defer statement.
func (p *polls) literals(f *ast.File) {
	if importsC(f) {
		return
	}
	skip := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			skip[n.Call.Fun] = true
		case *ast.DeferStmt:
			skip[n.Call.Fun] = true
		case *ast.FuncLit:
			if !skip[n] {
				w := &walk{polls: p, from: n.Pos(), to: n.End()}
				w.list(n.Body.List)
				p.announce(&w.passage)
			}
		}
		return true
	})
}

// ask rewrites the function of a call, which is rewritten already.
func (r *rewriter) ask(e *ast.CallExpr) {
	if !r.in.Mode.Quiet && r.polls.asked[e] {
		r.wrap(e.Fun, "_hd.Asked(", ", "+strconv.Quote(symbolPath(r.pkg.Path(), r.pkg.Name()))+")")
	}
}

// symbolPath returns the path of a package as it is in the names of its functions.
func symbolPath(path, name string) string {
	if name == "main" {
		return name
	}
	last := strings.LastIndexByte(path, '/') + 1
	return path[:last] + strings.ReplaceAll(path[last:], ".", "%2e")
}
