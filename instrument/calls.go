package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"heddle/instrument/std"
)

// call rewrites a call or conversion.
func (r *rewriter) call(e *ast.CallExpr) {
	if r.info.Types[e.Fun].IsType() {
		r.value(e.Args[0])
		r.conversion(e)
		return
	}
	if name := r.builtin(e.Fun); name != "" {
		r.builtinCall(e, name)
		return
	}
	r.callRow(e)
	if r.silentMethod(e) {
		return
	}
	if sel := r.unseenReads(e.Fun); sel != nil {
		r.methodCall(e, sel)
		r.given(e)
		return
	}
	r.value(e.Fun)
	r.ask(e)
	for _, a := range e.Args {
		r.value(a)
	}
	if r.mem && len(e.Args) > 0 && !isTuple(r.info.TypeOf(e.Args[0])) && r.genericRead(e.Fun) != nil {
		r.wrap(e.Args[0], "_hd.R(", ", "+r.site("read", e.Args[0].Pos(), e.Args[0])+")")
	}
	r.belowRead(e)
	r.given(e)
}

// given announces that a slice is given for the arguments of a variadic function, which takes it
// for a new one otherwise: f(s...) becomes f(_hd.Given(s)...). A parameter that its function only
// hands on is what the call of that function made, or was given.
func (r *rewriter) given(e *ast.CallExpr) {
	if !r.mem || r.initial || !e.Ellipsis.IsValid() {
		return
	}
	last := e.Args[len(e.Args)-1]
	if id, ok := ast.Unparen(last).(*ast.Ident); ok && r.info.Uses[id] == r.handedOn ||
		r.info.Types[last].IsNil() {
		return
	}
	r.wrap(last, "_hd.Given(", ")")
}

// conversion announces the read of a slice's elements by a conversion, and the slice that a
// conversion of a string makes: string(b) becomes string(_hd.SR(b, S)), [4]int(s) becomes
// (*_hd.R((*[4]int)(s), S)).
func (r *rewriter) conversion(e *ast.CallExpr) {
	x := e.Args[0]
	if isString(r.info.TypeOf(x)) && isSlice(r.info.TypeOf(e)) {
		r.made(e, "FromText", e)
		return
	}
	if !r.mem || !isSlice(r.info.TypeOf(x)) {
		return
	}
	if isString(r.info.TypeOf(e)) {
		r.wrap(x, "_hd.SR(", ", "+r.elements("read", x.Pos(), x)+")")
	} else if a, ok := core(r.info.TypeOf(e)).(*types.Array); ok && a.Len() > 0 {
		r.wrap(e.Fun, "(*", ")")
		r.wrap(e, "(*_hd.R(", ", "+r.site("read", e.Pos(), e)+"))")
	}
}

// builtin returns the name of the built-in function that fun denotes, or "".
func (r *rewriter) builtin(fun ast.Expr) string {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		if b, ok := r.info.Uses[f].(*types.Builtin); ok {
			return b.Name()
		}
	case *ast.SelectorExpr:
		if b, ok := r.info.Uses[f.Sel].(*types.Builtin); ok {
			return "unsafe." + b.Name()
		}
	}
	return ""
}

func (r *rewriter) builtinCall(e *ast.CallExpr, name string) {
	switch name {
	case "unsafe.Sizeof", "unsafe.Offsetof", "unsafe.Alignof":
		return // the argument is not evaluated
	}
	for i, a := range e.Args {
		if name == "append" && i == 0 && r.addsLate(e) {
			r.addr(a)
			continue
		}
		r.value(a)
	}
	switch name {
	case "unsafe.String":
		if r.mem && !r.in.Standard && r.info.Types[e].Value == nil {
			r.wrap(e, "_hd.Text(", ")")
		}
	case "unsafe.StringData":
		if r.mem && !r.in.Standard {
			r.wrap(e.Args[0], "_hd.Text(", ")")
		}
	case "close":
		r.chanCall(e, "Close", "close")
	case "len":
		switch t := core(r.info.TypeOf(e.Args[0])).(type) {
		case *types.Map:
			if !r.measure(e) {
				r.readMap(e.Args[0])
			}
		case *types.Chan:
			r.chanCall(e,
				[...]string{types.SendRecv: "Len", types.SendOnly: "LenSend",
					types.RecvOnly: "LenRecv"}[t.Dir()], "len")
		}
	case "make", "new":
		r.madeCall(e, name)
	case "append":
		r.appendCall(e)
	case "copy":
		r.copyCall(e)
	case "clear":
		switch x := e.Args[0]; {
		case !r.mem:
		case isMap(r.info.TypeOf(x)):
			r.writeMap(x)
		case isSlice(r.info.TypeOf(x)):
			r.wrap(x, "_hd.SW(", ", "+r.elements("write", x.Pos(), x)+")")
		}
	}
}

