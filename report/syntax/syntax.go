// Package syntax answers what explanations ask of the source of a program, by file and line:
//
//	files := syntax.New(read)                     // read returns a file, or nil
//	files.Calls("bank.go", 12, "Lock")            // "a.mu", "b.mu": the receivers, in order
//	files.Cases("queue.go", 31)                   // "v := <-q.in", "<-q.stop"
//
// Each file is read and parsed once. What cannot be read or parsed has no calls and no cases.
package syntax

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"sync"
)

// Files are the files of a program. The methods may be called concurrently.
type Files struct {
	read  func(file string) []byte
	fset  *token.FileSet
	mu    sync.Mutex
	files map[string]*ast.File // nil: cannot be read
	on    map[lineOf][]ast.Node
}

// A lineOf is a line of a file.
type lineOf struct {
	file string
	line int
}

// New returns files that read returns by their names; read may be nil.
func New(read func(file string) []byte) *Files {
	return &Files{read: read, fset: token.NewFileSet(), files: map[string]*ast.File{},
		on: map[lineOf][]ast.Node{}}
}

// File returns a parsed file, or nil.
func (s *Files) File(name string) *ast.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[name]
	if !ok && s.read != nil && name != "" {
		if text := s.read(name); text != nil {
			f, _ = parser.ParseFile(s.fset, name, text, parser.SkipObjectResolution)
		}
		s.files[name] = f
	}
	return f
}

// Position returns where p is.
func (s *Files) Position(p token.Pos) token.Position { return s.fset.Position(p) }

// Line returns the line of p.
func (s *Files) Line(p token.Pos) int { return s.fset.Position(p).Line }

// Within reports whether a line is in a node.
func (s *Files) Within(n ast.Node, line int) bool {
	return s.Line(n.Pos()) <= line && line <= s.Line(n.End())
}

// Text returns a node as source in one line.
func (s *Files) Text(n ast.Node) string {
	var b bytes.Buffer
	if printer.Fprint(&b, s.fset, n) != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// On calls visit with the nodes of a file that a line is in, the outer ones first.
func (s *Files) On(file string, line int, visit func(n ast.Node)) {
	for _, n := range s.nodes(file, line) {
		visit(n)
	}
}

// nodes returns the nodes that On visits. They are kept: all steps of a clip ask for their lines.
func (s *Files) nodes(file string, line int) []ast.Node {
	f := s.File(file)
	if f == nil {
		return nil
	}
	at := lineOf{file, line}
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes, ok := s.on[at]
	if !ok {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || !s.Within(n, line) {
				return false
			}
			nodes = append(nodes, n)
			return true
		})
		s.on[at] = nodes
	}
	return nodes
}

// Calls returns the receivers of the calls of methods on a line, in the order of the source.
func (s *Files) Calls(file string, line int, methods ...string) (receivers []string) {
	s.On(file, line, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(methods, sel.Sel.Name) &&
				s.Line(sel.Sel.Pos()) == line {
				receivers = append(receivers, s.Text(sel.X))
			}
		}
	})
	return receivers
}

// Clause returns the line of case n, counted from 0, of the select that begins on a line; -1 is its
// default. It returns 0 if there is none.
func (s *Files) Clause(file string, line, n int) (at int) {
	s.On(file, line, func(x ast.Node) {
		sel, ok := x.(*ast.SelectStmt)
		if !ok || s.Line(sel.Pos()) != line {
			return
		}
		at = 0
		k := 0
		for _, c := range sel.Body.List {
			comm, ok := c.(*ast.CommClause)
			switch {
			case !ok:
			case comm.Comm == nil && n < 0:
				at = s.Line(comm.Pos())
			case comm.Comm != nil:
				if k == n {
					at = s.Line(comm.Pos())
				}
				k++
			}
		}
	})
	return at
}

// Cases returns the cases of the select that begins on a line, in order and without the default:
// "<-stop" for "case <-stop:".
func (s *Files) Cases(file string, line int) (cases []string) {
	s.On(file, line, func(n ast.Node) {
		sel, ok := n.(*ast.SelectStmt)
		if !ok || s.Line(sel.Pos()) != line {
			return
		}
		cases = nil
		for _, c := range sel.Body.List {
			if comm, ok := c.(*ast.CommClause); ok && comm.Comm != nil {
				cases = append(cases, s.Text(comm.Comm))
			}
		}
	})
	return cases
}
