package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shared decides which variables several goroutines may access:
//
//   - package-level variables, except those that only this package could change and does not;
//   - local variables (parameters, results, loop variables) that a function literal captures and
//     that change after their declaration;
//   - local variables whose address is taken.
//
// A field or element reached through a pointer or slice is always shared.
type shared struct {
	vars map[*types.Var]varUse
	info *types.Info
	pkg  *types.Package
	main bool
}

// A varUse is a use of a variable.
type varUse uint8

const (
	captured  varUse = 1 << iota // by a function literal
	addressed                    // &x, x.f.PointerMethod(), x[:] of an array
	written                      // after its declaration
)

// has reports whether v is shared.
func (s *shared) has(v *types.Var) bool {
	if v.IsField() {
		return false
	}
	use := s.vars[v]
	if ofPackage(v) {
		if v.Pkg() != s.pkg || v.Exported() && !s.main {
			return true
		}
		return use&(addressed|written) != 0
	}
	return use&addressed != 0 || use&(captured|written) == captured|written
}

// ofPackage reports whether v is a variable of a package.
func ofPackage(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// findShared analyses all files of a package.
func findShared(in *Input, pkg *types.Package, info *types.Info, files []*ast.File) *shared {
	s := &shared{vars: map[*types.Var]varUse{}, info: info, pkg: pkg, main: in.Name == "main"}
	for _, f := range files {
		v := &useFinder{shared: s, owner: map[*types.Var]ast.Node{},
			oldLoops: before(info.FileVersions[f], "go1.22")}
		for _, d := range f.Decls {
			ast.Walk(v, d)
		}
	}
	return s
}

// A useFinder walks one function; fn is nil outside of functions.
type useFinder struct {
	*shared
	fn       ast.Node
	results  []*types.Var // named results of fn
	owner    map[*types.Var]ast.Node
	oldLoops bool // iterations share the loop variables
}

func (u *useFinder) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return u.enter(n, n.Type)
	case *ast.FuncLit:
		return u.enter(n, n.Type)
	case *ast.Ident:
		u.ident(n)
	case *ast.CaseClause:
		if v, ok := u.info.Implicits[n].(*types.Var); ok {
			u.owner[v] = u.fn
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			u.mark(n.X, addressed)
		}
	case *ast.SliceExpr:
		if isArray(u.info.TypeOf(n.X)) {
			u.mark(n.X, addressed)
		}
	case *ast.SelectorExpr:
		if sel := u.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal && takesAddress(sel) {
			u.mark(n.X, addressed)
		}
	case *ast.IncDecStmt:
		u.mark(n.X, written)
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			u.assigned(l, n.Tok == token.DEFINE)
		}
	case *ast.RangeStmt:
		for _, l := range []ast.Expr{n.Key, n.Value} {
			if l != nil {
				u.assigned(l, n.Tok == token.DEFINE && !u.oldLoops)
			}
		}
	case *ast.ReturnStmt:
		if len(n.Results) > 0 {
			for _, v := range u.results {
				u.vars[v] |= written
			}
		}
	}
	return u
}

// enter returns the visitor for a function.
func (u *useFinder) enter(fn ast.Node, typ *ast.FuncType) ast.Visitor {
	in := *u
	in.fn, in.results = fn, nil
	if typ.Results != nil {
		for _, f := range typ.Results.List {
			for _, id := range f.Names {
				if v, ok := u.info.Defs[id].(*types.Var); ok {
					in.results = append(in.results, v)
				}
			}
		}
	}
	return &in
}

// ident records the function that declares a variable, and whether another function uses it.
func (u *useFinder) ident(id *ast.Ident) {
	if v, ok := u.info.Defs[id].(*types.Var); ok {
		u.owner[v] = u.fn
	} else if v, ok := u.info.Uses[id].(*types.Var); ok && !v.IsField() {
		if fn, ok := u.owner[v]; ok && fn != nil && fn != u.fn {
			u.vars[v] |= captured
		}
	}
}