// writeMap wraps m in the hook for a write of a map.
func (r *rewriter) writeMap(m ast.Expr) {
	r.wrap(m, "_hd.MW(", ", "+r.site("write", m.Pos(), m)+")")
}

// addsLate reports whether append's slice is in memory that calls in the other arguments may
// change. gc reads the slice after those calls.
func (r *rewriter) addsLate(e *ast.CallExpr) bool {
	if !r.mem || len(e.Args) < 2 || e.Ellipsis.IsValid() || !r.isShared(e.Args[0]) ||
		!isSlice(r.info.TypeOf(e)) {
		return false
	}
	return slices.ContainsFunc(e.Args[1:], func(a ast.Expr) bool { return r.hasCall(a) })
}

// appendCall: append(s, a, b) becomes _hd.Add(s, S).Of(a, b), append(s, t...) _hd.Append(s, t, S).
func (r *rewriter) appendCall(e *ast.CallExpr) {
	if !r.mem || len(e.Args) < 2 || !isSlice(r.info.TypeOf(e)) {
		return
	}
	s := r.elements("write", e.Pos(), e.Args[0])
	if e.Ellipsis == token.NoPos {
		begin, end := "_hd.Add(", ", "+s+").Of("
		if r.addsLate(e) {
			begin, end = "_hd.AddTo(&", ", "+r.site("read", e.Args[0].Pos(), e.Args[0])+end
		}
		r.between(e.Pos(), e.Args[0].Pos(), begin)
		r.between(e.Args[0].End(), e.Args[1].Pos(), end)
		return
	}
	hook := "_hd.Append"
	switch t := r.info.TypeOf(e.Args[1]); {
	case isString(t):
		hook = "_hd.AppendString"
	case !isSlice(t) && !r.info.Types[e.Args[1]].IsNil():
		r.skip(e, "append of a type parameter without one underlying type")
		return
	}
	r.replace(e.Fun, hook)
	r.replaceRange(e.Ellipsis, e.Ellipsis+3, ", "+s)
}

// copyCall: copy(a, b) becomes _hd.Copy(a, b, S).
func (r *rewriter) copyCall(e *ast.CallExpr) {
	if !r.mem {
		return
	}
	hook := "_hd.Copy"
	switch t := r.info.TypeOf(e.Args[1]); {
	case isString(t):
		hook = "_hd.CopyString"
	case !isSlice(t):
		r.skip(e, "copy of a type parameter without one underlying type")
		return
	}
	r.replace(e.Fun, hook)
	r.afterPart(e, e.Args[1], ", "+r.elements("write", e.Pos(), e.Args[0]))
}

func isString(t types.Type) bool {
	b, ok := core(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// deleteStmt: delete(m, k) becomes delete(_hd.MW(m, S), k). A key with operations of its own is
// evaluated before.
func (r *rewriter) deleteStmt(s *ast.ExprStmt, e *ast.CallExpr) {
	m, k := e.Args[0], e.Args[1]
	r.value(m)
	r.value(k)
	key, keyed := r.entryOf(m, k)
	site := r.site("write", m.Pos(), m)
	if !r.touched(k) && !r.hasCall(k) {
		if keyed {
			r.wrap(m, "_hd.MKD(", ", "+site+")")
			r.wrap(k, key.before, key.after+site+")")
		} else {
			r.wrap(m, "_hd.MW(", ", "+site+")")
		}
		return
	}
	names, texts, uses := r.temps(e.Args, 2, nil)
	hook := "MW"
	if keyed {
		hook, uses[1] = "MKD", key.of(uses[1], site)
	}
	r.between(s.Pos(), m.Pos(), "{ "+names+" := ")
	r.replaceRange(m.Pos(), s.End(),
		fmt.Sprintf("%s; delete(_hd.%s(%s, %s), %s) }%s", texts, hook, uses[0], site, uses[1],
			r.buf.newlines(r.off(k.End()), r.off(s.End()))))
}

// callRow adds a row with the object of a call to sync, sync/atomic or time.
func (r *rewriter) callRow(e *ast.CallExpr) {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	f, ok := r.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	switch f.Pkg().Path() {
	case "sync", "sync/atomic", "time":
	default:
		return
	}
	x := sel.X
	if r.info.Selections[sel] == nil { // atomic.AddInt64(&x, 1), time.Sleep(d)
		x = sel
		if f.Pkg().Path() == "sync/atomic" && len(e.Args) > 0 {
			x = ast.Unparen(e.Args[0])
			if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
				x = u.X
			}
		}
	}
	r.sites.row("call", e.Pos(), r.source(x), r.info.TypeOf(x))
	if r.line(e.Lparen) != r.line(e.Pos()) {
		r.sites.row("call", e.Lparen, r.source(x), r.info.TypeOf(x))
	}
}

// hasCall reports whether evaluating e may run code of the program or block: by a call or a
// receive. Conversions and built-in functions do neither.
func (r *rewriter) hasCall(e ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			found = found || r.isCall(n)
		}
		return !found
	})
	return found
}

