package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (f *flower) stmts(list []ast.Stmt) {
	for i, s := range list {
		if i+1 < len(list) {
			if ret, ok := list[len(list)-1].(*ast.ReturnStmt); ok && f.wroteResult(s, ret) {
				continue
			}
		}
		f.stmt(s)
	}
}

// stmt rewrites a statement of a list. The slots that a statement uses are free again when its
// blocks begin.
func (f *flower) stmt(s ast.Stmt) {
	fn := f.fn
	fn.slots, fn.locs, fn.calls, fn.vals, fn.entries = 0, 0, 0, 0, 0
	switch s := s.(type) {
	case *ast.LabeledStmt:
		f.stmt(s.Stmt)
	case *ast.BlockStmt:
		f.stmts(s.List)
	case *ast.DeclStmt:
		f.localDecl(s)
	case *ast.DeferStmt:
		f.deferStmt(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.IfStmt:
		f.ifStmt(s)
	case *ast.SwitchStmt:
		f.switchStmt(s)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s)
	case *ast.ForStmt:
		f.forStmt(s)
	case *ast.RangeStmt:
		f.rangeStmt(s)
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.IncDecStmt:
		if !f.increased(s) && !f.mapTarget(s.X, "0") {
			if t := f.increment(s); t.weak != "" {
				f.then(s, t.set("0"))
			}
		}
	case *ast.ExprStmt:
		f.exprStmt(s)
	case *ast.BranchStmt:
		if s.Tok == token.FALLTHROUGH && len(f.tags) > 0 && f.tags[len(f.tags)-1] != "" {
			f.before(s, f.tags[len(f.tags)-1]+" = 0; ") // a later clause starts without a choice
		}
	}
}

// then inserts a statement after s.
func (f *flower) then(s ast.Stmt, text string) {
	if text != "" {
		f.after(s, "; "+text)
	}
}

func (f *flower) ifStmt(s *ast.IfStmt) {
	first := f.simple(s.Init)
	f.cond(s.Cond)
	if first != "" {
		f.wrap(s.Cond, first+" && (", ")")
	}
	f.stmts(s.Body.List)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		f.stmts(e.List)
	case *ast.IfStmt:
		f.fn.slots, f.fn.locs, f.fn.calls, f.fn.vals, f.fn.entries = 0, 0, 0, 0, 0
		f.ifStmt(e)
	}
}

func (f *flower) exprStmt(s *ast.ExprStmt) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		f.expr(s.X)
		return
	}
	switch name := f.hookName(call); {
	case name == "W": // the variable is assigned next or was assigned
		u := call.Args[0].(*ast.UnaryExpr)
		l := "0"
		if v := rootVar(f.info, u.X); v != nil && f.vars[v] != nil {
			l = f.of(v)
		}
		f.rename(call, "Wrote")
		f.afterPart(call, call.Args[1], ", "+l)
		return
	case strings.HasPrefix(name, "Close"):
		f.then(s, "_hf.Back(&"+f.channel(call)+", true)")
		return
	}
	if typ, method := f.hookMethod(call); typ == "SendTo" && method == "Send" {
		f.send(s, call)
		return
	}
	f.dropped = call
	f.expr(s.X)
	f.dropped = nil
	f.then(s, f.ending(call))
}

// ending returns the statement that finishes a call whose results are discarded.
func (f *flower) ending(call *ast.CallExpr) string {
	if aux := f.aux[call]; aux != "" {
		return "_hf.Back(" + aux + ")"
	}
	if f.builtin(call.Fun) != "" || f.hookName(call) != "" || f.info.Types[call.Fun].IsType() {
		return ""
	}
	if typ, _ := f.hookMethod(call); typ != "" {
		return ""
	}
	c := f.callee(call.Fun)
	if c == nil || c.Signature().Recv() != nil && types.IsInterface(c.Signature().Recv().Type()) ||
		f.exprs() {
		return "_hf.Drop()" // the called function may not be rewritten
	}
	return ""
}

