package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// value rewrites an expression that is evaluated for its value.
//
//	p.next.val    _hd.V(&_hd.V(&p.next, S).val, S)
//	p.val + f()   (*_hd.R(&p.val, S)) + f(): gc reads p.val after the call
//	a.b[i].c      _hd.V(&a.b[i].c, S), for arrays: the largest addressable expression is read once
//	m[k]          _hd.MR(m, S)[k]; _hd.MK(m, S)[_hd.K(k, false, S)] if keys can be told apart
func (r *rewriter) value(e ast.Expr) {
	if e == nil {
		return
	}
	tv := r.info.Types[e]
	if tv.Value != nil || tv.IsType() || tv.IsNil() || tv.IsBuiltin() {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		r.value(e.X)
	case *ast.Ident:
		r.substitute(e, e)
		r.read(e)
	case *ast.SelectorExpr:
		r.selector(e)
	case *ast.IndexExpr:
		r.index(e)
	case *ast.IndexListExpr:
		r.instantiation(e.X)
	case *ast.StarExpr:
		r.value(e.X)
		r.read(e)
		if r.mem && !r.in.Standard && isString(r.info.TypeOf(e)) && r.fromAddress(e.X) {
			r.wrap(e, "_hd.Text(", ")")
		}
	case *ast.SliceExpr:
		if isArray(r.info.TypeOf(e.X)) {
			r.addr(e.X)
		} else {
			r.value(e.X)
		}
		r.value(e.Low)
		r.value(e.High)
		r.value(e.Max)
	case *ast.UnaryExpr:
		r.unary(e)
	case *ast.BinaryExpr:
		r.value(e.X)
		r.value(e.Y)
	case *ast.CallExpr:
		r.call(e)
	case *ast.CompositeLit:
		r.composite(e)
		r.madeLiteral(e)
	case *ast.FuncLit:
		initial := r.initial
		r.initial = false
		r.function(nil, e.Type, e.Body)
		r.initial = initial
	case *ast.TypeAssertExpr:
		r.value(e.X)
	}
}

// read wraps e in the hook for a read if e is a shared location. Its operands are rewritten.
func (r *rewriter) read(e ast.Expr) {
	if !(r.mem || r.variables && r.settable(e)) || !r.isShared(e) {
		return
	}
	quiet := r.sites.quiet
	r.sites.quiet = quiet || !r.mem // time.Now reads time.Local, and does not poll for it
	site := r.site("read", e.Pos(), e)
	r.sites.quiet = quiet
	r.readAt(e, e, "", site, r.info.TypeOf(e))
}

// fromAddress reports whether e is a conversion of an unsafe.Pointer.
func (r *rewriter) fromAddress(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || !r.info.Types[c.Fun].IsType() {
		return false
	}
	b, ok := r.info.TypeOf(c.Args[0]).Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// settable reports whether e is a variable of a package of the standard library that programs may
// set, such as os.Stdout and time.Local. Errors are not set.
func (r *rewriter) settable(e ast.Expr) bool {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return false
	}
	v, ok := r.info.Uses[id].(*types.Var)
	return ok && v.Exported() && ofPackage(v) && v.Type() != types.Universe.Lookup("error").Type()
}

// readAt wraps x in the hook for a read at site of a location of type t, which path reaches from
// x. at is the expression that gc evaluates.
func (r *rewriter) readAt(x, at ast.Expr, path, site string, t types.Type) {
	if r.early(at, t) {
		r.wrap(x, "_hd.V(&", path+", "+site+")")
	} else {
		r.wrap(x, "(*_hd.R(&", path+", "+site+"))")
	}
}

// manyBytes is the size from which a value is not copied to make its read early.
const manyBytes = 64

// early reports whether the value of e, of type t, may be loaded when its read is announced,
// before the next announcement of the expression. It may not if a call follows, because gc reads
// variables after calls.
func (r *rewriter) early(e ast.Expr, t types.Type) bool {
	if !sized(t) {
		_, param := types.Unalias(t).(*types.TypeParam)
		return param && !r.callFollows(e)
	}
	return gcSizes.Sizeof(t) <= manyBytes && !r.callFollows(e)
}

// callFollows reports whether gc makes a call between the evaluation of e and its use as an
// operand.
func (r *rewriter) callFollows(e ast.Expr) bool {
	if r.parents == nil {
		r.parents = parentsOf(r.ast)
	}
	from, root := e.End(), ast.Node(e)
	for {
		p := r.parents[root]
		switch p := p.(type) {
		case nil, *ast.FuncLit, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt,
			*ast.TypeSwitchStmt, *ast.RangeStmt,
			*ast.SelectStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.GenDecl:
			return r.lastCall(root) >= from
		case *ast.BinaryExpr:
			if p.Op == token.LAND || p.Op == token.LOR {
				return r.lastCall(root) >= from
			}
		case *ast.CallExpr:
			if r.isCall(p) {
				return r.lastCallIn(p.Fun, from) ||
					slices.ContainsFunc(p.Args, func(a ast.Expr) bool { return r.lastCallIn(a, from) })
			}
		}
		root = p
	}
}

