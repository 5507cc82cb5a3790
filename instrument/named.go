package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// Values of tests that are inputs on request (heddle test -symbolic): fields of the elements that a
// loop of a test function goes over, and local variables. Where one gets its value, package drive
// is asked whether it gets another one:
//
//	for _, tt := range tests {
//
//	for _, tt := range tests { if _hn.Begin("a_test.go:9:2", len(tests), true, "TestA.tt.in", tt.in) {
//		if _hn.Is(0) { tt.in = _hn.Next(0, tt.in) } } else if _hn.Other("a_test.go:9:2") { continue };
//
// The text is changed before all else, so that the rest of heddle takes it for the program's own.

// A Nameable is a value of a test function that can be named, or cannot.
type Nameable struct {
	Path string // TestParse.tt.in
	Type string
	File string // absolute
	Line int
	Why  string // why it cannot be an input; "": it can
}

// Named is what a package has of the values that were asked for.
type Named struct {
	All   []Nameable
	Files map[string][]byte // changed texts
	Notes []NamedNote
}

// A NamedNote is to be said of a test with values that are inputs.
type NamedNote struct{ Func, Text string }

// Names reports whether name means the value at path: path itself, or its last parts.
func Names(name, path string) bool {
	return path == name || strings.HasSuffix(path, "."+name)
}

// NamedOf finds the values of the test functions of a package, and changes the texts where names
// mean some of them. The error is one of the package.
func NamedOf(in *Input, imp *Importer, names []string) (*Named, error) {
	p := imp.pkgs[in.ImportPath]
	info := newInfo()
	tp, err := imp.full(p, info)
	if err != nil {
		return nil, err
	}
	out := &Named{Files: map[string][]byte{}}
	for i, f := range in.Files {
		if !strings.HasSuffix(f.Path, "_test.go") || importsC(p.files[i]) {
			continue
		}
		n := &namer{out: out, names: names, path: f.Path, fset: imp.fset, ast: p.files[i], pkg: tp,
			info: info, tok: imp.fset.File(p.files[i].FileStart), buf: newBuffer(f.Content)}
		for _, d := range p.files[i].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && n.isTest(fn.Type) {
				n.fn = fn
				n.block(fn.Body.List, where{})
			}
		}
		if len(n.buf.at) > 0 {
			n.insertAfter(p.files[i].Name, `; import _hn "heddlert/drive"`)
			if before(langVersion(in.GoVersion), "go1.18") { // what is called is generic
				(&rewriter{in: in, fset: n.fset, ast: n.ast, tok: n.tok, buf: n.buf}).raiseVersion()
			}
			out.Files[f.Path] = n.buf.Bytes()
		}
	}
	return out, nil
}

// A namer looks through one file.
type namer struct {
	out   *Named
	names []string
	path  string
	fset  *token.FileSet
	ast   *ast.File
	tok   *token.File
	pkg   *types.Package
	info  *types.Info
	buf   *buffer
	fn    *ast.FuncDecl
}

// where says where statements stand.
type where struct {
	many bool           // they may be executed more than once
	loop *ast.BlockStmt // the body of the innermost loop, if they are its own
}

// isTest reports whether functions of the type are tests, or help them: one parameter is a T.
func (n *namer) isTest(t *ast.FuncType) bool {
	return slices.ContainsFunc(t.Params.List, func(f *ast.Field) bool { return n.isT(n.info.TypeOf(f.Type)) })
}

func (n *namer) isT(t types.Type) bool {
	if t == nil {
		return false
	}
	s := types.TypeString(t, nil)
	return s == "*testing.T" || s == "testing.TB"
}

func (n *namer) insertAfter(x ast.Node, text string) {
	n.buf.After(n.tok.Offset(x.Pos()), n.tok.Offset(x.End()), text)
}

// block looks through a list of statements.
func (n *namer) block(list []ast.Stmt, w where) {
	for i, s := range list {
		n.stmt(s, list[i+1:], w)
	}
}

