package instrument

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/version"
	"strings"
)

// langVersion returns v in the form of package go/types ("go1.21"); "" stays "".
func langVersion(v string) string {
	if v == "" || strings.HasPrefix(v, "go") {
		return v
	}
	return "go" + v
}

// before reports whether language version v is older than w. "" is the newest.
func before(v, w string) bool { return v != "" && version.Compare(v, w) < 0 }

// LosesVersions reports whether a compiler, such as "go1.26.2", needs Mode.Plain.
func LosesVersions(compiler string) bool {
	return version.Compare(compiler, "go1.26") >= 0 && version.Compare(compiler, "go1.26.3") < 0
}

// raiseVersion raises the language version of a file to one that compiles generics and (since Go
// 1.20) lets interfaces satisfy comparable. Go 1.21 is the newest version whose loop variables are
// shared, and the oldest that a build constraint can set. An existing constraint is kept. A line
// directive hides a new line from the line numbers.
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
	if !r.in.Mode.Plain {
		r.buf.Before(0, len(r.buf.src), "//go:build go1.21\n//line :1:1\n")
		return
	}
	r.buf.Before(0, len(r.buf.src), "//go:build go1.21\n")
	end := r.off(r.ast.Name.End())
	if i := bytes.Index(r.buf.src[end:], []byte("\n\n")); i >= 0 &&
		(len(r.ast.Decls) == 0 || end+i < r.off(r.ast.Decls[0].Pos())) {
		r.buf.Replace(end+i, end+i+1, "") // an empty line makes room for the new one
	}
}

// combine returns the constraint c and go1.21.
func combine(c *ast.Comment) string {
	x, err := constraint.Parse(c.Text)
	if err != nil {
		return c.Text
	}
	return "//go:build " + (&constraint.AndExpr{X: x, Y: &constraint.TagExpr{Tag: "go1.21"}}).String()
}
