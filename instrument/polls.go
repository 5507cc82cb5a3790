package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// polls finds loops that may poll: an iteration can lead to another one without having changed
// anything that outlives it.
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
// The locks of package sync are among what the scheduler sees: a section that only reads is no
// change. So it has to know when a loop is left: _hd.Out(S) stands on each way out, and after a
// loop with a condition. Where an iteration begins with the lock held, see turn.
//
// After an iteration without changes, such a loop may be throttled until something that it read is
// written. The scheduler sees changes that pass through hooks (a TryLock that succeeds, a value
// that a select received). All other changes are announced: on each path through the iteration,
// the first assignment to a variable older than the iteration, and the first call of a function
// that is neither rewritten nor known to change nothing. Statements on the way out of the loop may
// change anything.
//
// Packages are rewritten separately, and so are a package and its tests. Loops may call functions
// of other packages. So all functions announce their changes, whether or not a loop of the package
// calls them. The functions that are not of tests are analysed first, in the same order in each
// run, because the result for recursive functions depends on it.
type polls struct {
	info  *types.Info
	pkg   *types.Package
	decls map[*types.Func]*ast.FuncDecl
	// functions of the package that were analysed, with whether a path changes nothing; nil during
	// the analysis: recursion is no path
	known  map[*types.Func]*passage
	counts map[types.Object]bool // local variables that are only counted: none looks at their values
	loops  map[*ast.ForStmt]bool
	spoils map[ast.Stmt]bool           // statements with an announcement of a change before them
	left   map[ast.Stmt][]*ast.ForStmt // the loops that are left where a statement begins
	settle map[*ast.AssignStmt]bool    // assignments that are a change if the value is another one
	shared *shared
	sites  map[*ast.ForStmt]string
	asked  map[*ast.CallExpr]bool // calls of function values, see pollasks.go
	asking bool                   // they are asked whether they announce their changes
	// announces reports whether a function of another package announces its changes.
	announces func(*types.Func) bool
}

// A passage is the part of an iteration or a function that can be reached before the first change.
type passage struct {
	through bool              // a path of the function changes nothing
	changes []ast.Stmt        // the first changes on the other paths
	calls   []*types.Func     // calls of functions of this package
	outs    []ast.Stmt        // where the loop is left
	sets    []*ast.AssignStmt // assignments to older variables, see settles
	asks    []*ast.CallExpr   // calls of function values, see pollasks.go
}

