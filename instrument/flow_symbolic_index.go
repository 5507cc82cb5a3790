package instrument

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strconv"
)

// Indexes, keys of maps and bounds of slices (Mode.Exprs). Whether one is in range is a branch.

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
			elem, isNum := num(t.Elem())
			switch table := f.table(e); {
			case table != "" && isNum:
				hook, of = "IndexRow", table+"[:]"
				f.slot[e] = fmt.Sprintf("_hf.Row(&%s, %d, %#x, %s)", v, t.Len(), uint8(elem),
					f.branchSite(e.Pos(), e))
			case table != "":
				hook, of = "Rows", table+"[:]"
			case isNum && f.quiet() && f.shares(e) && f.stays != e:
				hook = "IndexT"
				f.cells[e] = fmt.Sprintf(", &%s, %d, %#x, ", v, t.Len(), uint8(elem))
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
		if !isString(f.info.TypeOf(e.X)) && !textual(f.info.TypeOf(e.X)) {
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
	tx := f.info.TypeOf(e.X)
	text := isString(tx) || isBytes(tx) || textual(tx) // bytes are read without a hook here
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
		n := len(constant.StringVal(f.info.Types[e.X].Value))
		f.wrap(e.Index, "_hf.IndexT(", fmt.Sprintf(", %s, %#x, %d, &%s, %s)", li, uint8(k), n, v, site))
		f.slot[e] = fmt.Sprintf("_hf.RowText(%s, &%s, %s)", x.text, v, site)
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
		name := f.newEntry()
		f.wrap(e, "_hf.InMap(", ", &"+name+")")
		f.aux[e] = name
	}
}

// newEntry returns a variable for an entry of a map.
func (f *flower) newEntry() string {
	f.fn.entries++
	f.fn.maxEntries = max(f.fn.maxEntries, f.fn.entries)
	return fmt.Sprintf("_he%d", f.fn.entries)
}

// looked rewrites m[k], whose operands are rewritten. The value of the key is a branch. It returns
// the name of the entry, or "" if the entry is not followed.
func (f *flower) looked(e *ast.IndexExpr) string {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok || f.aux[call] == "" {
		return ""
	}
	l, name := f.label(e.Index), f.aux[call]
	if t, ok := core(f.info.TypeOf(call)).(*types.Map); !ok ||
		!types.Identical(t.Key(), f.info.TypeOf(e.Index)) {
		f.content(e.Index)
		f.vanish(e.Index, f.lost(e.Index, l), l)
		f.reachesMap(call)
		return "" // converted to an interface before
	}
	site := f.branchSite(e.Pos(), e)
	if c := f.info.Types[e.Index].Value; c != nil {
		k, _ := num(f.info.TypeOf(e.Index))
		v, ok := f.constantOf(e.Index)
		switch {
		case ok && k != 0:
			f.wrap(e.X, "_hf.AtNum(",
				fmt.Sprintf(", %#x, %#x, &%s, %s)", uint64(k.Mask(v)), uint8(k), name, site))
			return name
		case c.Kind() == constant.String:
			f.wrap(e.X, "_hf.AtText(",
				fmt.Sprintf(", %s, &%s, %s)", strconv.Quote(constant.StringVal(c)), name, site))
			return name
		}
	}
	if !f.wrappable(e.Index) {
		f.content(e.Index)
		f.vanish(e.Index, f.lost(e.Index, l), l)
		f.reachesMap(call)
		return ""
	}
	f.wrap(e.Index, "_hf.Key(", fmt.Sprintf(", %s, &%s, %s)", l, name, site))
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
	if _, ok := t.(*types.Slice); !ok && !isString(f.info.TypeOf(e.X)) && !textual(f.info.TypeOf(e.X)) ||
		e.Max != nil {
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
