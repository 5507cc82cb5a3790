package plainwords

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const top = "../.."

func words(t *testing.T) *Words {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(top, "docs", "glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := ReadWords(string(page))
	if err != nil {
		t.Fatalf("docs/glossary.md: %v", err)
	}
	return w
}

// tracked returns the paths of all files that git knows.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", top, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git work tree: ", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// files returns the paths of all files that git knows, without testdata.
func files(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(tracked(t), func(file string) bool {
		return slices.Contains(strings.Split(file, "/"), "testdata")
	})
}

// TestHouse holds every folder to the rules.
func TestHouse(t *testing.T) {
	c := &Checker{Words: words(t)}
	for _, file := range files(t) {
		src, err := os.ReadFile(filepath.Join(top, file))
		if os.IsNotExist(err) {
			continue // removed, but not in git yet
		}
		if err == nil {
			err = c.Add(file, src)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, p := range c.Problems() {
		t.Error(p)
	}
}

// TestRules: each rule notices what it is for, and nothing else.
func TestRules(t *testing.T) {
	const pkg = "// Package a.\npackage a\n\n"
	long := strings.Repeat("word ", 21)
	for _, test := range []struct {
		name, file, src string
		want            []string // rules
	}{
		{"clean", "a/a.go", "// Package a is clean.\npackage a\n", nil},
		{"no package comment", "a/a.go", "package a\n", []string{"package comment"}},
		{"word in a comment", "a/a.go", "// Package a waits for somebody.\npackage a\n", []string{"word"}},
		{"author", "a/a.go", "// Package a is by He, Sun and Fan.\npackage a\n", nil},
		{"word as a part", "a/a.go", "// Package a is the whole.\npackage a\n", nil},
		{"word in a message", "a/a.go", pkg + "const s = \"Nobody waits\"\n", []string{"word"}},
		{"word in a test's data", "a/a_test.go", pkg + "const s = \"nobody\"\n", nil},
		{"wide comment", "a/a.go", pkg + "// " + long + "\nvar x int\n", []string{"width"}},
		{"code of that width", "a/a.go", pkg + "var x = \"" + long[:95] + "\"\n", nil},
		{"wide code", "a/a.go", pkg + "var x = 1" + strings.Repeat(" + 1", 30) + "\n", []string{"width"}},
		{"wide message", "a/a.go", pkg + "var x = \"" + long + "\"\n", nil},
		{"wide text", "a/a.go", pkg + "var x = `\n" + long + long + "\n`\n", nil},
		{"no doc comment", "a/a.go", pkg + "func F() {}\n", []string{"doc comment"}},
		{"method", "a/a.go", pkg + "func (x *t) F() {}\n", nil},
		{"group", "a/a.go", pkg + "// Sizes.\nconst (\n\tA = 1\n\tB = 2\n)\n", nil},
		{"group without", "a/a.go",
			pkg + "const (\n\tA = 1 // one\n\tB = 2\n)\n",
			[]string{"doc comment"}},
		{"command", "a/a.go", "// Command a.\npackage main\n\nfunc F() {}\n", nil},
		{"page", "a.md", "Nobody.\n", []string{"word"}},
		{"page with code", "a.md", "`nobody` waits\n\n    nobody\n\n```\nnobody\n```\n", nil},
		{"wide page", "a.md", long + "\n", []string{"width"}},
		{"wide table", "a.md", "| " + long + " |\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &Checker{Words: words(t)}
			if err := c.Add(test.file, []byte(test.src)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range c.Problems() {
				got = append(got, p.Rule)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v: %v", got, test.want, c.Problems())
			}
		})
	}
}

func TestReadWords(t *testing.T) {
	for _, page := range []string{"", "# Glossary\n", "\n## Words that are not used\n\nnone\n"} {
		if w, err := ReadWords(page); err == nil {
			t.Errorf("ReadWords(%q) = %v, want an error", page, w)
		}
	}
}
