package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"heddle/trace"
)

// A reflection says what package flow does with a call of package reflect; how is "" if it depends
// on types alone. k is the kind of the number that goes in or comes out.
type reflection struct {
	how string
	k   trace.Num
}

// reflections are the functions and methods of package reflect that are followed. The label of what
// a reflect.Value refers to is that of its memory.
var reflections = map[string]reflection{
	"ValueOf": {how: "Boxed"}, "TypeOf": {}, "Indirect": {},

	"Value.Int": {"Inner", trace.Int}, "Value.Uint": {"Inner", trace.NumOf(64, false)},
	"Value.Float": {"Inner", trace.Float64}, "Value.Bool": {"Inner", trace.Bool},
	"Value.String": {how: "Inner"}, "Value.Bytes": {how: "Inner"}, "Value.Interface": {how: "Inner"},
	"Value.Len": {how: "InnerLen"},

	"Value.Field": {how: "Inside"}, "Value.FieldByName": {how: "Inside"}, "Value.Index": {how: "Inside"},
	"Value.Elem": {how: "Inside"},

	"Value.SetInt": {"Puts[int64]", trace.Int}, "Value.SetUint": {"Puts[uint64]", trace.NumOf(64, false)},
	"Value.SetFloat": {"Puts[float64]", trace.Float64}, "Value.SetBool": {"Puts[bool]", trace.Bool},
	"Value.SetString": {how: "Puts[string]"}, "Value.SetBytes": {how: "Puts[[]byte]"},
	"Value.Set": {how: "PutsValue"},

	"Value.Kind": {}, "Value.Type": {}, "Value.NumField": {}, "Value.NumMethod": {}, "Value.IsValid": {},
	"Value.CanAddr": {}, "Value.CanSet": {}, "Value.CanInterface": {}, "Value.CanInt": {},
	"Value.CanUint": {}, "Value.CanFloat": {},
}

// reflects rewrites a call of one of these. It returns false for others.
//
//	v.Int()        _hf.Inner(_hf.Tag(v, _hl1, &_hc1).Int(), K, &_hc1, S, &_hs1)
//	v.Field(i)     _hf.Inside(_hf.Tag(v, _hl1, &_hc1).Field(i), _hl2, &_hc1, S)
//	v.SetInt(n)    _hf.Tag(v, _hl1, &_hc1).SetInt(_hf.Puts[int64](n, _hl2, K, &_hc1, S))
//	               _hf.Back(&_hc1, true)
func (f *flower) reflects(e *ast.CallExpr) bool {
	fn := f.callee(e.Fun)
	if !f.exprs() || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "reflect" || e.Ellipsis.IsValid() {
		return false
	}
	name, held := fn.Name(), ast.Expr(nil)
	if recv := fn.Signature().Recv(); recv != nil {
		sel, ok := named(e.Fun).(*ast.SelectorExpr)
		if !ok || f.info.Selections[sel] == nil || f.info.Selections[sel].Kind() != types.MethodVal ||
			len(f.info.Selections[sel].Index()) != 1 {
			return false
		}
		name, held = typeName(recv.Type())+"."+name, sel.X
	}
	r, ok := reflections[name]
	if !ok || len(e.Args) != fn.Signature().Params().Len() {
		return false
	}
	if strings.HasPrefix(r.how, "Puts") && f.dropped != e {
		return false
	}
	if name == "ValueOf" {
		if held = e.Args[0]; !f.side(held, fn.Signature().Params().At(0).Type()) {
			return false
		}
	}
	l := "0"
	if held != nil && name != "ValueOf" {
		f.expr(held)
		l = f.label(held)
	}
	ls := f.argLabels(e)
	f.slot[e] = "0"
	if name == "ValueOf" {
		l, ls = ls[0], nil
	}
	if r.how == "" {
		return true
	}
	c, site := f.fn.newCall(), f.branchSite(e.Pos(), e)
	f.wrap(held, "_hf.Tag(", ", "+l+", &"+c+")")
	switch {
	case strings.HasPrefix(r.how, "Puts"):
		f.wrap(e.Args[0], "_hf."+r.how+"(", fmt.Sprintf(", %s, %#x, &%s, %s)", ls[0], uint8(r.k), c, site))
		f.aux[e] = "&" + c + ", true"
	case r.how == "Inside" || r.how == "Boxed":
		f.wrap(e, "_hf."+r.how+"(", fmt.Sprintf(", %s, &%s, %s)", f.anyOf(ls...), c, site))
	default:
		to := f.fn.newSlot()
		f.wrap(e, "_hf."+r.how+"(", fmt.Sprintf(", %#x, &%s, %s, &%s)", uint8(r.k), c, site, to))
		f.slot[e] = to + ".Get()"
	}
	return true
}
