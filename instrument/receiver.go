package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// A method with a value receiver may be called through a pointer in an interface, also as a
// promoted method. The read of the receiver is then in code that only the compiler generates. The
// memory that it reads follows from the dynamic type, which is known at run time:
//
//	x.m(a)            _hd.Of(x, "m", S).m(a)                     x is an interface
//	x.m(f())          _hd.Hold(x, S).m(_hd.Then(f(), "m", S))    the arguments come first
//	(*T).m(p, a)      (*T).m(_hd.OfAny(p, "m", S), a)
//	x.m               func() func(int) {
//	                      _hd1 := x
//	                      _ = _hd1.m
//	                      return func(_hd2 int) { _hd.Of(_hd1, "m", S).m(_hd2) }
//	                  }()

// unseenReads returns the selection of a method whose call reads the receiver in such a way, or
// nil.
func (r *rewriter) unseenReads(fun ast.Expr) *types.Selection {
	e, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok || !r.calls || r.genericRead(fun) != nil {
		return nil
	}
	sel := r.info.Selections[e]
	if sel == nil {
		return nil
	}
	m, ok := sel.Obj().(*types.Func)
	if !ok {
		return nil
	}
	if r.in.Standard && !r.mem && r.ownMethod(m) {
		return nil
	}
	recv := m.Signature()
	switch sel.Kind() {
	case types.MethodVal:
		if types.IsInterface(recv.Recv().Type()) && (len(sel.Index()) == 1 || r.nameable(embedded(sel))) {
			return sel
		}
	case types.MethodExpr:
		if types.IsInterface(recv.Recv().Type()) ||
			isPointer(sel.Recv()) && (len(sel.Index()) > 1 || !isPointer(recv.Recv().Type())) {
			return sel
		}
	}
	return nil
}

// genericRead returns the selection in a call (*T).m(p, a) or (*T).m[U](p, a) of a generic method
// with a value receiver, which reads *p. The runtime does not know such methods by name. It
// returns nil for all other functions.
func (r *rewriter) genericRead(fun ast.Expr) *types.Selection {
	e, ok := named(fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	sel := r.info.Selections[e]
	if sel == nil || sel.Kind() != types.MethodExpr || !isPointer(sel.Recv()) {
		return nil
	}
	if m, ok := sel.Obj().(*types.Func); !ok || m.Signature().TypeParams().Len() == 0 ||
		isPointer(m.Signature().Recv().Type()) {
		return nil
	}
	return sel
}

// named returns the name of the called function: f of (f), f[T] and f[T, U].
func named(fun ast.Expr) ast.Expr {
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return ast.Unparen(x.X)
	case *ast.IndexListExpr:
		return ast.Unparen(x.X)
	default:
		return x
	}
}

// ownMethod reports whether only types of the package itself can have the method m: it is not
// exported, and no exported type has it, which other packages could embed. Reads of the package's
// own memory are decided elsewhere.
func (r *rewriter) ownMethod(m *types.Func) bool {
	if m.Exported() || m.Pkg() != r.pkg {
		return false
	}
	own, ok := r.own[m.Name()]
	if !ok {
		own = true
		for _, name := range r.pkg.Scope().Names() {
			if t, ok := r.pkg.Scope().Lookup(name).(*types.TypeName); ok && t.Exported() {
				obj, _, _ := types.LookupFieldOrMethod(t.Type(), true, r.pkg, m.Name())
				_, has := obj.(*types.Func)
				own = own && !has
			}
		}
		if r.own == nil {
			r.own = map[string]bool{}
		}
		r.own[m.Name()] = own
	}
	return own
}

