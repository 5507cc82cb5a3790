package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"heddle/explore/why"
)

// TestReasons: every code of package why is explained, once, and nothing else is.
func TestReasons(t *testing.T) {
	codes := map[why.Code]bool{Sampled: true}
	file, err := parser.ParseFile(token.NewFileSet(), "../explore/why/why.go", nil,
		parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Type != nil {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Code" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[why.Code(text)] = true
			}
		}
		return true
	})
	if len(codes) < 30 {
		t.Fatalf("found %d codes only", len(codes))
	}
	for _, r := range Reasons {
		if !codes[r.Code] {
			t.Errorf("%q is explained twice, or is no code", r.Code)
		}
		delete(codes, r.Code)
		if r.Means == "" {
			t.Errorf("%q has no explanation", r.Code)
		}
	}
	for c := range codes {
		t.Errorf("%q is not explained", c)
	}
}
