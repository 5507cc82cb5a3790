package report

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"

	"heddle/report/cause"
	"heddle/report/syntax"
)

// code answers what package cause asks of the source: which function is this in, is that name
// declared at package level.
type code struct{ files *syntax.Files }

// newCode returns what package cause asks of the source, from the parsed files.
func (r *Reporter) newCode() cause.Code {
	c := code{r.parsed}
	return cause.Code{Foreign: r.foreign, Line: r.o.Source, Function: c.function, Global: c.global}
}

// readIn returns what reads source files: names that are not absolute are relative to dir.
func readIn(dir string) func(name string) []byte {
	return func(name string) []byte {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return sourceText(name)
	}
}

// function names the innermost function of a line by the line on which it begins. Where a line has
// several functions it is in the one around them.
func (c code) function(file string, line int) string {
	begin := 0
	c.files.On(file, line, func(n ast.Node) {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if at := c.files.Line(n.Pos()); begin == 0 || c.files.Line(n.End()) > at {
				begin = at
			}
		}
	})
	if begin == 0 {
		return ""
	}
	return filepath.ToSlash(file) + ":" + strconv.Itoa(begin)
}

// global reports whether a name that a line uses is no parameter, result or variable of the
// function around it.
func (c code) global(file string, line int, name string) (global bool) {
	if name == "" {
		return false
	}
	c.files.On(file, line, func(n ast.Node) {
		if fn, ok := n.(*ast.FuncDecl); ok {
			global = !declares(fn, name)
		}
	})
	return global
}

// declares reports whether a function declares a name anywhere in it.
func declares(fn *ast.FuncDecl, name string) bool {
	found := false
	is := func(ids ...*ast.Ident) {
		for _, id := range ids {
			found = found || id.Name == name
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			is(n.Names...)
		case *ast.ValueSpec:
			is(n.Names...)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					is(id)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					is(id)
				}
			}
		}
		return !found
	})
	return found
}
