package known

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"
)

// A Source says what stands at lines of files. It reads each file once.
type Source struct {
	mu    sync.Mutex
	files map[string]*sourceFile
}

type sourceFile struct {
	lines []string
	funcs []span
}

// A span is the lines of a function.
type span struct {
	first, last int
	name        string
}

// Place completes a place: its function and its text.
func (s *Source) Place(file string, line int, object string) Place {
	p := Place{File: file, Line: line, Object: object}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[file]
	if f == nil {
		f = readSource(file)
		if s.files == nil {
			s.files = map[string]*sourceFile{}
		}
		s.files[file] = f
	}
	if line > 0 && line <= len(f.lines) {
		p.Text = strings.TrimSpace(f.lines[line-1])
		if i := strings.Index(p.Text, Directive); i > 0 {
			p.Text = strings.TrimSpace(p.Text[:i])
		}
	}
	for _, fn := range f.funcs {
		if fn.first <= line && line <= fn.last {
			p.Func = fn.name
		}
	}
	return p
}

func readSource(file string) *sourceFile {
	data, err := os.ReadFile(file)
	if err != nil {
		return &sourceFile{}
	}
	f := &sourceFile{lines: strings.Split(string(data), "\n")}
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, file, data, parser.SkipObjectResolution)
	if tree == nil {
		return f
	}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			f.funcs = append(f.funcs, span{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line,
				FuncName(fn)})
		}
	}
	return f
}
