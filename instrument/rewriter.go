package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"heddle/instrument/std"
	"heddle/rt/states"
)

// A rewriter rewrites one file. Methods that take a node edit the node in place (buf), children
// first. Methods that return a string produce text for another position.
type rewriter struct {
	in     *Input
	im     *Importer
	fset   *token.FileSet
	ast    *ast.File
	tok    *token.File
	pkg    *types.Package
	info   *types.Info
	shared *shared
	polls  *polls
	sites  *sites
	buf    *buffer
	out    *Output

	mem   bool // announce memory accesses
	calls bool // announce what calls through interfaces read of their receivers
	// announce reads of the standard library's variables that programs may set
	variables bool
	// announce allocations even without memory accesses: they may hold objects that goroutines
	// synchronise with
	objects bool
	// in the initialiser of a package-level variable: its allocations are older than every
	// execution
	initial  bool
	mute     bool // it says that functions of the package do not announce what they write
	later    bool // in the function of a call that is made later
	oldLoops bool // one loop variable per loop, not per iteration

	prefix   string                    // of new names, such as _hd
	names    int                       // number of names _hd1, _hd2, ... used
	keep     map[string]bool           // functions to mention, so that their import stays used
	results  []*types.Var              // named results of the current function
	labels   map[*ast.LabeledStmt]bool // targets of goto statements
	handedOn types.Object              // the variadic parameter of the current function if it keeps it not
	parents  map[ast.Node]ast.Node     // see callFollows
	last     map[ast.Node]token.Pos    // see lastCall
	own      map[string]bool           // see ownMethod
	lumped   map[*types.Var]bool       // see lumpOf
	gathered map[*types.Var]bool       // nil: not looked for; see isGathered
	growths  map[*ast.CallExpr]*growth // nil: not looked for; see growthOf
}

// file rewrites the file and returns its new text, or nil if nothing changed.
func (r *rewriter) file() []byte {
	v := r.info.FileVersions[r.ast]
	r.oldLoops = before(v, "go1.22")
	r.keep = map[string]bool{}
	for _, d := range r.ast.Decls {
		r.decl(d)
	}
	if r.in.Mode.Linked {
		r.linknames()
	}
	globals := r.globals() + r.lenders()
	if r.mute {
		globals += "\nvar _ = _hd.Mutes()\n"
	}
	if len(r.buf.at) == 0 && globals == "" {
		return nil
	}
	if globals != "" || bytes.Contains(r.buf.Bytes(), []byte("_hd.")) {
		r.after(r.ast.Name, `; import _hd "heddlert/hook"`)
		if before(v, "go1.20") {
			r.raiseVersion()
		}
	}
	var tail strings.Builder
	for _, f := range sortedKeys(r.keep) {
		fmt.Fprintf(&tail, "\nvar _ = %s\n", f)
	}
	tail.WriteString(globals)
	return append(r.buf.Bytes(), tail.String()...)
}

func (r *rewriter) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return
		}
		r.mem, r.initial = r.in.Mode.Memory && std.Accesses(r.in.ImportPath, nil), true
		for _, s := range d.Specs {
			r.varSpec(s.(*ast.ValueSpec))
		}
	case *ast.FuncDecl:
		if d.Body == nil || r.in.Standard && std.OfRuntime(plainPath(r.in.ImportPath), d) {
			return
		}
		r.mem = r.in.Mode.Memory && std.Accesses(r.in.ImportPath, d) && !forbidsCalls(d)
		r.variables = r.in.Mode.Memory && r.in.Standard && !forbidsCalls(d)
		r.calls = r.mem || r.in.Mode.Receivers && !forbidsCalls(d)
		r.objects = (!r.sites.quiet || std.Keyed(r.in.ImportPath) ||
			r.in.Standard && states.Shown(plainPath(r.in.ImportPath))) && !forbidsCalls(d)
		r.initial = false
		r.function(d.Recv, d.Type, d.Body)
		if r.in.Mode.Memory && !r.in.Standard && forbidsCalls(d) && r.touchesMemory(d) {
			r.atStart(d.Body, fmt.Sprintf("_hd.Unhooked(%q); ", r.pkg.Name()+"."+std.FunctionName(d)))
		}
		r.usesState(d)
		if b := r.borderOf(d); b != nil {
			r.atStart(d.Body, r.border(d, b))
		}
	}
}

