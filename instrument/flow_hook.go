package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Calls of package hook announce operations and accesses. Calls of package flow replace or wrap
// them.

// hookName returns the name of the function of package hook that is called, or "".
func (f *flower) hookName(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	if p, ok := f.info.Uses[id].(*types.PkgName); ok && p.Imported().Path() == hookPath {
		return sel.Sel.Name
	}
	return ""
}

// hookMethod returns type and name of the method of package hook that is called.
func (f *flower) hookMethod(call *ast.CallExpr) (typ, method string) {
	fun, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	sel := f.info.Selections[fun]
	if sel == nil || sel.Kind() != types.MethodVal {
		return "", ""
	}
	t := sel.Recv()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil &&
		n.Obj().Pkg().Path() == hookPath {
		return n.Obj().Name(), fun.Sel.Name
	}
	return "", ""
}

// mapWrite rewrites m if it is _hd.MW(m, S). From then on the content of the map has the labels
// ls.
func (f *flower) mapWrite(m ast.Expr, ls ...string) {
	call, ok := ast.Unparen(m).(*ast.CallExpr)
	if !ok || f.hookName(call) != "MW" {
		return
	}
	f.expr(call.Args[0])
	f.check(f.label(call.Args[0]), call.Args[0])
	f.rename(call, "MW")
	f.entry(call)
	f.afterPart(call, call.Args[1], ", "+union(append(ls, f.label(call.Args[0]))...))
}

// rename turns a call of package hook into a call of package flow.
func (f *flower) rename(e *ast.CallExpr, name string) { f.replace(e.Fun, "_hf."+name) }

