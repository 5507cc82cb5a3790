package instrument

import (
	"fmt"
	"go/ast"
	"go/types"

	"heddle/instrument/std"
)

// With Mode.Exprs labels are also kept in packages of the standard library that have no hooks on
// memory. There the pass itself wraps reads and writes through pointers, slices and package-level
// variables in calls of package flow.

// quiet reports whether the package has no hooks on memory.
func (f *flower) quiet() bool {
	_, memory, _ := std.Mode(f.in.ImportPath)
	return f.exprs() && f.in.Standard && !memory
}

// shares reports whether e is memory outside local variables.
func (f *flower) shares(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.StarExpr:
	case *ast.SelectorExpr:
		if sel := f.info.Selections[x]; sel != nil && sel.Kind() != types.FieldVal {
			return false
		}
	case *ast.IndexExpr:
		if t := f.info.TypeOf(x.X); isMap(t) || isString(t) {
			return false
		}
	default:
		return false
	}
	if !f.info.Types[e].Addressable() || f.fixed(e) {
		return false
	}
	v := rootVar(f.info, e)
	return v == nil || v.Parent() == f.pkg.Scope()
}

// quietRead rewrites e if it is such memory. Its operands are rewritten.
func (f *flower) quietRead(e ast.Expr) {
	if _, table := ast.Unparen(e).(*ast.Ident); table || !f.quiet() || !f.shares(e) {
		return
	}
	to := f.fn.newSlot()
	f.wrap(e, "(*_hf.Quiet(&", ", &"+to+"))")
	f.slot[e] = to + ".Get()"
}

// quietRange rewrites the operand of a range over a slice, and returns the statement that sets the
// label of the current element.
func (f *flower) quietRange(s *ast.RangeStmt) string {
	f.count++
	name := fmt.Sprintf("_hw%d", f.count)
	f.fn.walks = append(f.fn.walks, name)
	f.wrap(s.X, "_hf.Walked(", ", &"+name+")")
	return name + ".Next()"
}

// quietWrite rewrites e on the left side of an assignment if it is such memory. Its operands are
// rewritten.
func (f *flower) quietWrite(e ast.Expr) (t flowTarget, ok bool) {
	if !f.quiet() || !f.shares(e) {
		return flowTarget{}, false
	}
	loc := f.fn.newLoc()
	f.wrap(e, "(*_hf.Quietly(&", ", &"+loc+"))")
	return flowTarget{memo: "_hf.Stored(&" + loc + ", "}, true
}

// quietLiteral gives the memory that a literal makes its labels. e is the literal or its address.
func (f *flower) quietLiteral(e ast.Expr, lit *ast.CompositeLit, hook string) {
	delete(f.slot, lit)
	l := f.literalLabel(lit)
	f.slot[e] = "0"
	if l != "0" {
		f.wrap(e, "_hf."+hook+"(", ", "+l+")")
	}
}
