package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"runtime"
	"strconv"
	"strings"

	"heddle/trace"
)

// Expressions (Mode.Exprs): operators keep their operands, so that the label of a result says how
// it is computed and not only from which reads; see package rt/flow. A value that is not followed
// has the label 0.

// exprs reports whether labels are expressions.
func (f *flower) exprs() bool { return f.in.Mode.Exprs }

// num returns the type of a number or condition for package flow. ok is false for other types.
func num(t types.Type) (k trace.Num, ok bool) {
	b, ok := core(t).(*types.Basic)
	if !ok {
		return 0, false
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return trace.Bool, true
	case b.Kind() == types.UntypedInt, b.Kind() == types.UntypedRune, b.Info()&types.IsInteger == 0:
		return 0, false
	}
	return trace.NumOf(int(gcSizes.Sizeof(b))*8, b.Info()&types.IsUnsigned == 0), true
}

var gcSizes = types.SizesFor("gc", runtime.GOARCH)

func (f *flower) newVal() string {
	f.fn.vals++
	f.fn.maxVals = max(f.fn.maxVals, f.fn.vals)
	return fmt.Sprintf("_hv%d", f.fn.vals)
}

// A kept is an operand whose value is kept, or a constant.
type kept struct {
	val   string // variable; "" for a constant
	value uint64
	text  string // a constant string, quoted
	k     trace.Num
}

// lost returns the label of e, which depends on values with labels ls in a way that is not
// followed.
func (f *flower) lost(e ast.Expr, ls ...string) string {
	l := f.anyOf(ls...)
	if l == "0" {
		return "0"
	}
	return "_hf.Lost(" + l + ", " + f.sites.add("value", e.Pos(), unhook(f.source(e)), f.info.TypeOf(e)) + ")"
}

// loses gives e no label. Once e is evaluated, the labels ls of its operands are marked as lost,
// whether or not its value is used.
func (f *flower) loses(e ast.Expr, ls ...string) {
	l := f.lost(e, ls...)
	f.slot[e] = l
	if l != "0" && f.wrappable(e) {
		f.wrapBool(e, "_hf.Vanish(", ", "+l+")")
		f.slot[e] = "0"
	}
}

// anyOf returns one of several labels.
func (f *flower) anyOf(ls ...string) string {
	out := "0"
	for _, l := range ls {
		switch {
		case l == "" || l == "0" || strings.Contains(out, l):
		case out == "0":
			out = l
		default:
			out = "_hf.Any(" + out + ", " + l + ")"
		}
	}
	return out
}

// constantOf returns the value of a constant number or condition.
func (f *flower) constantOf(e ast.Expr) (v uint64, ok bool) {
	c := f.info.Types[e].Value
	if c == nil {
		return 0, false
	}
	switch c.Kind() {
	case constant.Bool:
		if constant.BoolVal(c) {
			v = 1
		}
		return v, true
	case constant.String:
		return 0, false
	}
	c = constant.ToInt(c)
	if i, exact := constant.Int64Val(c); exact {
		return uint64(i), true
	}
	return constant.Uint64Val(c)
}

// keep keeps the value of e, a number or condition that is rewritten. ok is false if that is
// impossible. with has further arguments for the function of package flow.
func (f *flower) keep(e ast.Expr, hook, with string) (x kept, ok bool) {
	k, isNum := num(f.info.TypeOf(e))
	if v, ok := f.constantOf(e); ok {
		if !isNum {
			k = trace.Int
		}
		return kept{value: v, k: k}, true
	}
	if !isNum || !f.wrappable(e) {
		return kept{}, false
	}
	x = kept{val: f.newVal(), k: k}
	if k == trace.Bool {
		f.wrapBool(e, "_hf.Cond(", ", "+f.label(e)+", &"+x.val+")")
		return x, true
	}
	f.wrap(e, "_hf."+hook+"(", fmt.Sprintf(", %s, %#x, &%s%s)", f.label(e), uint8(k), x.val, with))
	return x, true
}