// forbidsCalls reports whether a directive of a function forbids hooks on memory accesses.
func forbidsCalls(d *ast.FuncDecl) bool {
	if d.Doc == nil {
		return false
	}
	for _, c := range d.Doc.List {
		switch word, _, _ := strings.Cut(c.Text, " "); word {
		case "//go:nosplit", "//go:norace", "//go:systemstack", "//go:nowritebarrier",
			"//go:nowritebarrierrec", "//go:yeswritebarrierrec":
			return true
		}
	}
	return false
}

// touchesMemory reports whether a function accesses memory that several goroutines may access.
func (r *rewriter) touchesMemory(d *ast.FuncDecl) (does bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			_, isMap := core(r.info.TypeOf(n.X)).(*types.Map)
			does = does || isMap || r.isShared(n)
		case *ast.RangeStmt:
			switch core(r.info.TypeOf(n.X)).(type) {
			case *types.Slice, *types.Map, *types.Pointer:
				does = true
			}
		case *ast.CallExpr:
			name := r.builtin(n.Fun)
			does = does || name == "append" || name == "copy" || name == "clear" || name == "delete"
		case ast.Expr:
			does = does || r.isShared(n)
		}
		return !does
	})
	return does
}

// function rewrites the body of a function.
func (r *rewriter) function(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) {
	results, labels, handedOn := r.results, r.labels, r.handedOn
	defer func() { r.results, r.labels, r.handedOn = results, labels, handedOn }()
	r.results, r.labels, r.handedOn = nil, gotoTargets(body), nil
	var decl strings.Builder
	for _, list := range []*ast.FieldList{recv, typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for _, id := range f.Names {
				decl.WriteString(r.declared(id))
				if v, ok := r.info.Defs[id].(*types.Var); ok && list == typ.Results {
					r.results = append(r.results, v)
				}
			}
		}
	}
	decl.WriteString(r.variadic(typ, body))
	r.stmts(body.List)
	r.atStart(body, decl.String())
}

// variadic returns the announcement of the slice of a variadic parameter, if the function does
// more than read its elements.
func (r *rewriter) variadic(typ *ast.FuncType, body *ast.BlockStmt) string {
	if len(typ.Params.List) == 0 || !r.mem || r.initial {
		return ""
	}
	last := typ.Params.List[len(typ.Params.List)-1]
	if _, ok := last.Type.(*ast.Ellipsis); !ok || len(last.Names) == 0 || isBlank(last.Names[0]) {
		return ""
	}
	v := r.info.Defs[last.Names[0]]
	looks := map[*ast.Ident]bool{}
	look := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			looks[id] = true
		}
	}
	keeps := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			keeps = keeps || r.mentions(n, v)
			return false
		case *ast.IndexExpr:
			look(n.X)
		case *ast.RangeStmt:
			look(n.X)
		case *ast.CallExpr:
			if b := r.builtin(n.Fun); b == "len" || b == "cap" || n.Ellipsis.IsValid() && b == "" {
				look(n.Args[len(n.Args)-1])
			}
		case *ast.Ident:
			keeps = keeps || !looks[n] && r.info.Uses[n] == v
		}
		return true
	})
	if !keeps {
		r.handedOn = v
		return ""
	}
	return fmt.Sprintf("_hd.Rest(%s, %s); ", last.Names[0].Name,
		r.sites.add("alloc", last.Pos(), last.Names[0].Name, v.Type()))
}

// mentions reports whether n names v.
func (r *rewriter) mentions(n ast.Node, v types.Object) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && r.info.Uses[id] == v
		return !found
	})
	return found
}

// atStart inserts statements, each with a semicolon, at the start of a block.
func (r *rewriter) atStart(b *ast.BlockStmt, s string) {
	if s != "" {
		r.afterToken(b.Lbrace, " "+s)
	}
}

// gotoTargets returns the labels that goto statements of a function name.
func gotoTargets(body *ast.BlockStmt) map[*ast.LabeledStmt]bool {
	names := map[string]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			names[b.Label.Name] = true
		}
		return true
	})
	targets := map[*ast.LabeledStmt]bool{}
	if len(names) > 0 {
		ast.Inspect(body, func(n ast.Node) bool {
			if l, ok := n.(*ast.LabeledStmt); ok && names[l.Label.Name] {
				targets[l] = true
			}
			return true
		})
	}
	return targets
}

// Positions and texts.

func (r *rewriter) off(p token.Pos) int  { return r.tok.Offset(p) }
func (r *rewriter) line(p token.Pos) int { return r.fset.Position(p).Line }
func (r *rewriter) col(p token.Pos) int  { return r.fset.Position(p).Column }

