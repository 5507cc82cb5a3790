package pattern

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"heddle/rt/wire"
)

// What the shape of a function allows: a hint must not name a change that it forbids.

// inspect visits the nodes of a function without those of the function literals in it.
func (f *fn) inspect(visit func(n ast.Node)) {
	if f == nil {
		return
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || n == nil {
			return false
		}
		visit(n)
		return true
	})
}

// place returns the place of a node of f.
func (c *sources) place(f *fn, n ast.Node) wire.Place {
	at := c.Position(n.Pos())
	return wire.Place{File: f.file, Line: at.Line, Col: at.Column}
}

// isCall reports whether a statement is a call, deferred or not, with this text.
func (c *sources) isCall(st ast.Stmt, text string) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		return c.Text(st.X) == text
	case *ast.DeferStmt:
		return c.Text(st.Call) == text
	}
	return false
}

// bare returns the returns of f after a line that no call such as "mu.Unlock()" precedes in a block
// around them. end is set if the end is reached without one. What counts is the block that has a
// statement at the line, such as the body of a loop.
func (c *sources) bare(f *fn, from int, call string) (returns []wire.Place, end bool) {
	if f == nil {
		return nil, false
	}
	var visit func(stmts []ast.Stmt, done bool) bool
	visit = func(stmts []ast.Stmt, done bool) bool {
		for _, st := range stmts {
			ast.Inspect(st, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.ReturnStmt:
					if !done && c.Line(n.Pos()) > from {
						returns = append(returns, c.place(f, n))
					}
				case *ast.BlockStmt:
					visit(n.List, done)
					return false
				case *ast.CaseClause:
					visit(n.Body, done)
					return false
				case *ast.CommClause:
					visit(n.Body, done)
					return false
				}
				return true
			})
			done = done || c.Line(st.Pos()) >= from && c.isCall(st, call)
		}
		return done
	}
	list := c.block(f, from)
	done := visit(list, false)
	if n := len(list); n > 0 && !done {
		_, returned := list[n-1].(*ast.ReturnStmt)
		return returns, !returned
	}
	return returns, false
}

// block returns the statements of the innermost block of f that has one at a line, or f's body.
func (c *sources) block(f *fn, line int) (list []ast.Stmt) {
	list = f.body.List
	f.inspect(func(n ast.Node) {
		var in []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			in = n.List
		case *ast.CaseClause:
			in = n.Body
		case *ast.CommClause:
			in = n.Body
		}
		if slices.ContainsFunc(in, func(st ast.Stmt) bool { return c.Line(st.Pos()) == line }) {
			list = in
		}
	})
	return list
}

// before keeps the places that come before a line.
func before(ps []wire.Place, line int) []wire.Place {
	return slices.DeleteFunc(ps, func(p wire.Place) bool { return p.Line >= line })
}

// calls returns where f has a call with this text as a statement of its own; top is set if all of
// them are statements of f's body itself, not of a block in it.
func (c *sources) calls(f *fn, text string) (ps []wire.Place, top bool) {
	f.inspect(func(n ast.Node) {
		if st, ok := n.(*ast.ExprStmt); ok && c.Text(st.X) == text {
			ps = append(ps, c.place(f, n))
		}
	})
	top = len(ps) > 0
	for _, p := range ps {
		top = top && slices.ContainsFunc(f.body.List, func(st ast.Stmt) bool { return c.place(f, st) == p })
	}
	return ps, top
}

// waitsAfter returns where f may wait after a line: a call of Wait, a receive, a select, a range.
func (c *sources) waitsAfter(f *fn, line int) (p wire.Place, ok bool) {
	f.inspect(func(n ast.Node) {
		if ok || c.Line(n.Pos()) <= line {
			return
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = called(n) == "Wait"
		case *ast.UnaryExpr:
			ok = n.Op == token.ARROW
		case *ast.SelectStmt, *ast.RangeStmt:
			ok = true
		}
		if ok {
			p = c.place(f, n)
		}
	})
	return p, ok
}

// receivesAfter returns where f receives from a channel after a line, from any if it has no name.
func (c *sources) receivesAfter(f *fn, line int, channel string) (p wire.Place, ok bool) {
	f.inspect(func(n ast.Node) {
		var from ast.Expr
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				from = n.X
			}
		case *ast.RangeStmt:
			if channel != "" {
				from = n.X
			}
		}
		if from != nil && !ok && c.Line(n.Pos()) > line && (channel == "" || c.Text(from) == channel) {
			p, ok = c.place(f, n), true
		}
	})
	return p, ok
}

