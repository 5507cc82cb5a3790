package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"heddle/instrument/std"
	"heddle/trace"
)

// hookName returns the name of the function of package hook that a call calls, "" if none.
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

// hookMethod returns the type in package hook and the name of the method that a call calls.
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
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == hookPath {
		return n.Obj().Name(), fun.Sel.Name
	}
	return "", ""
}

// call rewrites a call, or a conversion.
func (f *flower) call(e *ast.CallExpr) {
	if f.info.Types[e.Fun].IsType() {
		f.conversion(e)
		return
	}
	if b := f.builtin(e.Fun); b != "" {
		f.builtinLabel(e, b)
		return
	}
	if name := f.hookName(e); name != "" {
		f.hookCall(e, name)
		return
	}
	if typ, method := f.hookMethod(e); typ != "" {
		f.hookMethodCall(e, typ, method)
		return
	}
	c := f.operands(e)
	if f.exprs() && c.foreign && !isOperation(c.callee) && !prints(c.callee) {
		f.reached(e)
	}
	switch {
	case c.foreign && !c.operates && !(f.exprs() && f.vanishes(e, c)):
		f.pureCall(e, c)
	case c.foreign:
		f.foreignCall(e, c)
	default:
		f.userCall(e, c)
	}
}

// conversion: a string made of bytes has what is in the bytes; bytes made of a string are new.
func (f *flower) conversion(e *ast.CallExpr) {
	x := e.Args[0]
	f.expr(x)
	if f.exprs() {
		f.conversionSymbolic(e)
		return
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && f.hookName(call) == "SR" {
		f.slot[e] = f.label(x)
		return
	}
	if isString(f.info.TypeOf(e)) && isSlice(f.info.TypeOf(x)) {
		to := f.fn.newSlot()
		f.wrap(x, "_hf.Elements(", ", "+f.label(x)+", &"+to+")")
		f.slot[e] = to + ".Get()"
	}
	if isString(f.info.TypeOf(x)) && isSlice(f.info.TypeOf(e)) {
		f.wrap(e, "_hf.Fresh(", ")")
		f.slot[e] = f.label(x)
	}
}

// builtinLabel rewrites a call of a built-in function that is not a hook.
func (f *flower) builtinLabel(e *ast.CallExpr, name string) {
	switch name {
	case "unsafe.Sizeof", "unsafe.Offsetof", "unsafe.Alignof":
		return
	case "clear", "delete":
		f.mapWrite(e.Args[0], f.argLabels(e)...)
		return
	}
	l := f.argLabels(e)
	if f.exprs() {
		f.slot[e] = "0"
		switch name {
		case "panic":
			f.vanish(e.Args[0], "_hf.Panics("+l[0]+")", l[0])
			return
		case "recover":
			f.slot[e] = "_hf.Recovers(" + f.sites.add("value", e.Pos(), "recover()", f.info.TypeOf(e)) + ")"
			return
		}
		if name == "len" && !isArray(f.info.TypeOf(e.Args[0])) && l[0] != "0" {
			f.slot[e] = "_hf.Len(" + l[0] + ")"
		} else if name != "len" && name != "cap" {
			f.slot[e] = f.lost(e, l...)
		}
		return
	}
	switch name {
	case "new", "recover", "print", "println", "panic":
	case "len", "cap":
		if !isArray(f.info.TypeOf(e.Args[0])) {
			f.slot[e] = l[0]
		}
	default:
		f.slot[e] = union(l...)
	}
}

// argLabels rewrites the arguments, but for maps about to be written, and returns their labels.
func (f *flower) argLabels(e *ast.CallExpr) []string {
	var ls []string
	for _, a := range e.Args {
		if f.info.Types[a].IsType() {
			continue
		}
		if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && f.hookName(call) == "MW" {
			ls = append(ls, "0")
			continue
		}
		f.expr(a)
		ls = append(ls, f.label(a))
	}
	return ls
}

// mapWrite rewrites _hd.MW(m, S), if m is that: what is in the map has the labels ls from now on.
func (f *flower) mapWrite(m ast.Expr, ls ...string) {
	call, ok := ast.Unparen(m).(*ast.CallExpr)
	if !ok || f.hookName(call) != "MW" {
		return
	}
	f.expr(call.Args[0])
	f.rename(call, "MW")
	f.entry(call)
	f.afterPart(call, call.Args[1], ", "+union(append(ls, f.label(call.Args[0]))...))
}

// rename turns a call of package hook into one of package flow.
func (f *flower) rename(e *ast.CallExpr, name string) { f.replace(e.Fun, "_hf."+name) }

// hookCall rewrites a call of package hook.
func (f *flower) hookCall(e *ast.CallExpr, name string) {
	add := func(s string) { f.afterPart(e, e.Args[len(e.Args)-1], s) }
	switch name {
	case "R":
		l := f.location(e.Args[0])
		to := f.fn.newSlot()
		f.rename(e, name)
		add(", " + l + ", &" + to)
		f.slot[e] = to + ".Get()"
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
	case "New", "MadeMap", "MadeSlice":
		x := e.Args[0]
		f.expr(x)
		l := "0" // of what is in it
		if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
			l = f.label(u.X)
			f.slot[e] = "0"
		} else if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
			l = f.label(lit)
			f.slot[e] = "0"
		} else {
			f.slot[e] = f.label(x) // make: its length
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
	case "Grow":
		f.grow(e)
	case "SR":
		f.expr(e.Args[0])
		if f.exprs() { // its bytes keep their own
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
	case "Old":
		f.expr(e.Args[0])
		f.slot[e] = f.label(e.Args[0])
	case "Append", "AppendString":
		f.expr(e.Args[0])
		f.expr(e.Args[1])
		f.rename(e, name)
		add(", " + f.label(e.Args[1]))
		f.slot[e] = f.label(e.Args[0])
		if f.exprs() {
			f.slot[e] = "0" // its length is this one
		}
	case "Copy", "CopyString":
		f.expr(e.Args[0])
		f.expr(e.Args[1])
		l := union(f.label(e.Args[0]), f.label(e.Args[1]))
		if f.exprs() {
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

// toHeap moves what x points to to the heap where labels are expressions, by a function of package flow: those go by address.
func (f *flower) toHeap(x ast.Expr, function string) {
	if f.exprs() {
		f.wrap(x, "_hf."+function+"(", ")")
	}
}

// location rewrites &x and returns the label of the address.
func (f *flower) location(e ast.Expr) string {
	f.expr(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		return f.addrLabel(u.X)
	}
	return f.label(e)
}

// channel puts Out around the channel of an operation and returns the name of its Call.
func (f *flower) channel(e *ast.CallExpr) string {
	f.expr(e.Args[0])
	c := f.fn.newCall()
	f.wrap(e.Args[0], "_hf.Out(", ", "+f.label(e.Args[0])+", &"+c+")")
	return c
}

// grow: the elements have the labels of the arguments, and keep those they have if they move.
func (f *flower) grow(e *ast.CallExpr) {
	app := ast.Unparen(e.Args[0]).(*ast.CallExpr)
	ls := f.argLabels(app)
	loc := f.fn.newLoc()
	f.wrap(app.Args[0], "_hf.Old(", ", &"+loc+")")
	f.rename(e, "Grow")
	added := union(ls[1:]...)
	if f.exprs() {
		added, ls[0] = f.appended(app, ls[1:]), "0" // its length is this one
	}
	f.afterPart(e, e.Args[len(e.Args)-1], ", "+added+", &"+loc)
	f.slot[e] = ls[0]
}

// hookMethodCall rewrites a call of a method of a type of package hook.
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
	case "SendCase.Of":
		f.slot[e] = union(f.label(fun.X), f.label(e.Args[0]))
		if f.exprs() {
			f.slot[e] = f.label(e.Args[0])
		}
	}
}

// A flowCall is a call of a function that is neither built in nor heddle's.
type flowCall struct {
	sig      *types.Signature
	callee   *types.Func // nil: a function value
	recv     ast.Expr    // nil: none
	recvL    string      // label of the receiver, or of the function value
	args     []string    // labels of the arguments
	all      string      // union of what goes in
	foreign  bool        // it is known not to be rewritten for data flow
	operates bool        // and it may do operations or call back
}

// operands rewrites the operands of a call.
func (f *flower) operands(e *ast.CallExpr) *flowCall {
	c := &flowCall{recvL: "0"}
	c.sig, _ = core(f.info.TypeOf(e.Fun)).(*types.Signature)
	c.callee = f.callee(e.Fun)
	sel, _ := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	switch {
	case sel != nil && f.info.Selections[sel] != nil && f.info.Selections[sel].Kind() == types.MethodVal:
		c.recv = sel.X
		f.expr(sel.X)
		if takesAddress(f.info.Selections[sel]) {
			c.recvL = f.addrLabel(sel.X)
		} else {
			c.recvL = f.label(sel.X)
		}
	case c.callee == nil:
		f.expr(e.Fun)
		c.recvL = f.label(e.Fun)
	}
	if f.forward(e, c) {
		return c
	}
	c.args = f.argLabels(e)
	c.all = union(append([]string{c.recvL}, c.args...)...)
	if f.exprs() {
		c.all = f.anyOf(append([]string{c.recvL}, c.args...)...)
	}
	if c.callee != nil && f.isForeign(c.callee) {
		c.foreign, c.operates = true, f.operates(c)
	}
	return c
}

// forward rewrites f(g()), where g has several results: their labels become those of the arguments.
func (f *flower) forward(e *ast.CallExpr, c *flowCall) bool {
	if len(e.Args) != 1 {
		return false
	}
	t, ok := f.info.TypeOf(e.Args[0]).(*types.Tuple)
	if !ok || t.Len() > 4 {
		return false
	}
	f.expr(e.Args[0])
	f.wrap(e.Args[0], fmt.Sprintf("_hf.Forward%d(", t.Len()), ")")
	c.all = c.recvL
	return true
}

// callee returns the function or method that is called by name, nil for function values.
func (f *flower) callee(fun ast.Expr) *types.Func {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		fn, _ := f.info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		if sel := f.info.Selections[x]; sel != nil && sel.Kind() != types.MethodVal {
			return nil
		}
		fn, _ := f.info.Uses[x.Sel].(*types.Func)
		return fn
	case *ast.IndexExpr:
		return f.callee(x.X)
	case *ast.IndexListExpr:
		return f.callee(x.X)
	}
	return nil
}

// isForeign reports whether the body of fn is known not to carry labels: it is the standard library's.
func (f *flower) isForeign(fn *types.Func) bool {
	if r := fn.Signature().Recv(); r != nil && types.IsInterface(r.Type()) || fn.Pkg() == nil || fn.Pkg() == f.pkg {
		return f.exprs() && fn.Pkg() == f.pkg && f.bodiless(fn)
	}
	path := fn.Pkg().Path()
	if p := f.im.pkgs[path]; p != nil && p.in.Standard {
		return !(f.exprs() && std.Followed(path))
	}
	first, _, _ := strings.Cut(path, "/")
	return f.im.pkgs[path] == nil && !strings.Contains(first, ".")
}

// bodiless reports whether fn is declared in this file and written elsewhere, in assembly or in package runtime.
func (f *flower) bodiless(fn *types.Func) bool {
	for _, d := range f.ast.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && f.info.Defs[d.Name] == fn {
			return d.Body == nil
		}
	}
	return false
}