func (n *namer) stmt(s ast.Stmt, rest []ast.Stmt, w where) {
	inner := where{many: w.many}
	switch s := s.(type) {
	case *ast.LabeledStmt:
		n.stmt(s.Stmt, rest, w)
	case *ast.BlockStmt:
		n.block(s.List, inner)
	case *ast.IfStmt:
		n.block(s.Body.List, inner)
		if s.Else != nil {
			n.stmt(s.Else, nil, inner)
		}
	case *ast.SwitchStmt:
		n.block(s.Body.List, inner)
	case *ast.TypeSwitchStmt:
		n.block(s.Body.List, inner)
	case *ast.SelectStmt:
		n.block(s.Body.List, inner)
	case *ast.CaseClause:
		n.block(s.Body, inner)
	case *ast.CommClause:
		n.block(s.Body, inner)
	case *ast.ForStmt:
		n.block(s.Body.List, where{many: true, loop: s.Body})
	case *ast.RangeStmt:
		n.rangeOver(s, w)
		n.block(s.Body.List, where{many: true, loop: s.Body})
	case *ast.AssignStmt:
		n.literals(s, w)
		if s.Tok == token.DEFINE {
			n.defined(s, rest, w)
		}
	case *ast.DeclStmt:
		n.literals(s, w)
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			n.declared(s, d, w)
		}
	default:
		n.literals(s, w)
	}
}

// literals looks through the function literals of a statement. That of a subtest is called once.
func (n *namer) literals(s ast.Node, w where) {
	ast.Inspect(s, func(x ast.Node) bool {
		if call, ok := x.(*ast.CallExpr); ok && n.runs(call) {
			if lit, ok := call.Args[1].(*ast.FuncLit); ok {
				n.block(lit.Body.List, where{many: w.many})
				return false
			}
		}
		if lit, ok := x.(*ast.FuncLit); ok {
			n.block(lit.Body.List, where{many: true})
			return false
		}
		return true
	})
}

// runs reports whether a call is t.Run.
func (n *namer) runs(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Run" && len(call.Args) == 2 && n.isT(n.info.TypeOf(sel.X))
}

// A value is one that may be named.
type namedValue struct {
	path string // tt.in
	text string // in the source, to be assigned to
	typ  types.Type
	pos  token.Pos
}

// values returns the values of a variable: itself, or the fields of its type.
func (n *namer) values(path, text string, t types.Type, pos token.Pos, depth int) (list []namedValue) {
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok && depth == 0 {
		u = p.Elem().Underlying()
	}
	st, ok := u.(*types.Struct)
	if !ok {
		return []namedValue{{path, text, t, pos}}
	}
	for f := range st.Fields() {
		if depth == 3 || f.Name() == "_" || !f.Exported() && f.Pkg() != n.pkg {
			continue
		}
		at := f.Pos()
		if n.fset.Position(at).Filename != n.path {
			at = pos
		}
		list = append(list, n.values(path+"."+f.Name(), text+"."+f.Name(), f.Type(), at, depth+1)...)
	}
	return list
}

// inputType returns why values of a type cannot be inputs; "": they can.
func inputType(t types.Type) (why string) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0 &&
			u.Kind() != types.Uintptr {
			return ""
		}
	case *types.Slice:
		if b, ok := u.Elem().(*types.Basic); ok && b.Kind() == types.Byte {
			return ""
		}
	}
	return "inputs are numbers, conditions, strings and []byte"
}

// chosen notes values, and returns those that names mean and that can be inputs.
func (n *namer) chosen(all []namedValue) (chosen []namedValue) {
	for _, v := range all {
		at := n.fset.Position(v.pos)
		path, why := n.fn.Name.Name+"."+v.path, inputType(v.typ)
		n.out.All = append(n.out.All, Nameable{path, types.TypeString(v.typ, types.RelativeTo(n.pkg)),
			at.Filename, at.Line, why})
		if why == "" && slices.ContainsFunc(n.names, func(name string) bool { return Names(name, path) }) {
			chosen = append(chosen, v)
		}
	}
	return chosen
}

