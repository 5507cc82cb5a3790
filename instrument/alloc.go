package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// made wraps e, which allocates, in hook: New, MadeMap, MadeSlice or MadeChan. The position table
// shows shown.
func (r *rewriter) made(e ast.Expr, hook string, shown ast.Expr) {
	if !r.mem && !(hook == "New" && r.objects) || r.initial {
		return
	}
	if p, ok := core(r.info.TypeOf(e)).(*types.Pointer); ok && isEmpty(p.Elem()) {
		return // all values of size zero share one address
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

// madeLiteral announces the allocation of a map or slice literal.
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

// madeElided announces the allocation of an element {...} in a literal of pointers: it becomes
// _hd.New(&T{...}, S), or stays if T cannot be named here.
func (r *rewriter) madeElided(lit *ast.CompositeLit) {
	p, ok := core(r.info.TypeOf(lit)).(*types.Pointer)
	if !ok || !r.mem && !r.objects || r.initial || isEmpty(p.Elem()) {
		return
	}
	if name, ok := r.typeName(p.Elem(), lit.Pos()); ok {
		r.wrap(lit, "_hd.New(&"+name, ", "+r.sites.add("alloc", lit.Pos(), name+"{}", r.info.TypeOf(lit))+")")
	}
}

// typeName returns t as source text valid at pos. ok is false if t cannot be written there or has
// no name.
func (r *rewriter) typeName(t types.Type, pos token.Pos) (text string, ok bool) {
	switch t := t.(type) {
	case *types.Basic:
		return t.Name(), r.nameAt(t.Name(), pos) == types.Universe.Lookup(t.Name())
	case *types.Pointer:
		text, ok = r.typeName(t.Elem(), pos)
		return "*" + text, ok
	case *types.Slice:
		text, ok = r.typeName(t.Elem(), pos)
		return "[]" + text, ok
	case *types.TypeParam:
		return t.Obj().Name(), r.nameAt(t.Obj().Name(), pos) == t.Obj()
	case *types.Alias:
		return r.namedText(t.Obj(), t.TypeArgs(), pos)
	case *types.Named:
		return r.namedText(t.Obj(), t.TypeArgs(), pos)
	}
	return "", false
}

func (r *rewriter) namedText(obj *types.TypeName, args *types.TypeList,
	pos token.Pos) (text string, ok bool) {
	text = obj.Name()
	if obj.Pkg() == nil || obj.Pkg() == r.pkg {
		ok = r.nameAt(text, pos) == types.Object(obj)
	} else if obj.Exported() {
		text, ok = r.importedName(obj, pos)
	}
	for i := range args.Len() {
		arg, named := r.typeName(args.At(i), pos)
		ok = ok && named
		if i == 0 {
			text += "["
		} else {
			text += ", "
		}
		text += arg
	}
	if args.Len() > 0 {
		text += "]"
	}
	return text, ok
}

// importedName returns the text for obj, an object of another package, at pos.
func (r *rewriter) importedName(obj types.Object, pos token.Pos) (text string, ok bool) {
	for _, spec := range r.ast.Imports {
		p, _ := r.info.Implicits[spec].(*types.PkgName)
		if spec.Name != nil {
			p, _ = r.info.Defs[spec.Name].(*types.PkgName)
		}
		if p != nil && p.Imported() == obj.Pkg() && p.Name() != "." &&
			r.nameAt(p.Name(), pos) == types.Object(p) {
			return p.Name() + "." + obj.Name(), true
		}
	}
	return "", false
}

// nameAt returns the object that name denotes at pos.
func (r *rewriter) nameAt(name string, pos token.Pos) types.Object {
	scope := r.pkg.Scope().Innermost(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}

// madeCall announces the allocation of make or new.
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
