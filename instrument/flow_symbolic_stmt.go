package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"math"
	"strconv"
	"strings"

	"heddle/trace"
)

// Statements with Mode.Exprs: assignments by an operator, switches, ranges over text.

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
	k, isNum := numeric(t)
	if !isNum && !isString(t) || isNum && k == trace.Bool {
		return false
	}
	old := kept{val: f.newVal(), k: k}
	one, hook := kept{value: 1, k: k}, "Real"
	switch k {
	case trace.Float32:
		one.value = uint64(math.Float32bits(1))
	case trace.Float64:
		one.value = math.Float64bits(1)
	default:
		hook = "Num"
	}
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
	start := fmt.Sprintf(", %s = _hf.%s(%s, %s, %#x, &%s) %s ", x.target.name, hook, x.text, x.label,
		uint8(k), old.val, op)
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
	k, isNum := numeric(f.info.TypeOf(s.Tag))
	if !isNum && !isString(f.info.TypeOf(s.Tag)) || isNum && k == trace.Bool || !f.wrappable(s.Tag) {
		return false
	}
	var cases []string
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			tv := f.info.Types[e]
			if k.Float() {
				v, ok := f.realOf(e, k)
				if !ok {
					return false
				}
				cases = append(cases, fmt.Sprintf("%#x", v))
			} else if v, ok := f.constantOf(e); ok {
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
		hook := "_hf.Switch("
		if k.Float() {
			hook = "_hf.SwitchReal("
		}
		f.wrap(s.Tag, hook,
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
