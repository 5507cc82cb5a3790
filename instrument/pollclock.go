package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Looks at the clock in loops that may poll. The clock moves, so an iteration that looks at it is
// not like the one before. It is, if only what comes after the loop can tell:
//
//	for {
//		took := time.Since(start)
//		if done.Load() {
//			t.Log(took)
//			return
//		}
//	}

// clocks are the looks of a walk.
type clocks struct {
	allowed bool           // within an assignment whose left side may take the time
	none    bool           // no look is allowed
	vars    []types.Object // variables of the iteration that took the time
	exits   []ast.Node     // statements on the way out
}

// looksAtClock reports whether f tells the time.
func looksAtClock(f *types.Func) bool {
	if f.Pkg() == nil || f.Pkg().Path() != "time" || f.Signature().Recv() != nil {
		return false
	}
	return f.Name() == "Now" || f.Name() == "Since" || f.Name() == "Until"
}

// takesTime reports whether s assigns what changes nothing but looks at the clock to nothing, or to
// new variables.
func (w *walk) takesTime(s *ast.AssignStmt) bool {
	var vars []types.Object
	for _, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok || id.Name != "_" && (s.Tok != token.DEFINE || w.info.Defs[id] == nil || w.loop == nil) {
			return false
		}
		if id.Name != "_" {
			vars = append(vars, w.info.Defs[id])
		}
	}
	w.clocks.allowed = !w.clocks.none
	defer func() { w.clocks.allowed = false }()
	if !w.all(s.Rhs) {
		return false
	}
	w.clocks.vars = append(w.clocks.vars, vars...)
	return true
}

// exit notes a statement on the way out of the loop.
func (c *clocks) exit(s ast.Stmt) { c.exits = append(c.exits, s) }

// tell reports whether something in the body of the loop but its ways out depends on the time.
func (c *clocks) tell(w *walk) (found bool) {
	if len(c.vars) == 0 {
		return false
	}
	ast.Inspect(w.loop.Body, func(n ast.Node) bool {
		for _, out := range c.exits {
			if n == out {
				return false
			}
		}
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && isBlank(a.Lhs[0]) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			for _, v := range c.vars {
				found = found || w.info.Uses[id] == v
			}
		}
		return !found
	})
	return found
}
