package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A flowIter is an iterator of package hook that replaces a range.
type flowIter struct {
	name   string
	labels []string // of the variables that it sets; "" if not a local variable
	self   string   // of the iterator, whose fields hold what it found
	len    bool     // it iterates as often as there were elements at the start
	isMap  bool
}

var flowIterators = map[string]bool{
	"Map": true, "MapKeys": true, "MapEach": true, "Chan": true, "ChanEach": true, "Slice": true,
	"SliceValues": true, "SliceEach": true,
}

// beginsIteration rewrites k, v, it := _hd.Map(m, S) and similar statements. It returns false for
// others.
func (f *flower) beginsIteration(s *ast.AssignStmt) bool {
	if len(s.Rhs) != 1 || s.Tok != token.DEFINE {
		return false
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || !flowIterators[f.hookName(call)] {
		return false
	}
	hook := f.hookName(call)
	f.expr(call.Args[0])
	last := s.Lhs[len(s.Lhs)-1].(*ast.Ident)
	it := &flowIter{name: last.Name, len: strings.HasPrefix(hook, "Slice"),
		isMap: strings.HasPrefix(hook, "Map")}
	for i, l := range s.Lhs {
		v, ok := f.info.ObjectOf(l.(*ast.Ident)).(*types.Var)
		if !ok {
			continue
		}
		switch label := f.declare(v); {
		case l == last:
			it.self = label
			f.iters[v] = it
		case hook == "Slice" && i == 0: // an index depends on nothing
		default:
			it.labels = append(it.labels, label)
		}
	}
	f.rename(call, hook)
	text := ", " + f.label(call.Args[0])
	if it.len {
		text += ", " + f.branchSite(s.Pos(), call.Args[0])
	}
	f.afterPart(call, call.Args[1], text)
	return true
}

// next rewrites the condition of a loop over an iterator, and returns the statements that set
// labels at the start of the body. ok is false for other loops.
func (f *flower) next(s *ast.ForStmt) (start string, ok bool) {
	call, ok := s.Cond.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	v, ok := f.isVar(fun.X)
	if !ok || f.iters[v] == nil {
		return "", false
	}
	it := f.iters[v]
	if !it.len {
		f.wrap(call, "_hf.B(", ", "+it.name+".C(), "+f.branchSite(s.Pos(), fun.X)+")")
	}
	for i, l := range append(it.labels, it.self) {
		method := ".L"
		switch {
		case it.isMap && l == it.self:
			method = ".Whole"
		case it.isMap && i == 0:
			method = ".KL"
		}
		start += l + " = " + it.name + method + "(); "
	}
	return start, true
}

func (f *flower) forStmt(s *ast.ForStmt) {
	then := f.simple(s.Init)
	start, ok := f.next(s)
	if !ok {
		f.cond(s.Cond)
	}
	if then != "" {
		f.skip(s, "data flow: the labels of a for clause's several values")
	}
	if s.Post != nil {
		if t := f.simple(s.Post); t != "" {
			f.skip(s.Post, "data flow: the labels of a for clause's several values")
		}
	}
	f.stmts(s.Body.List)
	f.atStart(s.Body, start)
}

// rangeStmt rewrites a range that package hook has not replaced.
func (f *flower) rangeStmt(s *ast.RangeStmt) {
	var names [2]string
	if s.Tok == token.DEFINE {
		for i, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
				if v, ok := f.info.Defs[id].(*types.Var); ok {
					names[i] = f.declare(v)
				}
			}
		}
	} else {
		for i, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil {
				names[i] = f.targetOf(e, false).name
			}
		}
	}
	start := f.rangeOver(s, names)
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if id, ok := e.(*ast.Ident); ok && names[i] != "" {
			if v, ok := f.info.Defs[id].(*types.Var); ok && f.addressed[v] {
				start += strings.TrimPrefix(f.stored(v, names[i]), "; ") + "; "
			}
		}
	}
	f.stmts(s.Body.List)
	f.atStart(s.Body, start)
}

// rangeOver rewrites the operand of a range and returns the statements that set the labels of its
// variables.
func (f *flower) rangeOver(s *ast.RangeStmt, names [2]string) string {
	set := func(name, l string) string {
		if name == "" {
			return ""
		}
		return name + " = " + l + "; "
	}
	if !f.rangeEvaluates(s) { // the length of an array
		return set(names[0], "0")
	}
	f.expr(s.X)
	l := f.label(s.X)
	times := func(hook string) {
		if l != "0" {
			f.wrap(s.X, "_hf."+hook+"(", ", "+l+", "+f.branchSite(s.For, s.X)+")")
		}
	}
	switch t := core(f.info.TypeOf(s.X)).(type) {
	case *types.Signature: // the body is called with the values that the function yields
		f.branchOn("Func", s.X)
		if f.exprs() {
			body := t.Params().At(0).Type().Underlying().(*types.Signature)
			f.wrap(s.X, fmt.Sprintf("_hf.Body%d(", body.Params().Len()), ")")
		}
		take := "_ha := _hf.Take(" +
			signature("", t.Params().At(0).Type().Underlying().(*types.Signature).Params().Len()) +
			"); _ = _ha; "
		return take + set(names[0], "_ha[1]") + set(names[1], "_ha[2]")
	case *types.Slice:
		times("TimesSlice")
		if f.exprs() {
			l = "0"
			if names[1] != "" && f.quiet() {
				l = f.quietRange(s)
			}
		}
		return set(names[0], "0") + set(names[1], l)
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			if !f.fixed(s.X) {
				times("Times")
			}
			return set(names[0], "0")
		}
		if f.exprs() {
			return set(names[0], "0") + set(names[1], "0") + f.rangeText(s, names[1])
		}
		keep := "0"
		if l != "0" {
			keep = f.fresh()
			f.wrap(s.X, "_hf.To(", ", "+l+", &"+keep+")")
			times("TimesString")
		}
		return set(names[0], "0") + set(names[1], keep)
	}
	if textual(f.info.TypeOf(s.X)) {
		f.content(s.X)
		f.vanish(s.X, f.lost(s.X, l), l)
		l = "0"
	}
	if isMap(f.info.TypeOf(s.X)) && s.Key != nil {
		f.reachesMap(s.X)
	}
	keep := "0"
	if l != "0" && names[1] != "" {
		keep = f.fresh()
		f.wrap(s.X, "_hf.To(", ", "+l+", &"+keep+")")
	}
	return set(names[0], "0") + set(names[1], keep)
}
