package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"heddle/instrument/std"
)

// Package image slices the bytes of a pixel and then accesses them one by one:
//
//	s := p.Pix[i : i+4 : i+4]    s := _hd.SW(p.Pix[i : i+4 : i+4], S)
//	s[0] = c.R                   s[0] = c.R
//
// The accesses are announced together at the slicing, if the rest of the block either reads or
// writes every element by a constant index and calls nothing in between. This is done only in the
// standard library: in a program another goroutine may act between the accesses.

// lump returns a function that rewrites s once its parts are rewritten, or nil if s is not such a
// statement. rest is the remainder of its block.
func (r *rewriter) lump(s ast.Stmt, rest []ast.Stmt) (then func()) {
	then = func() {}
	a, ok := s.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || !r.mem || !r.in.Standard ||
		std.Followed(plainPath(r.in.ImportPath)) {
		return then
	}
	id, ok1 := a.Lhs[0].(*ast.Ident)
	x, ok2 := a.Rhs[0].(*ast.SliceExpr)
	if !ok1 || !ok2 || !x.Slice3 || r.source(x.High) != r.source(x.Max) || !isSlice(r.info.TypeOf(x)) {
		return then
	}
	v, ok := r.info.Defs[id].(*types.Var)
	if !ok || r.shared.has(v) {
		return then
	}
	// Bytes of s that are written and read, up to the last statement that uses it.
	size, known := r.cutSize(x)
	last := len(rest)
	for last > 0 && !r.mentions(rest[last-1], v) {
		last--
	}
	reads, writes, good := map[int64]bool{}, map[int64]bool{}, known
	stored := map[ast.Expr]bool{}
	for _, s := range rest[:last] {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN {
					for _, e := range n.Lhs {
						stored[e] = true
					}
				} else if n.Tok != token.DEFINE {
					good = false
				}
			case *ast.IndexExpr:
				y, ok := n.X.(*ast.Ident)
				if !ok || r.info.Uses[y] != v {
					return true
				}
				k, ok := r.constInt(n.Index)
				if good = good && ok; stored[n] {
					writes[k] = true
				} else {
					reads[k] = true
				}
				return false
			case *ast.Ident:
				good = good && r.info.Uses[n] != v && !r.isShared(n)
			case *ast.CallExpr:
				good = good && !r.isCall(n)
			case *ast.SelectorExpr:
				good = good && !r.isShared(n)
				return false
			case *ast.ReturnStmt, *ast.CompositeLit, *ast.BasicLit, *ast.BinaryExpr, *ast.ParenExpr, nil:
			default:
				good = false
			}
			return true
		})
	}
	op, hook := "write", "_hd.SW("
	switch {
	case !good:
		return then
	case len(reads) == 0 && len(writes) == size:
	case len(writes) == 0 && len(reads) == size:
		op, hook = "read", "_hd.SR("
	default:
		return then
	}
	if r.lumped == nil {
		r.lumped = map[*types.Var]bool{}
	}
	r.lumped[v] = true
	return func() { r.wrap(x, hook, ", "+r.elements(op, x.Pos(), x)+")") }
}

// cutSize returns the number of elements of x[i : i+n : i+n].
func (r *rewriter) cutSize(x *ast.SliceExpr) (n int, ok bool) {
	b, ok := x.High.(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD || x.Low == nil || r.source(b.X) != r.source(x.Low) {
		return 0, false
	}
	k, ok := r.constInt(b.Y)
	return int(k), ok
}

func (r *rewriter) constInt(e ast.Expr) (int64, bool) {
	if v := r.info.Types[e].Value; v != nil {
		return constant.Int64Val(constant.ToInt(v))
	}
	return 0, false
}

func (r *rewriter) isLumped(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := r.info.Uses[id].(*types.Var)
	return ok && r.lumped[v]
}
