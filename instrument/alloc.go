package instrument

import (
	"go/ast"
	"go/types"
)

// made announces what e allocates: hook is New, MadeMap, MadeSlice or MadeChan; shown is what the site shows.
func (r *rewriter) made(e ast.Expr, hook string, shown ast.Expr) {
	if !r.mem && !(hook == "New" && r.objects) || r.initial {
		return
	}
	if p, ok := core(r.info.TypeOf(e)).(*types.Pointer); ok && isEmpty(p.Elem()) {
		return // all of size zero are at one address
	}
	text := r.source(shown)
	if lit, ok := shown.(*ast.CompositeLit); ok && lit.Type != nil {
		text = r.source(lit.Type) + "{}"
	}
	r.wrap(e, "_hd."+hook+"(", ", "+r.sites.add("alloc", e.Pos(), text, r.info.TypeOf(e))+")")
}

func isEmpty(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// madeLiteral announces a map or slice literal.
func (r *rewriter) madeLiteral(lit *ast.CompositeLit) {
	switch core(r.info.TypeOf(lit)).(type) {
	case *types.Map:
		r.made(lit, "MadeMap", lit)
	case *types.Slice:
		if len(lit.Elts) > 0 {
			r.made(lit, "MadeSlice", lit)
		}
	}
}

// madeCall announces what make or new returned.
func (r *rewriter) madeCall(e *ast.CallExpr, name string) {
	if name == "new" {
		r.made(e, "New", e)
		return
	}
	switch core(r.info.TypeOf(e)).(type) {
	case *types.Chan:
		if r.initial {
			return
		}
		r.wrap(e, "_hd.MadeChan(", ", "+r.sites.add("alloc", e.Pos(), r.source(e), r.info.TypeOf(e))+")")
	case *types.Map:
		r.made(e, "MadeMap", e)
	case *types.Slice:
		r.made(e, "MadeSlice", e)
	}
}
