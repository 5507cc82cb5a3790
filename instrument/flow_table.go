package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Tables: arrays of numbers, conditions and strings, or of structs of those, that nobody writes to. What is found there is the same for
// all indices with equal elements, so which of them an index is that depends on the input need not be known: package flow's Row.

// tablesOf returns the tables among the package-level variables of pkg, whose files are rewritten for hooks already.
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
	if len(tables) == 0 {
		return nil
	}
	for _, f := range files {
		var above []ast.Node // of what is looked at, innermost last
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			if id, ok := n.(*ast.Ident); ok && tables[info.Uses[id]] && !onlyRead(id, above) {
				delete(tables, info.Uses[id])
			}
			above = append(above, n)
			return true
		})
	}
	return tables
}

// tabular reports whether values of type t are equal exactly if nobody can tell them apart.
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

// onlyRead reports whether the array id, with these nodes above it, is only read there: an element of it, how long it is, or all of them one after the other.
func onlyRead(id *ast.Ident, above []ast.Node) bool {
	top, index := ast.Node(id), false
	for i := len(above) - 1; i >= 0; i-- {
		switch x := above[i].(type) {
		case *ast.ParenExpr:
		case *ast.IndexExpr:
			if x.X != top {
				return index || top == id // it is an index itself: a value
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
			return ok && (index && (hooks(call, "R") || hooks(call, "V")) || hooks(call, "Globals")) // the latter puts it back as it was
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

// hooks reports whether a call is one of that function of package hook.
func hooks(call *ast.CallExpr, name string) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := fun.X.(*ast.Ident)
	return ok && x.Name == "_hd" && fun.Sel.Name == name
}
