package build

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
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
	c := constants{known: map[string]bool{}, named: map[string]bool{}, decls: map[string]*leads{}}
	c.take(pkg)
	g.eachBelow(main, func(p *listed) {
		if p.Module != nil && p.Module.Main && !p.isTestMain() && p.ImportPath != pkg.ImportPath {
			c.take(p)
		}
	})
	c.near()
	return &c.Constants
}

type constants struct {
	counters.Constants
	known map[string]bool // words, and whether they are compared
	named map[string]bool

	decls map[string]*leads // by name: functions, methods, variables, types
	in    []*leads          // those of the declaration that is looked at
}

// A leads is what stands in the declarations of one name.
type leads struct {
	words map[string]bool
	names map[string]bool // of what else is declared, perhaps
}

// mostNear bounds the places in Constants.Near.
const mostNear = 10_000

// near finds what the source of each fuzz target leads to.
func (c *constants) near() {
	at := map[string][]int{}
	for i, s := range slices.Concat(c.Compared, c.Other) {
		at[s] = append(at[s], i)
	}
	for i, n := range c.Names {
		at[n.Name] = append(at[n.Name], len(c.Compared)+len(c.Other)+i)
	}
	left := mostNear
	for _, target := range slices.Sorted(maps.Keys(c.decls)) {
		if !strings.HasPrefix(target, "Fuzz") {
			continue
		}
		seen, next := map[string]bool{target: true}, []string{target}
		is := map[int]bool{}
		for len(next) > 0 {
			d := c.decls[next[0]]
			next = next[1:]
			for w := range d.words {
				for _, i := range at[w] {
					is[i] = true
				}
			}
			for name := range d.names {
				if c.decls[name] != nil && !seen[name] {
					seen[name] = true
					next = append(next, name)
				}
			}
		}
		if left -= len(is); left < 0 {
			return
		}
		if c.Near == nil {
			c.Near = map[string][]int{}
		}
		c.Near[target] = slices.Sorted(maps.Keys(is))
	}
}

// begin takes what follows for what a declaration has.
func (c *constants) begin(d ast.Decl) {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	c.in = c.in[:0]
	for _, name := range names {
		if c.decls[name] == nil {
			c.decls[name] = &leads{map[string]bool{}, map[string]bool{}}
		}
		c.in = append(c.in, c.decls[name])
	}
}

// stands notes that a word stands in the declaration that is looked at.
func (c *constants) stands(word string) {
	for _, d := range c.in {
		d.words[word] = true
	}
}

// take takes those of a package.
func (c *constants) take(p *listed) {
	for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), p.abs(file), nil, parser.SkipObjectResolution)
		if err == nil { // else the compiler says so
			for _, d := range f.Decls {
				c.begin(d)
				ast.PreorderStack(d, []ast.Node{f}, c.node)
			}
		}
	}
}

// node takes what a node has, and reports whether those below it may have others.
func (c *constants) node(n ast.Node, above []ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Ident:
		for _, d := range c.in {
			d.names[n.Name] = true
		}
	case *ast.BasicLit:
		switch in := above[len(above)-1]; {
		case isField(in): // a tag
		case compares(in):
			c.literal(n, true)
		case reports(in): // for people to read
		default:
			c.literal(n, leadsTo(above))
		}
	case *ast.Field:
		if n.Tag != nil {
			if s, err := strconv.Unquote(n.Tag.Value); err == nil {
				tag, _, _ := strings.Cut(reflect.StructTag(s).Get("json"), ",")
				c.name(tag, n.Type)
				c.words(s)
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

// reports reports whether a node is probably a call that only tells what has gone wrong.
func reports(n ast.Node) bool {
	if n, ok := n.(*ast.CallExpr); ok {
		if f, ok := n.Fun.(*ast.SelectorExpr); ok {
			switch f.Sel.Name {
			case "Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf", "Skip", "Skipf":
				return true
			}
		}
	}
	return false
}

// leadsTo reports whether a literal below such nodes is an argument of a call whose result is
// compared, or decides where the program goes on, as in form.Get("key") == "on".
func leadsTo(above []ast.Node) bool {
	call := false
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *ast.CallExpr:
			call = true
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.UnaryExpr:
		case *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			if !call {
				return false
			}
		case *ast.BinaryExpr:
			return call && n.Op != token.ADD
		case *ast.IfStmt, *ast.SwitchStmt, *ast.ForStmt:
			return call
		case *ast.AssignStmt: // v, ok := form.Lookup("key")
			return call && len(n.Lhs) > len(n.Rhs)
		default:
			return false
		}
	}
	return false
}

// literal takes what a literal has. compared: it is probably compared with something.
func (c *constants) literal(n *ast.BasicLit, compared bool) {
	switch n.Kind {
	case token.STRING, token.CHAR:
		if s, err := strconv.Unquote(n.Value); err == nil {
			c.word(s, compared)
			c.words(s)
		}
	case token.INT, token.FLOAT:
		c.word(strings.ReplaceAll(n.Value, "_", ""), compared)
	}
}

// word takes a word. One that is compared somewhere is one of Compared wherever it stands.
func (c *constants) word(s string, compared bool) {
	c.stands(s)
	if s == "" || len(s) > mostConstant {
		return
	}
	list := &c.Other
	if compared {
		list = &c.Compared
	}
	was, known := c.known[s]
	if len(*list) == mostConstants || known && (was || !compared) {
		return
	}
	if known {
		c.Other = slices.DeleteFunc(c.Other, func(o string) bool { return o == s })
	}
	c.known[s] = compared
	*list = append(*list, s)
}

// words takes the words in a text that is more than one.
func (c *constants) words(s string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		c.word(w, false)
	}
}

// name takes what a field of a type is called.
func (c *constants) name(s string, typ ast.Expr) {
	c.stands(s)
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
