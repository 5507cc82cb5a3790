package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A gathered variable is a local slice to which a function and its closures only append, of which
// they ask for the length, and whose elements they only add up: no statement can tell in which
// order they were appended. Of its accesses only those to the variable are announced. An append is
// an update, whose operand is a hash of the elements.
//
//	q = append(q, a)    { _hd1 := _hd.Gather(&q, false, S); _hd1.Set(append(_hd1.Get(), _hd1.Of(a))) }

// isGathered reports whether e is a gathered variable.
func (r *rewriter) isGathered(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || !r.mem || r.in.Mode.Flow || r.in.Standard {
		return false
	}
	if r.gathered == nil {
		plain := func(e ast.Expr) bool { return !r.hasCall(e) }
		r.gathered = gathered(r.info, r.pkg, r.ast, plain, r.shared.has)
	}
	v, ok := r.info.Uses[id].(*types.Var)
	return ok && r.gathered[v] && r.shared.has(v)
}

// gather rewrites an append to a gathered variable. It reports whether s is one.
func (r *rewriter) gather(s *ast.AssignStmt) bool {
	if !r.isGathered(s.Lhs[0]) {
		return false
	}
	args := s.Rhs[0].(*ast.CallExpr).Args
	for _, a := range args[1:] {
		r.value(a)
	}
	q, text := r.name(), isText(core(r.info.TypeOf(s.Lhs[0])).(*types.Slice).Elem())
	site := r.site("write", s.Lhs[0].Pos(), s.Lhs[0])
	r.between(s.Pos(), args[1].Pos(), fmt.Sprintf(
		"{ %[1]s := _hd.Gather(&%[2]s, %[3]t, %[4]s); %[1]s.Set(append(%[1]s.Get(), %[1]s.Of(",
		q, r.source(s.Lhs[0]), text, site))
	for i := 2; i < len(args); i++ {
		r.between(args[i-1].End(), args[i].Pos(), "), "+q+".Of(")
	}
	r.between(args[len(args)-1].End(), s.End(), "))) }")
	return true
}

// gathered returns the gathered variables of a file. plain reports whether an expression makes no
// call, shared whether several goroutines may access a variable.
func gathered(info *types.Info, pkg *types.Package, f *ast.File, plain func(ast.Expr) bool,
	shared func(*types.Var) bool) map[*types.Var]bool {
	g := &gathering{info: info, plain: plain, shared: shared,
		found: map[*types.Var]bool{}, other: map[*types.Var]bool{}}
	ast.PreorderStack(f, nil, g.visit)
	for v := range g.found {
		if g.other[v] || v.Parent() == pkg.Scope() || v.IsField() {
			delete(g.found, v)
		}
	}
	return g.found
}

// A gathering is the search for them.
type gathering struct {
	info   *types.Info
	plain  func(ast.Expr) bool
	shared func(*types.Var) bool
	around                     // of the node that is visited
	found  map[*types.Var]bool // variables that are appended to
	other  map[*types.Var]bool // variables that are used otherwise
}

func (g *gathering) visit(n ast.Node, above []ast.Node) bool {
	g.around = above
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	if v, ok := g.info.Defs[id].(*types.Var); ok && !g.declares(id) {
		g.other[v] = true
	}
	if v, ok := g.info.Uses[id].(*types.Var); ok {
		switch {
		case g.appends(id, v):
			g.found[v] = true
		case !g.counts(id) && !g.adds(id):
			g.other[v] = true
		}
	}
	return true
}

// declares reports whether the declaration gives the variable a slice of its own: nil, a literal,
// or one that is made.
func (g *gathering) declares(id *ast.Ident) bool {
	var values []ast.Expr
	switch s := g.above(1).(type) {
	case *ast.ValueSpec:
		values = s.Values
	case *ast.AssignStmt:
		values = s.Rhs
		if len(s.Lhs) != 1 {
			return false
		}
	default:
		return false
	}
	if len(values) == 0 {
		return true
	}
	if len(values) > 1 {
		return false
	}
	switch x := ast.Unparen(values[0]).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return g.builtin(x, "make")
	}
	return g.info.Types[values[0]].IsNil()
}

