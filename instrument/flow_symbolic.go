package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
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

// numeric is num for floats too.
func numeric(t types.Type) (k trace.Num, ok bool) {
	if b, isBasic := core(t).(*types.Basic); isBasic {
		switch b.Kind() {
		case types.Float32:
			return trace.Float32, true
		case types.Float64:
			return trace.Float64, true
		}
	}
	return num(t)
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

// realOf returns the bits of a constant as a float of the type k.
func (f *flower) realOf(e ast.Expr, k trace.Num) (v uint64, ok bool) {
	c := f.info.Types[e].Value
	if c == nil {
		return 0, false
	}
	if c = constant.ToFloat(c); c.Kind() != constant.Float {
		return 0, false
	}
	if k == trace.Float32 {
		x, _ := constant.Float32Val(c)
		return uint64(math.Float32bits(x)), true
	}
	x, _ := constant.Float64Val(c)
	return math.Float64bits(x), true
}

// keep keeps the value of e, a number or condition that is rewritten. ok is false if that is
// impossible. with has further arguments for the function of package flow.
func (f *flower) keep(e ast.Expr, hook, with string) (x kept, ok bool) {
	k, isNum := numeric(f.info.TypeOf(e))
	if k.Float() {
		if v, ok := f.realOf(e, k); ok || f.info.Types[e].Value != nil {
			return kept{value: v, k: k}, ok
		}
		hook, with = "Real", ""
	}
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
	if textual(f.info.TypeOf(e)) {
		hook = "Chars"
	} else if !isString(f.info.TypeOf(e)) {
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

// compare returns the label of a comparison, made by of from == and <, and from <= if the operands
// may be floats, of which not all are in order.
func compare(op token.Token, floats bool, of func(op trace.FlowOp, swap bool) string) string {
	not := func(l string) string {
		if l == "0" {
			return l
		}
		return "_hf.Invert(" + l + ")"
	}
	switch {
	case op == token.LEQ && floats:
		return of(trace.FlowLeq, false)
	case op == token.GEQ && floats:
		return of(trace.FlowLeq, true)
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
	if f.same(e) {
		return
	}
	parameters := generic(f.info.TypeOf(e.X)) && generic(f.info.TypeOf(e.Y))
	if composed(f.info.TypeOf(e.X)) && composed(f.info.TypeOf(e.Y)) && !parameters {
		f.content(e.X) // texts in them have labels by address
		f.content(e.Y)
	}
	// their bytes have labels by address
	texts := isString(f.info.TypeOf(e.X)) && f.info.Types[e].Value == nil
	if lx == "0" && ly == "0" && !texts && !parameters {
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
	k, ok := numeric(f.info.TypeOf(e.X))
	_, okY := numeric(f.info.TypeOf(e.Y))
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
	f.slot[e] = compare(e.Op, k.Float(), func(op trace.FlowOp, swap bool) string {
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
		f.slot[e] = compare(e.Op, false, func(op trace.FlowOp, swap bool) string {
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
	if _, ok := numeric(f.info.TypeOf(e.X)); !ok && !generic(f.info.TypeOf(e.X)) {
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
	runes := (isString(to) && isRunes(from) || isRunes(to) && isString(from)) && f.info.Types[x].Value == nil
	texts = texts || runes || isArray(to) && isSlice(from) || isString(to) && textual(from)
	if l == "0" && !texts {
		return
	}
	k, isNum := numeric(to)
	was, wasNum := numeric(from)
	switch {
	case isNum && was.Float() && !k.Float():
		f.slot[e] = fmt.Sprintf("_hf.Truncate(%s, %#x, %s)", l, uint8(k), f.branchSite(e.Pos(), e))
	case isNum && (wasNum || generic(from)):
		f.slot[e] = fmt.Sprintf("_hf.Conv(%s, %#x)", l, uint8(k))
	case generic(to) && (wasNum || generic(from)):
		slot := f.fn.newSlot()
		f.wrap(e, "_hf.GenericConv(", ", "+l+", &"+slot+")")
		f.slot[e] = slot + ".Get()"
	case types.IsInterface(to) || types.Identical(from.Underlying(), to.Underlying()),
		isPointer(to) && isPointer(from):
		f.slot[e] = l
	case isString(to) && (isString(from) || isBytes(from) || textual(from)), isBytes(to) && isString(from):
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
	case isArray(to) && isSlice(from): // or a pointer to one
		p, pointer := core(to).(*types.Pointer)
		if pointer {
			to = p.Elem()
		}
		n := core(to).(*types.Array).Len()
		v, ok := f.keepText(x, uint64(n), f.branchSite(e.Pos(), e))
		switch {
		case !ok || !pointer && !sized(to):
			f.loses(e, l)
			return
		case pointer:
			return
		}
		f.slot[e] = fmt.Sprintf("_hf.Elems(&%s, %d)", v.val, gcSizes.Sizeof(to))
	case isString(to) && wasNum: // a rune
		x, ok := f.keep(x, "Num", "")
		if !ok || x.val == "" {
			f.loses(e, l)
			return
		}
		slot := f.fn.newSlot()
		f.wrap(e, "_hf.OfRune(", ", &"+x.val+", "+f.branchSite(e.Pos(), e)+", &"+slot+")")
		f.slot[e] = slot + ".Get()"
	case runes && isString(to), runes && isString(from):
		v, ok := f.keepText(x, 0, f.branchSite(e.Pos(), e))
		if !ok || v.val == "" {
			f.loses(e, l)
			return
		}
		hook := "ToRunes"
		if isString(to) {
			hook = "OfRunes"
		}
		f.wrap(e, "_hf."+hook+"(", ", &"+v.val+", "+f.branchSite(e.Pos(), e)+")")
	default:
		f.loses(e, l)
	}
}

// isRunes reports whether t is a slice of runes.
func isRunes(t types.Type) bool { return isSliceOf(t, types.Int32) }

func isBytes(t types.Type) bool { return isSliceOf(t, types.Byte) }

func isSliceOf(t types.Type, kind types.BasicKind) bool {
	s, ok := core(t).(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == kind
}
