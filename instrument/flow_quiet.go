package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"heddle/instrument/std"
)

// With Mode.Exprs labels are also kept in packages of the standard library that have no hooks on
// memory. There the pass itself wraps reads and writes through pointers, slices and package-level
// variables in calls of package flow.

// quiet reports whether the function has no hooks on memory.
func (f *flower) quiet() bool {
	_, memory, _ := std.Mode(f.in.ImportPath)
	return f.exprs() && f.in.Standard && !(memory && std.Accesses(f.in.ImportPath, f.decl))
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
	return v == nil || v.Parent() == f.pkg.Scope() || f.addressed[v]
}

// inMemory notes the local variables of a function without hooks that have their labels by address
// all the same: those whose address is taken, and those that a function literal shares.
func (f *flower) inMemory(d *ast.FuncDecl) {
	f.addressed = map[*types.Var]bool{}
	if !f.quiet() || d.Body == nil {
		return
	}
	note := func(e ast.Expr) {
		if v := rootVar(f.info, e); v != nil && !v.IsField() && v.Pkg() == f.pkg &&
			v.Parent() != f.pkg.Scope() {
			f.addressed[v] = true
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X)
			}
		case *ast.SliceExpr:
			if isArray(f.info.TypeOf(n.X)) {
				note(n.X)
			}
		case *ast.SelectorExpr:
			if sel := f.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && takesAddress(sel) {
				note(n.X)
			}
		case *ast.FuncLit:
			f.shared(d, n, note)
		}
		return true
	})
	for v := range f.addressed {
		f.hooks[v] = true
	}
}

// shared calls note with the variables of d that lit uses, declared outside of it, if they are
// assigned anywhere but where they are declared.
func (f *flower) shared(d *ast.FuncDecl, lit *ast.FuncLit, note func(ast.Expr)) {
	used := map[*types.Var]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.info.Uses[id].(*types.Var); ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End()) {
				used[v] = true
			}
		}
		return true
	})
	written := func(e ast.Expr) {
		if v := rootVar(f.info, e); v != nil && used[v] {
			note(e)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); !ok || f.info.Defs[id] == nil {
					written(l)
				}
			}
		case *ast.IncDecStmt:
			written(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				written(n.Key)
				written(n.Value)
			}
		}
		return true
	})
}

// stored returns the statement that gives v its label l if v has it by address, with a semicolon
// before it, else "".
func (f *flower) stored(v *types.Var, l string) string {
	if !f.addressed[v] {
		return ""
	}
	return "; _hf.SetAt(_hf.Heap(&" + v.Name() + "), " + l + ")"
}

// quietRead rewrites e if it is such memory. Its operands are rewritten.
func (f *flower) quietRead(e ast.Expr) {
	_, isName := ast.Unparen(e).(*ast.Ident)
	if isName || !f.quiet() || !f.shares(e) || strings.HasPrefix(f.slot[e], "_hf.Row(") {
		return
	}
	to := f.fn.newSlot()
	if cell := f.cells[e]; cell != "" {
		f.wrap(e, "(*_hf.Cell(&", cell+"&"+to+", "+f.branchSite(e.Pos(), e)+"))")
	} else {
		f.wrap(e, "(*_hf.Quiet(&", ", &"+to+"))")
	}
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