// source returns the original text of n.
func (r *rewriter) source(n ast.Node) string {
	return string(r.buf.src[r.off(n.Pos()):r.off(n.End())])
}

// text returns the edited text of n.
func (r *rewriter) text(n ast.Node) string { return r.buf.Render(r.off(n.Pos()), r.off(n.End())) }

// touched reports whether n was edited.
func (r *rewriter) touched(n ast.Node) bool { return r.buf.Touched(r.off(n.Pos()), r.off(n.End())) }

// wrap inserts text around n.
func (r *rewriter) wrap(n ast.Node, before, after string) {
	r.before(n, before)
	r.after(n, after)
}

func (r *rewriter) before(n ast.Node, s string) { r.buf.Before(r.off(n.Pos()), r.off(n.End()), s) }
func (r *rewriter) after(n ast.Node, s string)  { r.buf.After(r.off(n.Pos()), r.off(n.End()), s) }

// afterPart inserts s after a part of n, as an edit of n.
func (r *rewriter) afterPart(n, part ast.Node, s string) {
	r.buf.After(r.off(n.Pos()), r.off(part.End()), s)
}

// afterToken inserts s after the one-byte token at pos.
func (r *rewriter) afterToken(pos token.Pos, s string) { r.buf.After(r.off(pos), r.off(pos)+1, s) }

// between replaces the text between two positions by s and the line ends of that text.
func (r *rewriter) between(from, to token.Pos, s string) {
	a, b := r.off(from), r.off(to)
	r.buf.Replace(a, b, s+r.buf.newlines(a, b))
}

// replace replaces n by s.
func (r *rewriter) replace(n ast.Node, s string) {
	r.buf.Replace(r.off(n.Pos()), r.off(n.End()), s)
}

// moved returns the text of n for use at source position here. Line directives keep the lines of
// the text and of what follows it.
func (r *rewriter) moved(n ast.Node, here token.Pos) string {
	s := r.text(n)
	return r.relocate(s, n.Pos(), here)
}

// relocate is moved for the text s from position pos.
func (r *rewriter) relocate(s string, pos, here token.Pos) string {
	if r.line(pos) == r.line(here) && !strings.Contains(s, "\n") || r.oldLoops && r.in.Mode.Plain {
		return s
	}
	return r.directive(pos) + s + r.directive(here)
}

// directive returns a line directive that gives the next character the position pos.
func (r *rewriter) directive(pos token.Pos) string {
	p := r.fset.Position(pos)
	return fmt.Sprintf("/*line :%d:%d*/", p.Line, max(p.Column, 1))
}

// name returns a fresh variable name.
func (r *rewriter) name() string {
	r.names++
	return fmt.Sprintf("%s%d", r.prefix, r.names)
}

// site adds a row for operation op on n to the position table, and returns its site as a Go
// constant.
func (r *rewriter) site(op string, at token.Pos, n ast.Expr) string {
	return r.sites.add(op, at, r.source(ast.Unparen(n)), r.info.TypeOf(n))
}

// elements is site for an access to elements of the slice n.
func (r *rewriter) elements(op string, at token.Pos, n ast.Expr) string {
	var elem types.Type
	if s, ok := core(r.info.TypeOf(n)).(*types.Slice); ok {
		elem = s.Elem()
	}
	return r.sites.add(op, at, r.source(ast.Unparen(n)), elem)
}

// skip records a construct that is not rewritten.
func (r *rewriter) skip(n ast.Node, why string) {
	p := r.fset.Position(n.Pos())
	r.out.Skipped = append(r.out.Skipped, fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, why))
}

// declared returns the statement that announces the variable that id declares, if it is shared.
func (r *rewriter) declared(id *ast.Ident) string {
	v, ok := r.info.Defs[id].(*types.Var)
	if !ok {
		return ""
	}
	return r.declaredVar(v, id.Pos())
}

func (r *rewriter) declaredVar(v *types.Var, pos token.Pos) string {
	if !r.mem || v.Name() == "_" || v.Name() == "" || !r.shared.has(v) {
		return ""
	}
	s := fmt.Sprintf("_hd.Var(&%s, %s); ", v.Name(), r.sites.add("alloc", pos, v.Name(), v.Type()))
	return s
}

// isVar returns the variable that an identifier denotes.
func (r *rewriter) isVar(e ast.Expr) (*types.Var, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil, false
	}
	v, ok := r.info.ObjectOf(id).(*types.Var)
	return v, ok
}

func isBlank(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "_"
}
