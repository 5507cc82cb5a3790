package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"heddle/report/cause"
)

// parsedFiles has the parsed files of the program, for what is asked of lines: which function is
// this in, is that name declared at package level.
type parsedFiles struct {
	mu    sync.Mutex
	dir   string
	files map[string]*sourceFile
}

type sourceFile struct {
	set  *token.FileSet
	file *ast.File // nil: it cannot be read
	src  []byte
}

// text returns the source of a node.
func (f *sourceFile) text(n ast.Node) string {
	from, to := f.set.Position(n.Pos()).Offset, f.set.Position(n.End()).Offset
	if from < 0 || to > len(f.src) || from > to {
		return ""
	}
	return strings.Join(strings.Fields(string(f.src[from:to])), " ")
}

// code returns what package cause asks of the source.
func (r *Reporter) code() cause.Code {
	s := &parsedFiles{dir: r.o.Dir, files: map[string]*sourceFile{}}
	r.parsed = s
	return cause.Code{Foreign: r.foreign, Line: r.o.Source, Function: s.function, Global: s.global}
}

func (s *parsedFiles) of(name string) *sourceFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.dir, name)
	}
	if f := s.files[name]; f != nil {
		return f
	}
	f := &sourceFile{set: token.NewFileSet()}
	if src, err := os.ReadFile(name); err == nil {
		if tree, err := parser.ParseFile(f.set, name, src, parser.SkipObjectResolution); err == nil {
			f.file, f.src = tree, src
		}
	}
	s.files[name] = f
	return f
}

// within reports whether a line is in a node.
func (f *sourceFile) within(n ast.Node, line int) bool {
	return f.set.Position(n.Pos()).Line <= line && line <= f.set.Position(n.End()).Line
}

// function names the innermost function of a line by the line on which it begins. Where a line has
// several functions it is in the one around them.
func (s *parsedFiles) function(file string, line int) string {
	f := s.of(file)
	if f.file == nil {
		return ""
	}
	begin := 0
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.FuncDecl, *ast.FuncLit:
			if !f.within(n, line) {
				return false
			}
			if at := f.set.Position(n.Pos()).Line; begin == 0 || f.set.Position(n.End()).Line > at {
				begin = at
			}
		}
		return true
	})
	if begin == 0 {
		return ""
	}
	return filepath.ToSlash(file) + ":" + strconv.Itoa(begin)
}

// global reports whether a name that a line uses is no parameter, result or variable of the
// function around it.
func (s *parsedFiles) global(file string, line int, name string) bool {
	f := s.of(file)
	if f.file == nil || name == "" {
		return false
	}
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && f.within(fn, line) {
			return !declares(fn, name)
		}
	}
	return false
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