// assigned records an assignment to e. In a definition it counts only if e was declared before.
func (u *useFinder) assigned(e ast.Expr, define bool) {
	if id, ok := e.(*ast.Ident); ok && define && u.info.Defs[id] != nil {
		return
	}
	u.mark(e, written)
}

// mark records a use of the variable that e is part of.
func (u *useFinder) mark(e ast.Expr, use varUse) {
	if v := rootVar(u.info, e); v != nil {
		u.vars[v] |= use
	}
}

// rootVar returns the variable that holds the location e, or nil if a pointer leads to it.
func rootVar(info *types.Info, e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		sel := info.Selections[e]
		if sel == nil {
			v, _ := info.Uses[e.Sel].(*types.Var)
			return v
		}
		if sel.Kind() == types.MethodVal && takesAddress(sel) ||
			sel.Kind() == types.FieldVal && !sel.Indirect() {
			return rootVar(info, e.X)
		}
	case *ast.IndexExpr:
		if isArray(info.TypeOf(e.X)) {
			return rootVar(info, e.X)
		}
	}
	return nil
}

// takesAddress reports whether the selection of a method takes the address of its operand or a
// part of it: x.M is (&x).M, with no pointer on the path.
func takesAddress(sel *types.Selection) bool {
	sig := sel.Obj().Type().(*types.Signature)
	if sig.Recv() == nil || !isPointer(sig.Recv().Type()) {
		return false
	}
	t := sel.Recv()
	for _, f := range embedded(sel) {
		if isPointer(t) {
			return false
		}
		t = f.Type()
	}
	return !isPointer(t)
}

// embedded returns the embedded fields on the path of a selection.
func embedded(sel *types.Selection) []*types.Var {
	var fields []*types.Var
	t := sel.Recv()
	path := sel.Index()
	for _, i := range path[:len(path)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return fields
		}
		fields = append(fields, st.Field(i))
		t = st.Field(i).Type()
	}
	return fields
}

// core returns the underlying type. For a type parameter it is the one underlying type of its type
// set, or nil if there are several.
func core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var u types.Type
	for i := range tp.Underlying().(*types.Interface).NumEmbeddeds() {
		if !oneUnder(tp.Underlying().(*types.Interface).EmbeddedType(i), &u) {
			return nil
		}
	}
	return u
}

// oneUnder adds the underlying types of a constraint element to u. It returns false if they
// differ.
func oneUnder(t types.Type, u *types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Union:
		for i := range t.Len() {
			if !oneUnder(t.Term(i).Type(), u) {
				return false
			}
		}
		return true
	}
	switch w := t.Underlying().(type) {
	case *types.Interface:
		for i := range w.NumEmbeddeds() {
			if !oneUnder(w.EmbeddedType(i), u) {
				return false
			}
		}
		return true
	default:
		if *u == nil {
			*u = w
		}
		return types.Identical(*u, w) || sameChan(*u, w, u)
	}
}

// sameChan reports whether v and w are channels with the same element type. It sets u to the more
// restricted one.
func sameChan(v, w types.Type, u *types.Type) bool {
	a, ok1 := v.(*types.Chan)
	b, ok2 := w.(*types.Chan)
	if !ok1 || !ok2 || !types.Identical(a.Elem(), b.Elem()) {
		return false
	}
	if a.Dir() == types.SendRecv {
		*u = b
	}
	return a.Dir() == types.SendRecv || b.Dir() == types.SendRecv
}

func isPointer(t types.Type) bool { _, ok := core(t).(*types.Pointer); return ok }
func isArray(t types.Type) bool   { _, ok := core(t).(*types.Array); return ok }
func isSlice(t types.Type) bool   { _, ok := core(t).(*types.Slice); return ok }
func isMap(t types.Type) bool     { _, ok := core(t).(*types.Map); return ok }
