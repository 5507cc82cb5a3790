package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A target is the kind of location on the left side of an assignment.
type target uint8

const (
	blank   target = iota // _
	plain                 // not shared: needs no hook
	hooked                // a shared location
	mapElem               // m[k]
)

func (r *rewriter) target(e ast.Expr) target {
	e = ast.Unparen(e)
	if isBlank(e) {
		return blank
	}
	if !r.mem || r.isHeaderData(e) {
		return plain
	}
	if x, ok := e.(*ast.IndexExpr); ok && isMap(r.info.TypeOf(x.X)) {
		return mapElem
	}
	if r.isShared(e) {
		return hooked
	}
	return plain
}

// isHeaderData reports whether e is the Data of a reflect.SliceHeader or StringHeader. The
// compiler recognises an assignment to it by its form and keeps the memory at the address alive
// (rule 6 of package unsafe), so the form must stay.
func (r *rewriter) isHeaderData(e ast.Expr) bool {
	x, ok := e.(*ast.SelectorExpr)
	if !ok || x.Sel.Name != "Data" {
		return false
	}
	t := r.info.TypeOf(x.X)
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "reflect" {
		return false
	}
	return n.Obj().Name() == "SliceHeader" || n.Obj().Name() == "StringHeader"
}

// assign rewrites an assignment. simple: only a simple statement is allowed in its place.
func (r *rewriter) assign(s *ast.AssignStmt, simple bool) {
	switch {
	case s.Tok == token.DEFINE:
		r.define(s, simple)
	case s.Tok == token.ASSIGN && len(s.Lhs) == 1 && isBlank(s.Lhs[0]) && r.atomicUpdate(s.Rhs[0]):
		r.value(s.Rhs[0])
		r.between(s.Pos(), s.Rhs[0].Pos(), "")
		r.unused(s.Rhs[0])
	case s.Tok == token.ASSIGN && len(s.Lhs) == 1:
		if !r.gather(s) {
			r.assignOne(s, simple)
		}
	case s.Tok == token.ASSIGN:
		r.assignMany(s, simple)
	default:
		op := strings.TrimSuffix(s.Tok.String(), "=")
		r.assignOp(s, s.Lhs[0], op, s.Rhs[0], simple)
	}
}

// assignOne: x = v becomes _hd.P(&x, S).Set(v).
//
// gc makes the calls in v first and looks at the variables in x afterwards: s.a[i] = s.grow() sees
// the grown slice, and if both sides panic, v does. So if evaluating the location x reads
// something and v has calls or may panic, v comes first: { _hd1 := v; _hd.P(&x, S).Set(_hd1) }.
func (r *rewriter) assignOne(s *ast.AssignStmt, simple bool) {
	l, v := s.Lhs[0], s.Rhs[0]
	r.addr(l)
	r.value(v)
	if r.polls.settle[s] && !r.in.Mode.Quiet {
		settle := "_hd.Settle("
		if types.IsInterface(r.info.TypeOf(l)) {
			settle = "_hd.SettleAny("
		}
		r.wrap(v, settle+r.source(l)+", ", ")")
		return
	}
	late := (r.hasCall(v) || r.mayPanic(v)) && !simple && !r.unnamedShift(v)
	switch r.target(l) {
	case hooked:
		if late && !r.steady(l) {
			r.assignLate(s, l, v)
			return
		}
		site := r.site("write", l.Pos(), l)
		r.before(s, "_hd.P(&")
		r.between(l.End(), v.Pos(), ", "+site+").Set(")
		r.after(s, ")")
	case mapElem:
		key := ast.Unparen(l).(*ast.IndexExpr).Index
		if !simple && (r.touched(v) || r.hasCall(v) || r.touched(key) || r.hasCall(key)) {
			r.assignLate(s, l, v)
			return
		}
		x := ast.Unparen(l).(*ast.IndexExpr)
		if k, ok := r.entry(x); ok && !simple {
			site := r.site("write", x.X.Pos(), x.X)
			r.wrap(x.X, "_hd."+r.putHook(x, v)+"(", ", "+site+")")
			r.wrap(x.Index, k.before, k.after+site+")")
			return
		}
		r.writeMap(x.X)
	}
}