func (g *gathering) builtin(c *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := g.info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// appends reports whether a use is one of the two in q = append(q, a, b), a statement in a block.
func (g *gathering) appends(id *ast.Ident, v *types.Var) bool {
	s, ok := g.above(1).(*ast.AssignStmt)
	block := g.above(2)
	if c, in := g.above(1).(*ast.CallExpr); in {
		if s, ok = g.above(2).(*ast.AssignStmt); !ok || len(c.Args) == 0 || c.Args[0] != id {
			return false
		}
		block = g.above(3)
	}
	switch block.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return false
	}
	if !ok || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	l, is := s.Lhs[0].(*ast.Ident)
	c, call := s.Rhs[0].(*ast.CallExpr)
	if !is || !call || g.info.Uses[l] != v || !g.builtin(c, "append") || len(c.Args) < 2 ||
		c.Ellipsis.IsValid() {
		return false
	}
	if x, ok := c.Args[0].(*ast.Ident); !ok || g.info.Uses[x] != v {
		return false
	}
	for _, a := range c.Args[1:] {
		if !g.plain(a) || g.mentions(a, v) {
			return false
		}
	}
	t, ok := v.Type().Underlying().(*types.Slice)
	return ok && (isText(t.Elem()) || solid(t.Elem()))
}

func (g *gathering) mentions(n ast.Node, v *types.Var) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && g.info.Uses[id] == v
		return true
	})
	return found
}

// counts reports whether a use asks for the length: len(q), q == nil, for i := range q.
func (g *gathering) counts(id *ast.Ident) bool {
	switch n := g.above(1).(type) {
	case *ast.CallExpr:
		return g.builtin(n, "len")
	case *ast.BinaryExpr:
		return g.info.Types[n.X].IsNil() || g.info.Types[n.Y].IsNil()
	case *ast.RangeStmt:
		return n.X == id && (n.Value == nil || isBlank(n.Value))
	}
	return false
}

// adds reports whether a use is that of for _, v := range q { sum += v }: the body does nothing but
// change integers by what each element tells, in a way that does not depend on the order.
func (g *gathering) adds(id *ast.Ident) bool {
	s, ok := g.above(1).(*ast.RangeStmt)
	if !ok || s.X != id || s.Tok != token.DEFINE || s.Key != nil && !isBlank(s.Key) {
		return false
	}
	elem, ok := s.Value.(*ast.Ident)
	if !ok {
		return false
	}
	v := g.info.Defs[elem]
	return v != nil && g.folds(s.Body, v)
}

// folds reports whether s does nothing but such changes, by element v.
func (g *gathering) folds(s ast.Stmt, v types.Object) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		for _, x := range s.List {
			if !g.folds(x, v) {
				return false
			}
		}
		return true
	case *ast.IfStmt:
		return s.Init == nil && g.tells(s.Cond, v) && g.folds(s.Body, v) &&
			(s.Else == nil || g.folds(s.Else, v))
	case *ast.IncDecStmt:
		return g.total(s.X, v)
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && commutes[s.Tok] && g.total(s.Lhs[0], v) && g.tells(s.Rhs[0], v)
	}
	return false
}

// commutes has the operators of which two with different operands commute. &= and |= of one
// variable do not commute with each other, and x++ with neither.
var commutes = map[token.Token]bool{token.ADD_ASSIGN: true, token.SUB_ASSIGN: true}

// total reports whether x is an integer variable other than v that no other goroutine may look at:
// what it holds in between goes by the order.
func (g *gathering) total(x ast.Expr, v types.Object) bool {
	id, ok := x.(*ast.Ident)
	if !ok || g.info.Uses[id] == v {
		return false
	}
	if sum, ok := g.info.Uses[id].(*types.Var); !ok || g.shared(sum) {
		return false
	}
	b, ok := g.info.TypeOf(id).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// tells reports whether x follows from element v and constants, and cannot panic.
func (g *gathering) tells(x ast.Expr, v types.Object) bool {
	if g.info.Types[x].Value != nil {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return g.info.Uses[x] == v
	case *ast.UnaryExpr:
		return (x.Op == token.SUB || x.Op == token.ADD || x.Op == token.NOT || x.Op == token.XOR) &&
			g.tells(x.X, v)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return false
		}
		return g.tells(x.X, v) && g.tells(x.Y, v)
	case *ast.CallExpr:
		return len(x.Args) == 1 && g.tells(x.Args[0], v) && (g.builtin(x, "len") ||
			g.info.Types[x.Fun].IsType() && isInteger(g.info.TypeOf(x)) &&
				isInteger(g.info.TypeOf(x.Args[0])))
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
