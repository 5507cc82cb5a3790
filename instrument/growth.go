package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// The growth of a map. A local variable holds the length of a map, and its only use is to be
// compared with a later length, or subtracted from one. If both are of one map, and of one step,
// only how much the map has grown between them is looked at. It follows from which of the keys that
// the goroutine has set or deleted between them the map had.
//
//	n := len(m)            var _hd1 _hd.Measure; n := len(_hd.ML(m, &_hd1, S))
//	return n != len(m)     return n != len(_hd.MG(m, _hd1, S))
//
// The variable is used once, and in no loop, so each of its values is used once at most.

// A growth is one of the two calls of len: of first if it gives the variable its value.
type growth struct {
	first *ast.AssignStmt
	name  string // of the Measure
}

// growthOf returns what a call of len is of such a pair; nil: it is in none.
func (r *rewriter) growthOf(call *ast.CallExpr) *growth {
	if !r.mem || r.in.Mode.Flow || r.in.Standard {
		return nil
	}
	if r.growths == nil {
		r.growths = map[*ast.CallExpr]*growth{}
		g := &growing{r: r, from: map[types.Object]*ast.AssignStmt{}, to: map[types.Object]*ast.CallExpr{},
			other: map[types.Object]bool{}}
		ast.PreorderStack(r.ast, nil, g.visit)
		for _, v := range g.vars {
			if to := g.to[v]; to != nil && !g.other[v] {
				from, name := g.from[v], r.name()
				r.growths[from.Rhs[0].(*ast.CallExpr)] = &growth{first: from, name: name}
				r.growths[to] = &growth{name: name}
			}
		}
	}
	return r.growths[call]
}

// A growing is the search for them.
type growing struct {
	r     *rewriter
	path  []ast.Node // down to the node that is visited
	vars  []types.Object
	from  map[types.Object]*ast.AssignStmt
	to    map[types.Object]*ast.CallExpr
	other map[types.Object]bool // variables that are used otherwise
}

func (g *growing) visit(n ast.Node, above []ast.Node) bool {
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	g.path = append(slices.Clip(above), n)
	if v := g.r.info.Defs[id]; v != nil {
		if s := g.measures(); s != nil {
			g.vars, g.from[v] = append(g.vars, v), s
		}
	}
	if v := g.r.info.Uses[id]; v != nil && g.from[v] != nil {
		if c := g.compares(g.from[v]); c != nil && g.to[v] == nil {
			g.to[v] = c
		} else {
			g.other[v] = true
		}
	}
	return true
}

// measures returns the statement n := len(m) of a list that declares the identifier, nil if none
// does.
func (g *growing) measures() *ast.AssignStmt {
	if len(g.path) < 3 {
		return nil
	}
	s, ok := g.path[len(g.path)-2].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 || g.length(s.Rhs[0]) == nil {
		return nil
	}
	switch g.path[len(g.path)-3].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return s
	}
	return nil
}

// length returns the call len(m) that e is, nil if it is none.
func (g *growing) length(e ast.Expr) *ast.CallExpr {
	c, ok := e.(*ast.CallExpr)
	if !ok || g.r.builtin(c.Fun) != "len" {
		return nil
	}
	if _, ok := core(g.r.info.TypeOf(c.Args[0])).(*types.Map); !ok {
		return nil
	}
	return c
}

// compares returns the call of len whose result is compared with the identifier, the variable that
// s declares; nil if there is none, or if it may be evaluated more than once for one value.
func (g *growing) compares(s *ast.AssignStmt) *ast.CallExpr {
	b, ok := g.path[len(g.path)-2].(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	switch b.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.SUB:
	default:
		return nil
	}
	other := b.X
	if other == g.path[len(g.path)-1] {
		other = b.Y
	}
	for i := len(g.path) - 1; i >= 0; i-- {
		var list []ast.Stmt
		switch n := g.path[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.LabeledStmt, *ast.GoStmt, *ast.DeferStmt:
			return nil
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for k, x := range list {
			if x == ast.Stmt(s) {
				for _, x := range list[k:] {
					if jumps(x) {
						return nil
					}
				}
				return g.length(ast.Unparen(other))
			}
		}
	}
	return nil
}

// jumps reports whether a statement is, or has, a goto or a label.
func jumps(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.GOTO
		}
		return !found
	})
	return found
}

// measure wraps m in the hook for a read of the length of a map that is one of a pair. It reports
// whether call is one.
func (r *rewriter) measure(call *ast.CallExpr) bool {
	x := r.growthOf(call)
	if x == nil {
		return false
	}
	m := call.Args[0]
	site := r.site("read", m.Pos(), m)
	if x.first != nil {
		r.before(x.first, "var "+x.name+" _hd.Measure; ")
		r.wrap(m, "_hd.ML(", ", &"+x.name+", "+site+")")
		return true
	}
	r.wrap(m, "_hd.MG(", ", "+x.name+", "+site+")")
	return true
}