// putHook returns the hook of x = v, where x is an entry of a map. What is left is always the same
// if the value has no size, and is left in any case if v cannot fail.
func (r *rewriter) putHook(x *ast.IndexExpr, v ast.Expr) string {
	m, isMap := core(r.info.TypeOf(x.X)).(*types.Map)
	_, isLit := ast.Unparen(v).(*ast.CompositeLit) // it has no elements
	if isMap && isLit && isEmpty(m.Elem()) {
		return "MKS"
	}
	return "MKW"
}

// steady reports whether evaluating the location e reads nothing and cannot panic.
func (r *rewriter) steady(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		return sel == nil || !sel.Indirect() && r.steady(e.X)
	case *ast.IndexExpr:
		return isArray(r.info.TypeOf(e.X)) && r.steady(e.X) && r.info.Types[e.Index].Value != nil
	}
	return false
}

// mayPanic reports whether evaluating e may panic, apart from calls.
func (r *rewriter) mayPanic(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !r.fixed(n.(ast.Expr))
		case *ast.SelectorExpr:
			sel := r.info.Selections[n]
			found = found || sel != nil && sel.Kind() == types.FieldVal && sel.Indirect()
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR, token.EQL, token.NEQ:
				found = found || r.info.Types[n].Value == nil
			}
		}
		return !found
	})
	return found
}

// private reports whether only its own function changes v.
func (r *rewriter) private(v *types.Var) bool {
	return v.Pkg() != nil && !ofPackage(v) && !v.IsField() && !r.shared.has(v)
}

// assignLate evaluates the value first, then the location.
func (r *rewriter) assignLate(s *ast.AssignStmt, l, v ast.Expr) {
	calls := r.hoistCalls(l, s.Pos())
	names, texts, uses := r.temps([]ast.Expr{v}, 1, []types.Type{r.info.TypeOf(l)})
	set := r.setAll([]ast.Expr{l}, uses, s.End())
	def := ""
	if names != "" {
		def = names + " := "
	}
	r.between(s.Pos(), v.Pos(), "{ "+calls+def)
	r.replace(v, texts+"; "+set+"}")
}

// hoistCalls replaces the calls in e by fresh variables and returns the definitions of those, to
// be placed at here.
func (r *rewriter) hoistCalls(e ast.Expr, here token.Pos) string {
	var defs strings.Builder
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			return n.Op != token.LAND && n.Op != token.LOR // the right operand is evaluated only sometimes
		case *ast.UnaryExpr:
			if n.Op != token.ARROW {
				return true
			}
		case *ast.CallExpr:
			if !r.isCall(n) {
				return true
			}
		default:
			return true
		}
		name := r.name()
		defs.WriteString(name + " := " + r.moved(n, here) + "; ")
		r.replace(n, name)
		return false
	})
	return defs.String()
}

// temps names the n values of list for use after their evaluation. "names := texts" defines the
// names; uses are the expressions for the values. Constants, nil and functions need no name. to
// has the types that the values are assigned to, if known: an untyped boolean must be assignable
// to each.
func (r *rewriter) temps(list []ast.Expr, n int, to []types.Type) (names, texts string, uses []string) {
	var ns, ts []string
	if len(list) < n { // a call, or v, ok = ...
		for i := range n {
			if to != nil && to[i] == nil {
				ns = append(ns, "_")
				uses = append(uses, "_")
				continue
			}
			name := r.name()
			ns = append(ns, name)
			if _, ok := ast.Unparen(list[0]).(*ast.CallExpr); !ok && i == 1 {
				name = "(" + name + " == true)"
			}
			uses = append(uses, name)
		}
		return strings.Join(ns, ", "), r.text(list[0]), uses
	}
	gap := ""
	for i, e := range list {
		if i > 0 {
			gap += r.buf.newlines(r.off(list[i-1].End()), r.off(e.Pos()))
		}
		if r.unnamedShift(e) {
			r.skip(e, "a shift whose type has no name here is evaluated in place")
			uses = append(uses, r.text(e))
			continue
		}
		if r.fixed(e) {
			uses = append(uses, r.text(e))
			continue
		}
		text := gap + r.text(e)
		gap = ""
		if to != nil && to[i] == nil {
			ns, ts, uses = append(ns, "_"), append(ts, text), append(uses, "_")
			continue
		}
		name := r.name()
		ns = append(ns, name)
		if t, ok := r.shiftType(e); ok {
			text = t + "(" + text + ")"
		}
		ts = append(ts, text)
		if untypedBool(e) {
			name = "(" + name + " == true)"
		}
		uses = append(uses, name)
	}
	return strings.Join(ns, ", "), strings.Join(ts, ", ") + gap, uses
}