// hookCall rewrites a call of package hook.
func (f *flower) hookCall(e *ast.CallExpr, name string) {
	add := func(s string) { f.afterPart(e, e.Args[len(e.Args)-1], s) }
	switch name {
	case "R", "V":
		if u, ok := e.Args[0].(*ast.UnaryExpr); ok {
			f.reads[ast.Unparen(u.X)] = true
		}
		l := f.location(e.Args[0])
		to := f.fn.newSlot()
		f.rename(e, map[string]string{"R": "R", "V": "Get"}[name])
		add(", " + l + ", &" + to)
		f.slot[e] = to + ".Get()"
		if u, ok := e.Args[0].(*ast.UnaryExpr); ok {
			if l := f.slot[ast.Unparen(u.X)]; strings.HasPrefix(l, "_hf.Row(") {
				f.slot[e] = l // an element of a table
			}
		}
	case "P":
		l := f.location(e.Args[0])
		f.rename(e, name)
		add(", " + l)
	case "W", "RW":
		l := f.location(e.Args[0])
		loc := f.fn.newLoc()
		f.rename(e, name)
		add(", " + l + ", &" + loc)
		f.aux[e] = loc
	case "MR":
		f.expr(e.Args[0])
		to := f.fn.newSlot()
		f.rename(e, name)
		add(", " + f.label(e.Args[0]) + ", &" + to)
		f.slot[e] = to + ".Get()"
		f.entry(e)
	case "MW":
		f.mapWrite(e)
	case "Var":
		if v := rootVar(f.info, e.Args[0].(*ast.UnaryExpr).X); v != nil {
			f.rename(e, name)
			f.toHeap(e.Args[0], "Heap")
			add(", " + f.declare(v))
		}
	case "Again":
		if v := rootVar(f.info, e.Args[0].(*ast.UnaryExpr).X); v != nil {
			f.rename(e, name)
			f.toHeap(e.Args[0], "Heap")
			add(", " + f.declare(v) + ", &" + f.fn.newLoc())
		}
	case "Asked", "FromText", "Given", "Of", "OfAny", "Hold", "Then":
		f.expr(e.Args[0])
		f.slot[e] = f.label(e.Args[0])
	case "New", "MadeMap", "MadeSlice":
		x := e.Args[0]
		if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok && name == "MadeMap" && f.exprs() {
			f.mapLiteral(e, lit)
		} else {
			f.expr(x)
		}
		l := "0" // label of the content
		if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
			l = f.label(u.X)
			f.slot[e] = "0"
		} else if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
			l = f.label(lit)
			f.slot[e] = "0"
		} else {
			f.slot[e] = f.label(x) // make: the label of the length
		}
		switch name {
		case "New":
			f.toHeap(x, "Heap")
		case "MadeSlice":
			f.toHeap(x, "HeapSlice")
		}
		f.rename(e, name)
		add(", " + l)
	case "MadeChan":
		f.expr(e.Args[0])
		f.slot[e] = f.label(e.Args[0])
	case "Settle", "SettleAny":
		f.expr(e.Args[1])
		f.slot[e] = f.label(e.Args[1])
	case "Add":
		f.expr(e.Args[0])
		f.slot[e] = f.label(e.Args[0])
		f.fixLength(e.Args[0]) // the result has another length
		f.rename(e, "Adds")
	case "AddTo":
		l := f.location(e.Args[0])
		to := f.fn.newSlot()
		f.rename(e, name)
		add(", " + l + ", &" + to)
		f.slot[e] = to + ".Get()"
	case "SR":
		f.expr(e.Args[0])
		if f.exprs() { // the bytes keep their own labels
			f.slot[e] = f.label(e.Args[0])
			return
		}
		to := f.fn.newSlot()
		f.rename(e, name)
		add(", " + f.label(e.Args[0]) + ", &" + to)
		f.slot[e] = to + ".Get()"
	case "SW":
		f.expr(e.Args[0])
		f.rename(e, name)
		add(", " + f.label(e.Args[0]))
	case "Append", "AppendString":
		f.expr(e.Args[0])
		f.expr(e.Args[1])
		f.fixLength(e.Args[0])
		f.fixLength(e.Args[1])
		f.rename(e, name)
		add(", " + f.label(e.Args[1]))
		f.slot[e] = f.label(e.Args[0])
		if f.exprs() {
			f.slot[e] = "0" // it has the length of the literal
		}
	case "Copy", "CopyString":
		f.expr(e.Args[0])
		f.expr(e.Args[1])
		l := union(f.label(e.Args[0]), f.label(e.Args[1]))
		if f.exprs() {
			f.fixLength(e.Args[0])
			f.fixLength(e.Args[1])
			l = "0"
		}
		f.rename(e, name)
		add(", " + l)
		f.slot[e] = l
	case "Recv", "Len", "LenSend", "LenRecv":
		c := f.channel(e)
		to := f.fn.newSlot()
		f.wrap(e, "_hf.In(", ", &"+c+", true, &"+to+")")
		f.slot[e] = to + ".Get()"
	case "Now", "Sleep", "TimerStart", "TimerReset":
		f.clockHook(e, name)
	case "Recv2":
		f.aux[e] = "&" + f.channel(e) + ", true"
	case "OnRecv", "OnSend":
		f.expr(e.Args[0])
		f.slot[e] = f.label(e.Args[0])
	case "Select":
		l := "0"
		for _, a := range e.Args[2:] {
			f.expr(a)
			l = union(l, f.label(a))
		}
		c, to := f.fn.newCall(), f.fn.newSlot()
		if f.exprs() {
			ls := ""
			for _, a := range e.Args[2:] {
				ls += ", " + f.label(a)
			}
			f.wrap(e.Args[0], "_hf.OutSelect(uint64(", "), &"+c+ls+")")
			f.wrap(e, "_hf.In(", ", &"+c+", true, &"+to+")")
			f.slot[e] = to + ".Get()"
			return
		}
		f.wrap(e.Args[0], "_hf.Out(uint64(", "), "+l+", &"+c+")")
		f.wrap(e, "_hf.In(", ", &"+c+", true, &"+to+")")
		f.slot[e] = union(to+".Get()", l)
	default:
		for _, a := range e.Args {
			f.expr(a)
		}
	}
}