func newPolls(in *Input, im *Importer, pkg *types.Package, info *types.Info, shared *shared,
	files []*ast.File) *polls {
	p := &polls{info: info, pkg: pkg, decls: map[*types.Func]*ast.FuncDecl{},
		known: map[*types.Func]*passage{}, counts: counters(pkg, info, files),
		loops: map[*ast.ForStmt]bool{}, spoils: map[ast.Stmt]bool{}, left: map[ast.Stmt][]*ast.ForStmt{},
		settle: map[*ast.AssignStmt]bool{}, shared: shared, sites: map[*ast.ForStmt]string{},
		announces: im.announces, asked: map[*ast.CallExpr]bool{}, asking: !in.Standard && !in.Cgo}
	var own, tests []*types.Func // tests: in their files
	for i, f := range files {
		if importsC(f) {
			continue // its changes are not announced
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !(in.Standard && forbidsCalls(d)) {
				if fn, ok := info.Defs[d.Name].(*types.Func); ok {
					p.decls[fn] = d
					if strings.HasSuffix(in.Files[i].Path, "_test.go") {
						tests = append(tests, fn)
					} else {
						own = append(own, fn)
					}
				}
			}
		}
	}
	for _, fn := range append(own, tests...) {
		if p.function(fn); !in.Standard {
			p.announce(p.known[fn])
		}
	}
	if p.asking {
		for _, f := range files {
			p.literals(f)
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

// loop analyses a loop. label is its label, or "".
func (p *polls) loop(s *ast.ForStmt, label string) {
	if (s.Init != nil || s.Post != nil) && !p.countsIterations(s) {
		return // the counter of a loop outlives the iteration
	}
	follow := func(c clocks) (*walk, bool) {
		w := &walk{polls: p, loop: s, label: label, from: s.Body.Pos(), to: s.Body.End(), clocks: c}
		polls := (s.Cond == nil || w.pure(s.Cond)) && w.list(s.Body.List)
		return w, polls || w.again
	}
	w, polls := follow(clocks{})
	if w.clocks.tell(w) {
		w, polls = follow(clocks{none: true})
	}
	if polls {
		p.loops[s] = true
		for _, out := range w.outs {
			p.left[out] = append(p.left[out], s)
		}
		p.announce(&w.passage)
	}
}

// announce marks the changes of a passage and of the functions that it calls.
func (p *polls) announce(w *passage) {
	for _, s := range w.changes {
		p.spoils[s] = true
	}
	for _, s := range w.sets {
		p.settle[s] = true
	}
	for _, call := range w.asks {
		p.asked[call] = p.asking
	}
	calls := w.calls
	w.calls = nil // once
	for _, f := range calls {
		p.announce(p.known[f])
	}
}

// function returns the passage of a function of this package, or nil if every path changes
// something.
func (p *polls) function(f *types.Func) *passage {
	if w, ok := p.known[f]; ok {
		if w == nil || !w.through {
			return nil
		}
		return w
	}
	p.known[f] = nil
	d := p.decls[f]
	if d == nil {
		return nil
	}
	w := &walk{polls: p, from: d.Pos(), to: d.End()}
	p.known[f] = &w.passage
	if w.through = w.list(d.Body.List) || w.again; !w.through {
		return nil
	}
	return &w.passage
}

// A walk follows the body of a loop or function up to the first change. Its methods report whether
// execution can go on after their argument without a change.
type walk struct {
	*polls
	passage
	loop     *ast.ForStmt // nil: a function
	label    string
	from, to token.Pos   // variables declared in between belong to the iteration
	again    bool        // a continue was reached, or in a function a return
	inside   []breakable // enclosing statements that a break may refer to, the innermost last
	clocks   clocks
}

// A breakable is a statement within the loop that can be the target of break or continue.
type breakable struct {
	label string
	loops bool
	broke bool
}

func (w *walk) list(list []ast.Stmt) bool {
	if w.leaves(list) {
		if w.loop == nil { // the loop that has called it may go on after a panic
			w.changes = append(w.changes, list[0])
		}
		w.out(list[0])
		for _, s := range list {
			w.clocks.exit(s)
		}
		return false
	}
	for _, s := range list {
		if !w.stmt(s) {
			return false
		}
	}
	return true
}

// stmt follows a statement of a list.
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
	case *ast.DeferStmt:
		if asks := len(w.asks); w.loop == nil && w.pure(s.Call) && asks == len(w.asks) {
			return true
		}
	case *ast.ReturnStmt:
		if w.loop != nil {
			w.out(s)
			w.clocks.exit(s)
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
		if w.ranges(s) && w.anyOrder(s) {
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

// subject returns the operand of a type switch.
func subject(s *ast.TypeSwitchStmt) ast.Expr {
	if a, ok := s.Assign.(*ast.AssignStmt); ok {
		return a.Rhs[0]
	}
	return s.Assign.(*ast.ExprStmt).X
}

// within follows a statement that can be the target of a break.
func (w *walk) within(label string, loops bool, f func() bool) bool {
	w.inside = append(w.inside, breakable{label, loops, false})
	next := f()
	last := len(w.inside) - 1
	next = next || w.inside[last].broke
	w.inside = w.inside[:last]
	return next
}

// out notes that the loop is left where s begins.
func (w *walk) out(s ast.Stmt) {
	if w.loop != nil {
		w.outs = append(w.outs, s)
	}
}

// jump records the target of a break or continue.
func (w *walk) jump(s *ast.BranchStmt) {
	for i, t := range slices.Backward(w.inside) {
		if s.Label != nil && s.Label.Name != t.label ||
			s.Label == nil && s.Tok == token.CONTINUE && !t.loops {
			continue
		}
		w.inside[i].broke = w.inside[i].broke || s.Tok == token.BREAK
		return
	}
	if s.Tok == token.CONTINUE && (s.Label == nil || s.Label.Name == w.label) {
		w.again = true
		return
	}
	w.out(s)
}

// heads reports whether the conditions of an if statement and of its else-if chain change nothing.
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
			if !w.communicates(c) {
				return false
			}
		}
	}
	return true
}

// communicates reports whether a case of a select changes nothing unless it is chosen.
// What it assigns to older variables is announced in its body.
func (w *walk) communicates(c *ast.CommClause) bool {
	receive := func(e ast.Expr) bool {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		return ok && u.Op == token.ARROW && w.pure(u.X)
	}
	switch s := c.Comm.(type) {
	case nil:
		return true
	case *ast.SendStmt:
		return w.pure(s.Chan) && w.pure(s.Value)
	case *ast.ExprStmt:
		return receive(s.X)
	case *ast.AssignStmt:
		return receive(s.Rhs[0]) && (w.receives(s) || len(c.Body) > 0)
	}
	return false
}

// receives reports whether a case of a select receives, which changes nothing where the channel is
// closed. What it assigns to variables that are older than the iteration is a change of its own.
func (w *walk) receives(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		_, sends := s.(*ast.SendStmt)
		return !sends
	}
	for _, l := range a.Lhs {
		if !w.own(l) {
			return false
		}
	}
	return true
}

// clauses follows the clauses of a switch, or of a select, but for those that send: the scheduler
// sees if one of these is chosen.
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
				switch {
				case c.Comm == nil || w.receives(c.Comm):
					next = w.list(c.Body) || next
				case len(c.Body) > 0:
					w.changes = append(w.changes, c.Body[0])
				}
			}
		}
		return next || !all
	})
}

