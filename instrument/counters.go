package instrument

import (
	"go/ast"
	"go/types"
)

// counters returns the local variables of which a package uses nothing but n++ and n--, and _ = n,
// in the function that declares them. What they hold makes no difference.
func counters(pkg *types.Package, info *types.Info, files []*ast.File) map[types.Object]bool {
	c := &counting{info: info, in: map[types.Object]ast.Node{}, read: map[types.Object]bool{}}
	for _, f := range files {
		ast.Inspect(f, c.visit)
	}
	found := map[types.Object]bool{}
	for v, in := range c.in {
		if in != nil && !c.read[v] && v.Parent() != pkg.Scope() {
			found[v] = true
		}
	}
	return found
}

// A counting is the search for them.
type counting struct {
	info *types.Info
	path []ast.Node                // down to the node that is visited
	in   map[types.Object]ast.Node // by variable that is counted: the function
	read map[types.Object]bool     // variables that are used otherwise
}

func (c *counting) visit(n ast.Node) bool {
	if n == nil {
		c.path = c.path[:len(c.path)-1]
		return true
	}
	c.path = append(c.path, n)
	id, ok := n.(*ast.Ident)
	if !ok {
		return true
	}
	if v, ok := c.info.Defs[id].(*types.Var); ok {
		c.in[v] = c.function()
		c.read[v] = c.read[v] || v.IsField() || !c.declares()
	}
	if v := c.info.Uses[id]; v != nil && (!c.counts(id) || c.in[v] != c.function()) {
		c.read[v] = true
	}
	return true
}

// function returns the innermost function around the node.
func (c *counting) function() ast.Node {
	for i := len(c.path) - 1; i >= 0; i-- {
		switch c.path[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return c.path[i]
		}
	}
	return nil
}

// parent returns the node around the identifier.
func (c *counting) parent() ast.Node { return c.path[len(c.path)-2] }

// declares reports whether the identifier is declared by a statement: no parameter or result is a
// counter.
func (c *counting) declares() bool {
	switch c.parent().(type) {
	case *ast.AssignStmt, *ast.ValueSpec:
		return true
	}
	return false
}

// counts reports whether this use of a variable is one of those above.
func (c *counting) counts(id *ast.Ident) bool {
	switch s := c.parent().(type) {
	case *ast.IncDecStmt:
		return true
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && len(s.Rhs) == 1 && s.Rhs[0] == id && isBlank(s.Lhs[0])
	}
	return false
}

// onlyCounts reports whether s changes nothing but a variable that is only counted.
func (p *polls) onlyCounts(s ast.Stmt) bool {
	i, ok := s.(*ast.IncDecStmt)
	if !ok {
		return false
	}
	id, ok := i.X.(*ast.Ident)
	return ok && p.counts[p.info.Uses[id]]
}

// countsIterations reports whether the clauses of a loop do nothing but count its iterations.
func (p *polls) countsIterations(s *ast.ForStmt) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 || s.Post == nil || !p.onlyCounts(s.Post) {
		return false
	}
	_, simple := init.Rhs[0].(*ast.BasicLit)
	to, ok := init.Lhs[0].(*ast.Ident)
	counted := s.Post.(*ast.IncDecStmt).X.(*ast.Ident)
	return simple && ok && p.info.Defs[to] == p.info.Uses[counted]
}