// clockHook rewrites a call of package hook that looks at the clock, or that gives it a duration or
// deadline.
func (f *flower) clockHook(e *ast.CallExpr, name string) {
	for _, a := range e.Args {
		f.expr(a)
	}
	if !f.exprs() {
		return
	}
	give := func(i int, as string) {
		if l := f.label(e.Args[i]); l != "0" {
			f.wrap(e.Args[i], "_hf."+as+"(", ", "+l+")")
		}
	}
	switch name {
	case "Now":
		to := f.fn.newSlot()
		f.wrap(e, "_hf.Now(", ", &"+to+")")
		f.slot[e] = to + ".Get()"
	case "Sleep":
		give(0, "Span")
	default:
		give(1, "Span")
		give(2, "Every")
	}
}

// fixLength makes the length of e a branch with Mode.Exprs, because it goes where it is not
// followed. e is rewritten.
func (f *flower) fixLength(e ast.Expr) {
	if l := f.label(e); f.exprs() && l != "0" && f.wrappable(e) {
		f.wrap(e, "_hf.Fixed(", ", "+l+", "+f.branchSite(e.Pos(), e)+")")
	}
}

// toHeap moves *x to the heap with Mode.Exprs, by the given function of package flow: labels of
// memory go by address.
func (f *flower) toHeap(x ast.Expr, function string) {
	if f.exprs() {
		f.wrap(x, "_hf."+function+"(", ")")
	}
}

// location rewrites &x and returns the label of the address.
func (f *flower) location(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		f.located = ast.Unparen(u.X)
	}
	f.expr(e)
	f.located = nil
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		return f.addrLabel(u.X)
	}
	return f.label(e)
}

// channel wraps the channel of an operation in Out and returns the name of its Call.
func (f *flower) channel(e *ast.CallExpr) string {
	f.expr(e.Args[0])
	c := f.fn.newCall()
	f.wrap(e.Args[0], "_hf.Out(", ", "+f.label(e.Args[0])+", &"+c+")")
	return c
}

// hookMethodCall rewrites a call of a method of package hook.
func (f *flower) hookMethodCall(e *ast.CallExpr, typ, method string) {
	fun := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	f.expr(fun.X)
	for _, a := range e.Args {
		f.expr(a)
	}
	switch typ + "." + method {
	case "Ptr.Get":
		to := f.fn.newSlot()
		f.afterToken(e.Lparen, "&"+to)
		f.slot[e] = to + ".Get()"
	case "Ptr.Set":
		f.afterPart(e, e.Args[0], ", "+f.label(e.Args[0]))
	case "Adding.Of": // the elements have the labels of the arguments; elements that move keep theirs
		ls := make([]string, len(e.Args))
		for i, a := range e.Args {
			ls[i] = f.label(a)
		}
		added := union(ls...)
		f.slot[e] = f.label(fun.X)
		if f.exprs() {
			added, f.slot[e] = f.appended(e, f.info.TypeOf(e), ls), "0" // the length is known
		}
		f.after(e, ".With("+added+")")
	case "SendCase.Of":
		f.slot[e] = union(f.label(fun.X), f.label(e.Args[0]))
		if f.exprs() {
			f.slot[e] = f.label(e.Args[0])
		}
	}
}

// appended returns the label of the memory that receives the arguments of append.
func (f *flower) appended(app *ast.CallExpr, t types.Type, ls []string) string {
	if len(ls) == 1 {
		return ls[0]
	}
	s, ok := core(t).(*types.Slice)
	if !ok || !sized(s.Elem()) {
		return f.lost(app, ls...)
	}
	size := gcSizes.Sizeof(s.Elem())
	var parts []string
	for i, l := range ls {
		if l != "0" {
			parts = append(parts, fmt.Sprintf("_hf.Part{Off: %d, N: %d, L: %s}", int64(i)*size, size, l))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return "_hf.Struct(" + strings.Join(parts, ", ") + ")"
}