// leaves reports whether a return follows the statement at p.
func (c *sources) leaves(p wire.Place) (is bool) {
	f := c.function(p)
	if f == nil {
		return false
	}
	list := c.block(f, p.Line)
	i := slices.IndexFunc(list, func(st ast.Stmt) bool { return c.Line(st.Pos()) == p.Line })
	if i >= 0 && i+1 < len(list) {
		_, is = list[i+1].(*ast.ReturnStmt)
	}
	return is
}

// caseOf reports whether p is in the case of a select that contains a text: "ctx.Done()".
func (c *sources) caseOf(p wire.Place, text string) (is bool) {
	f := c.function(p)
	if f == nil {
		return false
	}
	f.inspect(func(n ast.Node) {
		if cl, ok := n.(*ast.CommClause); ok && cl.Comm != nil && c.spans(cl, p) &&
			c.Line(cl.Pos()) < p.Line {
			is = is || strings.Contains(c.Text(cl.Comm), text)
		}
	})
	return is
}

// byValue returns the function around p and the type of its receiver or parameter of that name, if
// it is no pointer: each call has a copy.
func (c *sources) byValue(p wire.Place, name string) (function, typ string, ok bool) {
	file := c.File(p.File)
	if file == nil {
		return "", "", false
	}
	for _, d := range file.Decls {
		fd, is := d.(*ast.FuncDecl)
		if !is || !c.spans(d, p) || fd.Recv == nil {
			continue
		}
		for _, field := range fd.Recv.List {
			for _, id := range field.Names {
				if _, pointer := field.Type.(*ast.StarExpr); id.Name == name && !pointer {
					return fd.Name.Name, c.Text(field.Type), true
				}
			}
		}
	}
	return "", "", false
}

// returned returns what a declared function of a file returns first, if it has one return, and
// where: "r.peers".
func (c *sources) returned(file, function string) (text string, at wire.Place) {
	n := 0
	for _, f := range c.functions(file) {
		if f.name != function {
			continue
		}
		f.inspect(func(x ast.Node) {
			if ret, ok := x.(*ast.ReturnStmt); ok && len(ret.Results) > 0 {
				n++
				text, at = c.Text(ret.Results[0]), c.place(f, x)
			}
		})
	}
	if n != 1 {
		return "", at
	}
	return text, at
}

// worksAfter reports whether f calls, sends or waits after a line: what it does there may not be
// for the time in which a lock is held.
func (c *sources) worksAfter(f *fn, line int) (works bool) {
	f.inspect(func(n ast.Node) {
		switch n.(type) {
		case *ast.CallExpr, *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.UnaryExpr, *ast.RangeStmt:
			works = works || c.Line(n.Pos()) > line
		}
	})
	return works
}

// repeated reports whether p is in a loop of f.
func (c *sources) repeated(f *fn, p wire.Place) (is bool) {
	f.inspect(func(n ast.Node) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			is = is || c.spans(n, p)
		}
	})
	return is
}

// deferredBefore returns the defer statements of f's body before a line; alone is set if nothing
// else is between the first of them and the line.
func (c *sources) deferredBefore(f *fn, line int) (ds []*ast.DeferStmt, alone bool) {
	if f == nil {
		return nil, false
	}
	alone = true
	for _, st := range f.body.List {
		if c.Line(st.Pos()) >= line {
			break
		}
		if d, ok := st.(*ast.DeferStmt); ok {
			ds = append(ds, d)
		} else if len(ds) > 0 {
			alone = false
		}
	}
	return ds, alone
}

// fieldOf returns the first field of owner that a node uses: "h.failed".
func (c *sources) fieldOf(n ast.Node, owner string) (field string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && field == "" && c.Text(sel.X) == owner {
			field = c.Text(sel)
		}
		return field == ""
	})
	return field
}

// recovers returns where the file of p calls recover.
func (c *sources) recovers(p wire.Place) (at wire.Place, ok bool) {
	f := c.File(p.File)
	if f == nil {
		return at, false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && !ok && c.Text(call) == "recover()" {
			at, ok = wire.Place{File: p.File, Line: c.Line(call.Pos())}, true
		}
		return !ok
	})
	return at, ok
}

// mayExit reports whether f calls what ends its goroutine, such as t.Fatal.
func (c *sources) mayExit(f *fn) (may bool) {
	exits := []string{"Goexit", "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow", "panic"}
	f.inspect(func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok {
			may = may || slices.Contains(exits, called(call))
		}
	})
	return may
}

