package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"heddle/trace"
)

// same rewrites == and != of arrays, structs and interfaces, whose operands are rewritten. It
// returns false for others.
//
//	p == q      _hf.Side(p, _hl1, &_hc1) == _hf.Side(q, _hl2, &_hc1)      label: _hf.Same(&_hc1, S)
func (f *flower) same(e *ast.BinaryExpr) bool {
	if e.Op != token.EQL && e.Op != token.NEQ {
		return false
	}
	x, y := f.info.TypeOf(e.X), f.info.TypeOf(e.Y)
	if f.info.Types[e.X].IsNil() || f.info.Types[e.Y].IsNil() {
		// whether an interface is nil depends on branches alone
		return types.IsInterface(x) && !isParam(x) || types.IsInterface(y) && !isParam(y)
	}
	whole := func(t types.Type) bool {
		return t != nil && !isParam(t) && (composed(t) || isArray(t) && !isPointer(t))
	}
	if !whole(x) && !whole(y) || isParam(x) || isParam(y) || !f.side(e.X, y) || !f.side(e.Y, x) {
		return false
	}
	c := f.fn.newCall()
	f.wrap(e.X, "_hf.Side(", ", "+f.label(e.X)+", &"+c+")")
	f.wrap(e.Y, "_hf.Side(", ", "+f.label(e.Y)+", &"+c+")")
	site := f.branchSite(e.Pos(), e)
	f.slot[e] = compare(e.Op, false, func(trace.FlowOp, bool) string {
		return "_hf.Same(&" + c + ", " + site + ")"
	})
	return true
}

// side reports whether x can be kept as one side of a comparison with a value of type other: a
// constant has the type there that it gets by itself.
func (f *flower) side(x ast.Expr, other types.Type) bool {
	if f.info.Types[x].Value != nil {
		b, ok := f.info.TypeOf(x).Underlying().(*types.Basic)
		return ok && b.Info()&types.IsUntyped == 0 && types.IsInterface(other)
	}
	return f.wrappable(x)
}

// deeplySame rewrites a call of reflect.DeepEqual. It returns false for others, and where an
// operand cannot be kept.
//
//	reflect.DeepEqual(p, q)
//	_hf.Deep(reflect.DeepEqual(_hf.Tag(p, _hl1, &_hc1), _hf.Side(q, _hl2, &_hc1)), &_hc1, S, &_hs1)
func (f *flower) deeplySame(e *ast.CallExpr) bool {
	fn := f.callee(e.Fun)
	if !f.exprs() || fn == nil || fn.FullName() != "reflect.DeepEqual" || len(e.Args) != 2 {
		return false
	}
	for _, a := range e.Args {
		if f.info.Types[a].IsNil() || !f.side(a, fn.Signature().Params().At(0).Type()) {
			return false
		}
	}
	ls := f.argLabels(e)
	c, to := f.fn.newCall(), f.fn.newSlot()
	f.wrap(e.Args[0], "_hf.Tag(", ", "+ls[0]+", &"+c+")")
	f.wrap(e.Args[1], "_hf.Side(", ", "+ls[1]+", &"+c+")")
	f.wrap(e, "_hf.Deep(", ", &"+c+", "+f.branchSite(e.Pos(), e)+", &"+to+")")
	f.slot[e] = to + ".Get()"
	return true
}

// bitsNames are the functions of package math/bits whose results are expressions: see package
// flow's Bits. Their names end in the width.
var bitsNames = map[string]int{"OnesCount": 0, "Len": 1, "LeadingZeros": 2, "TrailingZeros": 3,
	"Reverse": 4, "ReverseBytes": 5, "RotateLeft": 6}

// bits rewrites a call of one of these functions. It returns false for others.
func (f *flower) bits(e *ast.CallExpr) bool {
	fn := f.callee(e.Fun)
	if !f.exprs() || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math/bits" {
		return false
	}
	which, ok := bitsNames[strings.TrimRight(fn.Name(), "0123456789")]
	if !ok {
		return false
	}
	ls := f.argLabels(e)
	f.slot[e] = "0"
	if f.anyOf(ls...) == "0" {
		return true
	}
	k, _ := num(f.info.TypeOf(e))
	operands, ok := f.operandsOf(e.Args)
	if !ok {
		f.loses(e, ls...)
		return true
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Bits(",
		fmt.Sprintf(", %d, %#x, %s, %s, &%s)", which, uint8(k), operands[0], operands[1], to))
	f.slot[e] = to + ".Get()"
	return true
}

// operandsOf keeps the one or two arguments of a function of numbers, and returns their Vals; one
// that is missing is 0. ok is false if they cannot be kept.
func (f *flower) operandsOf(args []ast.Expr) (operands [2]string, ok bool) {
	operands = [2]string{"_hf.Number(0, 0x40)", "_hf.Number(0, 0x40)"}
	for i, a := range args {
		x, ok := f.keep(a, "Num", "")
		if !ok {
			return operands, false
		}
		operands[i] = "&" + x.val
		if x.val == "" {
			operands[i] = fmt.Sprintf("_hf.Number(%#x, %#x)", x.value, uint8(x.k))
		}
	}
	return operands, true
}