// keepText is keep for a string or slice. least is the smallest length with which evaluation goes
// on.
func (f *flower) keepText(e ast.Expr, least uint64, site string) (x kept, ok bool) {
	if c := f.info.Types[e].Value; c != nil && c.Kind() == constant.String {
		return kept{text: strconv.Quote(constant.StringVal(c))}, true
	}
	if !f.wrappable(e) {
		return kept{}, false
	}
	hook := "Str"
	if !isString(f.info.TypeOf(e)) {
		hook = "Slc"
	}
	x = kept{val: f.newVal()}
	f.wrap(e, "_hf."+hook+"(", fmt.Sprintf(", %s, %d, &%s, %s)", f.label(e), least, x.val, site))
	return x, true
}

// operand returns a kept string as an operand.
func (x kept) operand() string {
	if x.val == "" {
		return "_hf.Const(" + x.text + ")"
	}
	return "&" + x.val
}

// two returns the label of x op y of type k.
func two(op trace.FlowOp, k trace.Num, x, y kept) string {
	switch {
	case x.val == "" && y.val == "":
		return "0"
	case y.val == "":
		return fmt.Sprintf("_hf.Two1(%d, %#x, &%s, %#x, %#x)", op, uint8(k), x.val, y.value, uint8(y.k))
	case x.val == "":
		return fmt.Sprintf("_hf.Two2(%d, %#x, %#x, %#x, &%s)", op, uint8(k), x.value, uint8(x.k), y.val)
	}
	return fmt.Sprintf("_hf.Two(%d, %#x, &%s, &%s)", op, uint8(k), x.val, y.val)
}

var arithmetic = map[token.Token]trace.FlowOp{
	token.ADD: trace.FlowAdd, token.SUB: trace.FlowSub, token.MUL: trace.FlowMul, token.QUO: trace.FlowQuo,
	token.REM: trace.FlowRem,
	token.AND: trace.FlowAnd, token.OR: trace.FlowOr, token.XOR: trace.FlowXor,
	token.AND_NOT: trace.FlowAndNot,
	token.SHL:     trace.FlowShl, token.SHR: trace.FlowShr,
}

// compare returns the label of a comparison, made by of from == and <.
func compare(op token.Token, of func(op trace.FlowOp, swap bool) string) string {
	not := func(l string) string {
		if l == "0" {
			return l
		}
		return "_hf.Invert(" + l + ")"
	}
	switch op {
	case token.EQL:
		return of(trace.FlowEq, false)
	case token.NEQ:
		return not(of(trace.FlowEq, false))
	case token.LSS:
		return of(trace.FlowLess, false)
	case token.GTR:
		return of(trace.FlowLess, true)
	case token.LEQ:
		return not(of(trace.FlowLess, true))
	}
	return not(of(trace.FlowLess, false))
}

// binary sets the label of x op y, whose operands are rewritten.
func (f *flower) binary(e *ast.BinaryExpr) {
	lx, ly := f.label(e.X), f.label(e.Y)
	f.slot[e] = "0"
	if composed(f.info.TypeOf(e.X)) && composed(f.info.TypeOf(e.Y)) { // texts in them have labels by address
		f.content(e.X)
		f.content(e.Y)
	}
	// their bytes have labels by address
	texts := isString(f.info.TypeOf(e.X)) && f.info.Types[e].Value == nil
	if lx == "0" && ly == "0" && !texts {
		return
	}
	switch {
	case isString(f.info.TypeOf(e.X)) && isString(f.info.TypeOf(e.Y)):
		f.text(e)
		return
	case generic(f.info.TypeOf(e.X)) || generic(f.info.TypeOf(e.Y)):
		f.genericBinary(e)
		return
	}
	k, ok := num(f.info.TypeOf(e.X))
	_, okY := num(f.info.TypeOf(e.Y))
	if !ok || !okY && f.info.Types[e.Y].Value == nil {
		f.loses(e, lx, ly)
		return
	}
	x, ok := f.keep(e.X, "Num", "")
	y, okY := f.keepRight(e.Op, e.Y)
	if !ok || !okY {
		f.loses(e, lx, ly)
		return
	}
	if op, ok := arithmetic[e.Op]; ok {
		f.slot[e] = two(op, k, x, y)
		return
	}
	f.slot[e] = compare(e.Op, func(op trace.FlowOp, swap bool) string {
		if swap {
			return two(op, trace.Bool, y, x)
		}
		return two(op, trace.Bool, x, y)
	})
}

