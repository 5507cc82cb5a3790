package modules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRapid patches the versions of the real package that the module cache has.
func TestRapid(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	dirs, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "pgregory.net", "rapid@v*"))
	if len(dirs) == 0 {
		t.Skip("the module cache has no pgregory.net/rapid")
	}
	for _, dir := range dirs {
		if strings.HasPrefix(filepath.Base(dir), "rapid@v0.5.") {
			continue // it has other seams
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			files := map[string][]byte{}
			names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
			for _, name := range names {
				if files[name], err = os.ReadFile(name); err != nil {
					t.Fatal(err)
				}
			}
			patched, err := Patch(files)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for name, text := range patched {
				f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
				if err != nil {
					t.Fatal(err)
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						seen[id.Name] = true
					}
					return true
				})
			}
			for _, name := range []string{"heddleCheck", "heddleStream", "heddleDrew", "heddleOwn"} {
				if !seen[name] {
					t.Errorf("no %s", name)
				}
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	_, err := Patch(map[string][]byte{"engine.go": []byte("package rapid\n")})
	if err == nil || !strings.Contains(err.Error(), "func checkTB(") {
		t.Errorf("Patch of another package: %v", err)
	}
}
