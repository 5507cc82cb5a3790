package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
)

// builtinLabel rewrites a call of a built-in function that is not a hook.
func (f *flower) builtinLabel(e *ast.CallExpr, name string) {
	switch name {
	case "unsafe.Sizeof", "unsafe.Offsetof", "unsafe.Alignof":
		return
	case "clear", "delete":
		f.mapWrite(e.Args[0], f.argLabels(e)...)
		if f.exprs() && name == "clear" && isMap(f.info.TypeOf(e.Args[0])) {
			f.wrap(e.Args[0], "_hf.Forget(", ")")
		}
		if f.exprs() && name == "delete" { // the choice of the key is a branch
			if call, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok && f.aux[call] != "" {
				f.wrap(call, "_hf.Deleting(", ", &"+f.aux[call]+")")
			}
			f.looked(&ast.IndexExpr{X: e.Args[0], Lbrack: e.Args[0].End(), Index: e.Args[1],
				Rbrack: e.Rparen})
		}
		return
	}
	l := f.argLabels(e)
	if f.exprs() {
		f.builtinSymbolic(e, name, l)
		return
	}
	if name == "make" {
		for _, n := range e.Args[1:] {
			f.check(f.label(n), n)
		}
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

// builtinSymbolic is builtinLabel with Mode.Exprs. l has the labels of the arguments.
func (f *flower) builtinSymbolic(e *ast.CallExpr, name string, l []string) {
	f.slot[e] = "0"
	switch name {
	case "panic":
		if x := e.Args[0]; l[0] != "0" && f.wrappable(x) {
			f.wrap(x, "_hf.Panics(", ", "+l[0]+")")
		}
	case "recover":
		if f.dropped == e {
			break
		}
		to, site := f.fn.newSlot(), f.sites.add("value", e.Pos(), "recover()", f.info.TypeOf(e))
		f.wrap(e, "_hf.Recovered(", ", &"+to+", "+site+")")
		f.slot[e] = to + ".Get()"
	case "cap":
		if !isArray(f.info.TypeOf(e.Args[0])) {
			f.fixLength(e.Args[0])
		}
	case "len":
		if !isArray(f.info.TypeOf(e.Args[0])) && l[0] != "0" {
			f.slot[e] = "_hf.Len(" + l[0] + ")"
		}
	default:
		rewrite := map[string]func(*ast.CallExpr, []string) bool{"append": f.quietAppend,
			"copy": f.quietCopy, "make": f.made, "min": f.extreme, "max": f.extreme}[name]
		if rewrite == nil || !rewrite(e, l) {
			f.loses(e, l...)
		}
	}
}

// Each of these functions returns false if it leaves the call as it is. Then the label is lost.

// quietAppend rewrites append(s, x, y) or append(s, t...) in code without hooks on memory. ls has
// the labels of the arguments.
func (f *flower) quietAppend(e *ast.CallExpr, ls []string) bool {
	s, ok := core(f.info.TypeOf(e)).(*types.Slice)
	if !ok || len(e.Args) < 2 || !f.wrappable(e.Args[0]) || !f.wrappable(e) || !sized(s.Elem()) {
		return false
	}
	added := ""
	if e.Ellipsis.IsValid() {
		_, param := types.Unalias(f.info.TypeOf(e.Args[1])).(*types.TypeParam)
		v, ok := kept{}, false
		if !param {
			v, ok = f.keepText(e.Args[1], 0, "0")
		}
		if !ok {
			return false
		}
		f.fixLength(e.Args[1]) // the result has another length
		added = v.operand() + ", 0, 0"
	} else {
		added = fmt.Sprintf("nil, %d, %s", len(e.Args)-1, f.appended(e, f.info.TypeOf(e.Args[0]), ls[1:]))
	}
	f.fixLength(e.Args[0])
	loc := f.fn.newLoc()
	f.wrap(e.Args[0], "_hf.Old(", ", &"+loc+")")
	f.wrap(e, "_hf.Appended(", ", &"+loc+", "+added+")")
	return true
}

// quietCopy rewrites copy(s, t) in code without hooks on memory. Both lengths are branches.
func (f *flower) quietCopy(e *ast.CallExpr, ls []string) bool {
	t := f.info.TypeOf(e.Args[1])
	if !f.quiet() || !isSlice(f.info.TypeOf(e.Args[0])) || !isSlice(t) && !isString(t) {
		return false
	}
	f.fixLength(e.Args[0])
	f.fixLength(e.Args[1])
	hook := "_hf.Copied"
	if isString(t) {
		hook = "_hf.CopiedText"
	}
	f.replace(e.Fun, hook)
	return true
}

// made rewrites make. Length and capacity are branches; the capacity of a map has no effect.
func (f *flower) made(e *ast.CallExpr, ls []string) bool {
	if isMap(f.info.TypeOf(e)) {
		return true
	}
	for i, l := range ls {
		n := e.Args[i+1] // the first argument, a type, has no label
		if k, ok := num(f.info.TypeOf(n)); l != "0" && ok && f.wrappable(n) {
			f.wrap(n, "_hf.Length(", fmt.Sprintf(", %s, %#x, %s)", l, uint8(k), f.branchSite(e.Pos(), n)))
		} else if l != "0" {
			return false
		}
	}
	return true
}

// extremes rewrites min and max of others: of more, of texts, and in generic code.
func (f *flower) extremes(e *ast.CallExpr) bool {
	if !f.wrappable(e) || f.info.Types[e].Value != nil {
		return false
	}
	t, site, operands := f.info.TypeOf(e), f.branchSite(e.Pos(), e), ""
	for _, a := range e.Args {
		_, isNum := numeric(f.info.TypeOf(a))
		x, ok := kept{}, false
		text := ""
		switch {
		case generic(t):
			text, ok = f.keepGeneric(a)
		case isString(t):
			if x, ok = f.keepText(a, 0, site); ok {
				text = x.operand()
			}
		case isNum || f.info.Types[a].Value != nil:
			k, _ := numeric(t)
			if v, isReal := f.realOf(a, k); isReal && k.Float() { // perhaps an untyped integer
				x, ok = kept{value: v}, true
			} else if x, ok = f.keep(a, "Num", ""); !ok {
				break
			}
			if text = "&" + x.val; x.val == "" {
				text = fmt.Sprintf("_hf.Number(%#x, %#x)", x.value, uint8(k))
			}
		}
		if !ok {
			return false
		}
		operands += ", " + text
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Extremes(",
		fmt.Sprintf(", %t, &%s, %s%s)", f.builtin(e.Fun) == "min", to, site, operands))
	f.slot[e] = to + ".Get()"
	return true
}

// extreme rewrites min and max of two integers. The choice between them is a branch.
func (f *flower) extreme(e *ast.CallExpr, ls []string) bool {
	k, ok := num(f.info.TypeOf(e))
	if len(e.Args) > 1 && (!ok || len(e.Args) > 2) {
		return f.extremes(e)
	}
	if !ok || len(e.Args) != 2 || f.anyOf(ls...) == "0" || !f.wrappable(e) {
		return false
	}
	x, okX := f.keep(e.Args[0], "Num", "")
	y, okY := f.keep(e.Args[1], "Num", "")
	if !okX || !okY {
		return false
	}
	operand := func(v kept) string {
		if v.val == "" {
			return fmt.Sprintf("_hf.Number(%#x, %#x)", v.value, uint8(k))
		}
		return "&" + v.val
	}
	to := f.fn.newSlot()
	f.wrap(e, "_hf.Extreme(",
		fmt.Sprintf(", %t, %s, %s, &%s, %s)", f.builtin(e.Fun) == "min", operand(x), operand(y), to,
			f.branchSite(e.Pos(), e)))
	f.slot[e] = to + ".Get()"
	return true
}
