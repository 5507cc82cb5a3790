package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// call rewrites a call or a conversion.
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
	if f.finds(e) || f.bits(e) || f.math(e) || f.sprints(e) || f.deeplySame(e) ||
		f.reflects(e) {
		return
	}
	c := f.operands(e)
	f.through(e, c)
	if f.exprs() && c.foreign {
		f.reached(e, c)
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

// conversion rewrites a conversion. A string made of bytes has the labels of the bytes; bytes made
// of a string are new memory.
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
	if isSlice(f.info.TypeOf(x)) && (isArray(f.info.TypeOf(e)) || isPointer(f.info.TypeOf(e))) {
		f.check(f.label(x), x)
	}
}

// argLabels rewrites the arguments, except maps about to be written, and returns their labels.
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

// A flowCall is a call of a function that is neither built in nor heddle's.
type flowCall struct {
	sig      *types.Signature
	callee   *types.Func // nil: a function value
	recv     ast.Expr    // nil: none
	recvL    string      // label of the receiver, or of the function value
	args     []string    // labels of the arguments
	all      string      // union of all labels that go in
	foreign  bool        // known not to be rewritten for data flow
	operates bool        // foreign, and may perform operations or call back
	pointer  bool        // what stands for the receiver is its address
}

// operands rewrites the operands of a call.
func (f *flower) operands(e *ast.CallExpr) *flowCall {
	c := &flowCall{recvL: "0"}
	c.sig, _ = core(f.info.TypeOf(e.Fun)).(*types.Signature)
	c.callee = f.callee(e.Fun)
	sel, _ := named(e.Fun).(*ast.SelectorExpr)
	switch {
	case sel != nil && f.info.Selections[sel] != nil && f.info.Selections[sel].Kind() == types.MethodVal:
		c.recv = sel.X
		if takesAddress(f.info.Selections[sel]) {
			f.stays = ast.Unparen(sel.X)
		}
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

// forward rewrites f(g()), where g has several results: their labels become those of the
// arguments.
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

// callee returns the function or method that is called by name, or nil for a function value.
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

// userCall rewrites a call of code that may be rewritten too. If it is, it takes the labels.
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
		pass := signature(name, n) + ", " + strings.Join(append([]string{c.recvL}, ls...), ", ") + ")"
		switch {
		case f.exprs() && (dynamic || !literal && !f.hasBody(c.callee)):
			hold := f.held(e, c)
			if !f.last(e, c, true, "_hf.Ask(",
				", &"+hold+", "+f.sites.add("value", e.Pos(), unhook(f.source(e)), f.info.TypeOf(e))+", "+
					pass) {
				f.fn.calls-- // nothing is passed, or held
			}
		case c.all != "0" || dynamic:
			f.last(e, c, dynamic || c.all != "0", "_hf.A(", ", "+pass)
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
		f.slot[e] = c.all // used if the called code turns out not to be rewritten
	}
}

// held keeps the receiver and the arguments of a call that lead to memory, and returns the slot.
func (f *flower) held(e *ast.CallExpr, c *flowCall) (call string) {
	call = f.fn.newCall()
	hold := func(x ast.Expr, address bool) {
		before := "_hf.Hold("
		if address {
			before += "&"
		}
		f.wrap(x, before, ", &"+call+")")
	}
	if c.recv != nil {
		t := f.info.TypeOf(c.recv)
		if address := takesAddress(f.info.Selections[named(e.Fun).(*ast.SelectorExpr)]); address ||
			f.leads(t) && f.wrappable(c.recv) {
			hold(c.recv, address)
			c.pointer = address
		}
	}
	for _, a := range e.Args {
		if f.leads(f.info.TypeOf(a)) && f.wrappable(a) && f.info.Types[a].Value == nil &&
			!f.info.Types[a].IsNil() {
			hold(a, false)
		}
	}
	return call
}

// hasBody reports whether a function is known to be rewritten for data flow. Then it takes the
// labels of its arguments.
func (f *flower) hasBody(fn *types.Func) bool {
	switch {
	case fn.Pkg() == nil:
		return false
	case fn.Pkg() != f.pkg:
		return followed(fn) || givesInput(fn)
	}
	if f.unlabelled == nil {
		f.unlabelled = map[string]bool{}
		for _, file := range f.im.pkgs[f.in.ImportPath].files {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && (d.Body == nil || forbidsCalls(d) || importsC(file)) {
					f.unlabelled[d.Name.Name] = true
				}
			}
		}
	}
	return !f.unlabelled[fn.Name()]
}

// packed returns the labels of the parameters, given those of the arguments: a variadic call packs
// several arguments into one.
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

// restOf returns the type of the arguments that a call packs into a slice. It returns "" if there
// are none, or if their labels are lost: labels are kept for numbers, conditions and strings whose
// type has the same name everywhere, and for empty interfaces.
func (f *flower) restOf(e *ast.CallExpr, c *flowCall) string {
	n := c.sig.Params().Len()
	if !f.exprs() || !c.sig.Variadic() || e.Ellipsis.IsValid() || len(e.Args) < n {
		return ""
	}
	elem := types.Unalias(c.sig.Params().At(n - 1).Type().(*types.Slice).Elem())
	if i, ok := elem.(*types.Interface); ok && i.Empty() {
		return "interface{}"
	}
	b, ok := elem.(*types.Basic)
	if !ok {
		return ""
	}
	if _, ok := numeric(b); !ok && b.Kind() != types.String {
		return ""
	}
	if _, obj := f.pkg.Scope().Innermost(e.Pos()).LookupParent(b.Name(),
		e.Pos()); obj != types.Universe.Lookup(b.Name()) {
		return ""
	}
	return b.Name()
}

// rest packs the arguments of a call, with labels ls, into a slice, and gives its elements the
// labels.
func (f *flower) rest(e *ast.CallExpr, c *flowCall, ls []string) {
	elem, n := f.restOf(e, c), c.sig.Params().Len()
	if elem == "" || len(ls) < n || f.anyOf(ls[n-1:]...) == "0" {
		return
	}
	f.before(e.Args[n-1], "_hf.Rest["+elem+"](")
	f.after(e.Args[len(e.Args)-1], ").With("+strings.Join(ls[n-1:], ", ")+")...")
}

// last wraps the operand that is evaluated last before a call: the last argument that is not a
// constant, else the receiver or the function.
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
		sel := f.info.Selections[named(e.Fun).(*ast.SelectorExpr)]
		if takesAddress(sel) && !c.pointer {
			before += "&"
		}
		f.wrap(c.recv, before, after)
		return true
	}
	if c.callee != nil && c.callee.Signature().TypeParams().Len() > 0 {
		return false // its type arguments are inferred from the context
	}
	f.wrap(e.Fun, before, after)
	return true
}

// wrappable reports whether a generic function can return e in the place of e.
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
