package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
)

// switchStmt: a switch without a tag is a chain of conditions. A switch with a tag is one branch
// whose outcome is the number of the clause. A rewritten select is such a switch.
func (f *flower) switchStmt(s *ast.SwitchStmt) {
	then := f.simple(s.Init)
	if s.Tag == nil {
		if then != "" {
			f.before(s.Body, then+" ")
		}
		f.tags = append(f.tags, "")
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				f.fn.slots, f.fn.locs, f.fn.calls, f.fn.vals, f.fn.entries = 0, 0, 0, 0, 0
				f.cond(e)
			}
		}
		f.clauses(s.Body, "", "", nil)
		f.tags = f.tags[:len(f.tags)-1]
		return
	}
	f.expr(s.Tag)
	l := f.label(s.Tag)
	var cases []ast.Expr
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			f.expr(e)
			if f.label(e) != "0" && f.wrappable(e) {
				cases = append(cases, e)
			}
		}
	}
	call, ok := s.Tag.(*ast.CallExpr)
	selects := ok && f.hookName(call) == "Select"
	if f.exprs() && (l != "0" || len(cases) > 0) && !selects { // no input decides which case a select takes
		if l == "0" || !f.switchSymbolic(s) {
			f.switchCases(s, l)
		}
		cases = nil
	}
	tag, site := "", ""
	if (l != "0" || len(cases) > 0) && (f.wrappable(s.Tag)) {
		tag, site = f.fresh(), f.branchSite(s.Switch, s.Tag)
		for _, e := range cases {
			f.wrap(e, "_hf.Also(", ", "+f.label(e)+", &"+tag+")")
		}
		f.wrap(s.Tag, "_hf.To(", ", "+l+", &"+tag+")")
	}
	if then != "" {
		f.wrap(s.Tag, "_hf.Then("+then+", ", ")")
	}
	var chosen []string // label variables of the variables in a select's cases
	if selects {
		for _, a := range call.Args[2:] {
			chosen = append(chosen, f.label(a))
		}
	}
	f.tags = append(f.tags, tag)
	f.clauses(s.Body, tag, site, chosen)
	f.tags = f.tags[:len(f.tags)-1]
}

// switchCases compares the tag of a switch, which has the label l, with its cases one after
// the other (Mode.Exprs).
func (f *flower) switchCases(s *ast.SwitchStmt, l string) {
	var cases []ast.Expr
	ok := f.wrappable(s.Tag)
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			tv := f.info.Types[e]
			// a constant may have another type where it is an argument
			ok = ok && f.wrappable(e) && (tv.Value == nil || types.IsInterface(f.info.TypeOf(s.Tag)))
			if !tv.IsNil() {
				cases = append(cases, e)
			}
		}
	}
	if !ok {
		f.vanish(s.Tag, f.lost(s.Tag, l), l)
		for _, e := range cases {
			f.vanish(e, f.lost(e, f.label(e)), f.label(e))
		}
		return
	}
	call := f.fn.newCall()
	f.wrap(s.Tag, "_hf.Tag(", ", "+l+", &"+call+")")
	for _, e := range cases {
		f.wrap(e, "_hf.CaseOf(", ", "+f.label(e)+", &"+call+", "+f.branchSite(e.Pos(), e)+")")
	}
}

// typeSwitch: the variables of the clauses have the label of the operand.
func (f *flower) typeSwitch(s *ast.TypeSwitchStmt) {
	then := f.simple(s.Init)
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		x = ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
	}
	f.expr(x)
	tag, site := "", ""
	if l := f.label(x); l != "0" {
		tag, site = f.fresh(), f.branchSite(s.Switch, x)
		f.wrap(x, "_hf.To(", ", "+l+", &"+tag+")")
	}
	if then != "" {
		f.wrap(x, "_hf.Then("+then+", ", ")")
	}
	f.tags = append(f.tags, tag)
	f.clauses(s.Body, tag, site, nil)
	f.tags = f.tags[:len(f.tags)-1]
}

// clauses rewrites the bodies of a switch whose tag has the label variable tag, or "". The label
// variables chosen get the same label.
func (f *flower) clauses(body *ast.BlockStmt, tag, site string, chosen []string) {
	def := false
	for i, s := range body.List {
		c := s.(*ast.CaseClause)
		def = def || c.List == nil
		start := ""
		if v, ok := f.info.Implicits[c].(*types.Var); ok {
			l := tag
			if l == "" {
				l = "0"
			}
			start = f.declare(v) + " = " + l + f.stored(v, l) + "; "
		}
		if tag != "" {
			start = fmt.Sprintf("_hf.Case(%d, %s, %s); ", i, tag, site) + start
			for _, l := range chosen {
				if len(l) > 3 && l[:3] == "_hl" {
					start += l + " = " + tag + "; "
				}
			}
		}
		f.stmts(c.Body)
		if start != "" {
			f.afterToken(c.Colon, " "+start)
		}
	}
	if tag == "" || def {
		return
	}
	text := fmt.Sprintf("default: _hf.Case(%d, %s, %s) ", len(body.List), tag, site)
	if n := len(body.List); n > 0 && f.line(body.List[n-1].End()) == f.line(body.Rbrace) {
		text = "; " + text
	}
	f.buf.Before(f.off(body.Rbrace), f.off(body.Rbrace)+1, text)
}