func (r *rewriter) lastCallIn(e ast.Expr, from token.Pos) bool { return r.lastCall(e) >= from }

// lastCall returns the start of the last call or receive in n in the order of evaluation; NoPos if
// there is none.
func (r *rewriter) lastCall(n ast.Node) (at token.Pos) {
	if p, ok := r.last[n]; ok {
		return p
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				at = max(at, n.Pos())
			}
		case *ast.CallExpr:
			if r.isCall(n) {
				at = max(at, n.Pos())
			}
		}
		return true
	})
	if r.last == nil {
		r.last = map[ast.Node]token.Pos{}
	}
	r.last[n] = at
	return at
}

// parentsOf returns the parent of each node in a file.
func parentsOf(f *ast.File) map[ast.Node]ast.Node {
	parents := map[ast.Node]ast.Node{}
	ast.PreorderStack(f, nil, func(n ast.Node, above []ast.Node) bool {
		if len(above) > 0 {
			parents[n] = above[len(above)-1]
		}
		return true
	})
	return parents
}

// isShared reports whether e is a location that several goroutines may access. Such a location is
// addressable.
func (r *rewriter) isShared(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := r.info.ObjectOf(e).(*types.Var)
		return ok && e.Name != "_" && r.shared.has(v)
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		if sel == nil {
			v, ok := r.info.Uses[e.Sel].(*types.Var)
			return ok && v.Pkg().Path() != "heddlert/hook" && r.shared.has(v)
		}
		return sel.Kind() == types.FieldVal && (sel.Indirect() || r.isShared(e.X))
	case *ast.IndexExpr:
		switch t := core(r.info.TypeOf(e.X)).(type) {
		case *types.Slice:
			return !r.isLumped(e.X)
		case *types.Pointer:
			return isArray(t.Elem())
		case *types.Array:
			return r.isShared(e.X)
		}
	case *ast.StarExpr:
		return r.info.Types[e].IsValue()
	}
	return false
}

// addr rewrites the operands of a location that is written or whose address is taken.
func (r *rewriter) addr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		r.addr(e.X)
	case *ast.Ident:
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		if sel == nil {
			return
		}
		r.operand(e.X)
		r.promoted(e, sel)
	case *ast.IndexExpr:
		if isArray(r.info.TypeOf(e.X)) {
			r.operand(e.X)
		} else {
			r.value(e.X)
		}
		r.value(e.Index)
	case *ast.StarExpr:
		r.value(e.X)
	case *ast.CompositeLit:
		r.composite(e)
	default:
		r.value(e)
	}
}

// operand rewrites the x of x.f: a pointer is read, a location is part of the larger location.
func (r *rewriter) operand(x ast.Expr) {
	if !isPointer(r.info.TypeOf(x)) && r.info.Types[x].Addressable() {
		r.addr(x)
		return
	}
	r.value(x)
}

func (r *rewriter) index(e *ast.IndexExpr) {
	x := r.info.Types[e.X]
	if _, generic := x.Type.(*types.Signature); generic || x.IsType() {
		r.instantiation(e.X)
		return
	}
	switch core(x.Type).(type) {
	case *types.Map:
		r.value(e.X)
		r.value(e.Index)
		if key, ok := r.entry(e); ok {
			site := r.site("read", e.X.Pos(), e.X)
			r.wrap(e.X, "_hd.MK(", ", "+site+")")
			r.wrap(e.Index, key.before, key.after+site+")")
		} else {
			r.readMap(e.X)
		}
		return
	case *types.Array:
		if !x.Addressable() {
			r.value(e.X)
			r.value(e.Index)
			return
		}
	}
	r.addr(e)
	r.read(e)
}

// instantiation rewrites the x of x[T] or x[T, U], a generic function or type. The receiver of a
// generic method is evaluated.
func (r *rewriter) instantiation(x ast.Expr) {
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && r.info.Selections[sel] != nil {
		later := r.later
		// a method value of an interface reads its receiver later; interfaces have no generic
		// methods
		r.later = true
		r.selector(sel)
		r.later = later
		return
	}
	r.substituteIn(x)
}

// readMap wraps m in the hook for a read of a map.
func (r *rewriter) readMap(m ast.Expr) {
	if r.mem {
		r.wrap(m, "_hd.MR(", ", "+r.site("read", m.Pos(), m)+")")
	}
}