// sprints rewrites a call of fmt.Sprintf with a constant format, Sprint or Sprintln, of numbers,
// conditions and strings without methods. It returns false for others.
func (f *flower) sprints(e *ast.CallExpr) bool {
	fn := f.callee(e.Fun)
	if !f.exprs() || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || e.Ellipsis.IsValid() ||
		f.dropped == e {
		return false
	}
	args, format := e.Args, ""
	switch fn.Name() {
	case "Sprintf":
		c := f.info.Types[args[0]].Value
		if c == nil || c.Kind() != constant.String {
			return false
		}
		args, format = args[1:], constant.StringVal(c)
	case "Sprint", "Sprintln":
		format = f.formatOf(args, fn.Name() == "Sprintln")
	default:
		return false
	}
	for _, a := range args {
		t := f.info.TypeOf(a)
		if !f.spelled(t) && f.leads(t) || !f.wrappable(a) && f.info.Types[a].Value == nil {
			return false
		}
	}
	if !f.formats(format, args) {
		return false
	}
	site := f.branchSite(e.Pos(), e)
	operands, followed := "", false
	for _, a := range args {
		f.expr(a)
		x := f.printed(a, site)
		followed = followed || strings.HasPrefix(x, "&")
		operands += ", " + x
	}
	f.slot[e] = "0"
	if !followed {
		return true
	}
	for i := len(args) - 1; i >= 0; i-- {
		if f.wrappable(args[i]) {
			f.wrap(args[i], "_hf.Summed(", ")")
			break
		}
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Sprintf(", ", "+strconv.Quote(format)+", "+site+", &"+to+operands+")")
	f.slot[e] = to + ".Get()"
	return true
}

// formats reports whether package flow knows what a format makes of arguments: of each, in order,
// with flags 0 and - and a width. Else the source of package fmt is followed.
func (f *flower) formats(format string, args []ast.Expr) bool {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		begin := i + 1
		for i++; i < len(format) && strings.IndexByte("0123456789-", format[i]) >= 0; i++ {
		}
		if i == len(format) {
			return false
		}
		if format[i] == '%' {
			continue
		}
		if len(args) == 0 {
			return false
		}
		verbs := "dvxob"
		switch b, _ := core(f.info.TypeOf(args[0])).(*types.Basic); {
		case b == nil || b.Info()&(types.IsInteger|types.IsBoolean|types.IsString) == 0:
			verbs = ""
		case b.Info()&types.IsString != 0:
			verbs = "sv"
		case b.Info()&types.IsBoolean != 0:
			verbs = "tv"
		}
		if strings.IndexByte(verbs, format[i]) < 0 || verbs != "dvxob" && begin < i {
			return false
		}
		args = args[1:]
	}
	return len(args) == 0
}

// printed keeps an argument that is printed, and returns it as an operand.
func (f *flower) printed(a ast.Expr, site string) string {
	l, t := f.label(a), f.info.TypeOf(a)
	k, isNum := numeric(t)
	switch x, ok := (kept{}), false; {
	case k.Float() && (f.info.Types[a].Value != nil || l == "0"):
		return "nil"
	case f.info.Types[a].Value != nil && isString(t):
		return "_hf.Const(" + strconv.Quote(constant.StringVal(f.info.Types[a].Value)) + ")"
	case f.info.Types[a].Value != nil && f.spelled(t):
		if v, ok := f.constantOf(a); ok {
			if !isNum {
				k = trace.Int
			}
			return fmt.Sprintf("_hf.Number(%#x, %#x)", v, uint8(k))
		}
	case !f.spelled(t):
	case isString(t):
		if x, ok = f.keepText(a, 0, site); ok {
			return "&" + x.val
		}
	case l != "0":
		if x, ok = f.keep(a, "Num", ""); ok {
			return "&" + x.val
		}
	case isNum:
		x, _ = f.keep(a, "Num", "")
		return "&" + x.val
	}
	f.vanish(a, f.lost(a, l), l)
	return "nil"
}

// spelled reports whether fmt prints a value of type t by its value alone: a number, condition or
// string without methods for that.
func (f *flower) spelled(t types.Type) bool {
	b, ok := core(t).(*types.Basic)
	if !ok || isParam(t) || b.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean|types.IsString) == 0 ||
		b.Kind() == types.Uintptr {
		return false
	}
	for name := range formats {
		if m, _, _ := types.LookupFieldOrMethod(t, false, nil, name); m != nil {
			return false
		}
	}
	return true
}

// formatOf returns the format with which fmt.Sprintf prints what Sprint, or Sprintln, does.
func (f *flower) formatOf(args []ast.Expr, lines bool) string {
	format := ""
	for i, a := range args {
		if i > 0 && (lines || !isString(f.info.TypeOf(a)) && !isString(f.info.TypeOf(args[i-1]))) {
			format += " "
		}
		format += "%v"
	}
	if lines {
		format += "\n"
	}
	return format
}
