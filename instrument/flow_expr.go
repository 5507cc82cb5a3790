package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// expr rewrites an expression that is evaluated for its value. Its hooks and calls keep the labels
// of their results.
func (f *flower) expr(e ast.Expr) {
	if e == nil {
		return
	}
	tv := f.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.expr(e.X)
	case *ast.SelectorExpr:
		located := f.locates(e)
		if f.info.Selections[e] != nil {
			f.expr(e.X)
			if !located && isPointer(f.info.TypeOf(e.X)) && f.info.Selections[e].Kind() == types.FieldVal &&
				!f.isRecvCase(e.X) {
				f.check(f.label(e.X), e.X)
			}
		}
		f.quietRead(e)
	case *ast.IndexExpr:
		located := f.locates(e)
		if f.exprs() && f.indexed(e) {
			if !isBytes(f.info.TypeOf(e.X)) { // their labels go by address
				f.quietRead(e)
			}
			return
		}
		f.expr(e.X)
		f.expr(e.Index)
		if !located {
			f.checkIndex(e)
		}
	case *ast.StarExpr:
		located := f.locates(e)
		f.expr(e.X)
		if call, ok := ast.Unparen(e.X).(*ast.CallExpr); !located && (!ok || f.hookName(call) == "") {
			f.check(f.label(e.X), e.X)
		}
		f.quietRead(e)
	case *ast.SliceExpr:
		f.expr(e.X)
		f.expr(e.Low)
		f.expr(e.High)
		f.expr(e.Max)
		if l := f.label(e); isArray(f.info.TypeOf(e.X)) {
			f.check(l, e.Low, e.High, e.Max)
		} else {
			f.check(l, e.X, e.Low, e.High, e.Max)
		}
		if f.exprs() {
			f.sliced(e)
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			f.stays = ast.Unparen(e.X)
		}
		f.expr(e.X)
		if f.exprs() {
			f.unarySymbolic(e)
		}
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && e.Op == token.AND && f.quiet() {
			f.quietLiteral(e, lit, "Literal")
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			f.logical(e)
			return
		}
		f.expr(e.X)
		f.expr(e.Y)
		f.checkOperator(e.Op, e.X, e.Y)
		if f.exprs() {
			f.binary(e)
		}
	case *ast.CallExpr:
		f.call(e)
	case *ast.CompositeLit:
		f.elements(e, func(el ast.Expr) { f.expr(el) })
		if f.exprs() && isMap(f.info.TypeOf(e)) {
			f.elements(e, f.entryLost) // entries of literals have no labels
		}
		if isSlice(f.info.TypeOf(e)) && f.quiet() && e.Type != nil {
			f.quietLiteral(e, e, "LiteralSlice")
		}
	case *ast.FuncLit:
		f.literal(e)
	case *ast.TypeAssertExpr:
		f.expr(e.X)
		f.check(f.label(e.X), e.X)
	}
}

// mapLiteral rewrites the parts of a map literal and made, the call of a hook around it: the
// values of constant keys keep their labels.
func (f *flower) mapLiteral(made *ast.CallExpr, lit *ast.CompositeLit) {
	f.elements(lit, f.expr)
	if f.keyedLiteral(made, lit) {
		return
	}
	text := ""
	others := false // there are values that may be at any key
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		l, enc := f.label(kv.Value), f.encoded(kv.Key)
		if enc == "" {
			f.entryLost(kv.Key)
		}
		t := f.info.TypeOf(kv.Value)
		if v, ok := kv.Value.(*ast.CompositeLit); ok && (isMap(t) || isSlice(t)) {
			f.entryLost(v)
		} else if enc == "" {
			others = true
			f.entryLost(kv.Value)
		} else if l != "0" {
			text += ", _hf.LitEntry{Key: " + enc + ", L: " + l + "}"
		}
	}
	if text == "" {
		return
	}
	f.wrap(made, "_hf.LitOf(", text+")")
	if others { // which value a key has in the end is not known
		f.wrap(made, "_hf.Forget(_hf.ReachMap(", ", "+f.branchSite(lit.Pos(), lit)+"))")
	}
}

// static reports whether the compiler knows the value of a key or an element: it adds entries of
// which it knows both before all others.
func (f *flower) static(e ast.Expr) bool {
	if tv := f.info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if t := f.info.TypeOf(e); !ok || isMap(t) || isSlice(t) || isPointer(t) {
		return false
	}
	return !slices.ContainsFunc(lit.Elts, func(el ast.Expr) bool {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			el = kv.Value
		}
		return !f.static(el)
	})
}

// mostLiteral is how many entries a map literal has whose keys are compared, as those of maps are.
const mostLiteral = 32