// operates reports whether a function of the standard library may do
// operations that are events, access memory through hooks, or call the program back.
func (f *flower) operates(c *flowCall) bool {
	path := c.callee.Pkg().Path()
	_, memory, quiet := std.Mode(path)
	if memory && std.Accesses(path, nil) || !quiet {
		return true
	}
	if c.sig == nil || c.all == "0" {
		return false
	}
	for v := range c.sig.Params().Variables() {
		switch t := core(v.Type()).(type) {
		case *types.Signature, *types.Interface:
			return true
		case *types.Slice:
			if types.IsInterface(t.Elem()) {
				return true
			}
		}
	}
	return c.recv != nil && types.IsInterface(f.info.TypeOf(c.recv))
}

// pureCall is for code that only computes.
func (f *flower) pureCall(e *ast.CallExpr, c *flowCall) {
	if f.exprs() {
		f.slot[e] = f.lost(e, c.all)
		return
	}
	if c.all == "0" || c.sig == nil || c.sig.Results().Len() != 1 {
		if c.all != "0" {
			f.slot[e] = c.all
		}
		return
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Pure(", ", "+c.all+", &"+to+")")
	f.slot[e] = to + ".Get()"
}

// foreignCall is for code that does operations without data flow. Where the call is a
// statement, or has several results, the statement ends what Out begins.
func (f *flower) foreignCall(e *ast.CallExpr, c *flowCall) {
	call := f.fn.newCall()
	before, after := "_hf.Out(", ", "+c.all+", &"+call+")"
	if op, ok := f.atomicOperation(c); ok {
		before, after = "_hf.OutAtomic(", ", &"+call+", "+op+")"
	} else if f.exprs() && f.vanishes(e, c) {
		after = ", " + f.lost(e, c.all) + ", &" + call + ")"
	}
	if !f.last(e, c, true, before, after) {
		f.fn.calls--
		if c.all != "0" {
			f.slot[e] = c.all
		}
		return
	}
	known := "false"
	if isOperation(c.callee) {
		known = "true"
	}
	if c.sig.Results().Len() != 1 || f.dropped == e {
		f.aux[e] = "&" + call + ", " + known
		return
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.In(", ", &"+call+", "+known+", &"+to+")")
	f.slot[e] = to + ".Get()"
	if f.exprs() && known == "false" {
		f.slot[e] = f.lost(e, c.all)
	}
}

// isOperation reports whether a function is an operation that rt/sched does.
func isOperation(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "sync", "sync/atomic", "time":
		return true
	}
	return false
}

// prints reports whether a function tells what goes into it to whoever reads the output, and nobody else.
func prints(fn *types.Func) bool {
	begins := func(names ...string) bool {
		return slices.ContainsFunc(names, func(s string) bool { return strings.HasPrefix(fn.Name(), s) })
	}
	switch fn.Pkg().Path() {
	case "fmt":
		return begins("Print")
	case "log":
		return begins("Print", "Fatal", "Panic")
	case "testing":
		return begins("Log", "Error", "Fatal", "Skip")
	}
	return false
}

// vanishes reports whether what goes into a call of foreign code may have an effect that the label of no result
// tells: it is an operation, its results are dropped or several, or it writes where an argument says.
func (f *flower) vanishes(e *ast.CallExpr, c *flowCall) bool {
	switch {
	case isOperation(c.callee):
		return true
	case prints(c.callee):
		return false
	case f.dropped == e, c.operates && c.sig.Results().Len() > 1:
		return true
	}
	return slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return f.refers(a) != "" })
}