// methodCall rewrites such a call.
func (r *rewriter) methodCall(e *ast.CallExpr, sel *types.Selection) {
	fun := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	args := e.Args
	receiver, plain := ast.Expr(nil), ""
	if sel.Kind() == types.MethodVal {
		r.receiver(fun, sel)
		if receiver = fun.X; len(sel.Index()) > 1 {
			plain = r.untoldPath(fun, sel)
		}
	} else if len(args) > 0 && !isTuple(r.info.TypeOf(args[0])) {
		receiver, args = args[0], args[1:]
		r.value(receiver)
	}
	last := ast.Expr(nil)
	for _, a := range args {
		r.value(a)
		if r.hasCall(a) {
			last = a
		}
	}
	if receiver == nil || last != nil && isTuple(r.info.TypeOf(last)) {
		return // f(g()) with several values
	}
	name := strconv.Quote(sel.Obj().Name())
	site := r.sites.add("read", fun.Pos(), r.source(receiver), nil)
	if last != nil {
		r.wrap(receiver, "_hd.Hold(", plain+", "+site+")")
		r.wrap(last, "_hd.Then(", ", "+name+", "+site+")")
		return
	}
	r.wrap(receiver, ofHook(sel), plain+", "+name+", "+site+")")
}

// laterCall rewrites a call whose function and arguments are evaluated now and which runs later.
// It reads its receiver then.
func (r *rewriter) laterCall(e *ast.CallExpr) {
	if r.unseenReads(e.Fun) == nil {
		r.value(e)
		return
	}
	r.callRow(e)
	r.later = true
	r.value(e.Fun)
	r.later = false
	for _, a := range e.Args {
		r.value(a)
	}
	r.given(e)
}

// deferredRead returns a call that announces the read of the receiver by the deferred call e, or
// "". It is deferred after e, so it runs directly before. A function around e would keep e from
// recovering a panic.
func (r *rewriter) deferredRead(e *ast.CallExpr) string {
	sel := r.unseenReads(e.Fun)
	if sel == nil {
		return ""
	}
	x := ast.Unparen(e.Fun).(*ast.SelectorExpr).X
	path := ""
	if sel.Kind() == types.MethodExpr {
		if len(e.Args) == 0 || isTuple(r.info.TypeOf(e.Args[0])) {
			return ""
		}
		x = e.Args[0]
	} else {
		for _, f := range embedded(sel) {
			path += "." + f.Name()
		}
	}
	if r.hasCall(x) || r.info.Types[x].IsNil() {
		return "" // it is evaluated twice
	}
	return ofHook(sel) + r.source(x) + path + ", " + strconv.Quote(sel.Obj().Name()) + ", " +
		r.sites.add("read", x.Pos(), r.source(x), nil) + ")"
}

