package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// polls recognises loops that only look: whose iterations, as long as they lead
// to another one, change nothing that outlives them.
//
//	for !ready.Load() {                    for _hd.Loop(S, false); !ready.Load(); _hd.Loop(S, true) {
//		runtime.Gosched()                  	_hd.Gosched()
//	}                                      }
//
// Such a loop may wait until something that it looked at is written. What
// passes through the hooks the scheduler sees by itself (a TryLock that
// succeeds, a value that a select received), so the text decides about the
// rest: no variable that is declared outside the body is assigned, and only
// functions known to have no effects are called. Paths that leave the loop may do anything.
type polls struct {
	info  *types.Info
	pkg   *types.Package
	decls map[*types.Func]*ast.FuncDecl
	known map[*types.Func]bool // functions of the package that were looked at; false while they are, so that recursion is none
}

func newPolls(pkg *types.Package, info *types.Info, files []*ast.File) *polls {
	p := &polls{info: info, pkg: pkg, decls: map[*types.Func]*ast.FuncDecl{}, known: map[*types.Func]bool{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := info.Defs[d.Name].(*types.Func); ok {
					p.decls[fn] = d
				}
			}
		}
	}
	return p
}

// loop reports whether s is such a loop. label is its label, "" if it has none.
func (p *polls) loop(s *ast.ForStmt, label string) bool {
	if s.Init != nil || s.Post != nil {
		return false // what a loop counts outlives the iteration
	}
	b := &pureBlock{p, s.Body, label}
	return (s.Cond == nil || p.pure(s.Cond)) && b.stmts(s.Body.List)
}

// A pureBlock is the body of a loop, or of a function that it calls: variables declared in it are its own.
type pureBlock struct {
	*polls
	body  *ast.BlockStmt
	label string // of the loop
}

func (b *pureBlock) stmts(list []ast.Stmt) bool {
	if b.leaves(list) {
		return true
	}
	for _, s := range list {
		if !b.stmt(s) {
			return false
		}
	}
	return true
}

// stmt reports whether s changes nothing beyond the block.
func (b *pureBlock) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ReturnStmt:
		return b.all(s.Results)
	case *ast.BlockStmt:
		return b.stmts(s.List)
	case *ast.ExprStmt:
		return b.pure(s.X)
	case *ast.DeclStmt:
		return b.declares(s)
	case *ast.AssignStmt:
		return b.assigns(s)
	case *ast.IfStmt:
		return b.stmt(s.Init) && b.pure(s.Cond) && b.stmts(s.Body.List) && b.stmt(s.Else)
	case *ast.SwitchStmt:
		return b.stmt(s.Init) && (s.Tag == nil || b.pure(s.Tag)) && b.clauses(s.Body)
	case *ast.SelectStmt:
		return b.clauses(s.Body)
	}
	return false
}

func (b *pureBlock) declares(s *ast.DeclStmt) bool {
	d := s.Decl.(*ast.GenDecl)
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && !b.all(v.Values) {
			return false
		}
	}
	return true
}

// assigns reports whether s assigns only what was declared in the block.
func (b *pureBlock) assigns(s *ast.AssignStmt) bool {
	for _, l := range s.Lhs {
		id, ok := ast.Unparen(l).(*ast.Ident)
		if !ok {
			return false
		}
		if id.Name == "_" {
			continue
		}
		v := b.info.ObjectOf(id)
		if v == nil || v.Pos() < b.body.Pos() || v.Pos() > b.body.End() {
			return false
		}
	}
	return b.all(s.Rhs)
}

// clauses reports whether the clauses of a switch, or of a select that only
// receives, change nothing. A select that received is seen by the scheduler; one without default has its own way of waiting.
func (b *pureBlock) clauses(body *ast.BlockStmt) bool {
	poll := false
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			poll = true
			if !b.all(c.List) || !b.stmts(c.Body) {
				return false
			}
		case *ast.CommClause:
			poll = poll || c.Comm == nil
			if !b.receives(c.Comm) || !b.stmts(c.Body) {
				return false
			}
		}
	}
	return poll
}

// receives reports whether s, the communication of a select, receives and keeps what it gets in the block.
func (b *pureBlock) receives(s ast.Stmt) bool {
	channel := func(e ast.Expr) bool {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		return ok && u.Op == token.ARROW && b.pure(u.X)
	}
	switch s := s.(type) {
	case nil:
		return true
	case *ast.ExprStmt:
		return channel(s.X)
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE && channel(s.Rhs[0])
	}
	return false
}

// leaves reports whether the list of statements cannot but leave the loop.
func (b *pureBlock) leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		if b.label == inFunction {
			return false // the loop that called it may go on
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK || s.Label == nil || b.label == "" || s.Label.Name != b.label {
			return false // an unlabelled one may be a switch's or a select's
		}
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || b.info.Uses[id] != types.Universe.Lookup("panic") {
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

// inFunction stands for the label of a function's body, which is no loop.
const inFunction = "func"

func (p *polls) all(list []ast.Expr) bool {
	for _, e := range list {
		if !p.pure(e) {
			return false
		}
	}
	return true
}

// pure reports whether evaluating e changes nothing, but for what the scheduler sees.
func (p *polls) pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.CallExpr:
			ok = ok && p.pureCall(n)
		}
		return ok
	})
	return ok
}

// pureCall reports whether the function that e calls changes nothing; its arguments are looked at elsewhere.
func (p *polls) pureCall(e *ast.CallExpr) bool {
	if p.info.Types[e.Fun].IsType() {
		return true
	}
	var id *ast.Ident
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return false
	}
	switch f := p.info.Uses[id].(type) {
	case *types.Builtin:
		switch f.Name() {
		case "len", "cap", "min", "max", "real", "imag", "complex":
			return true
		}
	case *types.Func:
		return p.pureFunc(f.Origin())
	}
	return false
}

// lookers are the functions and methods outside the package that only look, or whose effect the scheduler sees.
var lookers = map[string]map[string]bool{
	"runtime": {"Gosched": true},
	"sync":    {"TryLock": true, "TryRLock": true},
	"sync/atomic": {
		"Load": true, "CompareAndSwap": true,
		"LoadInt32": true, "LoadInt64": true, "LoadUint32": true, "LoadUint64": true, "LoadUintptr": true, "LoadPointer": true,
		"CompareAndSwapInt32": true, "CompareAndSwapInt64": true, "CompareAndSwapUint32": true, "CompareAndSwapUint64": true,
		"CompareAndSwapUintptr": true, "CompareAndSwapPointer": true,
	},
}

// pureFunc reports whether a call of f changes nothing: f is one of lookers, or a function of this package that only looks.
func (p *polls) pureFunc(f *types.Func) bool {
	if f.Pkg() == nil {
		return false
	}
	if f.Pkg() != p.pkg {
		return lookers[f.Pkg().Path()][f.Name()]
	}
	if pure, ok := p.known[f]; ok {
		return pure
	}
	p.known[f] = false
	d := p.decls[f]
	if d == nil {
		return false
	}
	b := &pureBlock{p, d.Body, inFunction}
	p.known[f] = b.stmts(d.Body.List)
	return p.known[f]
}

// poll rewrites the head of a loop that only looks.
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
