package syntax

import (
	"go/ast"
	"go/token"
	"strings"
)

// A Declaration is where a variable or field is declared.
type Declaration struct {
	Line int    // 0: not found
	Type string // as the source has it, or "" if it does not say
}

// Declared returns the declaration of a name that a line of a file uses: "n", or a field, "s.n",
// if the file has one struct with such a field.
func (s *Files) Declared(file string, line int, name string) (d Declaration) {
	f := s.File(file)
	if f == nil || name == "" {
		return d
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return s.field(f, name[dot+1:])
	}
	s.On(file, line, func(n ast.Node) { // the outer functions first
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.local(&d, n.Type, n.Body, line, name)
		case *ast.FuncLit:
			s.local(&d, n.Type, n.Body, line, name)
		}
	})
	if d.Line > 0 {
		return d
	}
	for _, decl := range f.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				s.spec(&d, spec.(*ast.ValueSpec), name)
			}
		}
	}
	return d
}

// field returns the field of a name of the only struct of a file that has one.
func (s *Files) field(f *ast.File, name string) (d Declaration) {
	n := 0
	ast.Inspect(f, func(x ast.Node) bool {
		if st, ok := x.(*ast.StructType); ok {
			for _, p := range st.Fields.List {
				for _, id := range p.Names {
					if id.Name == name {
						d = Declaration{s.Line(id.Pos()), s.Text(p.Type)}
						n++
					}
				}
			}
		}
		return true
	})
	if n != 1 {
		return Declaration{}
	}
	return d
}

// local finds the last declaration of a name in a function up to a line, those in function literals
// that end before it left out.
func (s *Files) local(d *Declaration, typ *ast.FuncType, body *ast.BlockStmt, line int, name string) {
	for _, list := range []*ast.FieldList{typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		for _, p := range list.List {
			for _, id := range p.Names {
				if id.Name == name {
					*d = Declaration{s.Line(id.Pos()), s.Text(p.Type)}
				}
			}
		}
	}
	if body == nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || s.Line(n.Pos()) > line {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt,
			*ast.CaseClause, *ast.CommClause:
			return s.Within(n, line)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				id, ok := e.(*ast.Ident)
				if ok && n.Tok == token.DEFINE && id.Name == name && s.Within(n, line) {
					*d = Declaration{Line: s.Line(id.Pos())}
				}
			}
			return s.Within(n, line)
		case *ast.ValueSpec:
			s.spec(d, n, name)
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && n.Tok == token.DEFINE && id.Name == name {
					*d = Declaration{Line: s.Line(id.Pos())}
					if len(n.Rhs) == len(n.Lhs) {
						d.Type = s.typeOf(n.Rhs[i])
					}
				}
			}
		}
		return true
	})
}

func (s *Files) spec(d *Declaration, v *ast.ValueSpec, name string) {
	for i, id := range v.Names {
		if id.Name != name {
			continue
		}
		*d = Declaration{Line: s.Line(id.Pos())}
		if v.Type != nil {
			d.Type = s.Text(v.Type)
		} else if i < len(v.Values) {
			d.Type = s.typeOf(v.Values[i])
		}
	}
}

// typeOf returns the type of an expression that says it, or "".
func (s *Files) typeOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		kinds := map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.STRING: "string"}
		return kinds[e.Kind]
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return "bool"
		}
	case *ast.CompositeLit:
		return s.Text(e.Type)
	case *ast.UnaryExpr:
		if c, ok := e.X.(*ast.CompositeLit); ok && e.Op == token.AND {
			return "*" + s.Text(c.Type)
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && len(e.Args) > 0 && id.Name == "make" {
			return s.Text(e.Args[0])
		} else if ok && len(e.Args) == 1 && id.Name == "new" {
			return "*" + s.Text(e.Args[0])
		}
	}
	return ""
}