// send rewrites _hd.To(c, S).Send(v). The event has the labels of channel and value.
func (f *flower) send(s *ast.ExprStmt, call *ast.CallExpr) {
	to := ast.Unparen(call.Fun).(*ast.SelectorExpr).X.(*ast.CallExpr)
	c, v := to.Args[0], call.Args[0]
	f.expr(c)
	f.expr(v)
	f.check(f.label(c), c)
	l := union(f.label(c), f.label(v))
	if f.exprs() {
		l = f.label(v)
	}
	name := f.fn.newCall()
	x := v
	if !f.wrappable(v) {
		x = c
	}
	f.wrap(x, "_hf.Out(", ", "+l+", &"+name+")")
	f.then(s, "_hf.Back(&"+name+", true)")
}

// deferStmt rewrites a defer statement. Another deferred call passes the labels of the arguments:
// it is registered after the call, so that it runs before it.
func (f *flower) deferStmt(s *ast.DeferStmt) {
	call := s.Call
	if f.builtin(call.Fun) != "" || f.hookName(call) != "" {
		if name := f.hookName(call); name == "" || strings.HasPrefix(name, "Close") {
			for _, a := range call.Args {
				if in, ok := ast.Unparen(a).(*ast.CallExpr); !ok || f.hookName(in) != "MW" {
					f.expr(a)
				} else {
					f.mapWrite(in)
				}
			}
		}
		if f.exprs() && f.builtin(call.Fun) == "panic" {
			l := f.label(call.Args[0])
			f.vanish(call.Args[0], f.lost(call.Args[0], l), l)
		}
		return
	}
	c := f.operands(call)
	f.through(call, c)
	if f.exprs() && c.sig != nil {
		f.deferred(s, c)
		return
	}
	if c.foreign || c.all == "0" || c.args == nil && c.recv == nil || c.sig == nil {
		return
	}
	name := ""
	if c.callee != nil {
		name = c.callee.Name()
	}
	n, ls := c.sig.Params().Len(), f.packed(call, c, c.args)
	f.then(s, fmt.Sprintf("defer _hf.Pass(%s, %s)", signature(name, n),
		strings.Join(append([]string{c.recvL}, ls...), ", ")))
}

// deferred is deferStmt with Mode.Exprs: everything reachable from the operands is held until the
// call.
func (f *flower) deferred(s *ast.DeferStmt, c *flowCall) {
	call := s.Call
	name, n := "", c.sig.Params().Len()
	if c.callee != nil {
		name = c.callee.Name()
	}
	pass := signature(name, n) + ", " +
		strings.Join(append([]string{c.recvL}, f.packed(call, c, c.args)...), ", ") + ")"
	site := f.sites.add("value", call.Pos(), unhook(f.source(call)), f.info.TypeOf(call))
	_, literal := ast.Unparen(call.Fun).(*ast.FuncLit)
	switch {
	case c.foreign && (prints(c.callee) || keeps(c.callee)):
	case c.foreign && isOperation(c.callee):
		if c.all != "0" {
			f.then(s, f.lost(call, c.all))
		}
	case c.foreign ||
		!literal && (c.callee == nil || !f.hasBody(c.callee) ||
			c.recv != nil && types.IsInterface(f.info.TypeOf(c.recv))):
		hold := f.held(call, c)
		f.then(s, fmt.Sprintf("defer _hf.AskLate(%s.Held(), %t, %s, %s", hold, c.foreign, site, pass))
	case c.all != "0":
		f.then(s, "defer _hf.Pass("+pass)
	}
}

