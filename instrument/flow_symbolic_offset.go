package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// Where a field or element lies in a value, for labels of parts (Mode.Exprs).

// fieldLabel returns the label of x.f or x[i] if x has label l.
func (f *flower) fieldLabel(e ast.Expr, l string) string {
	if l == "0" {
		return l
	}
	off, ok := f.offset(e)
	if !ok || !sized(f.info.TypeOf(e)) {
		return f.lost(e, l)
	}
	return fmt.Sprintf("_hf.Field(%s, %s, %d)", l, off, gcSizes.Sizeof(f.info.TypeOf(e)))
}

// offset returns the offset of e in the struct or array directly around it.
func (f *flower) offset(e ast.Expr) (text string, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal || sel.Indirect() {
			return "", false
		}
		off, t := int64(0), sel.Recv()
		for _, i := range sel.Index() {
			s, ok := core(t).(*types.Struct)
			if !ok || !sized(s) {
				return "", false
			}
			fields := make([]*types.Var, s.NumFields())
			for k := range fields {
				fields[k] = s.Field(k)
			}
			off += gcSizes.Offsetsof(fields)[i]
			t = s.Field(i).Type()
		}
		return strconv.FormatInt(off, 10), true
	case *ast.IndexExpr:
		a, ok := core(f.info.TypeOf(e.X)).(*types.Array)
		if !ok || !sized(a.Elem()) {
			return "", false
		}
		size := gcSizes.Sizeof(a.Elem())
		if c, ok := f.constantOf(e.Index); ok {
			return strconv.FormatInt(int64(c)*size, 10), true
		}
		if v := f.aux[e]; v != "" {
			return fmt.Sprintf("%s.At(%d)", v, size), true
		}
	}
	return "", false
}

// place returns the offset of e in the local variable around it.
func (f *flower) place(e ast.Expr) (off string, ok bool) {
	e = ast.Unparen(e)
	if _, ok := e.(*ast.Ident); ok {
		return "0", true
	}
	off, ok = f.offset(e)
	if !ok {
		return "", false
	}
	var x ast.Expr
	switch e := e.(type) {
	case *ast.SelectorExpr:
		x = e.X
	case *ast.IndexExpr:
		x = e.X
	}
	outer, ok := f.place(x)
	return outer + " + " + off, ok
}

// sized reports whether the size of t does not depend on type arguments.
func sized(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return false
	case *types.Named:
		return sized(t.Underlying())
	case *types.Array:
		return sized(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if !sized(v.Type()) {
				return false
			}
		}
	}
	return true
}

// literalLabel returns the label of a composite literal: of a struct, or of the elements of an
// array or slice.
func (f *flower) literalLabel(lit *ast.CompositeLit) string {
	var parts []string
	unsized := func() string { // the offsets of the parts depend on type arguments
		var ls []string
		for _, el := range lit.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			ls = append(ls, f.label(el))
		}
		return f.lost(lit, ls...)
	}
	add := func(off, size int64, e ast.Expr) {
		l := f.label(e)
		if in, ok := e.(*ast.CompositeLit); ok && in.Type == nil && (isPointer(f.info.TypeOf(e)) ||
			isSlice(f.info.TypeOf(e))) {
			l = f.lost(e, l) // its memory has no hook
		}
		if l != "0" {
			parts = append(parts, fmt.Sprintf("_hf.Part{Off: %d, N: %d, L: %s}", off, size, l))
		}
	}
	t := f.info.TypeOf(lit)
	if p, ok := core(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := core(t).(type) {
	case *types.Struct:
		if !sized(t) {
			return unsized()
		}
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			fields[i] = t.Field(i)
		}
		offs := gcSizes.Offsetsof(fields)
		for i, el := range lit.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					if v, ok := f.info.Uses[id].(*types.Var); ok {
						add(fieldOffset(t, v), gcSizes.Sizeof(v.Type()), kv.Value)
					}
				}
				continue
			}
			add(offs[i], gcSizes.Sizeof(fields[i].Type()), el)
		}
	case *types.Array:
		if !sized(t) {
			return unsized()
		}
		f.elementLabels(lit, t.Elem(), add)
	case *types.Slice:
		if !sized(t.Elem()) {
			return unsized()
		}
		f.elementLabels(lit, t.Elem(), add)
	}
	if len(parts) == 0 {
		return "0"
	}
	return "_hf.Struct(" + strings.Join(parts, ", ") + ")"
}

// fieldOffset returns the offset of a field in t. Since Go 1.27 the field may be promoted.
func fieldOffset(t *types.Struct, v *types.Var) int64 {
	_, path, _ := types.LookupFieldOrMethod(t, false, v.Pkg(), v.Name())
	off := int64(0)
	for _, i := range path {
		fields := make([]*types.Var, t.NumFields())
		for k := range fields {
			fields[k] = t.Field(k)
		}
		off += gcSizes.Offsetsof(fields)[i]
		t, _ = fields[i].Type().Underlying().(*types.Struct)
	}
	return off
}

func (f *flower) elementLabels(lit *ast.CompositeLit, elem types.Type,
	add func(off, size int64, e ast.Expr)) {
	size, i := gcSizes.Sizeof(elem), int64(0)
	for _, el := range lit.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			c, _ := f.constantOf(kv.Key)
			i, el = int64(c), kv.Value
		}
		add(i*size, size, el)
		i++
	}
}