// keyedLiteral is mapLiteral for a literal with keys that may depend on inputs: its entries are
// added one after the other, those first that the compiler knows.
func (f *flower) keyedLiteral(made *ast.CallExpr, lit *ast.CompositeLit) bool {
	m, ok := core(f.info.TypeOf(lit)).(*types.Map)
	if !ok || len(lit.Elts) > mostLiteral || types.IsInterface(m.Key()) {
		return false
	}
	labelled := false
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok || f.info.Types[kv.Key].Value == nil && (!f.wrappable(kv.Key) || isLiteral(kv.Key)) ||
			f.info.Types[kv.Key].Value != nil && f.encoded(kv.Key) == "" {
			return false
		}
		t := f.info.TypeOf(kv.Value)
		if isLiteral(kv.Value) && (isMap(t) || isSlice(t)) {
			return false
		}
		k := f.info.TypeOf(kv.Key)
		if f.info.Types[kv.Key].Value == nil && !types.Identical(m.Key(), k) {
			return false // converted to an interface before
		}
		labelled = labelled || f.label(kv.Key) != "0" || f.info.Types[kv.Key].Value == nil && isString(k)
	}
	if !labelled {
		return false
	}
	first, text := "", ""
	for _, el := range lit.Elts {
		kv := el.(*ast.KeyValueExpr)
		entry := ""
		switch k, _ := num(m.Key()); {
		case f.info.Types[kv.Key].Value == nil:
			entry = "_hf.LitAt(&" + f.newEntry()
			f.wrap(kv.Key, "_hf.LitKey(", fmt.Sprintf(", %s, &_he%d)", f.label(kv.Key), f.fn.entries))
		case k != 0:
			v, _ := f.constantOf(kv.Key)
			entry = fmt.Sprintf("_hf.LitNum(%#x, %#x", uint64(k.Mask(v)), uint8(k))
		default:
			entry = "_hf.LitText(" + strconv.Quote(constant.StringVal(f.info.Types[kv.Key].Value))
		}
		if entry = ", " + entry + ", " + f.label(kv.Value) + ")"; f.static(kv.Key) && f.static(kv.Value) {
			first += entry
		} else {
			text += entry
		}
	}
	f.wrap(made, "_hf.LitAdded(", ", "+f.branchSite(lit.Pos(), lit)+first+text+")")
	return true
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.CompositeLit)
	return ok
}

// encoded returns how package flow encodes a constant key of a map, "" for others.
func (f *flower) encoded(e ast.Expr) string {
	c := f.info.Types[e].Value
	k, _ := num(f.info.TypeOf(e))
	switch v, ok := f.constantOf(e); {
	case c == nil:
	case ok && k != 0:
		return fmt.Sprintf("_hf.EncNum(%#x, %#x)", uint64(k.Mask(v)), uint8(k))
	case c.Kind() == constant.String && isString(f.info.TypeOf(e)):
		return strconv.Quote("t" + constant.StringVal(c))
	}
	return ""
}

// entryLost marks the labels of a key or value of a map literal, and of texts in it, as lost.
func (f *flower) entryLost(el ast.Expr) {
	if lit, ok := el.(*ast.CompositeLit); ok && lit.Type == nil {
		f.elements(lit, f.entryLost)
		return
	}
	if !f.wrappable(el) {
		return
	}
	if l := f.label(el); l != "0" {
		f.wrap(el, "_hf.Vanish(", ", "+f.lost(el, l)+")")
	}
	if t := f.info.TypeOf(el); isString(t) || composed(t) {
		f.content(el)
	}
}

// elements calls do with the values of a literal, and with the keys of a map literal.
func (f *flower) elements(lit *ast.CompositeLit, do func(ast.Expr)) {
	isMap := isMap(f.info.TypeOf(lit))
	for _, el := range lit.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			if isMap {
				do(kv.Key)
			}
			el = kv.Value
		}
		do(el)
	}
}

// literal rewrites a function literal. The labels of variables that it uses by value are bound
// when the literal is evaluated:
//
//	func(_hl1 _hf.Label) func(x int) int { return func(x int) int { ... } }(_hl1)
func (f *flower) literal(lit *ast.FuncLit) {
	bound := f.function("", nil, lit.Type, lit.Body)
	if len(bound) == 0 {
		return
	}
	typ := f.source(lit.Type)
	if strings.Contains(typ, "//") {
		return // they are read when the function runs
	}
	names := strings.Join(bound, ", ")
	f.wrap(lit, fmt.Sprintf("func(%s _hf.Label) %s { return ", names, strings.Join(strings.Fields(typ), " ")),
		" }("+names+")")
}

// logical rewrites x && y and x || y whose value is used: x decides whether y is evaluated.
func (f *flower) logical(e *ast.BinaryExpr) {
	f.cond(e.X)
	f.expr(e.Y)
	x, y := f.label(e.X), f.label(e.Y)
	if f.exprs() {
		x = "0" // the outcome of x is a branch
	}
	if y == "0" {
		f.slot[e] = x
		return
	}
	to := f.fn.newSlot()
	f.wrapBool(e.X, "_hf.Clr(", ", &"+to+")")
	f.wrapBool(e.Y, "_hf.Put(", ", "+y+", &"+to+")")
	f.slot[e] = union(x, to+".Get()")
}