// refers returns how package flow calls a value with memory that others see; "" for other values.
func (f *flower) refers(a ast.Expr) string {
	t := f.info.TypeOf(a)
	if t == nil || f.info.Types[a].Value != nil || f.info.Types[a].IsNil() {
		return ""
	}
	switch core(t).(type) {
	case *types.Pointer:
		return "Pointer"
	case *types.Slice:
		return "Slice"
	case *types.Map:
		return "Map"
	}
	if isString(t) {
		return "Text"
	}
	return ""
}

// reached notes, when a call is made of foreign code, that values are lost which it can read in the memory of its arguments.
func (f *flower) reached(e *ast.CallExpr) {
	for _, a := range e.Args {
		if how := f.refers(a); how != "" && f.wrappable(a) {
			f.wrap(a, "_hf.Reach"+how+"(", ", "+f.sites.add("value", a.Pos(), unhook(f.source(a)), f.info.TypeOf(a))+")")
		}
	}
}

// atomicOperation returns the arguments of package flow's OutAtomic for an operation on an atomic that holds a number or a condition;
// ok is false for other calls, and where labels are no expressions.
func (f *flower) atomicOperation(c *flowCall) (args string, ok bool) {
	if !f.exprs() || c.callee.Pkg().Path() != "sync/atomic" {
		return "", false
	}
	k, ls := trace.Num(0), c.args
	if recv := c.callee.Signature().Recv(); recv != nil {
		k, ok = atomicNums[typeName(recv.Type())]
	} else if len(ls) > 0 {
		if p, isPtr := core(c.sig.Params().At(0).Type()).(*types.Pointer); isPtr {
			k, ok = num(p.Elem())
		}
		ls = ls[1:]
	}
	if !ok {
		return "", false
	}
	ls = append(slices.Clone(ls), "0", "0")
	name := strings.TrimPrefix(c.callee.Name(), "Heddle") // that of the function that announces it
	for _, op := range atomicOps {
		if strings.HasPrefix(name, op.name) {
			return fmt.Sprintf("_hf.%s, %#x, %s, %s", op.as, uint8(k), ls[0], ls[1]), true
		}
	}
	return "", false
}

