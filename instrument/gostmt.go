package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// goStmt rewrites a go statement. Operands that Go evaluates at once are evaluated at once, in the
// order of the text; the rest happens in the new goroutine:
//
//	go func() { ... }()     _hd.Go(S, func() { ... })
//	go func() { f() }()     _hd.GoArgs(S, func() { f() },
//	                          func() []interface{} { return []interface{}{_hd.Literal(f)} })
//	go x.m(a, 1, f)         { _hd1, _hd2 := x.m, a; _hd.GoArgs(S, func() { _hd1(_hd2, 1, f) },
//	                          func() []interface{} { return []interface{}{_hd.Method(_hd1), _hd2} }) }
func (r *rewriter) goStmt(s *ast.GoStmt) {
	call := s.Call
	site := r.sites.add("go", s.Go, r.source(call.Fun), nil)
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && len(call.Args) == 0 &&
		lit.Type.Results.NumFields() == 0 {
		r.value(call.Fun)
		hook, more := "_hd.Go(", ")"
		if funcs := r.capturedFuncs(lit); len(funcs) > 0 {
			hook, more = "_hd.GoArgs(", ", func() []interface{} { return []interface{}{"+
				strings.Join(funcs, ", ")+"} })"
		}
		r.between(s.Go, call.Fun.Pos(), hook+site+", ")
		r.between(call.Fun.End(), call.End(), more)
		return
	}
	b := r.builtin(call.Fun)
	if b == "" {
		r.laterCall(call)
		if sel := r.unseenReads(call.Fun); sel != nil {
			r.lateMethod(ast.Unparen(call.Fun).(*ast.SelectorExpr), sel)
		}
	} else {
		for _, a := range call.Args {
			r.value(a)
		}
	}
	here := s.End()
	var pre, inner strings.Builder
	var args []string
	pre.WriteString("{ " + r.buf.newlines(r.off(s.Pos()), r.off(here)))
	list := call.Args
	if b == "" && !r.fixed(call.Fun) {
		list = append([]ast.Expr{call.Fun}, list...)
	}
	n := len(list)
	tuple := false
	if len(call.Args) == 1 {
		if t, ok := r.info.TypeOf(call.Args[0]).(*types.Tuple); ok {
			tuple = true
			if n == 2 { // the function and f(g())
				names, texts, uses := r.temps(list[:1], 1, nil)
				pre.WriteString(names + " := " + r.relocate(texts, list[0].Pos(), here) + "; ")
				inner.WriteString(uses[0])
				args = append(args, names)
				list = list[1:]
			}
			n = t.Len()
		}
	}
	names, texts, uses := r.temps(list, n, nil)
	if names != "" {
		pre.WriteString(names + " := " + r.relocate(texts, list[0].Pos(), here) + "; ")
		args = append(args, strings.Split(names, ", ")...)
	}
	switch {
	case b == "close" && len(uses) == 1:
		inner.WriteString("_hd.Close")
	case inner.Len() > 0:
	case b == "" && !r.fixed(call.Fun):
		inner.WriteString(uses[0])
		uses = uses[1:]
	default:
		inner.WriteString(r.moved(call.Fun, here))
	}
	inner.WriteString("(" + strings.Join(uses, ", "))
	if call.Ellipsis != token.NoPos && !tuple {
		inner.WriteString("...")
	}
	if b == "close" {
		inner.WriteString(", " + r.site("close", call.Pos(), call.Args[0]))
	}
	if b == "" && !r.fixed(call.Fun) {
		args = r.asArgument(call.Fun, args)
	}
	hook, more := "_hd.Go(", ""
	if len(args) > 0 {
		hook, more = "_hd.GoArgs(",
			", func() []interface{} { return []interface{}{"+strings.Join(args, ", ")+"} }"
	}
	done := inner.String() + ")"
	if r.atomicUpdate(call) {
		done = "_hd.Unused(" + done + ")"
	}
	r.replace(s, pre.String()+hook+site+", func() { "+done+" }"+more+") }")
}

// capturedFuncs returns the local variables with functions that a literal uses, each as a call of
// hook.Literal.
func (r *rewriter) capturedFuncs(lit *ast.FuncLit) (calls []string) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := r.info.Uses[id].(*types.Var)
		if !ok || v.IsField() || v.Pkg() != r.pkg || v.Parent() == nil || v.Parent() == r.pkg.Scope() ||
			v.Pos() >= lit.Pos() && v.Pos() < lit.End() {
			return true
		}
		if _, ok := v.Type().Underlying().(*types.Signature); !ok {
			return true
		}
		call := "_hd.Literal(" + v.Name() + ")"
		if scope := r.pkg.Scope().Innermost(lit.Pos()); scope != nil {
			_, seen := scope.LookupParent(v.Name(), lit.Pos())
			if seen == v && !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}

// asArgument makes the comparable part of the function the first argument that identifies a
// goroutine: nothing for a literal, as the statement identifies it; method and receiver for a
// method value.
func (r *rewriter) asArgument(fun ast.Expr, args []string) []string {
	switch x := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		args[0] = "_hd.Literal(" + args[0] + ")"
	case *ast.SelectorExpr:
		if sel := r.info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal {
			if recv := sel.Obj().(*types.Func).Signature().Recv(); recv != nil {
				if _, ok := recv.Type().(*types.Pointer); ok {
					args[0] = "_hd.Method(" + args[0] + ")"
				}
			}
		}
	}
	return args
}