func (r *rewriter) isCall(e *ast.CallExpr) bool {
	if tv := r.info.Types[e]; tv.Value != nil {
		return false
	}
	if r.info.Types[e.Fun].IsType() {
		return false
	}
	b := r.builtin(e.Fun)
	return b == "" || b == "copy" || b == "recover"
}

// Functions that are replaced by functions of heddle.

var substitutes = map[string]string{
	"runtime.Gosched":        "_hd.Gosched",
	"runtime.NumGoroutine":   "_hd.NumGoroutine",
	"runtime.ReadMemStats":   "_hd.ReadMemStats",
	"runtime.LockOSThread":   "_hd.LockOSThread",
	"runtime.UnlockOSThread": "_hd.UnlockOSThread",
	"runtime.Stack":          "_hd.Stack",
	"runtime.Callers":        "_hd.Callers",
	"runtime.Caller":         "_hd.Caller",
	"runtime.SetFinalizer":   "_hd.SetFinalizer",
	"runtime.AddCleanup":     "_hd.AddCleanup",

	// Objects that the scheduler models.
	"heddle/rt/hook.Enter":   "_hd.Enter",
	"heddle/rt/hook.Exit":    "_hd.Exit",
	"heddle/rt/hook.Self":    "_hd.Self",
	"heddle/rt/hook.Park":    "_hd.Park",
	"heddle/rt/hook.Wake":    "_hd.Wake",
	"heddle/rt/hook.Acquire": "_hd.Acquire",
	"heddle/rt/hook.Release": "_hd.Release",
}

// ownFinalizers are not replaced in the standard library: its finalizers release resources of the
// process.
var ownFinalizers = map[string]bool{"_hd.SetFinalizer": true, "_hd.AddCleanup": true}

// substitute replaces e by heddle's function, if id names a function that has a replacement.
func (r *rewriter) substitute(e ast.Expr, id *ast.Ident) {
	f, ok := r.info.Uses[id].(*types.Func)
	if ok && !r.in.Mode.Marks && r.lends(f) { // Compare sees the original function
		r.before(id, lender)
		return
	}
	if !ok || f.Pkg() == nil || f.Pkg() == r.pkg || f.Signature().Recv() != nil {
		return
	}
	r.processCall(e, f)
	s := substitutes[f.Pkg().Path()+"."+f.Name()]
	switch {
	case s == "":
	case !ownFinalizers[s]:
		r.keep[r.source(e)] = true
		r.replace(e, s)
	case !r.in.Standard:
		r.keep["("+strings.TrimSuffix(r.source(e), f.Name())+"Cleanup{})"] = true // AddCleanup is generic
		r.replace(e, s)
	}
	// Compare sees the unpatched package
	if f.Pkg().Path() == "sync/atomic" && isAtomicOp(f.Name()) && !r.in.Mode.Marks {
		r.before(id, "Heddle")
	}
	if r.silent(f, f.Name()) {
		r.before(id, "Heddle")
	}
}

// silent reports whether a function without announcements replaces f. The name of a method is T.f.
func (r *rewriter) silent(f *types.Func, name string) bool {
	return r.in.Standard && !r.mem && !r.in.Mode.Marks && !r.in.Mode.Flow && f.Pkg() != nil &&
		std.Silent(f.Pkg().Path(), name)
}

// silentMethod rewrites a call of such a method: i.MatchRune(r) becomes syntax.HeddleMatchRune(i,
// r).
func (r *rewriter) silentMethod(e *ast.CallExpr) bool {
	fun, ok := e.Fun.(*ast.SelectorExpr)
	if !ok || !r.in.Standard || len(e.Args) == 0 {
		return false
	}
	if sel := r.info.Selections[fun]; sel == nil || len(sel.Index()) > 1 {
		return false
	}
	f, ok := r.info.Uses[fun.Sel].(*types.Func)
	if !ok || !isPointer(f.Signature().Recv().Type()) || !isPointer(r.info.TypeOf(fun.X)) ||
		!r.silent(f, typeName(f.Signature().Recv().Type())+"."+f.Name()) {
		return false
	}
	r.before(fun.X, f.Pkg().Name()+".Heddle"+f.Name()+"(")
	r.replaceRange(fun.X.End(), e.Args[0].Pos(), ", ")
	r.value(fun.X)
	for _, a := range e.Args {
		r.value(a)
	}
	return true
}

// substituteIn calls substitute for the function in an instantiation.
func (r *rewriter) substituteIn(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		r.substitute(e, e)
	case *ast.SelectorExpr:
		if r.info.Selections[e] == nil {
			r.substitute(e, e.Sel)
		}
	}
}

func isAtomicOp(name string) bool {
	for _, p := range []string{"Add", "And", "CompareAndSwap", "Load", "Or", "Store", "Swap"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
