package instrument

import (
	"go/ast"
	"go/token"
)

// send: c <- v becomes _hd.To(c, S).Send(v). If v has calls, gc reads the variable c after them,
// so v comes first: { _hd1 := v; _hd.To(c, S).Send(_hd1) }.
func (r *rewriter) send(s *ast.SendStmt, simple bool) {
	r.value(s.Chan)
	r.value(s.Value)
	if v, ok := r.isVar(s.Chan); !simple && r.hasCall(s.Value) && !r.unnamedShift(s.Value) &&
		!(ok && r.private(v)) && !r.hasCall(s.Chan) {
		names, texts, uses := r.temps([]ast.Expr{s.Value}, 1, nil)
		send := "; _hd.To(" + r.moved(s.Chan, s.End()) + ", " + r.site("send", s.Arrow, s.Chan) + ").Send(" +
			uses[0] + ") }"
		r.between(s.Pos(), s.Value.Pos(), "{ "+names+" := ")
		r.replace(s.Value, texts+send)
		return
	}
	r.before(s, "_hd.To(")
	r.between(s.Chan.End(), s.Value.Pos(), ", "+r.site("send", s.Arrow, s.Chan)+").Send(")
	r.after(s, ")")
}

// recv: <-c becomes _hd.Recv(c, S), or Recv2. The channel is already rewritten.
func (r *rewriter) recv(e *ast.UnaryExpr, hook string) {
	r.between(e.OpPos, e.X.Pos(), "_hd."+hook+"(")
	r.after(e, ", "+r.site("recv", e.OpPos, e.X)+")")
}

// recv2 rewrites the right side of v, ok = <-c. It returns false for other expressions.
func (r *rewriter) recv2(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return false
	}
	r.value(u.X)
	r.recv(u, "Recv2")
	return true
}

// chanCall: close(c) becomes _hd.Close(c, S); len and cap likewise. The channel is already
// rewritten.
func (r *rewriter) chanCall(e *ast.CallExpr, hook, op string) {
	r.replace(e.Fun, "_hd."+hook)
	r.afterPart(e, e.Args[0], ", "+r.site(op, e.Pos(), e.Args[0]))
}
