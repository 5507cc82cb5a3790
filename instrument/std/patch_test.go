package std

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heddle/rt/sched"

	"heddle/internal/goroot"
)

// The scheduler recognises the file of the connections by its name.
func TestLoopbackIsKnown(t *testing.T) {
	if Added("internal/poll")[LoopbackName] == nil ||
		!sched.Loopback("/any/go/src/internal/poll/"+LoopbackName) ||
		sched.Loopback("/any/go/src/internal/poll/fd.go") {
		t.Error("package sched looks for another file")
	}
}

// Every file of the table can be patched, parses, and keeps its functions on their lines.
func TestPatch(t *testing.T) {
	root := goroot.Real(t)
	for path, p := range of(release()) {
		for file, edits := range p.files {
			if len(edits.in(release())) == 0 {
				continue
			}
			src, err := os.ReadFile(filepath.Join(root, "src", filepath.FromSlash(path), file))
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := Patch(path, file, src)
			if err != nil {
				t.Error(err)
				continue
			}
			before, after := lines(t, src), lines(t, got)
			for name, line := range before {
				if after[name] != line {
					t.Errorf("%s/%s: %s moved from line %d to %d", path, file, name, line, after[name])
				}
			}
			if edits.hook != strings.Contains(string(got), `; import _hs "heddlert/hook"`) {
				t.Errorf("%s/%s: import of the hooks: want %v", path, file, edits.hook)
			}
		}
		for file, text := range Added(path) {
			if file != AddedName && file != LoopbackName && file != PacketName && file != StateName &&
				!strings.HasPrefix(file, "heddle_") {
				t.Errorf("%s: adds %s, want %s, %s or %s", path, file, AddedName, LoopbackName, StateName)
			}
			lines(t, text)
		}
		if !Patched(path) {
			t.Errorf("Patched(%q) is false", path)
		}
	}
	if Patched("cmp") || Added("cmp") != nil {
		t.Error("cmp is patched")
	}
	if got, _, err := Patch("cmp", "cmp.go", []byte("x")); string(got) != "x" || err != nil {
		t.Errorf("Patch of cmp: %q, %v", got, err)
	}
}

// lines returns the lines of functions, by name.
func lines(t *testing.T, src []byte) map[string]int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m := map[string]int{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			name := fn.Name.Name
			if fn.Recv != nil {
				name = string(src[fn.Recv.Pos()-1:fn.Recv.End()-1]) + name
			}
			m[name] = fset.Position(fn.Pos()).Line
		}
	}
	return m
}

func TestAnchors(t *testing.T) {
	const src = "// Package p.\npackage p // p\n\nfunc f() {\n\tg()\n\tg()\n}\n\n// g does.\n//go:nosplit\nfunc g() {}\nfunc h() {}\n"
	for _, test := range []struct {
		edit edit
		want string // text, or error
	}{
		{replace("package p", "package q"), "package q // p"},
		{replace("g(1)", "g(2)"), `found 0 times, not 1: "g(1)"`},
		{replace("\tg()\n", "\th()\n"), `found 2 times, not 1: "\tg()\n"`},
		{replaceAll(2, "\tg()\n", "\th()\n"), "func f() {\n\th()\n\th()\n}"},
		{guard("func f() {", "if x { return }"), "// p\n//go:noinline\nfunc f() { if x { return };\n"},
		{guard("func g() {", "x()"), "//go:noinline\n//go:nosplit\nfunc g() { x();}\n"},
		{guard("func h() {", "x()"), `no room for a directive after "func g() {}": "func h() {"`},
		{guard("func i() {", "x()"), `found 0 times, not 1: "func i() {"`},
	} {
		got, _, err := file{edits: []edit{test.edit}}.apply(src, "p", "go1.26")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q: got %s, want %s", test.edit.old, got, test.want)
		}
	}

	defer func(v string) { GoVersion = v }(GoVersion)
	GoVersion = "go1.99"
	_, _, err := Patch("sync", "mutex.go", []byte("package sync\n"))
	const want = `unsupported Go version go1.99: sync/mutex.go: found 0 times, not 1: "func (m *Mutex) Lock() {"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// No package below heddlert/hook is rewritten or imports it.
func TestBelowRuntime(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "runtime").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range strings.Fields(string(out)) {
		if p != "runtime" && Patched(p) {
			for name, f := range packages[p].files {
				if f.hook {
					t.Errorf("%s/%s imports heddlert/hook, and is below runtime", p, name)
				}
			}
			if len(Added(p)) > 0 {
				t.Errorf("%s has files added, and is below runtime", p)
			}
		}
		if rewrite, memory, _ := Mode(p); rewrite || memory {
			t.Errorf("Mode(%q) rewrites a package below runtime", p)
		}
	}
}

func TestMode(t *testing.T) {
	for _, test := range []struct {
		path                   string
		rewrite, memory, quiet bool
	}{
		{"sync", false, false, false},
		{"sync/atomic", false, false, false},
		{"context", true, true, false},
		{"time", true, true, false},
		{"io", true, true, false},
		{"net", true, true, false},
		{"fmt", true, true, true},
		{"reflect", true, true, true},
		{"strconv", true, false, true},
		{"bytes [bytes.test]", true, true, true},
		{"testing", true, false, true},
		{"runtime", false, false, true},
		{"runtime/pprof", false, false, true},
		{"internal/runtime/maps", false, false, true},
		{"heddlert/sched", false, false, true},
		{"os/signal", false, false, true},
		{"crypto/sha256", false, false, true},
		{"crypto/tls", true, true, true}, {"crypto/md5", true, false, true},
	} {
		if r, m, q := Mode(test.path); r != test.rewrite || m != test.memory || q != test.quiet {
			t.Errorf("Mode(%q) = %v, %v, %v; want %v, %v, %v", test.path, r, m, q, test.rewrite, test.memory,
				test.quiet)
		}
	}
}