// wroteResult rewrites the announcement of the write to a named result that the return statement
// ret makes.
func (f *flower) wroteResult(s ast.Stmt, ret *ast.ReturnStmt) bool {
	x, ok := s.(*ast.ExprStmt)
	if !ok || len(ret.Results) != len(f.fn.results) {
		return false
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok || f.hookName(call) != "W" {
		return false
	}
	v := rootVar(f.info, call.Args[0].(*ast.UnaryExpr).X)
	for i, res := range f.fn.results {
		if res != nil && res == v {
			f.rename(call, "Wrote")
			f.afterPart(call, call.Args[1], ", "+f.label(ret.Results[i]))
			return true
		}
	}
	return false
}

// returnStmt sets the labels of the results after all results are evaluated. If the function
// defers calls, it sets them in a call that is deferred first, which runs last.
func (f *flower) returnStmt(s *ast.ReturnStmt) {
	fn := f.fn
	if len(fn.labelOf) == 0 {
		return
	}
	if len(s.Results) == 0 {
		if !fn.defers {
			f.wrap(s, "{ _hf.Ret("+strings.Join(f.resultLabels(), ", ")+"); ", " }")
		}
		return
	}
	var labels []string
	many := len(s.Results) < len(fn.labelOf)
	isLate := many
	for _, e := range s.Results {
		f.expr(e)
		labels = append(labels, f.label(e))
		isLate = isLate || late(f.label(e)) || f.hasCall(e)
	}
	set := ""
	switch {
	case many:
		set = f.fromCall(s.Results[0], fn.labelOf, "_hf.Ret")
	case fn.defers:
		set = strings.Join(fn.labelOf, ", ") + " = " + strings.Join(labels, ", ")
	default:
		set = "_hf.Ret(" + strings.Join(labels, ", ") + ")"
	}
	if !isLate {
		f.wrap(s, "{ "+set+"; ", " }")
		return
	}
	names, texts, uses := f.temps(s.Results, len(fn.labelOf), nil)
	first, last := s.Results[0], s.Results[len(s.Results)-1]
	if names == "" {
		f.between(s.Pos(), first.Pos(), "{ "+set+"; return ")
		f.replaceRange(first.Pos(), last.End(), strings.Join(uses, ", ")+" }")
		return
	}
	f.between(s.Pos(), first.Pos(), "{ "+names+" := ")
	f.replaceRange(first.Pos(), last.End(), texts+"; "+set+"; return "+strings.Join(uses, ", ")+" }")
}

// fromCall returns the statement that stores the labels of the results of the preceding call e in
// the variables to, or passes them to the function do.
func (f *flower) fromCall(e ast.Expr, to []string, do string) string {
	l, ending := f.label(e), ""
	var others string // the labels of results after the first
	if aux := f.aux[ast.Unparen(e)]; aux != "" {
		l, ending = "_hb", "_hb := _hf.Back("+aux+"); "
		if f.exprs() {
			others, ending = "0", ending+"_ = _hb; " // as in BackInto
		}
	} else if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && f.isUser(call) {
		ending = fmt.Sprintf("_hb := _hf.Got(%d, %s); ", len(to), l)
		l = ""
	}
	var names, labels []string
	for i, name := range to {
		if name == "" && do == "" {
			continue
		}
		x := l
		if x == "" {
			x = fmt.Sprintf("_hb[%d]", min(i, 15))
		}
		if i > 0 && others != "" {
			x = others
		}
		names, labels = append(names, name), append(labels, x)
	}
	switch {
	case do != "" && !f.fn.defers:
		return "{ " + ending + do + "(" + strings.Join(labels, ", ") + ") }"
	case len(names) == 0 && ending == "":
		return ""
	case len(names) == 0:
		return "{ " + ending + "_ = _hb }"
	}
	return "{ " + ending + strings.Join(names, ", ") + " = " + strings.Join(labels, ", ") + " }"
}

// isUser reports whether a call with several results leaves their labels in the buffers.
func (f *flower) isUser(call *ast.CallExpr) bool {
	if f.builtin(call.Fun) != "" || f.hookName(call) != "" || f.info.Types[call.Fun].IsType() {
		return false
	}
	c := f.callee(call.Fun)
	return c == nil || !f.isForeign(c)
}

func (f *flower) localDecl(s *ast.DeclStmt) {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return
	}
	var sets []string
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for _, e := range v.Values {
			f.expr(e)
		}
		var names, stored []string
		for _, id := range v.Names {
			name := ""
			if x, ok := f.info.Defs[id].(*types.Var); ok && id.Name != "_" {
				name = f.declare(x)
				stored = append(stored, f.stored(x, name))
			}
			names = append(names, name)
		}
		if len(v.Values) == 1 && len(v.Names) > 1 {
			sets = append(sets, f.fromCall(v.Values[0], names, "")+strings.Join(stored, ""))
			continue
		}
		for i, name := range names {
			switch {
			case name == "":
			case len(v.Values) == 0:
				sets = append(sets, name+" = 0")
			default:
				sets = append(sets, name+" = "+f.label(v.Values[i]))
			}
		}
		if len(sets) > 0 {
			sets[len(sets)-1] += strings.Join(stored, "")
		}
	}
	for _, t := range sets {
		f.then(s, t)
	}
}