// ask returns the text that asks for values. rows is how many elements the loop has, as an
// expression; "-1": it is no loop. expects: what is expected depends on other values of the row.
func (n *namer) ask(chosen []namedValue, pos token.Pos, rows string, expects, skips bool) string {
	at := n.fset.Position(pos)
	key := fmt.Sprintf("%s:%d:%d", filepath.Base(n.path), at.Line, at.Column)
	var paths, texts []string
	var set strings.Builder
	for i, v := range chosen {
		paths, texts = append(paths, n.fn.Name.Name+"."+v.path), append(texts, v.text)
		fmt.Fprintf(&set, " if _hn.Is(%d) { %s = _hn.Next(%d, %s) };", i, v.text, i, v.text)
	}
	other := ""
	if skips {
		other = fmt.Sprintf(" else if _hn.Other(%q) { continue }", key)
	}
	return fmt.Sprintf("if _hn.Begin(%q, %s, %t, %q, %s) {%s }%s; ", key, rows, expects,
		strings.Join(paths, ","), strings.Join(texts, ", "), set.String(), other)
}

// rangeOver takes the variables of a range clause.
func (n *namer) rangeOver(s *ast.RangeStmt, w where) {
	if s.Tok != token.DEFINE {
		return
	}
	t := n.info.TypeOf(s.X)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	var all []namedValue
	key, value := s.Key, s.Value
	row := map[types.Object]string{}
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" && n.info.Defs[id] != nil {
			all = append(all, n.values(id.Name, id.Name, n.info.Defs[id].Type(), id.Pos(), 0)...)
			row[n.info.Defs[id]] = id.Name
		}
	}
	rowText := ""
	switch t.Underlying().(type) {
	case *types.Map:
		add(key)
		add(value)
	case *types.Slice, *types.Array:
		if id, ok := key.(*ast.Ident); ok && (value == nil || isBlank(value)) && id.Name != "_" && pure(s.X) {
			rowText = n.source(s.X) + "[" + id.Name + "]"
			if elem := elemOf(t); elem != nil {
				all = n.values(n.source(s.X), rowText, elem, s.X.Pos(), 0)
			}
		}
		add(value)
	default:
		return
	}
	at := n.tok.Offset(s.Body.Lbrace)
	n.rows(all, row, rowText, s.Body, s.Body.List, n.rowsOf(s.X), s.Pos(),
		func(text string) { n.buf.After(at, at+1, " "+text) })
}

// rows asks for values of the elements of a table. body are the statements that use them.
func (n *namer) rows(all []namedValue, row map[types.Object]string, rowText string, block ast.Node,
	body []ast.Stmt, rows string, pos token.Pos,
	insert func(text string)) {
	chosen := n.chosen(all)
	if len(chosen) == 0 {
		return
	}
	used := n.otherUses(body, row, rowText, chosen)
	if used != nil {
		at := n.fset.Position(used.Pos())
		n.out.Notes = append(n.out.Notes, NamedNote{n.fn.Name.Name, fmt.Sprintf("%s:%d: what the test itself says of elements with other values is no finding, as it goes by %s, which stays as it is", at.Filename, at.Line, n.source(used))})
	}
	subtests := false
	ast.Inspect(block, func(x ast.Node) bool {
		call, ok := x.(*ast.CallExpr)
		subtests = subtests || ok && n.runs(call)
		return !subtests
	})
	insert(n.ask(chosen, pos, rows, used != nil, subtests))
}

// otherUses returns a use of the rest of a row, beside in names of subtests and in what is printed.
// row has the variables that are the row, or copies of it, with the text of the first one.
func (n *namer) otherUses(body []ast.Stmt, row map[types.Object]string, rowText string,
	chosen []namedValue) (found ast.Expr) {
	use := func(x ast.Expr, text string) {
		if found == nil && !slices.ContainsFunc(chosen, func(v namedValue) bool {
			return text == v.text || strings.HasPrefix(text, v.text+".")
		}) {
			found = x
		}
	}
	// textOf returns the text of an expression that is the row.
	textOf := func(x ast.Expr) (text string, ok bool) {
		if id, isName := x.(*ast.Ident); isName {
			text, ok = row[n.info.Uses[id]]
			return text, ok
		}
		return rowText, rowText != "" && n.source(x) == rowText
	}
	copies := map[*ast.Ident]bool{}
	var look func(x ast.Node) bool
	look = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt: // tt := tt
			for i, r := range x.Rhs {
				id, ok := r.(*ast.Ident)
				if !ok || x.Tok != token.DEFINE || len(x.Lhs) != len(x.Rhs) {
					continue
				}
				to, isName := x.Lhs[i].(*ast.Ident)
				if text, ok := textOf(id); ok && isName && n.info.Defs[to] != nil {
					row[n.info.Defs[to]], copies[id] = text, true
				}
			}
		case *ast.CallExpr:
			if n.runs(x) {
				ast.Inspect(x.Args[1], look)
				return false
			}
			return !n.says(x)
		case *ast.SelectorExpr:
			root := rootOf(x)
			if text, ok := textOf(root); ok {
				use(x, text+string(n.buf.src[n.tok.Offset(root.End()):n.tok.Offset(x.End())]))
				return false
			}
		case *ast.IndexExpr:
			if text, ok := textOf(x); ok {
				use(x, text)
				return false
			}
		case *ast.Ident:
			if text, ok := textOf(x); ok && !copies[x] {
				use(x, text)
			}
		}
		return true
	}
	for _, s := range body {
		ast.Inspect(s, look)
	}
	return found
}

