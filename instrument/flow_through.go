package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Branches without a condition: which method an interface has, which function a function value is,
// and what the runtime checks before it goes on or panics. With Mode.Exprs there are none: no input
// is sought for them.

// through makes a branch of a call through an interface or a function value, and of such an
// argument for code that is not rewritten. The operands are rewritten.
func (f *flower) through(e *ast.CallExpr, c *flowCall) {
	if c.recv != nil && f.dispatches(e.Fun) {
		f.branchOn("Type", c.recv)
	}
	if _, literal := ast.Unparen(e.Fun).(*ast.FuncLit); c.callee == nil && !literal {
		f.branchOn("Func", e.Fun)
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil &&
			f.info.Selections[sel].Kind() == types.MethodExpr && len(e.Args) > 0 && f.dispatches(e.Fun) {
			f.branchOn("Type", e.Args[0])
		}
	}
	if !c.foreign {
		return
	}
	for i, a := range e.Args {
		if i >= len(c.args) {
			return
		}
		switch t := core(f.info.TypeOf(a)).(type) {
		case *types.Signature:
			f.branchOn("Func", a)
		case *types.Interface:
			if t.NumMethods() > 0 {
				f.branchOn("Type", a)
			}
		}
	}
}

// dispatches reports whether fun is a method that an interface declares, which a type may have by
// embedding the interface.
func (f *flower) dispatches(fun ast.Expr) bool {
	sel, ok := named(fun).(*ast.SelectorExpr)
	if !ok || f.info.Selections[sel] == nil {
		return false
	}
	m, ok := f.info.Selections[sel].Obj().(*types.Func)
	return ok && m.Signature().Recv() != nil && types.IsInterface(m.Signature().Recv().Type())
}

// branchOn makes a branch of the value of e by a function of package flow.
func (f *flower) branchOn(function string, e ast.Expr) {
	if l := f.label(e); l != "0" && !f.exprs() && f.wrappable(e) {
		f.wrap(e, "_hf."+function+"(", ", "+l+", "+f.branchSite(e.Pos(), e)+")")
	}
}

// check makes a branch of a check of the runtime that depends on l. It is evaluated with the last
// of the operands that can be wrapped; some may be nil.
func (f *flower) check(l string, operands ...ast.Expr) {
	if l == "0" || f.exprs() {
		return
	}
	for _, e := range slices.Backward(operands) {
		if e != nil && f.wrappable(e) && f.info.Types[e].Value == nil {
			f.wrap(e, "_hf.Check(", ", "+l+", "+f.branchSite(e.Pos(), e)+")")
			return
		}
	}
}

// checkIndex makes a branch of the check of an index, if e has one.
func (f *flower) checkIndex(e *ast.IndexExpr) {
	l := union(f.label(e.X), f.label(e.Index))
	switch t := core(f.info.TypeOf(e.X)).(type) {
	case *types.Array:
		f.check(f.label(e.Index), e.Index)
	case *types.Slice, *types.Pointer:
		f.check(l, e.X, e.Index)
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			f.check(l, e.X, e.Index)
		}
	}
}

// checkOperator makes a branch of the check of the right operand, if the operator has one.
func (f *flower) checkOperator(op token.Token, x, y ast.Expr) {
	b, ok := core(f.info.TypeOf(y)).(*types.Basic)
	if !ok {
		return
	}
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		if b.Info()&types.IsInteger != 0 {
			f.check(f.label(y), y)
		}
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		if b.Info()&types.IsUnsigned == 0 {
			f.check(f.label(y), y)
		}
	}
}

// locates reports whether a hook takes the address of e: the hook has the label of the address, so
// that nothing else needs to record the check.
func (f *flower) locates(e ast.Expr) bool {
	if f.located == nil || f.located != e {
		return false
	}
	f.located = nil
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if !isPointer(f.info.TypeOf(e.X)) {
			f.located = ast.Unparen(e.X)
		}
	case *ast.IndexExpr:
		if isArray(f.info.TypeOf(e.X)) {
			f.located = ast.Unparen(e.X)
		}
	}
	return true
}