// fixed reports whether e always has the same value; it may have no type of its own.
func (r *rewriter) fixed(e ast.Expr) bool {
	tv := r.info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return true
	}
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.IndexExpr:
		if _, ok := r.info.TypeOf(x.X).(*types.Signature); ok {
			e = x.X
		}
	case *ast.IndexListExpr:
		e = x.X
	}
	switch x := e.(type) {
	case *ast.Ident:
		_, ok := r.info.Uses[x].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		sel := r.info.Selections[x]
		if sel != nil {
			return sel.Kind() == types.MethodExpr
		}
		_, ok := r.info.Uses[x.Sel].(*types.Func)
		return ok
	}
	return false
}

// untypedBool reports whether the value of e is an untyped boolean.
func untypedBool(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		case token.LAND, token.LOR:
			return untypedBool(e.X) && untypedBool(e.Y)
		}
	case *ast.UnaryExpr:
		return e.Op == token.NOT && untypedBool(e.X)
	}
	return false
}

// shiftType returns the type of e from its context, if e is a shift of an untyped constant.
func (r *rewriter) shiftType(e ast.Expr) (string, bool) {
	if !r.untypedShift(e) {
		return "", false
	}
	t := r.info.TypeOf(e)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped == 0 && b.Kind() != types.Int {
		return b.Name(), true
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() == r.pkg && n.TypeArgs() == nil &&
		n.Obj().Parent() == r.pkg.Scope() {
		return n.Obj().Name(), true
	}
	return "", false
}

// unnamedShift reports whether e has the type of its context and that type cannot be written here.
// Then no variable can hold e.
func (r *rewriter) unnamedShift(e ast.Expr) bool {
	if !r.untypedShift(e) {
		return false
	}
	_, ok := r.shiftType(e)
	b, basic := r.info.TypeOf(e).(*types.Basic)
	return !ok && !(basic && b.Kind() == types.Int)
}

// untypedShift reports whether e is a shift of an untyped constant, or has one as operand.
func (r *rewriter) untypedShift(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.SHL || e.Op == token.SHR {
			return r.untypedConst(e.X) || r.untypedShift(e.X)
		}
		return (r.untypedShift(e.X) || r.untypedConst(e.X)) && (r.untypedShift(e.Y) || r.untypedConst(e.Y))
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && r.untypedShift(e.X)
	}
	return false
}