// ranges reports whether evaluating and advancing the range of s changes nothing.
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

// simple reports whether s, a statement without nested statements, changes nothing that outlives
// the iteration.
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
				return w.settles(s)
			}
		}
		return w.all(s.Rhs) || w.takesTime(s)
	case *ast.IncDecStmt:
		return w.own(s.X) || w.onlyCounts(s)
	}
	return false
}

// settles reports whether s is one assignment to an older variable of which the scheduler can be
// told whether it changes: a local one that no other goroutine knows, whose values can be compared.
func (w *walk) settles(s *ast.AssignStmt) bool {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := w.info.Uses[id].(*types.Var)
	if !ok || v.Parent() == w.pkg.Scope() || w.shared.has(v) || shifts(s.Rhs[0]) || !w.pure(s.Rhs[0]) {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan, *types.Interface:
	default:
		return false
	}
	if t := w.info.Types[s.Rhs[0]]; t.Value == nil && !t.IsNil() && !types.Identical(t.Type, v.Type()) {
		return false
	}
	w.sets = append(w.sets, s)
	return true
}

// shifts reports whether e has a shift, whose type may depend on where it stands.
func shifts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && (b.Op == token.SHL || b.Op == token.SHR)
		return !found
	})
	return found
}

// own reports whether e is a variable of the iteration, a part of one, nil or _.
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

// leaves reports whether every path through the list of statements leaves the loop.
func (w *walk) leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		if w.loop == nil {
			return false // the loop that called the function may continue
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK || s.Label == nil || w.label == "" || s.Label.Name != w.label {
			return false // an unlabelled break may refer to a switch or select
		}
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok ||
			w.info.Uses[id] != types.Universe.Lookup("panic") {
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

// pure reports whether evaluating e changes nothing except what the scheduler sees.
func (w *walk) pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // the function is not called here
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.CallExpr:
			ok = ok && w.pureCall(n)
		}
		return ok
	})
	return ok
}

// pureCall reports whether the function that e calls may change nothing. Its arguments are checked
// elsewhere.
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
	case *types.Var:
		w.asks = append(w.asks, e)
		return w.asking
	}
	return false
}

// passes reports whether a call of f may change nothing: f is in lookers, or is a function of this
// package with such a path.
func (w *walk) passes(f *types.Func) bool {
	if f.Pkg() != w.pkg {
		return f.Pkg() != nil && (looksOnly(f) || w.announces(f) || w.clocks.allowed && looksAtClock(f))
	}
	if w.function(f) == nil {
		return false
	}
	w.calls = append(w.calls, f)
	return true
}