// unknownCall returns the first call between two places of one function that runs code which the
// source does not name: of a function value, or of a method of an interface.
func (c *sources) unknownCall(first, second wire.Place) (name string) {
	f := c.function(second)
	f.inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || name != "" || c.Line(n.Pos()) < first.Line || c.Line(n.Pos()) > second.Line {
			return
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if c.isFunc(c.declared(f, fun.Name)) {
				name = fun.Name
			}
		case *ast.SelectorExpr:
			if c.isFunc(c.declared(f, c.Text(fun))) || c.isInterface(f.file, c.declared(f, c.Text(fun.X))) {
				name = c.Text(fun)
			}
		}
	})
	return name
}

// declared returns the type of a parameter or result of f, or of a field of that name if all
// structs of its file agree on it, or nil.
func (c *sources) declared(f *fn, name string) (typ ast.Expr) {
	if f == nil {
		return nil
	}
	field := name[strings.LastIndexByte(name, '.')+1:]
	for _, list := range []*ast.FieldList{f.typ.Params, f.typ.Results} {
		if list == nil || field != name {
			continue
		}
		for _, p := range list.List {
			for _, id := range p.Names {
				if id.Name == name {
					return p.Type
				}
			}
		}
	}
	if field == name {
		return nil
	}
	agree := true
	ast.Inspect(c.File(f.file), func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, p := range s.Fields.List {
				for _, id := range p.Names {
					if id.Name == field {
						agree = agree && (typ == nil || c.Text(typ) == c.Text(p.Type))
						typ = p.Type
					}
				}
			}
		}
		return true
	})
	if !agree {
		return nil
	}
	return typ
}

// isFunc reports whether a type is that of a function.
func (c *sources) isFunc(typ ast.Expr) bool {
	_, ok := typ.(*ast.FuncType)
	return ok
}

// isInterface reports whether a type is an interface, as far as the file says.
func (c *sources) isInterface(file string, typ ast.Expr) (is bool) {
	switch t := typ.(type) {
	case *ast.InterfaceType:
		return true
	case *ast.Ident:
		ast.Inspect(c.File(file), func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == t.Name {
				_, is = spec.Type.(*ast.InterfaceType)
			}
			return true
		})
	}
	return is
}

// container returns "slice" or "map" for the type of what f returns first, or of a variable in it,
// or "".
func (c *sources) container(f *fn, name string) string {
	typ := c.declared(f, name)
	if f.typ.Results != nil && len(f.typ.Results.List) > 0 {
		typ = f.typ.Results.List[0].Type
	}
	switch t := typ.(type) {
	case *ast.ArrayType:
		if t.Len == nil {
			return "slice"
		}
	case *ast.MapType:
		return "map"
	}
	return ""
}

// inside reports whether p is in the body of the if statement whose condition is at a line.
func (c *sources) inside(line int, p wire.Place) (is bool) {
	f := c.function(p)
	f.inspect(func(n ast.Node) {
		if i, ok := n.(*ast.IfStmt); ok && c.Line(i.Cond.Pos()) == line {
			is = is || c.spans(i.Body, p)
		}
	})
	return is
}

// receiving returns where the file of p receives from a channel, or ranges over it.
func (c *sources) receiving(p wire.Place, channel string) (at wire.Place, ok bool) {
	f := c.File(p.File)
	if f == nil {
		return at, false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		var from ast.Expr
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				from = n.X
			}
		case *ast.RangeStmt:
			from = n.X
		}
		if from != nil && !ok && c.Text(from) == channel {
			at, ok = wire.Place{File: p.File, Line: c.Line(n.Pos())}, true
		}
		return !ok
	})
	return at, ok
}

// named returns the name of the function around p, if it is declared and no test.
func (c *sources) named(p wire.Place) string {
	if f := c.function(p); f != nil && !strings.HasSuffix(filepath.Base(p.File), "_test.go") {
		return f.name
	}
	return ""
}

// ats lists places, each line once.
func ats(ps []wire.Place) string {
	var out []string
	for _, p := range ps {
		if !slices.Contains(out, at(p)) {
			out = append(out, at(p))
		}
	}
	return list(out)
}

// assigned reports whether f gives a variable a new value that does not come from it: "err" of
// "n, err = get()".
func (c *sources) assigned(f *fn, name string) (is bool) {
	f.inspect(func(n ast.Node) {
		if as, ok := n.(*ast.AssignStmt); ok && as.Tok == token.ASSIGN {
			for _, l := range as.Lhs {
				is = is || c.Text(l) == name && !strings.Contains(c.Text(as.Rhs[0]), name)
			}
		}
	})
	return is
}