// untypedConst reports whether e is a constant without type in the source. The checker records the
// type that it gets.
func (r *rewriter) untypedConst(e ast.Expr) bool {
	if r.info.Types[e].Value == nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return isUntyped(r.info.ObjectOf(e).Type())
	case *ast.SelectorExpr:
		return isUntyped(r.info.ObjectOf(e.Sel).Type())
	case *ast.BinaryExpr:
		if e.Op == token.SHL || e.Op == token.SHR {
			return r.untypedConst(e.X)
		}
		return r.untypedConst(e.X) && r.untypedConst(e.Y)
	case *ast.UnaryExpr:
		return r.untypedConst(e.X)
	}
	return false
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// assignMany: a, b = v, w has two phases. First the values and the operands are evaluated, then
// the assignments are made from left to right:
//
//	{ _hd1, _hd2 := v, w; _hd3 := i; _hd.P(&a[_hd3], S).Set(_hd1); _hd.P(&i, S).Set(_hd2) }
func (r *rewriter) assignMany(s *ast.AssignStmt, simple bool) {
	needed := false
	for _, l := range s.Lhs {
		r.addr(l)
		needed = needed || r.target(l) >= hooked
	}
	if len(s.Rhs) == 1 && r.recv2(s.Rhs[0]) {
		t := r.info.TypeOf(s.Lhs[1])
		if b, ok := t.(*types.Basic); !isBlank(s.Lhs[1]) && !types.IsInterface(t) &&
			(!ok || b.Kind() != types.Bool) {
			needed = true // Recv2 returns a bool and no other boolean type
			if simple {
				r.skip(s, "v, ok = <-c where ok is not a bool")
			}
		}
	} else {
		for _, v := range s.Rhs {
			r.value(v)
		}
	}
	switch {
	case !needed:
	case simple:
		for _, l := range s.Lhs {
			r.writeInPlace(l)
		}
	default:
		r.assignTemps(s)
	}
}

// writeInPlace announces a write within the left side: *_hd.W(&x, S) = v.
func (r *rewriter) writeInPlace(l ast.Expr) {
	switch r.target(l) {
	case hooked:
		r.wrap(l, "*_hd.W(&", ", "+r.site("write", l.Pos(), l)+")")
	case mapElem:
		r.writeMap(ast.Unparen(l).(*ast.IndexExpr).X)
	}
}

func (r *rewriter) assignTemps(s *ast.AssignStmt) {
	calls := ""
	to := make([]types.Type, len(s.Lhs))
	for i, l := range s.Lhs {
		if r.hasCall(l) {
			calls += r.hoistCalls(l, s.Pos())
		}
		if !isBlank(l) {
			to[i] = r.info.TypeOf(l)
		}
	}
	names, texts, uses := r.temps(s.Rhs, len(s.Lhs), to)
	set := r.setAll(s.Lhs, uses, s.End())
	def := ""
	switch {
	case strings.Trim(names, "_, ") != "":
		def = names + " := "
	case names != "":
		def = names + " = "
	}
	first, last := s.Rhs[0], s.Rhs[len(s.Rhs)-1]
	if strings.TrimSpace(texts) != "" {
		texts += "; "
	}
	r.between(s.Pos(), first.Pos(), "{ "+calls+def)
	r.replaceRange(first.Pos(), last.End(), texts+set+"}")
}

// setAll returns the statements, to be placed at here, that assign values to the locations lhs in
// two phases. It rewrites the operands of lhs.
func (r *rewriter) setAll(lhs []ast.Expr, values []string, here token.Pos) string {
	var names, texts []string
	if len(lhs) > 1 {
		changed := map[*types.Var]bool{}
		for _, l := range lhs {
			if v := rootVar(r.info, l); v != nil {
				changed[v] = true
			}
		}
		for _, l := range lhs {
			r.fixOperands(l, changed, &names, &texts, here)
		}
	}
	var out strings.Builder
	if len(names) > 0 {
		fmt.Fprintf(&out, "%s := %s; ", strings.Join(names, ", "), strings.Join(texts, ", "))
	}
	for i, l := range lhs {
		text := r.moved(l, here)
		switch r.target(l) {
		case hooked:
			fmt.Fprintf(&out, "_hd.P(&%s, %s).Set(%s); ", text, r.site("write", l.Pos(), l), values[i])
		case mapElem:
			x := ast.Unparen(l).(*ast.IndexExpr)
			key := r.moved(x.Index, here)
			// the operations in the index come before the announced write
			if len(lhs) == 1 && r.touched(x.Index) {
				name := r.name()
				fmt.Fprintf(&out, "%s := %s; ", name, r.moved(x.Index, here))
				key = name
			}
			hook, site := "MW", r.site("write", x.X.Pos(), x.X)
			if k, ok := r.entry(x); ok {
				hook, key = "MKW", k.of(key, site)
			}
			fmt.Fprintf(&out, "_hd.%s(%s, %s)[%s] = %s; ", hook, r.moved(x.X, here), site, key, values[i])
		case plain:
			fmt.Fprintf(&out, "%s = %s; ", text, values[i])
		}
	}
	return out.String()
}