// atomicNums are the types of package sync/atomic that hold numbers and conditions.
var atomicNums = map[string]trace.Num{
	"Int32": trace.NumOf(32, true), "Int64": trace.NumOf(64, true), "Uint32": trace.NumOf(32, false),
	"Uint64": trace.NumOf(64, false), "Uintptr": trace.NumOf(64, false), "Bool": trace.Bool,
}

// atomicOps are the operations of package sync/atomic by how their names begin.
var atomicOps = []struct{ name, as string }{
	{"Load", "AtomicLoad"}, {"Store", "AtomicStore"}, {"Swap", "AtomicSwap"}, {"Add", "AtomicAdd"},
	{"CompareAndSwap", "AtomicCAS"}, {"And", "AtomicBits"}, {"Or", "AtomicBits"},
}

// typeName returns the name of a named type, or of what one points to.
func typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// userCall is for code that may be rewritten: it takes the labels if it is.
func (f *flower) userCall(e *ast.CallExpr, c *flowCall) {
	if c.args != nil || c.recvL != "0" || c.callee == nil || c.recv != nil {
		name, n := "", 0
		if c.callee != nil {
			name = c.callee.Name()
		}
		ls := c.args
		if c.sig != nil {
			n = c.sig.Params().Len()
			ls = f.packed(e, c, ls)
		}
		_, literal := ast.Unparen(e.Fun).(*ast.FuncLit)
		dynamic := c.callee == nil && !literal || c.recv != nil && types.IsInterface(f.info.TypeOf(c.recv))
		if c.all != "0" || dynamic {
			f.last(e, c, dynamic || c.all != "0", "_hf.A(", ", "+signature(name, n)+", "+strings.Join(append([]string{c.recvL}, ls...), ", ")+")")
		}
	}
	if c.sig != nil && c.args != nil {
		f.rest(e, c, c.args)
	}
	switch {
	case c.sig == nil || c.sig.Results().Len() == 0 || f.dropped == e:
		f.slot[e] = "0"
	case c.sig.Results().Len() == 1:
		to := f.fn.newSlot()
		f.wrap(e, "_hf.V(", ", "+c.all+", &"+to+")")
		f.slot[e] = to + ".Get()"
	default:
		f.slot[e] = c.all // of code that turns out not to be rewritten
	}
}