// selector rewrites x.f as a value: a field, a method value, or a name of another package.
func (r *rewriter) selector(e *ast.SelectorExpr) {
	sel := r.info.Selections[e]
	switch {
	case sel == nil:
		r.substitute(e, e.Sel)
		r.read(e)
	case sel.Kind() == types.FieldVal:
		if r.isShared(e) {
			r.addr(e)
			r.read(e)
			return
		}
		r.operand(e.X)
	case sel.Kind() == types.MethodVal:
		if r.receiver(e, sel); !r.later {
			r.lateMethod(e, sel)
		}
	case sel.Kind() == types.MethodExpr && !r.later:
		r.lateMethod(e, sel)
	}
}

// receiver rewrites the x of a method value x.m. If the method has a value receiver, evaluating
// x.m reads *x.
func (r *rewriter) receiver(e *ast.SelectorExpr, sel *types.Selection) {
	recv := sel.Obj().Type().(*types.Signature).Recv().Type()
	wantsPointer := isPointer(recv)
	if len(sel.Index()) > 1 {
		r.operand(e.X)
		r.promotedReceiver(e, sel, wantsPointer)
		return
	}
	switch {
	case types.IsInterface(recv) || isPointer(sel.Recv()) == wantsPointer:
		r.value(e.X)
	case wantsPointer:
		r.addr(e.X)
	default:
		r.value(e.X)
		if r.mem {
			r.readPointee(e.X, r.site("read", e.X.Pos(), e.X))
		}
	}
}

// promoted announces the reads of embedded pointers between x and a promoted field: x.f becomes
// (*_hd.R(&x.E, S)).f for an embedded pointer E.
func (r *rewriter) promoted(e *ast.SelectorExpr, sel *types.Selection) {
	fields := embedded(sel)
	if !r.mem || len(fields) == 0 || !r.nameable(fields) {
		return
	}
	through := isPointer(sel.Recv()) || r.isShared(e.X)
	path := ""
	for _, f := range fields {
		path += "." + f.Name()
		if !isPointer(f.Type()) {
			continue
		}
		if through {
			r.readField(e.X, path, f)
			path = ""
		}
		through = true
	}
}

// promotedReceiver is promoted for a method. Its receiver is the last embedded field, which is
// read if it is a pointer, an interface or a value receiver.
func (r *rewriter) promotedReceiver(e *ast.SelectorExpr, sel *types.Selection, wantsPointer bool) {
	fields := embedded(sel)
	if !r.mem || !r.nameable(fields) {
		return
	}
	through := isPointer(sel.Recv()) || r.isShared(e.X)
	path := ""
	for i, f := range fields {
		path += "." + f.Name()
		last := i == len(fields)-1
		pointer := isPointer(f.Type())
		if through && (pointer || last && (!wantsPointer || types.IsInterface(f.Type()))) {
			r.readField(e.X, path, f)
			path = ""
			if last && pointer && !wantsPointer && !types.IsInterface(f.Type()) {
				r.readPointee(e.X, r.sites.add("read", e.X.Pos(), r.source(e.X)+"."+f.Name(), f.Type()))
			}
		}
		through = through || pointer
	}
}

// readField announces a read of the field that path reaches from x.
func (r *rewriter) readField(x ast.Expr, path string, f *types.Var) {
	site := r.sites.add("read", x.Pos(), r.source(x)+path, f.Type())
	r.readAt(x, x, path, site, f.Type())
}

// readPointee wraps x, a pointer, in the hook for a read of *x.
func (r *rewriter) readPointee(x ast.Expr, site string) { r.wrap(x, "(*_hd.R(&*", ", "+site+"))") }

// nameable reports whether the package may name all the fields.
func (r *rewriter) nameable(fields []*types.Var) bool {
	for _, f := range fields {
		if !f.Exported() && f.Pkg() != r.pkg {
			return false
		}
	}
	return true
}

func (r *rewriter) unary(e *ast.UnaryExpr) {
	switch e.Op {
	case token.AND:
		r.addr(e.X)
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			r.made(e, "New", lit)
		}
	case token.ARROW:
		r.value(e.X)
		r.recv(e, "Recv")
	default:
		r.value(e.X)
	}
}

// composite rewrites the elements of a literal.
func (r *rewriter) composite(lit *ast.CompositeLit) {
	t := core(r.info.TypeOf(lit))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying() // &T elided in a literal of pointers
	}
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			r.element(el)
			continue
		}
		if isMap(t) {
			r.element(kv.Key)
		}
		r.element(kv.Value)
	}
}

// element rewrites an element of a literal. An element with its type elided is no value of its own
// unless it is &T{}.
func (r *rewriter) element(e ast.Expr) {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		r.composite(lit)
		r.madeElided(lit)
		return
	}
	r.value(e)
}
