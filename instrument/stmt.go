package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

func (r *rewriter) stmts(list []ast.Stmt) {
	for _, s := range list {
		r.stmt(s, nil)
		if r.polls.spoils[s] && !r.in.Mode.Quiet {
			r.before(s, "_hd.Spoil(); ")
		}
	}
}

// stmt rewrites a statement of a list. label is the one that stands directly before it.
func (r *rewriter) stmt(s ast.Stmt, label *ast.LabeledStmt) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		r.stmt(s.Stmt, s)
	case *ast.BlockStmt:
		r.stmts(s.List)
	case *ast.DeclStmt:
		r.localDecl(s)
	case *ast.GoStmt:
		r.goStmt(s)
	case *ast.DeferStmt:
		r.deferStmt(s)
	case *ast.ReturnStmt:
		r.returnStmt(s)
	case *ast.IfStmt:
		r.ifStmt(s, "")
	case *ast.SwitchStmt:
		decl := r.simple(s.Init)
		r.value(s.Tag)
		r.clauses(s.Body, decl)
	case *ast.TypeSwitchStmt:
		decl := r.simple(s.Init)
		switch a := s.Assign.(type) {
		case *ast.ExprStmt:
			r.value(a.X)
		case *ast.AssignStmt:
			r.value(a.Rhs[0])
		}
		r.clauses(s.Body, decl)
	case *ast.SelectStmt:
		r.selectStmt(s)
	case *ast.ForStmt:
		r.forStmt(s, label)
	case *ast.RangeStmt:
		r.rangeStmt(s, label)
	case *ast.AssignStmt:
		r.assign(s, false)
	case *ast.IncDecStmt:
		r.incDec(s, false)
	case *ast.ExprStmt:
		r.exprStmt(s)
	case *ast.SendStmt:
		r.send(s, false)
	}
}

// simple rewrites a statement where only a simple statement may stand. It
// returns the announcements of the variables it declares, for the start of the blocks that see them.
func (r *rewriter) simple(s ast.Stmt) (decl string) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.assign(s, true)
		if s.Tok == token.DEFINE {
			for _, l := range s.Lhs {
				if id, ok := l.(*ast.Ident); ok {
					decl += r.declared(id)
				}
			}
		}
	case *ast.IncDecStmt:
		r.incDec(s, true)
	case *ast.ExprStmt:
		r.value(s.X)
	case *ast.SendStmt:
		r.send(s, true)
	}
	return decl
}

// ifStmt rewrites an if statement; decl announces the variables that an if before its else declared.
func (r *rewriter) ifStmt(s *ast.IfStmt, decl string) {
	decl += r.simple(s.Init)
	r.value(s.Cond)
	r.stmts(s.Body.List)
	r.atStart(s.Body, decl)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		r.stmts(e.List)
		r.atStart(e, decl)
	case *ast.IfStmt:
		r.ifStmt(e, decl)
	}
}

// clauses rewrites the body of a switch whose header declared what decl announces.
func (r *rewriter) clauses(body *ast.BlockStmt, decl string) {
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		for _, e := range c.List {
			r.value(e)
		}
		start := decl
		if v, ok := r.info.Implicits[c].(*types.Var); ok {
			start += r.declaredVar(v, c.Pos())
		}
		r.stmts(c.Body)
		if start != "" {
			r.afterToken(c.Colon, " "+start)
		}
	}
}

func (r *rewriter) forStmt(s *ast.ForStmt, label *ast.LabeledStmt) {
	decl := r.simple(s.Init)
	r.value(s.Cond)
	r.simple(s.Post)
	r.stmts(s.Body.List)
	if !r.in.Mode.Quiet && r.polls.loops[s] {
		r.poll(s)
	}
	if decl == "" {
		return
	}
	if !r.oldLoops {
		r.atStart(s.Body, decl)
		return
	}
	// One variable for the whole loop: { i := 0; Var(&i); for ; i < n; i++ { ... } }
	if label != nil && r.labels[label] {
		return
	}
	init := r.text(s.Init)
	a, b := r.off(s.Init.Pos()), r.off(s.Init.End())
	r.buf.Replace(a, b, r.buf.newlines(a, b))
	r.outside(s, label, r.relocate(init, s.Init.Pos(), start(s, label))+"; "+decl)
}

// start returns where s starts, its label included.
func start(s ast.Stmt, label *ast.LabeledStmt) token.Pos {
	if label != nil {
		return label.Pos()
	}
	return s.Pos()
}

// outside puts s and its label into a block that starts with header.
func (r *rewriter) outside(s ast.Stmt, label *ast.LabeledStmt, header string) {
	r.buf.Before(r.off(start(s, label)), r.off(s.End()), "{ "+header)
	r.after(s, " }")
}

func (r *rewriter) exprStmt(s *ast.ExprStmt) {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && r.mem && r.builtin(call.Fun) == "delete" {
		r.deleteStmt(s, call)
		return
	}
	r.value(s.X)
}

func (r *rewriter) localDecl(s *ast.DeclStmt) {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return
	}
	var decl strings.Builder
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		r.varSpec(v)
		for _, id := range v.Names {
			decl.WriteString(r.declared(id))
		}
	}
	if decl.Len() > 0 {
		r.after(s, "; "+strings.TrimSuffix(decl.String(), "; "))
	}
}

func (r *rewriter) varSpec(v *ast.ValueSpec) {
	if len(v.Names) == 2 && len(v.Values) == 1 && r.recv2(v.Values[0]) {
		return
	}
	for _, e := range v.Values {
		r.value(e)
	}
}

func (r *rewriter) deferStmt(s *ast.DeferStmt) {
	r.deferred(s.Call)
}

// deferred rewrites a call whose operands are evaluated now and which is done later.
func (r *rewriter) deferred(call *ast.CallExpr) {
	switch r.builtin(call.Fun) {
	case "":
		r.value(call)
	case "close":
		r.call(call)
	default:
		for _, a := range call.Args {
			r.value(a)
		}
	}
}

// returnStmt rewrites a return. Values go to named results: writes, if those are shared.
func (r *rewriter) returnStmt(s *ast.ReturnStmt) {
	for _, e := range s.Results {
		r.value(e)
	}
	if len(s.Results) == 0 || !r.mem {
		return
	}
	var writes strings.Builder
	for i, v := range r.results {
		if len(s.Results) == len(r.results) && r.denotes(s.Results[i], v) {
			continue // gc does not write x when x is returned as the result x (golang.org/issue/4014)
		}
		if r.shared.has(v) && v.Name() != "_" && r.visible(v, s.Pos()) {
			writes.WriteString("_hd.W(&" + v.Name() + ", " + r.sites.add("write", s.Pos(), v.Name(), v.Type()) + "); ")
		}
	}
	if writes.Len() == 0 {
		return
	}
	first, last := s.Results[0], s.Results[len(s.Results)-1]
	plain := true // nothing happens between the announcement and the write
	for _, e := range s.Results {
		plain = plain && !r.hasCall(e) && !r.touched(e)
	}
	if plain {
		r.wrap(s, "{ "+writes.String(), " }")
		return
	}
	names, texts, uses := r.temps(s.Results, len(r.results), nil)
	r.between(s.Pos(), first.Pos(), "{ "+names+" := ")
	r.replaceRange(first.Pos(), last.End(), texts+"; "+writes.String()+"return "+strings.Join(uses, ", ")+" }")
}

// denotes reports whether e is the name of v.
func (r *rewriter) denotes(e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.info.Uses[id] == v
}

func (r *rewriter) replaceRange(from, to token.Pos, s string) {
	r.buf.Replace(r.off(from), r.off(to), s)
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