// vanish puts a call around x, whose label is l, that evaluates gone after it.
func (f *flower) vanish(x ast.Expr, gone, l string) {
	if l != "0" && f.wrappable(x) {
		f.wrap(x, "_hf.Vanish(", ", "+gone+")")
	}
}

// packed returns the labels of the parameters, given those of the arguments: several may be packed into one.
func (f *flower) packed(e *ast.CallExpr, c *flowCall, ls []string) []string {
	n := c.sig.Params().Len()
	if !c.sig.Variadic() || len(ls) < n {
		return ls
	}
	last := union(ls[n-1:]...)
	if f.exprs() && !e.Ellipsis.IsValid() {
		last = "0" // a slice of them, see rest
		if f.restOf(e, c) == "" {
			l := f.anyOf(ls[n-1:]...)
			if i := slices.IndexFunc(e.Args[n-1:], f.wrappable); i >= 0 { // a constant has no label
				f.vanish(e.Args[n-1+i], f.lost(e, l), l)
			}
		}
	}
	return append(append([]string{}, ls[:n-1]...), last)
}

// restOf returns the type of the arguments that a call packs into a slice, "" if there are none or their labels are not kept:
// they are for numbers, conditions and strings whose types have a name everywhere.
func (f *flower) restOf(e *ast.CallExpr, c *flowCall) string {
	n := c.sig.Params().Len()
	if !f.exprs() || !c.sig.Variadic() || e.Ellipsis.IsValid() || len(e.Args) < n {
		return ""
	}
	b, ok := c.sig.Params().At(n - 1).Type().(*types.Slice).Elem().(*types.Basic)
	if !ok {
		return ""
	}
	if _, ok := num(b); !ok && b.Kind() != types.String {
		return ""
	}
	if _, obj := f.pkg.Scope().Innermost(e.Pos()).LookupParent(b.Name(), e.Pos()); obj != types.Universe.Lookup(b.Name()) {
		return ""
	}
	return b.Name()
}

