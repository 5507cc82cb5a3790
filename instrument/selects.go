package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// selectStmt rewrites a select into a switch; see Select in package hook. The operands of all
// cases move to the header of the switch, where line directives keep their lines.
func (r *rewriter) selectStmt(s *ast.SelectStmt) {
	if len(s.Body.List) == 0 {
		r.wrap(s, "{ _hd.Block("+r.sites.add("select", s.Select, "select {}", nil)+"); ", " }")
		return
	}
	var names, cases, shown []string
	def := false
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		if c.Comm == nil {
			def = true
			r.stmts(c.Body)
			continue
		}
		name := r.name()
		shown = append(shown, r.commSource(c.Comm))
		cases = append(cases, r.comm(c, name, len(names), s.Body.Lbrace))
		names = append(names, name)
		r.stmts(c.Body)
	}
	site := r.sites.add("select", s.Select, strings.Join(shown, ", "), nil)
	header := "switch "
	if len(names) > 0 {
		header += strings.Join(names, ", ") + " := " + strings.Join(cases, ", ") + "; "
	}
	header += fmt.Sprintf("_hd.Select(%s, %t%s) ", site, def, prefixed(", ", names))
	r.between(s.Select, s.Body.Lbrace, header)
	if !def {
		text := r.noCase(s)
		if last := s.Body.List[len(s.Body.List)-1]; r.line(last.End()) == r.line(s.Body.Rbrace) {
			text = "; " + text // the last statement has no semicolon after it
		}
		r.buf.Before(r.off(s.Body.Rbrace), r.off(s.Body.Rbrace)+1, text)
	}
}

// commSource returns the text for a case in the position table: <-c or c<-.
func (r *rewriter) commSource(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.SendStmt:
		return r.source(s.Chan) + "<-"
	case *ast.ExprStmt:
		return r.source(ast.Unparen(s.X))
	case *ast.AssignStmt:
		return r.source(ast.Unparen(s.Rhs[0]))
	}
	return ""
}

// noCase returns a default clause for a select without one, so that the switch is a terminating
// statement.
func (r *rewriter) noCase(s *ast.SelectStmt) string {
	if _, obj := r.pkg.Scope().Innermost(s.Pos()).LookupParent("panic",
		s.Pos()); obj != types.Universe.Lookup("panic") {
		return "default: for {}; "
	}
	return "default: panic(_hd.NoCase); "
}

func prefixed(p string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return p + strings.Join(list, p)
}

// comm rewrites the communication of case i, whose state is called name. It returns the text that
// evaluates the operands, to be placed at here.
func (r *rewriter) comm(c *ast.CommClause, name string, i int, here token.Pos) string {
	head := fmt.Sprintf("case %d: ", i)
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		r.value(s.Chan)
		r.value(s.Value)
		r.sites.row("send", s.Arrow, r.source(s.Chan), r.info.TypeOf(s.Chan))
		text := "_hd.OnSend(" + r.moved(s.Chan, here) + ").Of(" + r.moved(s.Value, here) + ")"
		r.caseHead(c, head)
		return text
	case *ast.ExprStmt:
		text := r.onRecv(s.X, here)
		r.caseHead(c, head)
		return text
	case *ast.AssignStmt:
		text := r.onRecv(s.Rhs[0], here)
		values := []string{name + ".V", name + ".OK"}[:len(s.Lhs)]
		r.caseHead(c, head+r.received(s, values))
		return text
	}
	return ""
}

// caseHead replaces a case up to its colon by text.
func (r *rewriter) caseHead(c *ast.CommClause, text string) { r.between(c.Case, c.Colon+1, text) }

// onRecv returns the text that evaluates the channel of a receive.
func (r *rewriter) onRecv(e ast.Expr, here token.Pos) string {
	u := ast.Unparen(e).(*ast.UnaryExpr)
	r.value(u.X)
	r.sites.row("recv", u.OpPos, r.source(u.X), r.info.TypeOf(u.X))
	return "_hd.OnRecv(" + r.moved(u.X, here) + ")"
}

// received returns the statements that assign the received values to the left side of s.
func (r *rewriter) received(s *ast.AssignStmt, values []string) string {
	if s.Tok == token.DEFINE {
		var lhs []string
		decl := ""
		for _, l := range s.Lhs {
			lhs = append(lhs, l.(*ast.Ident).Name)
			decl += r.declared(l.(*ast.Ident))
		}
		return strings.Join(lhs, ", ") + " := " + strings.Join(values, ", ") + "; " + decl
	}
	if len(values) == 2 {
		values[1] += " == true" // an untyped boolean
	}
	return r.assigned(s.Lhs, values, s.Pos())
}

// assigned rewrites the locations lhs and returns the statements that assign values to them.
func (r *rewriter) assigned(lhs []ast.Expr, values []string, here token.Pos) string {
	special := false
	for _, l := range lhs {
		r.addr(l)
		special = special || r.target(l) >= hooked
	}
	if special {
		return "{ " + r.setAll(lhs, values, here) + "}; "
	}
	var texts []string
	for _, l := range lhs {
		texts = append(texts, r.moved(l, here))
	}
	return strings.Join(texts, ", ") + " = " + strings.Join(values, ", ") + "; "
}
