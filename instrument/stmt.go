package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
)

func (r *rewriter) stmts(list []ast.Stmt) {
	for i, s := range list {
		lump := r.lump(s, list[i+1:])
		r.stmt(s, nil)
		lump()
		if r.in.Mode.Quiet {
			continue
		}
		if r.polls.spoils[s] {
			r.before(s, "_hd.Spoil(); ")
		}
		r.leave(s)
	}
}

// stmt rewrites a statement of a list. label is the label directly before it, or nil.
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
		r.ifStmt(s, label)
	case *ast.SwitchStmt:
		decl := r.header(s, s.Init, label)
		r.value(s.Tag)
		r.clauses(s.Body, decl)
	case *ast.TypeSwitchStmt:
		decl := r.header(s, s.Init, label)
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
		r.heads(s, s.Body, label)
	case *ast.RangeStmt:
		r.rangeStmt(s, label)
		r.heads(s, s.Body, label)
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

// simple rewrites a statement where only a simple one is allowed. It returns the announcements of
// the variables that it declares, for the start of the blocks in their scope.
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
		if r.atomicUpdate(s.X) {
			r.unused(s.X)
		}
	case *ast.SendStmt:
		r.send(s, true)
	}
	return decl
}

// header rewrites the init of an if or switch statement. If the init declares announced variables,
// it moves, with the announcements, to a block around the statement, so that they come before
// every branch. If a goto leads to the statement, it cannot move; then header returns the
// announcements for the start of the blocks in scope.
func (r *rewriter) header(s, init ast.Stmt, label *ast.LabeledStmt) (decl string) {
	decl = r.simple(init)
	if decl == "" || label != nil && r.labels[label] {
		return decl
	}
	r.hoistInit(s, init, label, decl)
	return ""
}

// hoistInit moves the init of a statement to a block around it, followed by follows.
func (r *rewriter) hoistInit(s, init ast.Stmt, label *ast.LabeledStmt, follows string) {
	text := r.text(init)
	a, b := r.off(init.Pos()), r.off(init.End())
	r.buf.Replace(a, b, r.buf.newlines(a, b))
	r.outside(s, label, r.relocate(text, init.Pos(), start(s, label))+"; "+follows)
}

// ifStmt rewrites an if statement.
func (r *rewriter) ifStmt(s *ast.IfStmt, label *ast.LabeledStmt) {
	decl := r.header(s, s.Init, label)
	r.value(s.Cond)
	r.stmts(s.Body.List)
	r.atStart(s.Body, decl)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		r.stmts(e.List)
		r.atStart(e, decl)
	case *ast.IfStmt:
		r.ifStmt(e, nil)
		if decl != "" {
			r.wrap(e, "{ "+decl, " }")
		}
	}
}

// clauses rewrites the body of a switch whose header declares variables. decl has their
// announcements.
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
	if !r.oldLoops && r.announcesInit(s) && (label == nil || !r.labels[label]) {
		r.forEach(s, label)
		return
	}
	decl := r.simple(s.Init)
	r.value(s.Cond)
	r.simple(s.Post)
	r.stmts(s.Body.List)
	if !r.in.Mode.Quiet && r.polls.loops[s] {
		r.poll(s)
	}
	if !r.oldLoops {
		r.atStart(s.Body, decl)
		return
	}
	// One variable for the whole loop: { i := 0; Var(&i); for ; i < n; i++ { ... } }
	if decl == "" || label != nil && r.labels[label] {
		return
	}
	r.hoistInit(s, s.Init, label, decl)
}

// announcesInit reports whether a for clause declares announced variables.
func (r *rewriter) announcesInit(s *ast.ForStmt) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	return ok && init.Tok == token.DEFINE && slices.ContainsFunc(init.Lhs, func(l ast.Expr) bool {
		v, ok := r.info.Defs[l.(*ast.Ident)].(*types.Var)
		return ok && r.mem && r.shared.has(v)
	})
}

// forEach rewrites a for statement whose variables are one per iteration. Each copy is announced
// when it is created, including the last one, for which the condition is false:
//
//	for i := 0; i < n; i++ { b }     { _hd1 := false; for i := 0; ; {
//	                                     _hd.Again(&i, S, _hd1); if _hd1 { i++ }; _hd1 = true
//	                                     if !(i < n) { break }; b } }
func (r *rewriter) forEach(s *ast.ForStmt, label *ast.LabeledStmt) {
	init := s.Init.(*ast.AssignStmt)
	again := r.name()
	var head strings.Builder
	for _, l := range init.Lhs {
		if d := r.declared(l.(*ast.Ident)); d != "" {
			head.WriteString("_hd.Again(" + strings.TrimSuffix(strings.TrimPrefix(d, "_hd.Var("), "); ") +
				", " + again + "); ")
		}
	}
	r.assign(init, true)
	here := s.Body.Lbrace
	if s.Post != nil {
		r.stmt(s.Post, nil)
		fmt.Fprintf(&head, "if %s { %s }; ", again, r.moved(s.Post, here))
	}
	head.WriteString(again + " = true; ")
	if s.Cond != nil {
		r.value(s.Cond)
		fmt.Fprintf(&head, "if !(%s) { break }; ", r.moved(s.Cond, here))
	}
	r.stmts(s.Body.List)
	from := init.End()
	r.between(from, s.Body.Lbrace, "; ; ")
	r.atStart(s.Body, head.String())
	r.outside(s, label, again+" := false; ")
}

// start returns the start of s, including its label.
func start(s ast.Stmt, label *ast.LabeledStmt) token.Pos {
	if label != nil {
		return label.Pos()
	}
	return s.Pos()
}

// outside puts s and its label into a block that begins with header.
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
	if r.atomicUpdate(s.X) {
		r.unused(s.X)
	}
}

// atomicUpdate reports whether e is a call of an atomic Add, And or Or that can be said to be
// unused.
func (r *rewriter) atomicUpdate(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !r.mem || r.in.Standard || r.in.Mode.Flow {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := r.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" {
		return false
	}
	for _, op := range []string{"Add", "And", "Or"} {
		if strings.HasPrefix(f.Name(), op) {
			return true
		}
	}
	return false
}

// unused says that the result of an atomic operation goes nowhere: x.Add(1) becomes
// _hd.Unused(x.Add(1)).
func (r *rewriter) unused(e ast.Expr) { r.wrap(e, "_hd.Unused(", ")") }

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
	receiver := r.deferredRead(s.Call)
	r.deferred(s.Call)
	if r.atomicUpdate(s.Call) { // what is deferred before it runs directly after it
		r.wrap(s, "{ defer _hd.Dropped(); ", " }")
	}
	if receiver != "" {
		r.wrap(s, "{ ", "; defer "+receiver+" }")
	}
}

// deferred rewrites a call whose operands are evaluated now and which is made later.
func (r *rewriter) deferred(call *ast.CallExpr) {
	switch r.builtin(call.Fun) {
	case "":
		r.laterCall(call)
	case "close":
		r.call(call)
	default:
		for _, a := range call.Args {
			r.value(a)
		}
	}
}

// returnStmt rewrites a return. The values are written to named results, which is announced if
// those are shared.
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
			writes.WriteString("_hd.W(&" + v.Name() + ", " +
				r.sites.add("write", s.Pos(), v.Name(), v.Type()) + "); ")
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
	r.replaceRange(first.Pos(), last.End(),
		texts+"; "+writes.String()+"return "+strings.Join(uses, ", ")+" }")
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
