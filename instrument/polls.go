package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// polls recognises loops that may poll: an iteration can lead to another one
// and have changed nothing that outlives it.
//
//	for !q.push(v) {                       for _hd.Loop(S, false); !q.push(v); _hd.Loop(S, true) {
//		runtime.Gosched()                  	_hd.Gosched()
//	}                                      }
//
//	func (q *queue) push(v int) bool {     func (q *queue) push(v int) bool {
//		if q.n.Load() == size {                	if q.n.Load() == size {
//			return false                           		return false
//		}                                      	}
//		q.buf[q.end] = v                       	_hd.Spoil(); q.buf[q.end] = v
//		...                                    	...
//
// Such a loop may wait, after an iteration that changed nothing, until something
// that it looked at is written. What passes through the hooks the scheduler sees
// by itself (a TryLock that succeeds, a value that a select received). The rest is
// announced: where, on a way through the iteration, a variable is assigned that
// is older than the iteration, or anything is called but functions of this
// package, which are looked at in the same way, and a few that are known to look only. Ways out of the loop may do anything.
//
// A package and its tests are rewritten apart, and loops of the tests call functions of the package. So these announce what they change whether a loop of the
// package calls them or not, and what is known of them is found out in the same order both times: it depends on that where they are recursive.
type polls struct {
	info   *types.Info
	pkg    *types.Package
	decls  map[*types.Func]*ast.FuncDecl
	known  map[*types.Func]*passage // functions of the package that were looked at; nil while they are: recursion is no way through
	loops  map[*ast.ForStmt]bool
	spoils map[ast.Stmt]bool // before which a change is to be announced
}

// A passage is what lies on the ways through an iteration, or a function, on which nothing was changed yet.
type passage struct {
	changes []ast.Stmt    // where the others end
	calls   []*types.Func // of this package
}

func newPolls(in *Input, pkg *types.Package, info *types.Info, files []*ast.File) *polls {
	p := &polls{info: info, pkg: pkg, decls: map[*types.Func]*ast.FuncDecl{}, known: map[*types.Func]*passage{}, loops: map[*ast.ForStmt]bool{}, spoils: map[ast.Stmt]bool{}}
	var own []*types.Func // but for those of tests
	for i, f := range files {
		if importsC(f) {
			continue // nothing is announced in it
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !forbidsCalls(d) {
				if fn, ok := info.Defs[d.Name].(*types.Func); ok {
					p.decls[fn] = d
					if !strings.HasSuffix(in.Files[i].Path, "_test.go") {
						own = append(own, fn)
					}
				}
			}
		}
	}
	for _, fn := range own {
		if w := p.function(fn); w != nil && in.Mode.Tested {
			p.announce(w)
		}
	}
	for _, f := range files {
		labels := map[ast.Stmt]string{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LabeledStmt:
				labels[n.Stmt] = n.Label.Name
			case *ast.ForStmt:
				p.loop(n, labels[n])
			}
			return true
		})
	}
	return p
}

// loop looks at a loop. label is its label, "" if it has none.
func (p *polls) loop(s *ast.ForStmt, label string) {
	if s.Init != nil || s.Post != nil {
		return // what a loop counts outlives the iteration
	}
	w := &walk{polls: p, loop: s, label: label, from: s.Body.Pos(), to: s.Body.End()}
	if s.Cond != nil && !w.pure(s.Cond) {
		return
	}
	if w.list(s.Body.List) || w.again {
		p.loops[s] = true
		p.announce(&w.passage)
	}
}

// announce notes the changes of a passage, and of what it calls.
func (p *polls) announce(w *passage) {
	for _, s := range w.changes {
		p.spoils[s] = true
	}
	calls := w.calls
	w.calls = nil // once
	for _, f := range calls {
		p.announce(p.known[f])
	}
}

// function returns the passage of a function of this package, nil if it has none.
func (p *polls) function(f *types.Func) *passage {
	if w, ok := p.known[f]; ok {
		return w
	}
	p.known[f] = nil
	d := p.decls[f]
	if d == nil {
		return nil
	}
	w := &walk{polls: p, from: d.Pos(), to: d.End()}
	if w.list(d.Body.List) || w.again {
		p.known[f] = &w.passage
	}
	return p.known[f]
}

// A walk goes through the body of a loop, or of a function, as long as nothing
// is changed. Its methods report whether it goes on behind what they are given.
type walk struct {
	*polls
	passage
	loop     *ast.ForStmt // nil: of a function
	label    string
	from, to token.Pos   // variables declared between are the iteration's own
	again    bool        // a continue, or of a function a return, was reached
	inside   []breakable // statements that a break may be about, the innermost last
}

// A breakable is a statement within the loop that is broken out of, or continued.
type breakable struct {
	label string
	loops bool
	broke bool
}

func (w *walk) list(list []ast.Stmt) bool {
	if w.leaves(list) {
		return false
	}
	for _, s := range list {
		if !w.stmt(s) {
			return false
		}
	}
	return true
}

