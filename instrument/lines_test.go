package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// checkLines checks that every name of the original is in the rewritten text, on its old line.
func checkLines(t testing.TB, path string, text []byte) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkWords(t, path, src, text)
}

func checkWords(t testing.TB, path string, src, text []byte) {
	t.Helper()
	before, after := words(t, path, src), words(t, path, text)
	n := 0
	for w, k := range before {
		name, _, _ := strings.Cut(w, " ")
		switch name {
		case "append", "copy", "close", "len", "Gosched", "NumGoroutine", "LockOSThread", "UnlockOSThread",
			"_", "runtime":
			continue
		}
		if after[w] < k && after["Heddle"+w] < k {
			if n++; n < 10 {
				t.Errorf("%s: %s: %d times, was %d", path, w, after[w], k)
			}
		}
	}
}

func words(t testing.TB, path string, src []byte) map[string]int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		if n, ok := n.(*ast.Ident); ok {
			count[fmt.Sprintf("%s line %d", n.Name, fset.Position(n.Pos()).Line)]++
		}
		return true
	})
	return count
}
