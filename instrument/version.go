package instrument

import (
	"go/ast"
	"go/build/constraint"
	"go/version"
	"strings"
)

// langVersion returns v as the go/types package wants it ("go1.21"); "" stays "".
func langVersion(v string) string {
	if v == "" || strings.HasPrefix(v, "go") {
		return v
	}
	return "go" + v
}

// before reports whether the language version v ("" is the newest) is older than w.
func before(v, w string) bool { return v != "" && version.Compare(v, w) < 0 }

// raiseVersion makes generics compile in a file of a language version that has
// none, or (before Go 1.20) none whose comparable an interface satisfies. Go 1.21 is the newest version whose loop variables are shared, and the
// oldest that a build constraint can raise a file to. An existing constraint
// is kept; a new line is hidden from the line numbers by a line directive.
func (r *rewriter) raiseVersion() {
	for _, g := range r.ast.Comments {
		if g.Pos() > r.ast.Package {
			break
		}
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) && r.col(c.Pos()) == 1 {
				r.buf.Replace(r.off(c.Pos()), r.off(c.End()), combine(c))
				return
			}
		}
	}
	r.buf.Before(0, len(r.buf.src), "//go:build go1.21\n//line :1:1\n")
}

// combine returns the constraint c and go1.21.
func combine(c *ast.Comment) string {
	x, err := constraint.Parse(c.Text)
	if err != nil {
		return c.Text
	}
	return "//go:build " + (&constraint.AndExpr{X: x, Y: &constraint.TagExpr{Tag: "go1.21"}}).String()
}