// says reports whether a call is of a method of a T that prints, alone or as the test fails.
func (n *namer) says(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !n.isT(n.info.TypeOf(sel.X)) {
		return false
	}
	return slices.Contains([]string{"Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Skip", "Skipf"},
		sel.Sel.Name)
}

// rootOf returns what a chain of selectors begins with.
func rootOf(x ast.Expr) ast.Expr {
	for {
		switch y := x.(type) {
		case *ast.SelectorExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return x
		}
	}
}

// defined takes the variables that a statement defines.
func (n *namer) defined(s *ast.AssignStmt, rest []ast.Stmt, w where) {
	for i, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok || id.Name == "_" || n.info.Defs[id] == nil {
			continue
		}
		var from ast.Expr
		if len(s.Rhs) == len(s.Lhs) {
			from = ast.Unparen(s.Rhs[i])
		}
		if f, ok := from.(*ast.Ident); ok {
			if _, isVar := n.info.Uses[f].(*types.Var); isVar {
				continue // a copy
			}
		}
		all := n.values(id.Name, id.Name, n.info.Defs[id].Type(), id.Pos(), 0)
		after := func(text string) { n.insertAfter(s, "; "+strings.TrimSuffix(text, "; ")) }
		if x, ok := from.(*ast.IndexExpr); ok && w.loop != nil && isStruct(n.info.Defs[id].Type()) {
			row := map[types.Object]string{n.info.Defs[id]: id.Name}
			n.rows(all, row, "", w.loop, rest, n.rowsOf(x.X), id.Pos(), after)
			continue
		}
		n.variable(all, id.Pos(), w, after)
	}
}

// declared takes the variables of a declaration.
func (n *namer) declared(s *ast.DeclStmt, d *ast.GenDecl, w where) {
	for _, spec := range d.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if id.Name != "_" && n.info.Defs[id] != nil {
				n.variable(n.values(id.Name, id.Name, n.info.Defs[id].Type(), id.Pos(), 0), id.Pos(), w,
					func(text string) { n.insertAfter(s, "; "+strings.TrimSuffix(text, "; ")) })
			}
		}
	}
}

// variable asks for the values of a variable.
func (n *namer) variable(all []namedValue, pos token.Pos, w where, insert func(text string)) {
	if chosen := n.chosen(all); len(chosen) > 0 {
		rows := "-1"
		if w.many {
			rows = "0"
		}
		insert(n.ask(chosen, pos, rows, false, false))
	}
}

// rowsOf returns an expression for how many elements x has; "0": it is not known without evaluating
// x again.
func (n *namer) rowsOf(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		keyed := func(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok }
		if !slices.ContainsFunc(x.Elts, keyed) || isMap(n.info.TypeOf(x)) {
			return fmt.Sprint(len(x.Elts))
		}
	case *ast.Ident, *ast.SelectorExpr:
		if pure(x) {
			return "len(" + n.source(x) + ")"
		}
	}
	return "0"
}

// pure reports whether to evaluate x again has no effect.
func pure(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return pure(x.X)
	}
	return false
}

func (n *namer) source(x ast.Expr) string {
	return string(n.buf.src[n.tok.Offset(x.Pos()):n.tok.Offset(x.End())])
}

func isStruct(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func elemOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return nil
}