// stmt goes through a statement of a list.
func (w *walk) stmt(s ast.Stmt) bool {
	label := ""
	inner := s
	if l, ok := s.(*ast.LabeledStmt); ok {
		inner, label = l.Stmt, l.Label.Name
	}
	switch s := inner.(type) {
	case *ast.BranchStmt:
		if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
			w.jump(s)
			return false
		}
	case *ast.ReturnStmt:
		if w.loop != nil {
			return false
		}
		if w.all(s.Results) {
			w.again = true
			return false
		}
	case *ast.BlockStmt:
		return w.list(s.List)
	case *ast.IfStmt:
		if w.heads(s) {
			return w.ifStmt(s)
		}
	case *ast.SwitchStmt:
		if w.simple(s.Init) && (s.Tag == nil || w.pure(s.Tag)) && w.choices(s.Body) {
			return w.clauses(s.Body, label)
		}
	case *ast.TypeSwitchStmt:
		if w.simple(s.Init) && w.pure(subject(s)) {
			return w.clauses(s.Body, label)
		}
	case *ast.SelectStmt:
		if w.choices(s.Body) {
			return w.clauses(s.Body, label)
		}
	case *ast.ForStmt:
		if w.simple(s.Init) && (s.Cond == nil || w.pure(s.Cond)) && w.simple(s.Post) {
			return w.within(label, true, func() bool { w.list(s.Body.List); return s.Cond != nil })
		}
	case *ast.RangeStmt:
		if w.ranges(s) {
			return w.within(label, true, func() bool { w.list(s.Body.List); return true })
		}
	default:
		if w.simple(inner) {
			return true
		}
	}
	w.changes = append(w.changes, s)
	return false
}

// subject returns the expression whose type a type switch asks for.
func subject(s *ast.TypeSwitchStmt) ast.Expr {
	if a, ok := s.Assign.(*ast.AssignStmt); ok {
		return a.Rhs[0]
	}
	return s.Assign.(*ast.ExprStmt).X
}

// within goes through a statement that can be broken out of.
func (w *walk) within(label string, loops bool, f func() bool) bool {
	w.inside = append(w.inside, breakable{label, loops, false})
	next := f()
	last := len(w.inside) - 1
	next = next || w.inside[last].broke
	w.inside = w.inside[:last]
	return next
}

// jump notes where a break or continue leads.
func (w *walk) jump(s *ast.BranchStmt) {
	for i, t := range slices.Backward(w.inside) {
		if s.Label != nil && s.Label.Name != t.label || s.Label == nil && s.Tok == token.CONTINUE && !t.loops {
			continue
		}
		w.inside[i].broke = w.inside[i].broke || s.Tok == token.BREAK
		return
	}
	if s.Tok == token.CONTINUE && (s.Label == nil || s.Label.Name == w.label) {
		w.again = true
	}
}

// heads reports whether the conditions of an if statement, and of those after its else, change nothing.
func (w *walk) heads(s *ast.IfStmt) bool {
	if !w.simple(s.Init) || !w.pure(s.Cond) {
		return false
	}
	e, ok := s.Else.(*ast.IfStmt)
	return !ok || w.heads(e)
}

func (w *walk) ifStmt(s *ast.IfStmt) bool {
	next := w.list(s.Body.List)
	switch e := s.Else.(type) {
	case nil:
		next = true
	case *ast.BlockStmt:
		next = w.list(e.List) || next
	case *ast.IfStmt:
		next = w.ifStmt(e) || next
	}
	return next
}

// choices reports whether the expressions of the clauses change nothing.
func (w *walk) choices(body *ast.BlockStmt) bool {
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			if !w.all(c.List) {
				return false
			}
		case *ast.CommClause:
			if !w.communicates(c.Comm) {
				return false
			}
		}
	}
	return true
}

// communicates reports whether a case of a select changes nothing as long as it is not chosen.
func (w *walk) communicates(s ast.Stmt) bool {
	receive := func(e ast.Expr) bool {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		return ok && u.Op == token.ARROW && w.pure(u.X)
	}
	switch s := s.(type) {
	case nil:
		return true
	case *ast.SendStmt:
		return w.pure(s.Chan) && w.pure(s.Value)
	case *ast.ExprStmt:
		return receive(s.X)
	case *ast.AssignStmt:
		return receive(s.Rhs[0])
	}
	return false
}

// clauses goes through those of a switch, and the default of a select: the
// scheduler sees that another one was chosen.
func (w *walk) clauses(body *ast.BlockStmt, label string) bool {
	return w.within(label, false, func() bool {
		next, all := false, false
		for _, s := range body.List {
			switch c := s.(type) {
			case *ast.CaseClause:
				all = all || c.List == nil
				next = w.list(c.Body) || next
			case *ast.CommClause:
				all = true
				if c.Comm == nil {
					next = w.list(c.Body) || next
				}
			}
		}
		return next || !all
	})
}