// keepRight keeps the right operand: divisors and counts of shifts may panic.
func (f *flower) keepRight(op token.Token, e ast.Expr) (kept, bool) {
	switch op {
	case token.QUO, token.REM:
		return f.keep(e, "Divisor", ", "+f.branchSite(e.Pos(), e))
	case token.SHL, token.SHR:
		y, ok := f.keep(e, "Count", ", "+f.branchSite(e.Pos(), e))
		if y.val == "" {
			y.k = 64 // a constant count is not negative
		}
		return y, ok
	}
	return f.keep(e, "Num", "")
}

// text is binary for strings.
func (f *flower) text(e *ast.BinaryExpr) {
	site := f.branchSite(e.Pos(), e)
	x, ok := f.keepText(e.X, 0, site)
	y, okY := f.keepText(e.Y, 0, site)
	switch {
	case !ok || !okY || x.val == "" && y.val == "":
		f.loses(e, f.label(e.X), f.label(e.Y))
	case e.Op == token.ADD:
		to := f.fn.newSlot()
		f.wrap(e, "_hf.Cat(", ", "+x.operand()+", "+y.operand()+", "+site+", &"+to+")")
		f.slot[e] = to + ".Get()"
	default:
		f.slot[e] = compare(e.Op, func(op trace.FlowOp, swap bool) string {
			if swap {
				x, y = y, x
			}
			return fmt.Sprintf("_hf.Texts(%d, %s, %s, %s)", op, x.operand(), y.operand(), site)
		})
	}
}

// unarySymbolic sets the labels of -x, ^x and !x.
func (f *flower) unarySymbolic(e *ast.UnaryExpr) {
	l := f.label(e.X)
	f.slot[e] = "0"
	if l == "0" || e.Op == token.AND {
		return
	}
	if _, ok := num(f.info.TypeOf(e.X)); !ok && !generic(f.info.TypeOf(e.X)) {
		f.loses(e, l)
		return
	}
	switch e.Op {
	case token.ADD:
		f.slot[e] = l
	case token.SUB:
		f.slot[e] = "_hf.Negative(" + l + ")"
	case token.XOR, token.NOT:
		f.slot[e] = "_hf.Invert(" + l + ")"
	}
}

// conversionSymbolic sets the label of a conversion whose operand is rewritten.
func (f *flower) conversionSymbolic(e *ast.CallExpr) {
	x := e.Args[0]
	l, from, to := f.label(x), f.info.TypeOf(x), f.info.TypeOf(e)
	f.slot[e] = "0"
	// their bytes have labels by address
	texts := (isString(to) && isBytes(from) || isBytes(to) && isString(from)) && f.info.Types[x].Value == nil
	if l == "0" && !texts {
		return
	}
	k, isNum := num(to)
	_, wasNum := num(from)
	switch {
	case isNum && (wasNum || generic(from)):
		f.slot[e] = fmt.Sprintf("_hf.Conv(%s, %#x)", l, uint8(k))
	case generic(to) && (wasNum || generic(from)):
		slot := f.fn.newSlot()
		f.wrap(e, "_hf.GenericConv(", ", "+l+", &"+slot+")")
		f.slot[e] = slot + ".Get()"
	case types.IsInterface(to) || types.Identical(from.Underlying(), to.Underlying()):
		f.slot[e] = l
	case isString(to) && (isString(from) || isBytes(from)), isBytes(to) && isString(from):
		v, ok := f.keepText(x, 0, "0")
		if !ok || v.val == "" {
			f.loses(e, l)
			return
		}
		hook, slot := "ToText", f.fn.newSlot()
		if isBytes(to) {
			hook = "ToBytes"
		}
		f.wrap(e, "_hf."+hook+"(", ", &"+v.val+", &"+slot+")")
		f.slot[e] = slot + ".Get()"
	default:
		f.loses(e, l)
	}
}

