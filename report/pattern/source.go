package pattern

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"heddle/report/syntax"
	"heddle/rt/wire"
)

// sources answer what the patterns ask of the files that a finding is about.
type sources struct{ *syntax.Files }

// A fn is a function of the source: a declaration, or a literal within one.
type fn struct {
	file string
	name string // "" for a literal
	body *ast.BlockStmt
	typ  *ast.FuncType
}

// spans reports whether a node has p's line and, where it is known, its column.
func (c *sources) spans(n ast.Node, p wire.Place) bool {
	from, to := c.Position(n.Pos()), c.Position(n.End())
	if p.Line < from.Line || p.Line > to.Line {
		return false
	}
	if p.Col == 0 {
		return true
	}
	return !(p.Line == from.Line && p.Col < from.Column || p.Line == to.Line && p.Col >= to.Column)
}

// function returns the innermost function around p.
func (c *sources) function(p wire.Place) *fn {
	f := c.File(p.File)
	if f == nil {
		return nil
	}
	var in *fn
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil && c.spans(n, p) {
				in = &fn{p.File, n.Name.Name, n.Body, n.Type}
			}
		case *ast.FuncLit:
			if c.spans(n, p) && (p.Col > 0 || c.Line(n.Pos()) < p.Line || in != nil && in.name == "") {
				in = &fn{p.File, "", n.Body, n.Type}
			}
		}
		return true
	})
	return in
}

// functions returns the declared functions of a file.
func (c *sources) functions(file string) (fs []*fn) {
	f := c.File(file)
	if f == nil {
		return nil
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			fs = append(fs, &fn{file, d.Name.Name, d.Body, d.Type})
		}
	}
	return fs
}

// call returns the first call of name in f, and whether there is one.
func (c *sources) call(f *fn, name string) (p wire.Place, ok bool) {
	if f == nil || name == "" {
		return p, false
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && !ok && called(call) == name {
			at := c.Position(call.Pos())
			p, ok = wire.Place{File: f.file, Line: at.Line, Col: at.Column, Object: c.Text(call)}, true
		}
		return !ok
	})
	return p, ok
}

func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// together returns where one function makes two accesses, by itself or through functions that it
// calls. ok is false if no function is seen to make both.
func (c *sources) together(a, b wire.Place) (first, second wire.Place, ok bool) {
	f, g := c.function(a), c.function(b)
	if f == nil || g == nil {
		return first, second, false
	}
	if f.body == g.body {
		return a, b, true
	}
	if p, ok := c.call(g, f.name); ok && p.Line <= b.Line {
		return p, b, true
	}
	if p, ok := c.call(f, g.name); ok && p.Line >= a.Line {
		return a, p, true
	}
	for _, h := range c.functions(f.file) {
		p, ok := c.call(h, f.name)
		q, also := c.call(h, g.name)
		if ok && also && f.name != g.name && (p.Line < q.Line || p.Line == q.Line) {
			return p, q, true
		}
	}
	return first, second, false
}

// emptied returns where the function around p makes a slice empty and keeps its array: name =
// name[:0], at p or behind it.
func (c *sources) emptied(p wire.Place, name string) (at wire.Place, ok bool) {
	f := c.function(p)
	if f == nil {
		return at, false
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		a, is := n.(*ast.AssignStmt)
		if !is || ok || a.Tok != token.ASSIGN || c.Line(a.Pos()) < p.Line {
			return true
		}
		for i, l := range a.Lhs {
			if i >= len(a.Rhs) || c.Text(l) != name || c.Text(a.Rhs[i]) != name+"[:0]" {
				continue
			}
			q := c.Position(a.Pos())
			at, ok = wire.Place{File: f.file, Line: q.Line, Col: q.Column, Object: name}, true
		}
		return true
	})
	return at, ok
}

// condition returns the condition that p is in, or that uses what the statement at p defines, and
// its line.
func (c *sources) condition(p wire.Place) (text string, line int) {
	f := c.function(p)
	if f == nil {
		return "", 0
	}
	var defined []string
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			switch {
			case n.Init != nil && c.spans(n.Init, p):
				text, line = c.Text(n.Init)+"; "+c.Text(n.Cond), c.Line(n.Cond.Pos())
			case c.spans(n.Cond, p):
				text, line = c.Text(n.Cond), c.Line(n.Cond.Pos())
			case text == "" && uses(n.Cond, defined):
				text, line = c.Text(n.Cond), c.Line(n.Cond.Pos())
			}
		case *ast.ForStmt:
			if n.Cond != nil && c.spans(n.Cond, p) {
				text, line = c.Text(n.Cond), c.Line(n.Cond.Pos())
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && c.spans(n, p) {
				for _, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						defined = append(defined, id.Name)
					}
				}
			}
		}
		return true
	})
	return text, line
}

// uses reports whether an expression uses one of the names.
func uses(e ast.Expr, names []string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			for _, name := range names {
				found = found || id.Name == name
			}
		}
		return !found
	})
	return found
}