// wrapBool is wrap for a condition. Its generic function returns the argument, so that an untyped
// condition stays untyped where it must.
func (f *flower) wrapBool(e ast.Expr, before, after string) {
	if b, ok := types.Unalias(f.info.TypeOf(e)).(*types.Basic); !ok ||
		b.Kind() != types.Bool && b.Kind() != types.UntypedBool {
		if untypedBool(e) {
			before, after = "("+before, after+" == true)"
		}
	}
	f.wrap(e, before, after)
}

// cond rewrites a condition. Each operand of && and || is a branch.
func (f *flower) cond(e ast.Expr) {
	if e == nil || f.info.Types[e].Value != nil {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		f.cond(x.X)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			f.cond(x.X)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			f.cond(x.X)
			f.cond(x.Y)
			return
		}
	}
	f.expr(e)
	f.branch(e, f.label(e))
}

// branch records the outcome of condition e, which has the given label.
func (f *flower) branch(e ast.Expr, label string) {
	if label != "0" {
		f.wrapBool(e, "_hf.B(", ", "+label+", "+f.branchSite(e.Pos(), e)+")")
	}
}

// label returns the label of e: an expression without effects, to be evaluated after e. e is
// already rewritten by expr or cond.
func (f *flower) label(e ast.Expr) string {
	if e == nil {
		return "0"
	}
	if l, ok := f.slot[e]; ok {
		return l
	}
	tv := f.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return "0"
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.label(e.X)
	case *ast.Ident:
		return f.variable(e)
	case *ast.SelectorExpr:
		if f.info.Selections[e] != nil {
			switch {
			case f.exprs() && f.isRecvCase(e.X):
				if e.Sel.Name == "V" {
					return f.label(e.X)
				}
				return "0"
			case f.exprs():
				return f.fieldLabel(e, f.label(e.X))
			}
			return f.label(e.X)
		}
	case *ast.IndexExpr:
		if f.exprs() {
			if isArray(f.info.TypeOf(e.X)) {
				return f.fieldLabel(e, f.label(e.X))
			}
			return "0"
		}
		if _, generic := f.info.TypeOf(e.X).(*types.Signature); !generic {
			return union(f.label(e.X), f.label(e.Index))
		}
	case *ast.StarExpr:
		return f.label(e.X)
	case *ast.SliceExpr:
		x := f.label(e.X)
		if isArray(f.info.TypeOf(e.X)) {
			x = f.addrLabel(e.X)
		}
		return union(x, f.label(e.Low), f.label(e.High), f.label(e.Max))
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return f.addrLabel(e.X)
		}
		return f.label(e.X)
	case *ast.BinaryExpr:
		return union(f.label(e.X), f.label(e.Y))
	case *ast.CompositeLit:
		if f.exprs() {
			return f.literalLabel(e)
		}
		l := "0"
		f.elements(e, func(el ast.Expr) { l = union(l, f.label(el)) })
		return l
	case *ast.TypeAssertExpr:
		return f.label(e.X)
	case *ast.CallExpr:
		if f.info.Types[e.Fun].IsType() {
			return f.label(e.Args[0])
		}
	}
	return "0"
}

// variable returns the label of a variable's value.
func (f *flower) variable(id *ast.Ident) string {
	v, ok := f.info.ObjectOf(id).(*types.Var)
	if !ok || id.Name == "_" {
		return "0"
	}
	if l := f.of(v); l != "" {
		if f.hooks[v] {
			return "_hf.At(&" + id.Name + ")"
		}
		return l
	}
	return "0" // package-level, and never written
}

// addrLabel returns the label of the address of e: the union over the pointers and indices on the
// way to it.
func (f *flower) addrLabel(e ast.Expr) string {
	if f.exprs() {
		return "0" // an index is pinned to its value
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.addrLabel(e.X)
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		switch {
		case sel == nil:
			return "0"
		case isPointer(f.info.TypeOf(e.X)) || !f.info.Types[e.X].Addressable():
			return f.label(e.X)
		}
		return f.addrLabel(e.X)
	case *ast.IndexExpr:
		if isArray(f.info.TypeOf(e.X)) {
			return union(f.addrLabel(e.X), f.label(e.Index))
		}
		return union(f.label(e.X), f.label(e.Index))
	case *ast.StarExpr:
		return f.label(e.X)
	}
	return "0"
}

// isRecvCase reports whether e is a receive in a select.
func (f *flower) isRecvCase(e ast.Expr) bool {
	p, ok := f.info.TypeOf(e).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := p.Elem().(*types.Named)
	return ok && n.Obj().Name() == "RecvCase" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == hookPath
}
