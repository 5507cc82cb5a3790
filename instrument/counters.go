package instrument

import (
	"go/ast"
	"go/types"
	"slices"
)

// counters returns the local variables of which a package uses nothing but n++ and n--, and _ = n,
// in the function that declares them. What they hold makes no difference.
func counters(pkg *types.Package, info *types.Info, files []*ast.File) map[types.Object]bool {
	c := &counting{info: info, in: map[types.Object]ast.Node{}, read: map[types.Object]bool{}}
	for _, f := range files {
		ast.PreorderStack(f, nil, c.visit)
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
	info   *types.Info
	around                           // of the node that is visited
	in     map[types.Object]ast.Node // by variable that is counted: the function
	read   map[types.Object]bool     // variables that are used otherwise
}

func (c *counting) visit(n ast.Node, above []ast.Node) bool {
	c.around = above
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

// around has the nodes that contain a node, from the file inwards.
type around []ast.Node

// above returns the k-th of them outwards, from 1; nil if there are fewer.
func (a around) above(k int) ast.Node {
	if k > len(a) {
		return nil
	}
	return a[len(a)-k]
}

// function returns the innermost function.
func (a around) function() ast.Node {
	for _, n := range slices.Backward(a) {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

// declares reports whether the identifier is declared by a statement: no parameter or result is a
// counter.
func (c *counting) declares() bool {
	switch c.above(1).(type) {
	case *ast.AssignStmt, *ast.ValueSpec:
		return true
	}
	return false
}

// counts reports whether this use of a variable is one of those above.
func (c *counting) counts(id *ast.Ident) bool {
	switch s := c.above(1).(type) {
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
