package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A flowTarget is the left side of an assignment, as far as labels are concerned.
type flowTarget struct {
	name string // label variable; "" if there is none
	weak string // if only a part of the variable is assigned: the label of the place in the variable, else ""
	part string // with Mode.Exprs: size of the variable, offset and size of the part
	memo string // "_hf.SetAt(&x, ": memory assigned without a hook
	loc  string // Loc of W
}

// targetOf returns the target for e on the left side, whose operands are rewritten.
func (f *flower) targetOf(e ast.Expr, define bool) flowTarget {
	e = ast.Unparen(e)
	if isBlank(e) {
		return flowTarget{}
	}
	if id, ok := e.(*ast.Ident); ok {
		if v, ok := f.info.Defs[id].(*types.Var); ok && define {
			if f.addressed[v] {
				f.declare(v)
				return flowTarget{memo: "_hf.SetAt(_hf.Heap(&" + v.Name() + "), "}
			}
			return flowTarget{name: f.declare(v)}
		}
	} else {
		f.stays = e
		f.expr(e)
	}
	if t, ok := f.quietWrite(e); ok {
		return t
	}
	if star, ok := e.(*ast.StarExpr); ok {
		if call, ok := ast.Unparen(star.X).(*ast.CallExpr); ok && f.aux[call] != "" {
			return flowTarget{loc: f.aux[call]}
		}
		return flowTarget{}
	}
	v := rootVar(f.info, e)
	if v == nil || f.vars[v] == nil {
		return flowTarget{}
	}
	_, whole := e.(*ast.Ident)
	switch {
	case f.hooks[v] && whole:
		return flowTarget{memo: "_hf.SetAt(&" + v.Name() + ", "}
	case f.hooks[v]:
		return flowTarget{}
	case whole:
		return flowTarget{name: f.of(v)}
	}
	t := flowTarget{name: f.of(v), weak: f.addrLabel(e)}
	if f.exprs() {
		if off, ok := f.place(e); ok && sized(v.Type()) && sized(f.info.TypeOf(e)) {
			t.part = fmt.Sprintf("%d, %s, %d", gcSizes.Sizeof(v.Type()), off,
				gcSizes.Sizeof(f.info.TypeOf(e)))
		} else {
			t.part = "0, 0, 0" // the offset is unknown
		}
	}
	return t
}

// set returns the statement that gives the target the label l, or "" if nothing changes.
func (t flowTarget) set(l string) string {
	switch {
	case t.memo != "":
		return t.memo + l + ")"
	case t.loc != "":
		return "_hf.StoreTo(&" + t.loc + ", " + l + ")"
	case t.name == "":
		return ""
	case t.part != "":
		return t.name + " = _hf.PutField(" + t.name + ", " + t.part + ", " + l + ")"
	case t.weak != "":
		if l = union(l, t.weak); l == "0" {
			return ""
		}
		return t.name + " = _hf.U(" + t.name + ", " + l + ")"
	}
	return t.name + " = " + l
}

// assign rewrites an assignment in a list of statements.
func (f *flower) assign(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.DEFINE && s.Tok != token.ASSIGN:
		f.assignOp(s, false)
	case f.beginsIteration(s):
	case len(s.Lhs) == len(s.Rhs):
		f.then(s, f.labelsOf(s))
	default:
		f.expr(s.Rhs[0])
		var names []string
		var parts strings.Builder
		for _, l := range s.Lhs {
			t := f.targetOf(l, s.Tok == token.DEFINE)
			if t.name != "" && t.weak == "" || t == (flowTarget{}) {
				names = append(names, t.name)
				continue
			}
			tmp := f.fresh()
			names = append(names, tmp)
			parts.WriteString("; " + t.set(tmp))
		}
		f.then(s, f.fromCall(s.Rhs[0], names, "")+parts.String())
	}
}

// labelsOf rewrites an assignment with as many values as targets. It returns the statements that
// assign the labels.
func (f *flower) labelsOf(s *ast.AssignStmt) string {
	targets := make([]flowTarget, len(s.Lhs))
	var names, labels, others []string
	for i, v := range s.Rhs {
		f.expr(v)
		if f.mapTarget(s.Lhs[i], f.label(v)) {
			if x := ast.Unparen(s.Lhs[i]); f.aux[x] != "" {
				others = append(others, f.aux[x]+".Set("+f.label(v)+")")
			}
			continue
		}
		targets[i] = f.targetOf(s.Lhs[i], s.Tok == token.DEFINE)
	}
	for i, t := range targets {
		l := f.label(s.Rhs[i])
		if t.name != "" && t.weak == "" {
			names, labels = append(names, t.name), append(labels, l)
		} else if set := t.set(l); set != "" {
			others = append(others, set)
		}
	}
	if len(names) > 0 { // last, because the other statements use the old labels
		others = append(others, strings.Join(names, ", ")+" = "+strings.Join(labels, ", "))
	}
	return strings.Join(others, "; ")
}