func isBytes(t types.Type) bool {
	s, ok := core(t).(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// indexed rewrites x[i]. Whether i is in range is a branch, and so is the value of i. It returns
// false if x is not a string, slice or array.
func (f *flower) indexed(e *ast.IndexExpr) bool {
	t := core(f.info.TypeOf(e.X))
	if p, ok := t.(*types.Pointer); ok {
		t = core(p.Elem())
	}
	switch t := t.(type) {
	case *types.Array:
		f.expr(e.X)
		f.expr(e.Index)
		if k, ok := num(f.info.TypeOf(e.Index)); ok && f.label(e.Index) != "0" && f.wrappable(e.Index) {
			v := f.newVal()
			hook, of := "IndexN", fmt.Sprint(t.Len())
			if x, ok := ast.Unparen(e.X).(*ast.Ident); ok && f.tables[f.info.Uses[x]] {
				hook, of = "Row", x.Name+"[:]"
			}
			f.wrap(e.Index, "_hf."+hook+"(",
				fmt.Sprintf(", %s, %#x, %s, &%s, %s)", f.label(e.Index), uint8(k), of, v,
					f.branchSite(e.Pos(), e)))
			f.aux[e] = v
		}
		return true
	case *types.Map:
		f.expr(e.X)
		f.expr(e.Index)
		f.slot[e] = "0"
		if name := f.looked(e); name != "" {
			f.slot[e] = name + ".Get()"
		}
		return true
	case *types.Slice:
	default:
		if !isString(f.info.TypeOf(e.X)) {
			return false
		}
	}
	f.expr(e.X)
	f.expr(e.Index)
	lx, li := f.label(e.X), f.label(e.Index)
	f.slot[e] = "0"
	if lx == "0" && li == "0" {
		return true
	}
	text := isString(f.info.TypeOf(e.X)) || isBytes(f.info.TypeOf(e.X)) // bytes are read without a hook here
	site := f.branchSite(e.Pos(), e)
	c, isConst := f.constantOf(e.Index)
	least := uint64(0)
	if isConst {
		least = c + 1
	}
	x, ok := f.keepText(e.X, least, site)
	switch {
	case !ok || x.val == "" && isConst:
		return true
	case isConst:
		if text {
			f.slot[e] = fmt.Sprintf("_hf.ByteOf(&%s, %d)", x.val, c)
		}
		return true
	}
	k, isNum := num(f.info.TypeOf(e.Index))
	if !isNum || !f.wrappable(e.Index) {
		return true
	}
	v := f.newVal()
	if x.val == "" { // a constant string is a table
		f.wrap(e.Index, "_hf.RowText(", fmt.Sprintf(", %s, %#x, %s, &%s, %s)", li, uint8(k), x.text, v, site))
		return true
	}
	f.wrap(e.Index, "_hf.Index(", fmt.Sprintf(", %s, %#x, %s, &%s, %s)", li, uint8(k), x.operand(), v, site))
	if text {
		f.slot[e] = fmt.Sprintf("_hf.ByteAt(%s, &%s)", x.operand(), v)
	}
	return true
}

// entry keeps, with Mode.Exprs, the map that a hook returns.
func (f *flower) entry(e *ast.CallExpr) {
	if f.exprs() {
		f.fn.entries++
		f.fn.maxEntries = max(f.fn.maxEntries, f.fn.entries)
		name := fmt.Sprintf("_he%d", f.fn.entries)
		f.wrap(e, "_hf.InMap(", ", &"+name+")")
		f.aux[e] = name
	}
}

// looked rewrites m[k], whose operands are rewritten. The value of the key is a branch. It returns
// the name of the entry, or "" if the entry is not followed.
func (f *flower) looked(e *ast.IndexExpr) string {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok || f.aux[call] == "" {
		return ""
	}
	l, name := f.label(e.Index), f.aux[call]
	k, isNum := num(f.info.TypeOf(e.Index))
	if !isNum && !isString(f.info.TypeOf(e.Index)) {
		f.content(e.Index)
		f.vanish(e.Index, f.lost(e.Index, l), l)
		f.reachesMap(call)
		return ""
	}
	if t, ok := core(f.info.TypeOf(call)).(*types.Map); !ok ||
		!types.Identical(t.Key(), f.info.TypeOf(e.Index)) {
		f.content(e.Index)
		f.vanish(e.Index, f.lost(e.Index, l), l)
		f.reachesMap(call)
		return "" // converted to an interface before
	}
	if c := f.info.Types[e.Index].Value; c != nil {
		if v, ok := f.constantOf(e.Index); ok {
			f.wrap(e.X, "_hf.AtNum(", fmt.Sprintf(", %#x, &%s)", uint64(k.Mask(v)), name))
		} else if c.Kind() == constant.String {
			f.wrap(e.X, "_hf.AtText(", ", "+strconv.Quote(constant.StringVal(c))+", &"+name+")")
		}
		return name
	}
	if !f.wrappable(e.Index) || k == trace.Bool {
		f.vanish(e.Index, f.lost(e.Index, l), l)
		f.reachesMap(call)
		return ""
	}
	if !isNum {
		f.wrap(e.Index, "_hf.KeyText(", fmt.Sprintf(", %s, &%s, %s)", l, name, f.branchSite(e.Pos(), e)))
		return name
	}
	f.wrap(e.Index, "_hf.KeyNum(",
		fmt.Sprintf(", %s, %#x, &%s, %s)", l, uint8(k), name, f.branchSite(e.Pos(), e)))
	return name
}

// reachesMap marks, with Mode.Exprs, the values of a map as lost: they go where labels do not.
func (f *flower) reachesMap(m ast.Expr) {
	if f.exprs() && f.wrappable(m) {
		f.wrap(m, "_hf.ReachMap(",
			", "+f.sites.add("value", m.Pos(), unhook(f.source(m)), f.info.TypeOf(m))+")")
	}
}

// sliced rewrites x[lo:hi] of a string or slice, whose operands are rewritten.
func (f *flower) sliced(e *ast.SliceExpr) {
	f.slot[e] = "0"
	lx, lo, hi := f.label(e.X), f.label(e.Low), f.label(e.High)
	if f.anyOf(lx, lo, hi, f.label(e.Max)) == "0" {
		return
	}
	t := core(f.info.TypeOf(e.X))
	if _, ok := t.(*types.Slice); !ok && !isString(f.info.TypeOf(e.X)) || e.Max != nil {
		f.loses(e, lo, hi, f.label(e.Max))
		return
	}
	site := f.branchSite(e.Pos(), e)
	low, lowConst := f.bound(e.Low, 0)
	high, highConst := f.bound(e.High, -1)
	least := uint64(0)
	switch {
	case highConst && high >= 0:
		least = uint64(high)
	case lowConst && high < 0 && highConst:
		least = uint64(low)
	}
	x, ok := f.keepText(e.X, least, site)
	if !ok {
		f.loses(e, lx, lo, hi)
		return
	}
	bound := func(b ast.Expr, isConst bool, from string) string {
		k, isNum := num(f.info.TypeOf(b))
		if isConst || !isNum || !f.wrappable(b) {
			return "nil"
		}
		v := f.newVal()
		f.wrap(b, "_hf.Bound(",
			fmt.Sprintf(", %s, %#x, %s, %s, &%s, %s)", f.label(b), uint8(k), x.operand(), from, v, site))
		return "&" + v
	}
	from, to := "nil", "nil"
	if e.Low != nil {
		from = bound(e.Low, lowConst, "nil")
	}
	if e.High != nil {
		to = bound(e.High, highConst, from)
	}
	if !lowConst && from == "nil" || !highConst && to == "nil" {
		f.loses(e, lx, lo, hi)
		return
	}
	f.slot[e] = fmt.Sprintf("_hf.Cut(%s, %s, %s, %d, %d, %s)", x.operand(), from, to, low, high, site)
}

// bound returns a bound that is a constant or missing. A missing bound is none.
func (f *flower) bound(e ast.Expr, none int64) (v int64, ok bool) {
	if e == nil {
		return none, true
	}
	c, ok := f.constantOf(e)
	return int64(c), ok
}

// Structs and arrays in local variables and in values without address.

// fieldLabel returns the label of x.f or x[i] if x has label l.
func (f *flower) fieldLabel(e ast.Expr, l string) string {
	if l == "0" {
		return l
	}
	off, ok := f.offset(e)
	if !ok || !sized(f.info.TypeOf(e)) {
		return f.lost(e, l)
	}
	return fmt.Sprintf("_hf.Field(%s, %s, %d)", l, off, gcSizes.Sizeof(f.info.TypeOf(e)))
}

// offset returns the offset of e in the struct or array directly around it.
func (f *flower) offset(e ast.Expr) (text string, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal || sel.Indirect() {
			return "", false
		}
		off, t := int64(0), sel.Recv()
		for _, i := range sel.Index() {
			s, ok := core(t).(*types.Struct)
			if !ok || !sized(s) {
				return "", false
			}
			fields := make([]*types.Var, s.NumFields())
			for k := range fields {
				fields[k] = s.Field(k)
			}
			off += gcSizes.Offsetsof(fields)[i]
			t = s.Field(i).Type()
		}
		return strconv.FormatInt(off, 10), true
	case *ast.IndexExpr:
		a, ok := core(f.info.TypeOf(e.X)).(*types.Array)
		if !ok || !sized(a.Elem()) {
			return "", false
		}
		size := gcSizes.Sizeof(a.Elem())
		if c, ok := f.constantOf(e.Index); ok {
			return strconv.FormatInt(int64(c)*size, 10), true
		}
		if v := f.aux[e]; v != "" {
			return fmt.Sprintf("%s.At(%d)", v, size), true
		}
	}
	return "", false
}

// place returns the offset of e in the local variable around it.
func (f *flower) place(e ast.Expr) (off string, ok bool) {
	e = ast.Unparen(e)
	if _, ok := e.(*ast.Ident); ok {
		return "0", true
	}
	off, ok = f.offset(e)
	if !ok {
		return "", false
	}
	var x ast.Expr
	switch e := e.(type) {
	case *ast.SelectorExpr:
		x = e.X
	case *ast.IndexExpr:
		x = e.X
	}
	outer, ok := f.place(x)
	return outer + " + " + off, ok
}

// sized reports whether the size of t does not depend on type arguments.
func sized(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return false
	case *types.Named:
		return sized(t.Underlying())
	case *types.Array:
		return sized(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if !sized(v.Type()) {
				return false
			}
		}
	}
	return true
}

