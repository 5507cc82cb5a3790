package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rangeStmt rewrites a range over a map, a channel, or (with Memory) a slice whose elements are
// read into a for statement with three clauses; see MapIter in package hook. Other ranges stay.
func (r *rewriter) rangeStmt(s *ast.RangeStmt, label *ast.LabeledStmt) {
	if !r.rangeEvaluates(s) {
		r.rangeBody(s, label)
		return
	}
	r.value(s.X)
	it := r.iterator(s)
	if it == nil || r.isGathered(s.X) {
		r.rangeBody(s, label)
		return
	}
	if s.Tok == token.DEFINE && !it.bare {
		r.rangeDefine(s, label, it)
		return
	}
	r.rangeEach(s, it)
}

// rangeEvaluates reports whether the operand is evaluated: for an array expression without calls
// only its length is used.
func (r *rewriter) rangeEvaluates(s *ast.RangeStmt) bool {
	if s.Value != nil && !isBlank(s.Value) || r.hasCall(s.X) {
		return true
	}
	t := core(r.info.TypeOf(s.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, array := t.(*types.Array)
	return !array
}

// An iterator names the functions of package hook that replace a range.
type iterator struct {
	hook  string   // Map, MapKeys, Chan, Slice, SliceValues
	each  string   // MapEach, ChanEach, SliceEach
	next  string   // method of the iterator
	vars  []string // variables that the hook defines and the method sets
	parts []string // fields that hold the key and the value that More found
	bare  bool     // no variables
}

// iterator returns how to range over s.X, or nil if the range stays.
func (r *rewriter) iterator(s *ast.RangeStmt) *iterator {
	key, value := varName(s.Key), varName(s.Value)
	bare := key == "" && value == ""
	switch t := core(r.info.TypeOf(s.X)).(type) {
	case *types.Map:
		it := &iterator{hook: "Map", each: "MapEach", next: "Next", parts: []string{"K", "V"}, bare: bare}
		switch {
		case value == "":
			it.hook, it.next, it.vars = "MapKeys", "Key", []string{key}
		case key == "":
			it.vars = []string{"", value}
		default:
			it.vars = []string{key, value}
		}
		return it
	case *types.Chan:
		return &iterator{hook: "Chan", each: "ChanEach", next: "Next", vars: []string{key},
			parts: []string{"V"}, bare: bare}
	case *types.Pointer:
		if !isArray(t.Elem()) {
			return nil
		}
	case *types.Slice:
	default:
		return nil
	}
	if !r.mem || value == "" {
		return nil
	}
	it := &iterator{hook: "Slice", each: "SliceEach", next: "Next", vars: []string{key, value},
		parts: []string{"I", "V"}}
	if key == "" {
		it.hook, it.next, it.vars = "SliceValues", "Value", []string{value}
	}
	return it
}

// varName returns the name of a variable, some text for a location, and "" for none and for _.
func varName(e ast.Expr) string {
	if e == nil || isBlank(e) {
		return ""
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}

// operandOf returns the text around the operand for the hook.
func (r *rewriter) operandOf(s *ast.RangeStmt) (open, close string) {
	if isPointer(r.info.TypeOf(s.X)) {
		return "(", ")[:]"
	}
	return "", ""
}

// rangeDefine rewrites k, v := range x.
func (r *rewriter) rangeDefine(s *ast.RangeStmt, label *ast.LabeledStmt, it *iterator) {
	state := r.name()
	vars := make([]string, len(it.vars))
	refs := make([]string, len(it.vars))
	for i, v := range it.vars {
		if v == "" {
			v = r.name()
		}
		vars[i], refs[i] = v, "&"+v
	}
	decl, writes := r.loopVars(s)
	open, close := r.operandOf(s)
	site := r.rangeSite(s)
	begin := strings.Join(vars, ", ") + ", " + state + " := _hd." + it.hook + "(" + open
	end := close + ", " + site + "); "
	next := state + "." + it.next + "(" + strings.Join(refs, ", ") + ")"
	r.stmts(s.Body.List)
	if r.oldLoops && decl != "" && (label == nil || !r.labels[label]) {
		header := begin + r.moved(s.X, start(s, label)) + end + decl
		// Line ends come first: after the condition they would become semicolons.
		a, b := r.off(s.For+3), r.off(s.Body.Lbrace)
		r.buf.Replace(a, b, r.buf.newlines(a, b)+" "+next+" ")
		r.atStart(s.Body, writes)
		r.outside(s, label, header)
		return
	}
	if !r.oldLoops {
		writes = decl
	}
	from := s.Range
	if s.Key != nil {
		from = s.Key.Pos()
	}
	r.between(from, s.X.Pos(), begin)
	r.afterPart(s, s.X, end+next+"; ")
	r.atStart(s.Body, writes)
}

// rangeEach rewrites k, v = range x and range x.
func (r *rewriter) rangeEach(s *ast.RangeStmt, it *iterator) {
	state := r.name()
	open, close := r.operandOf(s)
	from := s.Range
	set := ""
	if s.Key != nil {
		from = s.Key.Pos()
	}
	if !it.bare {
		var lhs []ast.Expr
		var values []string
		for i, l := range []ast.Expr{s.Key, s.Value} {
			if varName(l) != "" {
				lhs, values = append(lhs, l), append(values, state+"."+it.parts[i])
			}
		}
		set = r.assigned(lhs, values, s.Body.Lbrace)
	}
	r.stmts(s.Body.List)
	r.between(from, s.X.Pos(), fmt.Sprintf("%s := _hd.%s(%s", state, it.each, open))
	r.afterPart(s, s.X, fmt.Sprintf("%s, %s); %s.More(); ", close, r.rangeSite(s), state))
	r.atStart(s.Body, set)
}

// rangeBody rewrites a range whose clause stays.
func (r *rewriter) rangeBody(s *ast.RangeStmt, label *ast.LabeledStmt) {
	decl, writes := r.loopVars(s)
	if s.Tok == token.ASSIGN {
		for _, l := range []ast.Expr{s.Key, s.Value} {
			if varName(l) != "" {
				r.addr(l)
				if r.target(l) >= hooked {
					r.writeInPlace(l)
				}
			}
		}
	}
	r.stmts(s.Body.List)
	switch {
	case decl == "":
	case !r.oldLoops:
		r.atStart(s.Body, decl)
	default:
		r.hoistKey(s, label, decl)
		r.atStart(s.Body, writes)
	}
}

// hoistKey declares the index of an old loop once, with its announcement: { i := 0; Var(&i); for i
// = range s { ... } }.
func (r *rewriter) hoistKey(s *ast.RangeStmt, label *ast.LabeledStmt, decl string) {
	if label != nil && r.labels[label] || varName(s.Value) != "" || varName(s.Key) == "" {
		return
	}
	r.outside(s, label, s.Key.(*ast.Ident).Name+" := 0; "+decl)
	r.between(s.TokPos, s.TokPos+2, "=")
}

// loopVars returns the announcements of the variables that the range clause declares and, if they
// are one per loop, of the writes to them.
func (r *rewriter) loopVars(s *ast.RangeStmt) (decl, writes string) {
	if s.Tok != token.DEFINE {
		return "", ""
	}
	for _, l := range []ast.Expr{s.Key, s.Value} {
		if varName(l) == "" {
			continue
		}
		d := r.declared(l.(*ast.Ident))
		decl += d
		if d != "" && r.oldLoops {
			writes += fmt.Sprintf("_hd.W(&%s, %s); ", varName(l),
				r.sites.add("write", l.Pos(), varName(l), r.info.TypeOf(l)))
		}
	}
	return decl, writes
}

// rangeSite returns the site for the reads of a range.
func (r *rewriter) rangeSite(s *ast.RangeStmt) string {
	op, t := "read", r.info.TypeOf(s.X)
	text := r.source(s.X)
	switch u := core(t).(type) {
	case *types.Chan:
		op = "recv"
	case *types.Slice:
		t, text = u.Elem(), text+"[...]"
	case *types.Pointer:
		t, text = u.Elem().Underlying().(*types.Array).Elem(), text+"[...]"
	}
	return r.sites.add(op, s.For, text, t)
}
