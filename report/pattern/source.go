package pattern

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"

	"heddle/rt/wire"
)

// A Source returns a file of the program, or nil.
type Source func(file string) []byte

// sources are the files that a finding is about, parsed.
type sources struct {
	read  Source
	fset  *token.FileSet
	files map[string]*ast.File // nil: cannot be read
}

func newSources(read Source) *sources {
	return &sources{read: read, fset: token.NewFileSet(), files: map[string]*ast.File{}}
}

func (c *sources) file(name string) *ast.File {
	f, ok := c.files[name]
	if !ok && c.read != nil && name != "" {
		if text := c.read(name); text != nil {
			f, _ = parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution)
		}
		c.files[name] = f
	}
	return f
}

// A fn is a function of the source: a declaration, or a literal within one.
type fn struct {
	file string
	name string // "" for a literal
	body *ast.BlockStmt
	typ  *ast.FuncType
}

func (c *sources) line(p token.Pos) int { return c.fset.Position(p).Line }

// spans reports whether a node has p's line and, where it is known, its column.
func (c *sources) spans(n ast.Node, p wire.Place) bool {
	from, to := c.fset.Position(n.Pos()), c.fset.Position(n.End())
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
	f := c.file(p.File)
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
			if c.spans(n, p) && (p.Col > 0 || c.line(n.Pos()) < p.Line || in != nil && in.name == "") {
				in = &fn{p.File, "", n.Body, n.Type}
			}
		}
		return true
	})
	return in
}

// functions returns the declared functions of a file.
func (c *sources) functions(file string) (fs []*fn) {
	f := c.file(file)
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
			at := c.fset.Position(call.Pos())
			p, ok = wire.Place{File: f.file, Line: at.Line, Col: at.Column, Object: c.text(call)}, true
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
				text, line = c.text(n.Init)+"; "+c.text(n.Cond), c.line(n.Cond.Pos())
			case c.spans(n.Cond, p):
				text, line = c.text(n.Cond), c.line(n.Cond.Pos())
			case text == "" && uses(n.Cond, defined):
				text, line = c.text(n.Cond), c.line(n.Cond.Pos())
			}
		case *ast.ForStmt:
			if n.Cond != nil && c.spans(n.Cond, p) {
				text, line = c.text(n.Cond), c.line(n.Cond.Pos())
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

// text returns a node as source in one line.
func (c *sources) text(n ast.Node) string {
	var b bytes.Buffer
	if printer.Fprint(&b, c.fset, n) != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// receivers returns the receivers of the calls of methods on p's line, in order.
func (c *sources) receivers(p wire.Place, methods ...string) (names []string) {
	f := c.file(p.File)
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || c.line(call.Pos()) != p.Line {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			for _, m := range methods {
				if sel.Sel.Name == m {
					names = append(names, c.text(sel.X))
				}
			}
		}
		return true
	})
	return names
}

// context returns the name of f's parameter of type context.Context at p, or of a function around
// it.
func (c *sources) context(p wire.Place) (name string) {
	f := c.file(p.File)
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
			if c.text(field.Type) == "context.Context" && len(field.Names) > 0 {
				name = field.Names[0].Name
			}
		}
		return true
	})
	return name
}

// chosen describes the cases of the select at p, in order: "case <-stop" without "case".
func (c *sources) cases(p wire.Place) (cases []string) {
	f := c.file(p.File)
	if f == nil {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectStmt)
		if !ok || c.line(sel.Pos()) != p.Line {
			return true
		}
		cases = nil
		for _, s := range sel.Body.List {
			if comm, ok := s.(*ast.CommClause); ok && comm.Comm != nil {
				cases = append(cases, c.text(comm.Comm))
			}
		}
		return true
	})
	return cases
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
			if c.spans(n, p) && c.line(n.Pos()) == c.line(n.End()) {
				text = c.text(n)
			}
		}
		return true
	})
	return text
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
				c.text(sel.X) == lock {
				at, ok = wire.Place{File: f.file, Line: c.line(d.Pos())}, true
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
	f := c.file(p.File)
	if f == nil {
		return at, false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && !ok {
			if id, is := call.Fun.(*ast.Ident); is && id.Name == "close" && len(call.Args) == 1 &&
				c.text(call.Args[0]) == channel {
				at, ok = wire.Place{File: p.File, Line: c.line(call.Pos())}, true
			}
		}
		return true
	})
	return at, ok
}

// making returns where the file of p makes a channel, and the call of make as source: of a local
// one the last place before p.
func (c *sources) making(p wire.Place, channel string) (at wire.Place, text string) {
	f := c.file(p.File)
	if f == nil {
		return at, ""
	}
	field := channel[strings.LastIndexByte(channel, '.')+1:]
	made := func(name string, value ast.Expr) {
		call, ok := value.(*ast.CallExpr)
		local := name == channel && !strings.Contains(name, ".")
		if !ok || name != channel && name != field || text != "" && (!local || c.line(call.Pos()) > p.Line) {
			return
		}
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "make" {
			at, text = wire.Place{File: p.File, Line: c.line(call.Pos())}, c.text(call)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				made(c.text(n.Lhs[i]), n.Rhs[i])
			}
		case *ast.KeyValueExpr:
			made(c.text(n.Key), n.Value)
		}
		return true
	})
	return at, text
}

// inLoop reports whether p is in the body of a loop of its function.
func (c *sources) inLoop(p wire.Place) (in bool) {
	if f := c.function(p); f != nil {
		ast.Inspect(f.body, func(n ast.Node) bool {
			switch l := n.(type) {
			case *ast.ForStmt:
				in = in || c.spans(l.Body, p)
			case *ast.RangeStmt:
				in = in || c.spans(l.Body, p)
			}
			return true
		})
	}
	return in
}