// literalLabel returns the label of a composite literal: of a struct, or of the elements of an
// array or slice.
func (f *flower) literalLabel(lit *ast.CompositeLit) string {
	var parts []string
	unsized := func() string { // the offsets of the parts depend on type arguments
		var ls []string
		for _, el := range lit.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			ls = append(ls, f.label(el))
		}
		return f.lost(lit, ls...)
	}
	add := func(off, size int64, e ast.Expr) {
		if l := f.label(e); l != "0" {
			parts = append(parts, fmt.Sprintf("_hf.Part{Off: %d, N: %d, L: %s}", off, size, l))
		}
	}
	t := f.info.TypeOf(lit)
	if p, ok := core(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := core(t).(type) {
	case *types.Struct:
		if !sized(t) {
			return unsized()
		}
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			fields[i] = t.Field(i)
		}
		offs := gcSizes.Offsetsof(fields)
		for i, el := range lit.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					if v, ok := f.info.Uses[id].(*types.Var); ok {
						add(fieldOffset(t, v), gcSizes.Sizeof(v.Type()), kv.Value)
					}
				}
				continue
			}
			add(offs[i], gcSizes.Sizeof(fields[i].Type()), el)
		}
	case *types.Array:
		if !sized(t) {
			return unsized()
		}
		f.elementLabels(lit, t.Elem(), add)
	case *types.Slice:
		if !sized(t.Elem()) {
			return unsized()
		}
		f.elementLabels(lit, t.Elem(), add)
	}
	if len(parts) == 0 {
		return "0"
	}
	return "_hf.Struct(" + strings.Join(parts, ", ") + ")"
}