// ofHook returns the hook for a receiver.
func ofHook(sel *types.Selection) string {
	t := sel.Recv()
	if fields := embedded(sel); len(fields) > 0 && sel.Kind() == types.MethodVal {
		t = fields[len(fields)-1].Type()
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || !types.IsInterface(t) {
		return "_hd.OfAny("
	}
	return "_hd.Of("
}

func isTuple(t types.Type) bool { _, ok := t.(*types.Tuple); return ok }

// untoldPath returns the fields of the selector x.m that promotedReceiver has not announced,
// because they are not shared memory. It has already wrapped x in the read of an embedded
// interface.
func (r *rewriter) untoldPath(e *ast.SelectorExpr, sel *types.Selection) string {
	through, path := isPointer(sel.Recv()) || r.isShared(e.X), ""
	for _, f := range embedded(sel) {
		path += "." + f.Name()
		if through && (isPointer(f.Type()) || types.IsInterface(f.Type())) {
			path = ""
		}
		through = through || isPointer(f.Type())
	}
	return path
}

// lateMethod rewrites a method value of an interface, or a method expression, that is not called
// at once: each call reads the receiver.
func (r *rewriter) lateMethod(e *ast.SelectorExpr, sel *types.Selection) {
	if r.unseenReads(e) == nil {
		return
	}
	sig, ok := r.info.TypeOf(e).(*types.Signature)
	if !ok {
		return
	}
	f, ok := r.typeText(sig)
	if !ok || !r.namesHold(sig, e.Pos()) {
		return
	}
	name, site := strconv.Quote(sel.Obj().Name()), r.sites.add("read", e.Pos(), r.source(e.X), nil)
	var params, args []string
	for i := range sig.Params().Len() {
		v := r.name()
		p := sig.Params().At(i).Type()
		text, _ := r.typeText(p)
		use := v
		if sig.Variadic() && i == sig.Params().Len()-1 {
			text, use = "..."+strings.TrimPrefix(text, "[]"), v+"..."
		}
		params, args = append(params, v+" "+text), append(args, use)
	}
	head := "func(" + strings.Join(params, ", ") + ")" + strings.TrimPrefix(f[closing(f):], ")")
	begin := " { "
	if !r.in.Mode.Quiet {
		begin = " { _hd.Spoil(); " // it is of this package, and what it calls need not be: see Asked
	}
	if sig.Results().Len() > 0 {
		begin += "return "
	}
	if sel.Kind() == types.MethodExpr {
		args[0] = ofHook(sel) + args[0] + ", " + name + ", " + site + ")"
		r.replace(e, "("+head+begin+r.source(e)+"("+strings.Join(args, ", ")+") })")
		return
	}
	x := r.name()
	path := ""
	for _, f := range embedded(sel) {
		path += "." + f.Name()
	}
	if path != "" { // promotedReceiver has wrapped x in reads for some of the path
		return
	}
	of := ofHook(sel) + x + ", " + name + ", " + site + ")." + sel.Obj().Name()
	r.wrap(e.X, "func() "+f+" { "+x+" := ", "; _ = "+x+"."+sel.Obj().Name()+"; return "+head+begin+of+"("+
		strings.Join(args, ", ")+") } }()")
	r.between(e.X.End(), e.End(), "")
}

// closing returns the end of the parameters in the function type f.
func closing(f string) int {
	depth := 0
	for i, c := range f {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(f)
}

// typeText returns t as source text for this file. ok is false if t cannot be written here.
func (r *rewriter) typeText(t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		for _, s := range r.ast.Imports {
			if path, err := strconv.Unquote(s.Path.Value); err != nil || r.imported(path) != p.Path() {
				continue
			}
			switch {
			case s.Name == nil:
				return p.Name()
			case s.Name.Name != "_" && s.Name.Name != ".":
				return s.Name.Name
			}
		}
		ok = false
		return p.Name()
	})
	return text, ok && !strings.Contains(text, "invalid type")
}

// namesHold reports whether the names in the text of t mean at pos what they mean in t: a variable
// may be called as its type is.
func (r *rewriter) namesHold(t types.Type, pos token.Pos) bool {
	all := func(n int, at func(int) types.Type) bool {
		for i := range n {
			if !r.namesHold(at(i), pos) {
				return false
			}
		}
		return true
	}
	named := func(obj *types.TypeName, args *types.TypeList) bool {
		_, ok := r.namedText(obj, nil, pos)
		return ok && all(args.Len(), args.At)
	}
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer || r.nameAt(t.Name(), pos) == types.Universe.Lookup(t.Name())
	case *types.Named:
		return named(t.Obj(), t.TypeArgs())
	case *types.Alias:
		return named(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return r.nameAt(t.Obj().Name(), pos) == t.Obj()
	case *types.Map:
		return r.namesHold(t.Key(), pos) && r.namesHold(t.Elem(), pos)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return r.namesHold(t.Elem(), pos)
	case *types.Tuple:
		return all(t.Len(), func(i int) types.Type { return t.At(i).Type() })
	case *types.Signature:
		return r.namesHold(t.Params(), pos) && r.namesHold(t.Results(), pos)
	case *types.Struct:
		return all(t.NumFields(), func(i int) types.Type { return t.Field(i).Type() })
	case *types.Interface:
		return all(t.NumExplicitMethods(), func(i int) types.Type { return t.ExplicitMethod(i).Type() }) &&
			all(t.NumEmbeddeds(), t.EmbeddedType)
	case *types.Union:
		return all(t.Len(), func(i int) types.Type { return t.Term(i).Type() })
	}
	return false
}

// imported resolves an import path of the source.
func (r *rewriter) imported(path string) string {
	if to := r.in.ImportMap[path]; to != "" {
		path = to
	}
	return plainPath(path)
}