// fixOperands replaces the operands of the location e by variables: pointers, slices, maps and
// indices that the assignment or a hook could change.
func (r *rewriter) fixOperands(e ast.Expr, changed map[*types.Var]bool, names, texts *[]string,
	here token.Pos) {
	fix := func(x ast.Expr) {
		tv := r.info.Types[x]
		if tv.Value != nil || tv.IsNil() {
			return
		}
		if v, ok := r.isVar(x); ok && r.private(v) && !changed[v] {
			return
		}
		name := r.name()
		*names, *texts = append(*names, name), append(*texts, r.moved(x, here))
		r.replace(x, name)
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		switch sel := r.info.Selections[e]; {
		case sel == nil:
		case isPointer(r.info.TypeOf(e.X)):
			fix(e.X)
		default: // the variable replaces the location even if an embedded pointer leads to it
			r.fixOperands(e.X, changed, names, texts, here)
		}
	case *ast.IndexExpr:
		if isArray(r.info.TypeOf(e.X)) {
			r.fixOperands(e.X, changed, names, texts, here)
		} else {
			fix(e.X)
		}
		fix(e.Index)
	case *ast.StarExpr:
		fix(e.X)
	}
}

// define rewrites x, y := v, w. It announces new shared variables after the definition, and a
// write of a shared variable that existed before.
func (r *rewriter) define(s *ast.AssignStmt, simple bool) {
	if len(s.Lhs) != 2 || len(s.Rhs) != 1 || !r.recv2(s.Rhs[0]) {
		for _, v := range s.Rhs {
			r.value(v)
		}
	}
	if simple || !r.mem {
		return
	}
	var decl, sets strings.Builder
	for i, l := range s.Lhs {
		id := l.(*ast.Ident)
		if r.info.Defs[id] != nil {
			decl.WriteString(r.declared(id))
			continue
		}
		if r.target(l) != hooked {
			continue
		}
		site := r.site("write", l.Pos(), l)
		if len(s.Rhs) == len(s.Lhs) {
			if v := s.Rhs[i]; r.fixed(v) || untypedBool(v) || r.untypedShift(v) {
				fmt.Fprintf(&sets, "_hd.W(&%s, %s); ", id.Name, site) // announced late
				continue
			}
		}
		name := r.name()
		use := name
		if _, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); !ok && len(s.Rhs) == 1 && i == 1 {
			use = name + " == true"
		}
		r.replace(l, name)
		fmt.Fprintf(&sets, "_hd.P(&%s, %s).Set(%s); ", id.Name, site, use)
	}
	if after := sets.String() + decl.String(); after != "" {
		r.after(s, "; "+strings.TrimSuffix(after, "; "))
	}
}

func (r *rewriter) incDec(s *ast.IncDecStmt, simple bool) {
	r.assignOp(s, s.X, s.Tok.String()[:1], nil, simple)
}

// assignOp: x += v becomes { _hd1 := _hd.P(&x, S); _hd1.Set(_hd1.Get() + (v)) }, a read and a
// write; where x is an integer { _hd1 := _hd.U('+', &x, S); _hd1.Set(_hd1.Get() + _hd1.By(v)) }.
// v is nil for x++.
func (r *rewriter) assignOp(s ast.Stmt, l ast.Expr, op string, v ast.Expr, simple bool) {
	r.addr(l)
	r.value(v)
	switch r.target(l) {
	case hooked:
		switch {
		case simple:
			r.wrap(l, "*_hd.RW(&", ", "+r.site("write", l.Pos(), l)+")")
		case v != nil && r.hasCall(v) && !r.unnamedShift(v):
			r.opLate(s, l, op, v)
		default:
			r.opPlain(s, l, op, v)
		}
	case mapElem:
		if simple {
			r.writeMap(ast.Unparen(l).(*ast.IndexExpr).X)
			return
		}
		r.opMap(s, ast.Unparen(l).(*ast.IndexExpr), op, v)
	}
}