// fieldOffset returns the offset of a field in t. Since Go 1.27 the field may be promoted.
func fieldOffset(t *types.Struct, v *types.Var) int64 {
	_, path, _ := types.LookupFieldOrMethod(t, false, v.Pkg(), v.Name())
	off := int64(0)
	for _, i := range path {
		fields := make([]*types.Var, t.NumFields())
		for k := range fields {
			fields[k] = t.Field(k)
		}
		off += gcSizes.Offsetsof(fields)[i]
		t, _ = fields[i].Type().Underlying().(*types.Struct)
	}
	return off
}

func (f *flower) elementLabels(lit *ast.CompositeLit, elem types.Type,
	add func(off, size int64, e ast.Expr)) {
	size, i := gcSizes.Sizeof(elem), int64(0)
	for _, el := range lit.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			c, _ := f.constantOf(kv.Key)
			i, el = int64(c), kv.Value
		}
		add(i*size, size, el)
		i++
	}
}

// assignSymbolic rewrites x op= v, or x++ and x-- if v is nil. It returns false for other types
// than numbers and strings.
//
//	x += v      x, _hl1 = _hf.Num(x, _hl1, 0xc0, &_hv2) + (_hf.Num(v, _hl2, 0xc0, &_hv1)),
//	                _hf.Two(7, 0xc0, &_hv2, &_hv1)
func (f *flower) assignSymbolic(s ast.Stmt, x changing, op token.Token, v ast.Expr) bool {
	t := f.info.TypeOf(x.expr)
	if generic(t) {
		return f.assignGeneric(s, x, op, v)
	}
	k, isNum := num(t)
	if !isNum && !isString(t) || isNum && k == trace.Bool {
		return false
	}
	old := kept{val: f.newVal(), k: k}
	one := kept{value: 1, k: k}
	if isString(t) {
		site := f.branchSite(s.Pos(), x.expr)
		w, ok := f.keepText(v, 0, site)
		if !ok {
			return false
		}
		to := f.fn.newSlot()
		f.between(x.expr.End(), v.Pos(),
			fmt.Sprintf(", %s = _hf.Cat(_hf.Str(%s, %s, 0, &%s, %s) + (", x.target.name, x.text, x.label,
				old.val, site))
		f.after(s, fmt.Sprintf("), &%s, %s, %s, &%s), %s", old.val, w.operand(), site, to,
			x.right(to+".Get()")))
		return true
	}
	start := fmt.Sprintf(", %s = _hf.Num(%s, %s, %#x, &%s) %s ", x.target.name, x.text, x.label, uint8(k),
		old.val, op)
	if v == nil {
		f.replaceRange(x.expr.End(), s.End(), start+"1, "+x.right(two(arithmetic[op], k, old, one)))
		return true
	}
	w, ok := f.keepRight(op, v)
	if !ok {
		return false
	}
	f.between(x.expr.End(), v.Pos(), start+"(")
	f.after(s, "), "+x.right(two(arithmetic[op], k, old, w)))
	return true
}