// ranges reports whether going over what s ranges over changes nothing.
func (w *walk) ranges(s *ast.RangeStmt) bool {
	if !w.pure(s.X) || s.Tok == token.ASSIGN && !(w.own(s.Key) && w.own(s.Value)) {
		return false
	}
	switch w.info.TypeOf(s.X).Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Pointer, *types.Map:
		return true
	}
	return false // it receives, or calls a function
}

// simple reports whether s, which holds no other statements, changes nothing that outlives the iteration.
func (w *walk) simple(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.ExprStmt:
		return w.pure(s.X)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && !w.all(v.Values) {
				return false
			}
		}
		return true
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if !w.own(l) {
				return false
			}
		}
		return w.all(s.Rhs)
	case *ast.IncDecStmt:
		return w.own(s.X)
	}
	return false
}

// own reports whether e is a variable of the iteration, or part of one; nil and _ are.
func (w *walk) own(e ast.Expr) bool {
	switch e := e.(type) {
	case nil:
		return true
	case *ast.ParenExpr:
		return w.own(e.X)
	case *ast.SelectorExpr:
		_, isStruct := w.info.TypeOf(e.X).Underlying().(*types.Struct)
		sel := w.info.Selections[e]
		return isStruct && sel != nil && !sel.Indirect() && w.own(e.X)
	case *ast.IndexExpr:
		_, isArray := w.info.TypeOf(e.X).Underlying().(*types.Array)
		return isArray && w.pure(e.Index) && w.own(e.X)
	case *ast.Ident:
		if e.Name == "_" {
			return true
		}
		v := w.info.ObjectOf(e)
		return v != nil && w.from <= v.Pos() && v.Pos() < w.to
	}
	return false
}

// leaves reports whether the list of statements cannot but leave the loop.
func (w *walk) leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		if w.loop == nil {
			return false // the loop that called it may go on
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK || s.Label == nil || w.label == "" || s.Label.Name != w.label {
			return false // an unlabelled one may be a switch's or a select's
		}
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || w.info.Uses[id] != types.Universe.Lookup("panic") {
			return false
		}
	default:
		return false
	}
	stays := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if br, ok := n.(*ast.BranchStmt); ok && br.Tok != token.BREAK {
				stays = true // a continue, or a goto
			}
			return !stays
		})
	}
	return !stays
}

func (w *walk) all(list []ast.Expr) bool {
	for _, e := range list {
		if !w.pure(e) {
			return false
		}
	}
	return true
}

// pure reports whether evaluating e changes nothing, but for what the scheduler sees.
func (w *walk) pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it is not called here
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.CallExpr:
			ok = ok && w.pureCall(n)
		}
		return ok
	})
	return ok
}

// pureCall reports whether the function that e calls may change nothing; its arguments are looked at elsewhere.
func (w *walk) pureCall(e *ast.CallExpr) bool {
	if w.info.Types[e.Fun].IsType() {
		return true
	}
	fun := ast.Unparen(e.Fun)
	switch f := fun.(type) { // of a generic function
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	switch f := w.info.Uses[id].(type) {
	case *types.Builtin:
		switch f.Name() {
		case "len", "cap", "min", "max", "real", "imag", "complex", "new", "make":
			return true
		}
	case *types.Func:
		return w.passes(f.Origin())
	}
	return false
}

// lookers are the functions and methods outside the package that only look, or whose effect the scheduler sees.
var lookers = map[string]map[string]bool{
	"runtime": {"Gosched": true},
	"sync":    {"TryLock": true, "TryRLock": true, "Load": true},
	"sync/atomic": {
		"Load": true, "CompareAndSwap": true,
		"LoadInt32": true, "LoadInt64": true, "LoadUint32": true, "LoadUint64": true, "LoadUintptr": true, "LoadPointer": true,
		"CompareAndSwapInt32": true, "CompareAndSwapInt64": true, "CompareAndSwapUint32": true, "CompareAndSwapUint64": true,
		"CompareAndSwapUintptr": true, "CompareAndSwapPointer": true,
	},
}

// passes reports whether a call of f may change nothing: f is one of lookers, or a function of this package that has a way through.
func (w *walk) passes(f *types.Func) bool {
	if f.Pkg() != w.pkg {
		return f.Pkg() != nil && lookers[f.Pkg().Path()][f.Name()]
	}
	if w.function(f) == nil {
		return false
	}
	w.calls = append(w.calls, f)
	return true
}

// poll rewrites the head of a loop that may poll.
func (r *rewriter) poll(s *ast.ForStmt) {
	what := "for"
	if s.Cond != nil {
		what = r.source(s.Cond)
	}
	site := r.sites.add("await", s.For, what, nil)
	first, again := " _hd.Loop("+site+", false); ", "; _hd.Loop("+site+", true) "
	from := s.For + token.Pos(len("for"))
	if s.Cond == nil {
		r.between(from, s.Body.Lbrace, first+again)
		return
	}
	r.between(from, s.Cond.Pos(), first)
	r.between(s.Cond.End(), s.Body.Lbrace, again)
}
