package trace

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestImports: package rt/flow imports this one, and with data flow the standard library is
// rewritten to import rt/flow, but for what is below it. So an import of strings here is a cycle in
// every such build.
func TestImports(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Path.Value != `"errors"` {
				t.Errorf("%s imports %s: expected errors alone", e.Name(), i.Path.Value)
			}
		}
	}
}