// switchSymbolic attaches the constants of all cases to the tag. It returns false if a case is not
// a constant.
func (f *flower) switchSymbolic(s *ast.SwitchStmt) bool {
	k, isNum := num(f.info.TypeOf(s.Tag))
	if !isNum && !isString(f.info.TypeOf(s.Tag)) || isNum && k == trace.Bool || !f.wrappable(s.Tag) {
		return false
	}
	var cases []string
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			tv := f.info.Types[e]
			if v, ok := f.constantOf(e); ok {
				cases = append(cases, fmt.Sprintf("%#x", v))
			} else if tv.Value != nil && tv.Value.Kind() == constant.String {
				cases = append(cases, strconv.Quote(constant.StringVal(tv.Value)))
			} else {
				return false
			}
		}
	}
	if len(cases) == 0 {
		return false
	}
	site, l := f.branchSite(s.Switch, s.Tag), f.label(s.Tag)
	if isNum {
		f.wrap(s.Tag, "_hf.Switch(",
			fmt.Sprintf(", %s, %#x, %s, %s)", l, uint8(k), site, strings.Join(cases, ", ")))
	} else {
		f.wrap(s.Tag, "_hf.SwitchText(", fmt.Sprintf(", %s, %s, %s)", l, site, strings.Join(cases, ", ")))
	}
	return true
}

// rangeText rewrites the operand of a range over a string, and returns the statement that sets the
// label of the value at the start of the body.
func (f *flower) rangeText(s *ast.RangeStmt, name string) string {
	l := f.label(s.X)
	if l == "0" || !f.wrappable(s.X) {
		return ""
	}
	f.count++
	it := fmt.Sprintf("_hr%d", f.count)
	f.fn.runes = append(f.fn.runes, it)
	f.wrap(s.X, "_hf.Range(", ", "+l+", &"+it+", "+f.branchSite(s.For, s.X)+")")
	id, ok := s.Value.(*ast.Ident)
	if !ok || id.Name == "_" {
		return ""
	}
	if name == "" {
		return it + ".Next(" + id.Name + "); "
	}
	return name + " = " + it + ".Next(" + id.Name + "); "
}
