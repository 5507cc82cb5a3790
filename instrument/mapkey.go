package instrument

import (
	"go/ast"
	"go/types"
)

// A mapKey is the text around a key that tells it: _hd.K(k, false, S), or _hd.KT(k, S).
type mapKey struct{ before, after string }

// of returns the text for the key k of an access at site.
func (m mapKey) of(k, site string) string { return m.before + k + m.after + site + ")" }

// entry returns how the key of m[k] is told. ok is false if it is not: two keys of its type may be
// equal though their bytes differ, or it has another type than the map's keys. Package data flow
// does not know entries.
func (r *rewriter) entry(e *ast.IndexExpr) (m mapKey, ok bool) { return r.entryOf(e.X, e.Index) }

func (r *rewriter) entryOf(m, k ast.Expr) (key mapKey, ok bool) {
	t, isMap := core(r.info.TypeOf(m)).(*types.Map)
	if !isMap || !r.mem || r.in.Mode.Flow || r.in.Standard || untypedBool(k) || r.untypedShift(k) ||
		!types.Identical(r.info.TypeOf(k), t.Key()) || r.convertsBytes(k) {
		return key, false
	}
	if isParam(t.Key()) { // package hook looks at the type
		return mapKey{"_hd.KT(", ", "}, !r.untypedConst(k)
	}
	key = mapKey{"_hd.K(", ", false, "}
	switch {
	case isText(t.Key()):
		key.after = ", true, "
	case !solid(t.Key()):
		return key, false
	}
	if r.untypedConst(k) {
		name, ok := r.basicName(t.Key(), k)
		if !ok {
			return key, false
		}
		key.before, key.after = key.before+name+"(", ")"+key.after
	}
	return key, true
}

// convertsBytes reports whether k is string(b), for which the compiler makes no string.
func (r *rewriter) convertsBytes(k ast.Expr) bool {
	call, ok := ast.Unparen(k).(*ast.CallExpr)
	return ok && r.info.Types[call.Fun].IsType() && !isString(r.info.TypeOf(call.Args[0])) &&
		isString(r.info.TypeOf(k))
}

// basicName returns the name of a predeclared type as it can be written where at is.
func (r *rewriter) basicName(t types.Type, at ast.Expr) (string, bool) {
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return "", false
	}
	scope := r.pkg.Scope().Innermost(at.Pos())
	if scope == nil {
		return "", false
	}
	_, obj := scope.LookupParent(b.Name(), at.Pos())
	return b.Name(), obj != nil && obj.Parent() == types.Universe
}

func isParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// solid reports whether two values of t are equal if and only if their bytes are, in all
// executions.
func solid(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Uintptr && t.Info()&(types.IsInteger|types.IsBoolean) != 0
	case *types.Array:
		return solid(t.Elem())
	case *types.Struct:
		size := int64(0)
		for i := range t.NumFields() {
			f := t.Field(i)
			if f.Name() == "_" || !solid(f.Type()) {
				return false
			}
			size += gcSizes.Sizeof(f.Type())
		}
		return size == gcSizes.Sizeof(t)
	}
	return false
}
