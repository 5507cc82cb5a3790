package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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
	if !whole(x) && !whole(y) || isParam(x) || isParam(y) || !f.wrappable(e.X) || !f.wrappable(e.Y) ||
		f.info.Types[e.X].Value != nil || f.info.Types[e.Y].Value != nil {
		return false
	}
	c := f.fn.newCall()
	f.wrap(e.X, "_hf.Side(", ", "+f.label(e.X)+", &"+c+")")
	f.wrap(e.Y, "_hf.Side(", ", "+f.label(e.Y)+", &"+c+")")
	site := f.branchSite(e.Pos(), e)
	f.slot[e] = compare(e.Op, func(trace.FlowOp, bool) string { return "_hf.Same(&" + c + ", " + site + ")" })
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
	operands := []string{"_hf.Number(0, 0x40)", "_hf.Number(0, 0x40)"}
	for i, a := range e.Args {
		t := fn.Signature().Params().At(i).Type()
		x, ok := f.keep(a, "Num", "")
		if !ok {
			f.loses(e, ls...)
			return true
		}
		operands[i] = "&" + x.val
		if x.val == "" {
			k, _ := num(t)
			operands[i] = fmt.Sprintf("_hf.Number(%#x, %#x)", x.value, uint8(k))
		}
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Bits(",
		fmt.Sprintf(", %d, %#x, %s, %s, &%s)", which, uint8(k), operands[0], operands[1], to))
	f.slot[e] = to + ".Get()"
	return true
}