// mapTarget rewrites m[k] on the left side, which is assigned a value with label l. It returns
// false for other expressions.
func (f *flower) mapTarget(e ast.Expr, l string) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	if !ok || f.hookName(call) != "MW" {
		return false
	}
	f.expr(x.Index)
	f.mapWrite(call, f.label(x.Index), l)
	if f.exprs() {
		if name := f.looked(x); name != "" && f.aux[x] == "" {
			f.aux[x] = name
		}
	}
	return true
}

// assignOp rewrites x += v.
func (f *flower) assignOp(s *ast.AssignStmt, simple bool) {
	l, v := s.Lhs[0], s.Rhs[0]
	f.expr(v)
	f.checkOperator(s.Tok, l, v)
	label := f.label(v)
	if f.mapTarget(l, label) {
		return
	}
	t := f.targetOf(l, false)
	if f.exprs() {
		f.assignOpSymbolic(s, t, simple)
		return
	}
	switch {
	case label == "0":
	case t.loc != "":
		if f.wrappable(v) {
			f.wrap(v, "_hf.Add(", ", "+label+", &"+t.loc+")")
		}
	case simple:
		if id, ok := ast.Unparen(l).(*ast.Ident); ok && t.name != "" {
			op := strings.TrimSuffix(s.Tok.String(), "=")
			f.between(l.End(), v.Pos(), fmt.Sprintf(", %s = %s %s (", t.name, id.Name, op))
			f.after(s, "), _hf.U("+t.name+", "+label+")")
		}
	case t.memo != "":
		f.then(s, t.set(union(f.label(l), label)))
	case t.name != "":
		f.then(s, t.name+" = "+union(t.name, label, t.weak))
	}
}

// assignOpSymbolic is assignOp with Mode.Exprs. The operands are rewritten.
func (f *flower) assignOpSymbolic(s *ast.AssignStmt, t flowTarget, simple bool) {
	op, _ := binaryOf(s.Tok)
	if x, ok := f.changed(s.Lhs[0], t); ok && f.assignSymbolic(s, x, op, s.Rhs[0]) {
		return
	}
	if !simple {
		f.then(s, t.set(f.lost(s.Lhs[0], f.label(s.Lhs[0]), f.label(s.Rhs[0]))))
	}
}

// binaryOf returns the operator of x op= v.
func binaryOf(tok token.Token) (token.Token, bool) {
	for op := range arithmetic {
		if op.String()+"=" == tok.String() {
			return op, true
		}
	}
	return token.ILLEGAL, false
}

// increased rewrites x++ and x-- of a local variable with Mode.Exprs. It returns false for other
// statements.
func (f *flower) increased(s *ast.IncDecStmt) bool {
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	if !ok || !f.exprs() {
		return false
	}
	v, ok := f.info.ObjectOf(id).(*types.Var)
	if !ok || f.hooks[v] || f.vars[v] == nil {
		return false
	}
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	return f.assignSymbolic(s, changing{id, id.Name, flowTarget{name: f.of(v)}, f.of(v)}, op, nil)
}

// increment rewrites x++ and x-- of others.
func (f *flower) increment(s *ast.IncDecStmt) flowTarget {
	t := f.targetOf(s.X, false)
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	if x, ok := f.changed(s.X, t); f.exprs() && t.memo != "" && ok {
		f.assignSymbolic(s, x, op, nil)
	}
	return t
}

// A changing is a local variable, a field of one, or memory without hooks, whose next value is
// computed from its current one.
type changing struct {
	expr   ast.Expr
	text   string
	target flowTarget
	label  string // of the current value
}

// right returns the right side for the label variable if the new value has label l.
func (x *changing) right(l string) string {
	switch {
	case x.target.memo != "":
		return x.target.memo + l + ")"
	case x.target.part == "":
		return l
	}
	return "_hf.PutField(" + x.target.name + ", " + x.target.part + ", " + l + ")"
}