// context returns the name of f's parameter of type context.Context at p, or of a function around
// it.
func (c *sources) context(p wire.Place) (name string) {
	f := c.File(p.File)
	if f == nil {
		return ""
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var typ *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			typ = n.Type
		case *ast.FuncLit:
			typ = n.Type
		default:
			return true
		}
		if !c.spans(n, p) {
			return true
		}
		for _, field := range typ.Params.List {
			if c.Text(field.Type) == "context.Context" && len(field.Names) > 0 {
				name = field.Names[0].Name
			}
		}
		return true
	})
	return name
}

// statement returns the source of the innermost simple statement at p.
func (c *sources) statement(p wire.Place) (text string) {
	f := c.function(p)
	if f == nil {
		return ""
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.SendStmt:
			if c.spans(n, p) && c.Line(n.Pos()) == c.Line(n.End()) {
				text = c.Text(n)
			}
		}
		return true
	})
	return text
}

// never reports whether the select at p never waits: it has a default.
func (c *sources) never(p wire.Place) (has bool) {
	f := c.function(p)
	if f == nil {
		return false
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if s, is := n.(*ast.SelectStmt); is && c.Line(s.Pos()) <= p.Line && p.Line <= c.Line(s.End()) {
			has = slices.ContainsFunc(s.Body.List, func(k ast.Stmt) bool {
				return k.(*ast.CommClause).Comm == nil
			})
		}
		return true
	})
	return has
}

// deferUnlock returns the deferred unlock of a lock in the function around p.
func (c *sources) deferUnlock(p wire.Place, lock string) (at wire.Place, ok bool) {
	f := c.function(p)
	if f == nil {
		return at, false
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if d, is := n.(*ast.DeferStmt); is {
			if sel, is := d.Call.Fun.(*ast.SelectorExpr); is && strings.HasSuffix(sel.Sel.Name, "Unlock") &&
				c.Text(sel.X) == lock {
				at, ok = wire.Place{File: f.file, Line: c.Line(d.Pos())}, true
			}
		}
		return true
	})
	return at, ok
}

// inModule reports whether a place is in a file that can be read and has a function around it.
func (c *sources) inModule(p wire.Place) bool {
	return c.function(p) != nil && !strings.Contains(p.File, "/src/sync/")
}

// closing returns where the function around p, or a declared one of its file, closes a channel.
func (c *sources) closing(p wire.Place, channel string) (at wire.Place, ok bool) {
	f := c.File(p.File)
	if f == nil {
		return at, false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && !ok {
			if id, is := call.Fun.(*ast.Ident); is && id.Name == "close" && len(call.Args) == 1 &&
				c.Text(call.Args[0]) == channel {
				at, ok = wire.Place{File: p.File, Line: c.Line(call.Pos())}, true
			}
		}
		return true
	})
	return at, ok
}

// making returns where the file of p makes a channel, and the call of make as source: of a local
// one the last place before p.
func (c *sources) making(p wire.Place, channel string) (at wire.Place, text string) {
	f := c.File(p.File)
	if f == nil {
		return at, ""
	}
	field := channel[strings.LastIndexByte(channel, '.')+1:]
	made := func(name string, value ast.Expr) {
		call, ok := value.(*ast.CallExpr)
		local := name == channel && !strings.Contains(name, ".")
		if !ok || name != channel && name != field || text != "" && (!local || c.Line(call.Pos()) > p.Line) {
			return
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "make" {
			at, text = wire.Place{File: p.File, Line: c.Line(call.Pos())}, c.Text(call)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				made(c.Text(n.Lhs[i]), n.Rhs[i])
			}
		case *ast.KeyValueExpr:
			made(c.Text(n.Key), n.Value)
		}
		return true
	})
	return at, text
}

// inLoop reports whether p is in the body of a loop of its function.
func (c *sources) inLoop(p wire.Place) bool {
	f := c.function(p)
	return f != nil && c.loops(f.body, p)
}

// startedInLoop reports whether p is in the body of a loop of the declared function around it, as a
// literal is that a loop starts as a goroutine.
func (c *sources) startedInLoop(p wire.Place) bool {
	f := c.File(p.File)
	return f != nil && slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		return c.spans(d, p) && c.loops(d, p)
	})
}

// awaits reports whether p is in the condition of a loop that q comes after.
func (c *sources) awaits(p, q wire.Place) (waits bool) {
	f := c.function(p)
	if f == nil {
		return false
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if l, ok := n.(*ast.ForStmt); ok && l.Cond != nil {
			waits = waits || c.spans(l.Cond, p) && !c.spans(l, q)
		}
		return true
	})
	return waits
}

// loops reports whether a loop within a node has p in its body.
func (c *sources) loops(within ast.Node, p wire.Place) (in bool) {
	ast.Inspect(within, func(n ast.Node) bool {
		switch l := n.(type) {
		case *ast.ForStmt:
			in = in || c.spans(l.Body, p)
		case *ast.RangeStmt:
			in = in || c.spans(l.Body, p)
		}
		return true
	})
	return in
}
