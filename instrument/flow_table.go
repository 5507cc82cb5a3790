package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"heddle/instrument/std"
)

// Tables: arrays of numbers, conditions and strings, or of structs of those, that are never
// written. Indices with equal elements are equivalent: if an index depends on the input, only the
// element it selects matters. See package flow's Row.

// tablesOf returns the tables among the package-level variables of pkg, whose files already have
// hooks, and those fields that package std knows.
func tablesOf(files []*ast.File, pkg *types.Package, info *types.Info) map[types.Object]bool {
	tables := map[types.Object]bool{}
	for _, name := range pkg.Scope().Names() {
		v, ok := pkg.Scope().Lookup(name).(*types.Var)
		if !ok || v.Exported() {
			continue
		}
		if a, ok := v.Type().Underlying().(*types.Array); ok && a.Len() > 0 && tabular(a.Elem()) {
			tables[v] = true
		}
	}
	for _, name := range std.Tables(pkg.Path()) {
		of, field, _ := strings.Cut(name, ".")
		obj, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(of).Type(), true, pkg, field)
		tables[obj] = true
	}
	if len(tables) == 0 {
		return nil
	}
	for _, f := range files {
		var above []ast.Node // the nodes around the current one, innermost last
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			id, _ := n.(*ast.Ident)
			if v, ok := info.Uses[id].(*types.Var); ok && !v.IsField() && tables[v] && !onlyRead(id, above) {
				delete(tables, v)
			}
			above = append(above, n)
			return true
		})
	}
	return tables
}

// table returns the text of the table that x[i] is an element of, or "". A field may be written
// where it is not known outside, so what has it is to be read now.
func (f *flower) table(e *ast.IndexExpr) string {
	switch x := ast.Unparen(e.X).(type) {
	case *ast.Ident:
		if f.tables[f.info.Uses[x]] {
			return x.Name
		}
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok && f.reads[e] && f.tables[f.info.Uses[x.Sel]] {
			return of.Name + "." + x.Sel.Name
		}
	}
	return ""
}

// tabular reports whether equal values of type t cannot be told apart.
func tabular(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean|types.IsString) != 0
	case *types.Struct:
		for f := range t.Fields() {
			if !tabular(f.Type()) || f.Name() == "_" {
				return false
			}
		}
		return true
	}
	return false
}

// onlyRead reports whether id, an array within the nodes above, is only read: an element of it,
// its length, or all elements in a range.
func onlyRead(id *ast.Ident, above []ast.Node) bool {
	top, index := ast.Node(id), false
	for i := len(above) - 1; i >= 0; i-- {
		switch x := above[i].(type) {
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if x.X != top {
				return index || top == id // it is an index: a value
			}
			index = true
		case *ast.SelectorExpr:
			if !index {
				return false
			}
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return index
			}
			call, ok := above[max(i-1, 0)].(*ast.CallExpr)
			// the latter puts it back as it was
			return ok && (index && (hooks(call, "R") || hooks(call, "V")) || hooks(call, "Globals"))
		case *ast.AssignStmt:
			for _, l := range x.Lhs {
				if l == top {
					return false
				}
			}
			return index
		case *ast.IncDecStmt:
			return false
		case *ast.RangeStmt:
			return x.X == top || index && x.Key != top && x.Value != top
		case *ast.CallExpr:
			f, ok := x.Fun.(*ast.Ident)
			return index || ok && (f.Name == "len" || f.Name == "cap")
		case *ast.SliceExpr:
			return index && x.X != top
		default:
			return index
		}
		top = above[i]
	}
	return false
}

// hooks reports whether call calls the given function of package hook.
func hooks(call *ast.CallExpr, name string) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := fun.X.(*ast.Ident)
	return ok && x.Name == "_hd" && fun.Sel.Name == name
}
