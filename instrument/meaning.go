package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Comparison reports whether the names of a package mean the same in the output of Rewrite.
type Comparison struct {
	Names     int // identifiers and literals of the source that occur in the output
	Selectors int // those of Names that follow a point
	Calls     int // those of Names that are called functions, or types in conversions
	// names that the rewriter replaced (built-in functions, go statements) or wrote itself
	// (variables of range and select)
	Gone int

	Differences []string // "file:line: name: meaning before, and after"
}

// Compare rewrites a package with marked names, type-checks the output as Rewrite did the source,
// and compares the meaning of each name: its object, its type, its type arguments, the type of a
// call.
func Compare(in *Input, imp types.Importer) (*Comparison, error) {
	marked := *in
	marked.Mode = Mode{Memory: true, Marks: true}
	own := NewImporter([]*Input{&marked})
	before := &pkg{in: &marked}
	if err := before.load(own.fset); err != nil {
		return nil, err
	}
	was := newMeanings()
	tp, err := before.check(own.fset, imp, was.info)
	if err != nil {
		return nil, err
	}
	was.pkg = tp
	out, err := Rewrite(&marked, imp)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	after := &pkg{in: &marked}
	texts := make([][]byte, len(in.Files))
	for i, f := range in.Files {
		if texts[i] = out.Files[f.Path]; texts[i] == nil {
			texts[i] = f.Content
		}
		a, err := parser.ParseFile(fset, f.Path, texts[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("%s: rewritten: %w", in.ImportPath, err)
		}
		after.files = append(after.files, a)
	}
	for _, name := range in.CgoFiles {
		a, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		after.files = append(after.files, a)
	}
	now := newMeanings()
	if now.pkg, err = after.check(fset, withHook{imp}, now.info); err != nil {
		return nil, fmt.Errorf("%s: rewritten: %w", in.ImportPath, err)
	}
	for i, f := range in.Files {
		was.file(own.fset, before.files[i], f.Path, nil)
		var marks map[int]int
		if out.Files[f.Path] != nil {
			marks = marksIn(fset, after.files[i])
		}
		now.file(fset, after.files[i], f.Path, marks)
	}
	return was.compare(now), nil
}

// markAt returns a mark for the name at an offset of the source. The space keeps a division sign
// before it from starting a comment.
func markAt(off int) string { return fmt.Sprintf(" /*@%d*/", off) }

// marksIn maps the offsets of marked names in the output to offsets in the source.
func marksIn(fset *token.FileSet, f *ast.File) map[int]int {
	marks := map[int]int{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			var off int
			if n, err := fmt.Sscanf(c.Text, "/*@%d*/", &off); n == 1 && err == nil {
				marks[fset.PositionFor(c.End(), false).Offset] = off
			}
		}
	}
	return marks
}

// marksOf returns the offsets of the names that are to be marked.
func (r *rewriter) marksOf() []int {
	var marks []int
	for _, d := range r.ast.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				marks = append(marks, r.off(n.Pos()))
			case *ast.BasicLit:
				marks = append(marks, r.off(n.Pos()))
			}
			return true
		})
	}
	slices.Sort(marks)
	return marks
}

// A sourcePlace is an offset in a file of the source.
type sourcePlace struct {
	file string
	off  int
}

// A meaning is what a name denotes.
type meaning struct {
	name, typ, args, call string
	obj                   types.Object
	sel                   bool // follows a point
	line                  int
}

type meanings struct {
	info *types.Info
	pkg  *types.Package
	at   map[sourcePlace]meaning
	decl map[types.Object]sourcePlace // by object of the package itself
}

func newMeanings() *meanings {
	info := newInfo()
	info.Instances = map[*ast.Ident]types.Instance{}
	return &meanings{info: info, at: map[sourcePlace]meaning{}, decl: map[types.Object]sourcePlace{}}
}

// file records the meanings of the names in a file. marks is nil for the source itself.
func (m *meanings) file(fset *token.FileSet, f *ast.File, path string, marks map[int]int) {
	sels, calls := map[*ast.Ident]bool{}, map[*ast.Ident]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		p := sourcePlace{file: path}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			sels[n.Sel] = true
		case *ast.CallExpr:
			if id := calledName(n.Fun); id != nil {
				calls[id] = m.text(m.info.TypeOf(n))
			}
		}
		var e ast.Expr
		switch n := n.(type) {
		case *ast.Ident:
			e = n
		case *ast.BasicLit:
			e = n
		default:
			return true
		}
		p.off = fset.PositionFor(n.Pos(), false).Offset
		if marks != nil {
			off, ok := marks[p.off]
			if !ok {
				return true
			}
			p.off = off
		}
		x := meaning{typ: strings.TrimPrefix(m.text(m.info.TypeOf(e)), "untyped "),
			line: fset.Position(n.Pos()).Line}
		if id, ok := e.(*ast.Ident); ok {
			x.name, x.sel, x.call = id.Name, sels[id], calls[id]
			if in, ok := m.info.Instances[id]; ok {
				for i := range in.TypeArgs.Len() {
					x.args += m.text(in.TypeArgs.At(i)) + " "
				}
			}
			if x.obj = m.info.Defs[id]; x.obj != nil {
				m.decl[origin(x.obj)] = p
			} else {
				x.obj = m.info.Uses[id]
			}
		} else {
			x.name = e.(*ast.BasicLit).Value
		}
		m.at[p] = x
		return true
	})
}

// calledName returns the name of the called function or type.
func calledName(fun ast.Expr) *ast.Ident {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		return calledName(f.X)
	case *ast.IndexListExpr:
		return calledName(f.X)
	}
	return nil
}

func (m *meanings) text(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// origin returns the generic object of an instance o, or o.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

// stands returns a text that identifies an object in the same way for source and output.
func (m *meanings) stands(o types.Object) string {
	if o == nil {
		return "nothing"
	}
	o = origin(o)
	if p, ok := o.(*types.PkgName); ok {
		return "package " + p.Imported().Path()
	}
	if at, ok := m.decl[o]; ok {
		return fmt.Sprintf("%T of %s at %d", o, at.file, at.off)
	}
	if o.Pkg() == nil || o.Pkg() != m.pkg {
		return fmt.Sprintf("%T %p", o, o)
	}
	return "" // written by the rewriter
}

// compare compares the meanings in the output (now) with those in the source.
func (m *meanings) compare(now *meanings) *Comparison {
	c := &Comparison{}
	for p, x := range m.at {
		y, ok := now.at[p]
		if !ok {
			c.Gone++
			continue
		}
		c.Names++
		if x.sel {
			c.Selectors++
		}
		a, b := m.stands(x.obj), now.stands(y.obj)
		if x.name != y.name || x.typ != y.typ || x.args != y.args || a != "" && b != "" && a != b {
			c.Differences = append(c.Differences,
				fmt.Sprintf("%s:%d: %s: %s %s[%s], and %s %s[%s]", p.file, x.line, x.name, a, x.typ, x.args,
					b, y.typ, y.args))
			continue
		}
		if x.call != "" && y.call != "" {
			if c.Calls++; strings.TrimPrefix(x.call, "untyped ") != strings.TrimPrefix(y.call, "untyped ") {
				c.Differences = append(c.Differences,
					fmt.Sprintf("%s:%d: %s: gives %s, and %s", p.file, x.line, x.name, x.call, y.call))
			}
		}
	}
	slices.Sort(c.Differences)
	return c
}