func (r *rewriter) opPlain(s ast.Stmt, l ast.Expr, op string, v ast.Expr) {
	q := r.name()
	make, by := r.changing(l, op)
	r.before(s, "{ "+q+" := "+make)
	get := fmt.Sprintf(", %s); %s.Set(%s.Get() %s ", r.site("write", l.Pos(), l), q, q, op)
	if by != "" {
		by = q + by
	}
	if v == nil {
		one := "1"
		if by != "" {
			one = by + "(1)"
		}
		r.between(l.End(), s.End(), get+one+") }")
		return
	}
	r.between(l.End(), v.Pos(), get+by+"(")
	r.after(s, ")) }")
}

// changing returns the start of the hook for l op= v, up to l, and the method that v goes through;
// "" if it goes through none. Package data flow does not know updates.
func (r *rewriter) changing(l ast.Expr, op string) (make, by string) {
	b, ok := r.info.TypeOf(l).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || r.in.Mode.Flow {
		return "_hd.P(&", ""
	}
	switch op {
	case "+", "-", "|", "&", "^":
	case "&^":
		op = "~"
	default:
		return "_hd.P(&", ""
	}
	return "_hd.U('" + op + "', &", ".By"
}

// opLate is for a v with calls, which gc makes before it reads x.
func (r *rewriter) opLate(s ast.Stmt, l ast.Expr, op string, v ast.Expr) {
	calls := r.hoistCalls(l, s.Pos())
	names, texts, uses := r.temps([]ast.Expr{v}, 1, nil)
	q := r.name()
	make, by := r.changing(l, op)
	if by != "" {
		by = q + by
	}
	set := fmt.Sprintf("; %s := %s%s, %s); %s.Set(%s.Get() %s %s(%s)) }", q, make, r.moved(l, s.End()),
		r.site("write", l.Pos(), l), q, q, op, by, uses[0])
	r.between(s.Pos(), v.Pos(), "{ "+calls+names+" := ")
	r.replace(v, texts+set)
}

// opMap: m[k] += v becomes { _hd1, _hd2 := m, k; _hd3 := _hd.MR(_hd1, S)[_hd2] + (v); _hd.MW(_hd1,
// S)[_hd2] = _hd3 }.
func (r *rewriter) opMap(s ast.Stmt, l *ast.IndexExpr, op string, v ast.Expr) {
	first := ""
	here := s.End()
	var value string
	switch {
	case v == nil:
		value = "1"
	case r.hasCall(v) && !r.unnamedShift(v):
		calls := r.hoistCalls(l, here)
		names, texts, uses := r.temps([]ast.Expr{v}, 1, nil)
		first, value = calls+names+" := "+r.relocate(texts, v.Pos(), here)+"; ", uses[0]
	default:
		value = "(" + r.moved(v, here) + ")"
	}
	names, texts, uses := r.temps([]ast.Expr{l.X, l.Index}, 2, nil)
	tmp := r.name()
	read, write := r.site("read", l.X.Pos(), l.X), r.site("write", l.X.Pos(), l.X)
	hooks, keys := [2]string{"MR", "MW"}, [2]string{uses[1], uses[1]}
	if k, ok := r.entry(l); ok {
		hooks, keys = [2]string{"MK", "MKW"}, [2]string{k.of(uses[1], read), k.of(uses[1], write)}
	}
	text := fmt.Sprintf("{ "+r.buf.newlines(r.off(s.Pos()), r.off(here))+"%s%s := %s; %s := _hd.%s(%s, %s)[%s] %s %s; _hd.%s(%s, %s)[%s] = %s }",
		first, names, r.relocate(texts, l.Pos(), here), tmp, hooks[0],
		uses[0], read, keys[0], op, value, hooks[1], uses[0], write, keys[1], tmp)
	r.replace(s, text)
}

// visible reports whether the name of v denotes v at pos.
func (r *rewriter) visible(v *types.Var, pos token.Pos) bool {
	scope := r.pkg.Scope().Innermost(pos)
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent(v.Name(), pos)
	return obj == v
}
