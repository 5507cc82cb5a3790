package build

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"heddle/rt/counters"
)

// mostConstants bounds each list that constants returns, mostConstant the length of one of them.
const (
	mostConstants = 1000
	mostConstant  = 64
)

// constants returns what the program of a test binary may compare its input with, by the source of
// the main modules' packages, those of the package under test first.
func (g *graph) constants(main, pkg *listed) *counters.Constants {
	c := constants{known: map[string]bool{}, named: map[string]bool{}}
	c.take(pkg)
	g.eachBelow(main, func(p *listed) {
		if p.Module != nil && p.Module.Main && !p.isTestMain() && p.ImportPath != pkg.ImportPath {
			c.take(p)
		}
	})
	return &c.Constants
}

type constants struct {
	counters.Constants
	known, named map[string]bool
}

// take takes those of a package.
func (c *constants) take(p *listed) {
	for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), p.abs(file), nil, parser.SkipObjectResolution)
		if err == nil { // else the compiler says so
			ast.PreorderStack(f, nil, c.node)
		}
	}
}

// node takes what a node has, and reports whether those below it may have others.
func (c *constants) node(n ast.Node, above []ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BasicLit:
		switch in := above[len(above)-1]; {
		case isField(in): // a tag
		case compares(in):
			c.literal(n, &c.Compared)
		default:
			c.literal(n, &c.Other)
		}
	case *ast.Field:
		if n.Tag != nil {
			if s, err := strconv.Unquote(n.Tag.Value); err == nil {
				tag, _, _ := strings.Cut(reflect.StructTag(s).Get("json"), ",")
				c.name(tag, n.Type)
				c.words(s, &c.Other)
			}
		} else {
			for _, id := range n.Names {
				if id.IsExported() {
					c.name(id.Name, n.Type)
				}
			}
		}
	}
	return true
}

func isField(n ast.Node) bool {
	_, ok := n.(*ast.Field)
	return ok
}

// compares reports whether a literal in such a node is probably what something is compared with.
func compares(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op != token.ADD
	case *ast.CaseClause, *ast.IndexExpr, *ast.ValueSpec, *ast.KeyValueExpr:
		return true
	case *ast.CallExpr:
		if s, ok := n.Fun.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			return ok && (x.Name == "strings" || x.Name == "bytes" || x.Name == "slices")
		}
	}
	return false
}

func (c *constants) literal(n *ast.BasicLit, list *[]string) {
	switch n.Kind {
	case token.STRING, token.CHAR:
		if s, err := strconv.Unquote(n.Value); err == nil {
			c.word(s, list)
			c.words(s, &c.Other)
		}
	case token.INT, token.FLOAT:
		c.word(strings.ReplaceAll(n.Value, "_", ""), list)
	}
}

func (c *constants) word(s string, list *[]string) {
	if s != "" && len(s) <= mostConstant && len(*list) < mostConstants && !c.known[s] {
		c.known[s] = true
		*list = append(*list, s)
	}
}

// words takes the words in a text that is more than one.
func (c *constants) words(s string, list *[]string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		c.word(w, list)
	}
}

// name takes what a field of a type is called.
func (c *constants) name(s string, typ ast.Expr) {
	if s == "" || s == "-" || len(s) > mostConstant || len(c.Names) == mostConstants || c.named[s] {
		return
	}
	c.named[s] = true
	c.Names = append(c.Names, counters.Name{Name: s, Kind: kindOf(typ)})
}

// kindOf returns what JSON has for a type, as far as its text tells; "" if it does not.
func kindOf(typ ast.Expr) string {
	switch t := typ.(type) {
	case *ast.StarExpr:
		return kindOf(t.X)
	case *ast.ArrayType:
		return "list"
	case *ast.MapType, *ast.StructType:
		return "object"
	case *ast.Ident:
		switch t.Name {
		case "string":
			return "text"
		case "bool":
			return "bool"
		case "float32", "float64", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
			"uint32", "uint64", "byte", "rune":
			return "number"
		}
	}
	return ""
}
