package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// anyOrder reports whether the order in which s goes over its operand makes no difference to what
// comes after s. The order of a map is another one each time, so an iteration that depends on it
// may succeed where the one before failed, though nothing was written.
//
// What the body leaves behind are assignments to variables that are older than the body, and how it
// is left. Each such variable gets one constant, or is only counted up, and the body does not read
// it. If the body is left early, all ways out are the same, and no variable is counted.
func (w *walk) anyOrder(s *ast.RangeStmt) bool {
	if _, ok := w.info.TypeOf(s.X).Underlying().(*types.Map); !ok {
		return true
	}
	o := &order{walk: w, body: s.Body, sets: map[types.Object]string{}, targets: map[*ast.Ident]bool{}}
	ast.Inspect(s.Body, o.visit)
	if s.Tok == token.ASSIGN {
		for _, e := range [...]ast.Expr{s.Key, s.Value} {
			if e != nil {
				o.assign(e, "")
			}
		}
	}
	if o.fails || o.exits > 0 && o.counts {
		return false
	}
	ast.Inspect(s.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !o.targets[id] {
			_, set := o.sets[w.info.Uses[id]]
			o.fails = o.fails || set
		}
		return true
	})
	return !o.fails
}

// An order is a look at the body of a range over a map.
type order struct {
	*walk
	body    *ast.BlockStmt
	sets    map[types.Object]string // older variables that are assigned to: how
	targets map[*ast.Ident]bool     // where
	exits   int
	exit    string // how the body is left early
	counts  bool   // a variable is counted
	fails   bool
}

func (o *order) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
		o.fails = true
	case *ast.ReturnStmt:
		how := "return"
		for _, e := range n.Results {
			how += " " + o.constant(e)
		}
		o.leave(how)
	case *ast.BranchStmt:
		if n.Tok != token.CONTINUE || n.Label != nil {
			how := n.Tok.String() // a break may be one of a loop or switch in the body, which is no loss
			if n.Label != nil {
				how += " " + n.Label.Name
			}
			o.leave(how)
		}
	case *ast.IncDecStmt:
		if o.assign(n.X, "counted") {
			o.counts = true
		}
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			switch {
			case n.Tok == token.DEFINE:
				if id, ok := l.(*ast.Ident); !ok || o.info.Defs[id] == nil && id.Name != "_" {
					o.fails = true
				}
			case n.Tok != token.ASSIGN && o.integer(l) && inAnyOrder(n.Tok):
				if o.assign(l, n.Tok.String()) {
					o.counts = true
				}
			case n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs):
				o.assign(l, o.constantOr(n.Rhs[i], l))
			default:
				o.assign(l, "")
			}
		}
	}
	return !o.fails
}

// leave notes a way out of the body.
func (o *order) leave(how string) {
	o.fails = o.fails || o.exits > 0 && how != o.exit
	o.exits++
	o.exit = how
}

// assign notes an assignment and reports whether it is to a variable that is older than the body.
// how is empty if it depends on the element.
func (o *order) assign(l ast.Expr, how string) bool {
	id, ok := ast.Unparen(l).(*ast.Ident)
	if !ok {
		o.fails = true
		return true
	}
	v := o.info.ObjectOf(id)
	if id.Name == "_" || v != nil && o.body.Pos() <= v.Pos() && v.Pos() < o.body.End() {
		return false
	}
	before, again := o.sets[v]
	o.fails = o.fails || how == "" || again && before != how
	o.sets[v] = how
	o.targets[id] = true
	return true
}

// constant returns the text of a constant; for anything else the order fails.
func (o *order) constant(e ast.Expr) string {
	how := o.constantOr(e, nil)
	o.fails = o.fails || how == ""
	return how
}

// constantOr returns the text of a constant that is assigned to l, "" if e is none.
func (o *order) constantOr(e, l ast.Expr) string {
	v := o.info.Types[e]
	switch {
	case v.Value != nil:
		return v.Value.ExactString()
	case v.IsNil():
		return "nil"
	}
	if id, ok := l.(*ast.Ident); ok {
		if x := o.info.ObjectOf(id); x != nil && o.body.Pos() <= x.Pos() && x.Pos() < o.body.End() {
			return "own"
		}
	}
	return ""
}

func (o *order) integer(e ast.Expr) bool {
	b, ok := o.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// inAnyOrder reports whether updates of integers by tok commute with each other.
func inAnyOrder(tok token.Token) bool {
	switch tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return true
	}
	return false
}