// changed returns the changing for e with target t. ok is false if e is not one.
func (f *flower) changed(e ast.Expr, t flowTarget) (x changing, ok bool) {
	switch {
	case strings.HasPrefix(t.memo, "_hf.Stored(") && repeatable(e):
		to := f.fn.newSlot()
		f.fn.loose = append(f.fn.loose, to) // what it is for may turn out not to be followed
		return changing{e, "(*_hf.Quiet(&" + f.source(e) + ", &" + to + "))",
			flowTarget{name: "_", memo: t.memo}, to + ".Get()"}, true
	case t.name == "" || t.part == "0, 0, 0":
		return x, false
	}
	text := ""
	for at := ast.Unparen(e); ; {
		switch id := at.(type) {
		case *ast.Ident:
			return changing{e, id.Name + text, t, f.label(e)}, true
		case *ast.SelectorExpr:
			at, text = ast.Unparen(id.X), "."+id.Sel.Name+text
		default:
			return x, false
		}
	}
}

// repeatable reports whether e may be evaluated twice.
func repeatable(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.ParenExpr, *ast.IndexExpr, *ast.BasicLit,
			*ast.BinaryExpr:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// simple rewrites a statement where only a simple one is allowed. It returns a condition, always
// true, to evaluate directly after it: the condition sets the labels that are known only then.
func (f *flower) simple(s ast.Stmt) (then string) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return f.simpleAssign(s)
	case *ast.IncDecStmt:
		if !f.increased(s) && !f.mapTarget(s.X, "0") {
			f.increment(s)
		}
	case *ast.ExprStmt:
		f.expr(s.X)
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && f.aux[call] != "" {
			return "_hf.BackInto(" + f.aux[call] + ")"
		}
	}
	return ""
}

func (f *flower) simpleAssign(s *ast.AssignStmt) string {
	switch {
	case s.Tok != token.DEFINE && s.Tok != token.ASSIGN:
		f.assignOp(s, true)
		return ""
	case f.beginsIteration(s):
		return ""
	case len(s.Lhs) != len(s.Rhs):
		return f.simpleMany(s)
	case s.Tok == token.DEFINE:
		var then []string
		for i, v := range s.Rhs {
			f.expr(v)
			t := f.targetOf(s.Lhs[i], true)
			if t.memo != "" {
				then = append(then, "_hf.SetAll("+t.set(f.label(v))+")")
			}
			if t.name == "" || f.untypedShift(v) {
				continue
			}
			f.wrap(v, "_hf.To(", ", "+f.label(v)+", &"+t.name+")")
		}
		return strings.Join(then, " && ")
	}
	var names, labels strings.Builder
	for i, l := range s.Lhs {
		v := s.Rhs[i]
		f.expr(v)
		label := f.label(v)
		if f.mapTarget(l, label) {
			continue
		}
		switch t := f.targetOf(l, false); {
		case t.loc != "" || t.memo != "":
			names.WriteString(", _")
			labels.WriteString(", " + t.set(label))
		case t.name != "":
			switch {
			case t.part != "":
				label = "_hf.PutField(" + t.name + ", " + t.part + ", " + label + ")"
			case t.weak != "":
				label = union(t.name, label, t.weak)
			}
			names.WriteString(", " + t.name)
			labels.WriteString(", " + label)
		}
	}
	if names.Len() > 0 {
		f.afterPart(s, s.Lhs[len(s.Lhs)-1], names.String())
		f.after(s, labels.String())
	}
	return ""
}

// simpleMany is simple for v, ok := f() and similar statements.
func (f *flower) simpleMany(s *ast.AssignStmt) string {
	e := s.Rhs[0]
	f.expr(e)
	var to []string
	parts := "" // the labels that are set as well
	for _, l := range s.Lhs {
		t := f.targetOf(l, s.Tok == token.DEFINE)
		switch {
		case t.part != "":
			tmp := f.fresh()
			to = append(to, "&"+tmp)
			parts += " && _hf.SetAll(_hf.PutField(" + t.name + ", " + t.part + ", " + tmp + "), &" + t.name +
				")"
		case t.name != "" && t.weak == "":
			to = append(to, "&"+t.name)
		case t.loc != "" || t.memo != "":
			tmp := f.fresh()
			to = append(to, "&"+tmp)
			parts += " && _hf.SetAll(" + t.set(tmp) + ")"
		default:
			to = append(to, "nil")
		}
	}
	names := strings.Join(to, ", ")
	if aux := f.aux[ast.Unparen(e)]; aux != "" {
		return "_hf.BackInto(" + aux + ", " + names + ")" + parts
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && f.isUser(call) {
		return "_hf.Into(" + f.label(e) + ", " + names + ")" + parts
	}
	return "_hf.SetAll(" + f.label(e) + ", " + names + ")" + parts
}
