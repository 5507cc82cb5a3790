package known

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"heddle/internal/nearest"
	"heddle/internal/norm"
	"heddle/internal/tomlfile"
)

// A Rule ignores findings. What it leaves empty matches every finding.
type Rule struct {
	Kind    string
	Reason  string
	Package string // an import path, or a pattern as of the go command: example.com/x/...
	Test    string
	Func    string // of a place
	Object  string // of a place
	Text    string // a part of the line of a place

	// Of a comment at a line: where the place is. Of one at a function: that it is in this file.
	File string
	At   int

	From string // the file of the rule itself
	Line int
}

// Where says where the rule stands.
func (r *Rule) Where() string { return fmt.Sprintf("%s:%d", r.From, r.Line) }

// Kinds are the kinds of findings that a rule may name; set by the command, which has their table.
type Kinds []string

// matches reports whether a rule ignores a finding.
func (r *Rule) matches(f *Finding) bool {
	if r.Kind != f.Kind || r.Test != "" && r.Test != f.Test || !within(f.Package, r.Package) {
		return false
	}
	if r.Func == "" && r.Object == "" && r.Text == "" && r.File == "" {
		return true
	}
	return slices.ContainsFunc(f.Places, func(p Place) bool {
		return (r.Func == "" || r.Func == p.Func) && (r.Object == "" || r.Object == p.Object) &&
			(r.Text == "" || strings.Contains(p.Text, r.Text)) && (r.File == "" || r.File == p.File) &&
			(r.At == 0 || r.At == p.Line)
	})
}

// within reports whether a package matches a pattern; "" matches all.
func within(pkg, pattern string) bool {
	if pattern == "" || pkg == pattern {
		return true
	}
	base, ok := strings.CutSuffix(pattern, "/...")
	return ok && (pkg == base || strings.HasPrefix(pkg, base+"/"))
}

// ruleKeys are the keys of [[ignore]].
var ruleKeys = []string{"kind", "reason", "package", "test", "function", "object", "text"}

// ParseRule reads a table [[ignore]] from the items below its header, which stands at a line.
func ParseRule(path string, line int, items []tomlfile.Item) (*Rule, error) {
	r := &Rule{From: path, Line: line}
	fields := map[string]*string{"kind": &r.Kind, "reason": &r.Reason, "package": &r.Package, "test": &r.Test,
		"function": &r.Func, "object": &r.Object, "text": &r.Text}
	for _, it := range items {
		p := fields[it.Key]
		if p == nil {
			return nil, unknownKey(path, it, ruleKeys)
		}
		text, ok := it.Value.(string)
		if !ok {
			return nil, tomlfile.Errorf(path, it.Line, "%s is %s; want a string, such as %s = \"...\"",
				it.Key,
				tomlfile.TypeOf(it.Value), it.Key)
		}
		*p = text
	}
	switch {
	case r.Kind == "":
		return nil, tomlfile.Errorf(path, line, "[[ignore]] without a kind: heddle explain lists them")
	case r.Reason == "":
		return nil, tomlfile.Errorf(path, line, "[[ignore]] without a reason: say why the finding may stay")
	}
	return r, nil
}

// Check refuses a rule of a kind that there is not, and gives it the kind's own name: data-race is
// a data race.
func (k Kinds) Check(r *Rule) error {
	for _, kind := range k {
		if norm.Name(kind) == norm.Name(r.Kind) {
			r.Kind = kind
			return nil
		}
	}
	like := ""
	if n := nearest.To(r.Kind, k); n != "" {
		like = fmt.Sprintf("; did you mean %s?", n)
	}
	return tomlfile.Errorf(r.From, r.Line, "no kind of finding is called %q%s Known are: %s", r.Kind,
		cmp.Or(like, "."), strings.Join(k, ", "))
}

// Directive is how a comment begins that is a rule: //heddle:ignore KIND reason.
const Directive = "//heddle:ignore"

// Comments returns the rules that stand as comments in a Go file of a package. A comment at the end
// of a line is for that line, one by itself for the line below, one above a function for what
// happens in it; above a test, for what the test finds. A file that does not parse has none.
func (k Kinds) Comments(path, pkg string, text []byte) (rules []*Rule, err error) {
	if !strings.Contains(string(text), Directive) {
		return nil, nil
	}
	fset := token.NewFileSet()
	file, bad := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if bad != nil {
		return nil, nil
	}
	lines := strings.Split(string(text), "\n")
	for _, group := range file.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, Directive)
			if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t") {
				continue
			}
			at := fset.Position(c.Pos())
			r := &Rule{From: path, Line: at.Line, File: path, At: at.Line}
			if err := k.fill(r, strings.TrimSpace(rest)); err != nil {
				return nil, err
			}
			if before := lines[at.Line-1][:at.Column-1]; strings.TrimSpace(before) == "" {
				r.At = fset.Position(group.End()).Line + 1
			}
			if fn := documented(file, group); fn != nil {
				r.At = 0
				if isTest(fn.Name.Name) && fn.Recv == nil && strings.HasSuffix(path, "_test.go") {
					r.File, r.Test, r.Package = "", fn.Name.Name, pkg
				} else {
					r.Func = FuncName(fn)
				}
			}
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// fill takes kind and reason from the text of a directive.
func (k Kinds) fill(r *Rule, text string) error {
	longest := ""
	for _, kind := range k {
		for _, form := range []string{kind, norm.Name(kind)} {
			if len(form) < len(longest) || !strings.HasPrefix(strings.ToLower(text), form) {
				continue
			}
			if after := text[len(form):]; after == "" || strings.ContainsAny(after[:1], " \t:") {
				longest = form
				r.Kind, r.Reason = kind, strings.TrimSpace(strings.TrimPrefix(after, ":"))
			}
		}
	}
	if longest == "" {
		word, _, _ := strings.Cut(text, " ")
		r.Kind = word
		return k.Check(r)
	}
	if r.Reason == "" {
		return tomlfile.Errorf(r.From, r.Line, "%s %s without a reason: say why the finding may stay",
			Directive,
			r.Kind)
	}
	return nil
}

// documented returns the function that a comment stands above.
func documented(file *ast.File, group *ast.CommentGroup) *ast.FuncDecl {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc == group {
			return fn
		}
	}
	return nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") ||
		strings.HasPrefix(name, "Example")
}

// FuncName returns the name of a function with its receiver: (*Bank).Transfer.
func FuncName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	star, x := "", fn.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			star, x = "*", t.X
			continue
		case *ast.ParenExpr:
			x = t.X
			continue
		case *ast.IndexExpr:
			x = t.X
			continue
		case *ast.IndexListExpr:
			x = t.X
			continue
		case *ast.Ident:
			if star != "" {
				return "(*" + t.Name + ")." + fn.Name.Name
			}
			return t.Name + "." + fn.Name.Name
		}
		return fn.Name.Name
	}
}