// rest packs the arguments of a call, whose labels are ls, into a slice as the call does, and gives its elements their labels.
func (f *flower) rest(e *ast.CallExpr, c *flowCall, ls []string) {
	elem, n := f.restOf(e, c), c.sig.Params().Len()
	if elem == "" || len(ls) < n || f.anyOf(ls[n-1:]...) == "0" {
		return
	}
	f.before(e.Args[n-1], "_hf.Rest["+elem+"](")
	f.after(e.Args[len(e.Args)-1], ").With("+strings.Join(ls[n-1:], ", ")+")...")
}

// appended returns the label of the memory that the arguments of append take.
func (f *flower) appended(app *ast.CallExpr, ls []string) string {
	if len(ls) == 1 {
		return ls[0]
	}
	s, ok := core(f.info.TypeOf(app.Args[0])).(*types.Slice)
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

// last puts text around what is evaluated last before a call: the last
// argument that is no constant, else the receiver or the function itself.
func (f *flower) last(e *ast.CallExpr, c *flowCall, fun bool, before, after string) bool {
	for i := len(e.Args) - 1; i >= 0; i-- {
		if a := e.Args[i]; f.wrappable(a) {
			f.wrap(a, before, after)
			return true
		}
	}
	switch {
	case !fun:
		return false
	case c.recv != nil:
		sel := f.info.Selections[ast.Unparen(e.Fun).(*ast.SelectorExpr)]
		if takesAddress(sel) {
			before += "&"
		}
		f.wrap(c.recv, before, after)
		return true
	}
	if c.callee != nil && c.callee.Signature().TypeParams().Len() > 0 {
		return false // its type arguments are inferred here
	}
	f.wrap(e.Fun, before, after)
	return true
}

// wrappable reports whether a generic function can return e in its place.
func (f *flower) wrappable(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	if f.fixed(e) || f.untypedShift(e) || t == nil {
		return false
	}
	if sig, ok := t.(*types.Signature); ok && sig.TypeParams().Len() > 0 {
		return false
	}
	if _, ok := t.(*types.Tuple); ok {
		return false
	}
	if untypedBool(e) {
		b, ok := types.Unalias(t).(*types.Basic)
		return ok && (b.Kind() == types.Bool || b.Kind() == types.UntypedBool)
	}
	return true
}
