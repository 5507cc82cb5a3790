package instrument

import (
	"go/ast"
	"go/types"
)

// turn returns the statement of a loop after which an iteration is said to end, nil if that is the
// last one. Where the lock is held when the body begins
//
//	mu.Lock()
//	for !done {
//		mu.Unlock()
//		runtime.Gosched()
//		mu.Lock()
//	}
//
// an iteration from there on would give back a lock that it has not taken, which is a change. The
// one that begins after mu.Unlock() takes the lock and gives it back. It passes all of the body,
// so its changes are announced: each path through the body has its first change announced, and so
// have the paths to mu.Unlock() and those from there. No variable of the body lives there.
func (p *polls) turn(s *ast.ForStmt) ast.Stmt {
	if s.Post != nil {
		return nil
	}
	for _, in := range s.Body.List {
		switch p.locks(in) {
		case "Lock", "RLock":
			return nil
		case "Unlock", "RUnlock":
			if p.livesAfter(s.Body, in) {
				return nil
			}
			return in
		}
	}
	return nil
}

// locks returns the name of the method of package sync that a statement calls, "" if it does
// anything else.
func (p *polls) locks(s ast.Stmt) string {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := p.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync" || f.Signature().Recv() == nil {
		return ""
	}
	return f.Name()
}

// livesAfter reports whether what a body declares before a statement is used after it.
func (p *polls) livesAfter(body *ast.BlockStmt, s ast.Stmt) (lives bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() > s.End() {
			v := p.info.Uses[id]
			lives = lives || v != nil && body.Pos() < v.Pos() && v.Pos() < s.Pos()
		}
		return !lives
	})
	return lives
}
