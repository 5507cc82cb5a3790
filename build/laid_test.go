package build

import (
	gobuild "go/build"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestLay(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"rt/x/x.go", "package x\n\nimport (\n\t\"heddle/rt/hook\"\n\ty \"heddle/trace\"\n\t\"os\"\n)\n", "package x\n\nimport (\n\t\"heddlert/hook\"\n\ty \"heddlert/trace\"\n\t\"os\"\n)\n"},
		{"rt/x/x.go", "package x\n\nimport \"slices\"\n", "package x\n\nimport \"heddlert/slices\"\n"},
		{"rt/x/x_rt.go", "//go:build heddle_rt\n\npackage x\n", "\n\npackage x\n"},
		{"rt/x/x.go", "package x // \"heddle/trace\"\n", "package x // \"heddle/trace\"\n"},
	} {
		got, err := lay(c.name, []byte(c.src))
		if err != nil || string(got) != c.want {
			t.Errorf("lay(%s): got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	if _, err := lay("rt/x/x_rt.go", []byte("package x\n")); err == nil {
		t.Error("a file _rt.go without its constraint was laid")
	}
}

// Laid packages import only each other and the standard library.
func TestLaidFilesAreClosed(t *testing.T) {
	files := map[string][]byte{}
	if err := laidFiles(files, gobuild.Default.GOROOT); err != nil {
		t.Fatal(err)
	}
	laid := map[string]bool{}
	for name := range files {
		laid[path.Dir(name)] = true
	}
	for name, src := range files {
		if !strings.HasPrefix(name, laidPrefix+"/") {
			t.Errorf("%s is laid outside %s", name, laidPrefix)
		}
		for line := range strings.Lines(string(src)) {
			if imp := strings.TrimSpace(line); strings.HasPrefix(imp, `"heddle/`) ||
				slices.Contains(ownCopies, strings.Trim(imp, `"`)) {
				t.Errorf("%s imports %s", name, imp)
			}
			if imp := strings.Trim(strings.TrimSpace(line), `"`); strings.HasPrefix(imp, laidPrefix+"/") &&
				!laid[imp] {
				t.Errorf("%s imports %s, which is not laid", name, imp)
			}
		}
	}
}

func TestWrapMain(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{
			"package main\n\nfunc main() {\n\tif again { main() }\n}\n",
			"package main; import _heddle \"heddlert/drive\"\n\nfunc heddleMain() {\n\tif again { heddleMain() }\n}\n\nfunc main() { _heddle.Main(heddleMain) }\n",
		},
		{"package main\n\ntype T int\n\nfunc (T) main() { t.main() }\n", ""},
	} {
		if got := string(wrapMain([]byte(c.src), false)); got != c.want {
			t.Errorf("wrapMain(%q):\ngot  %q\nwant %q", c.src, got, c.want)
		}
	}
}

func TestGroups(t *testing.T) {
	var roots []*root
	for _, p := range []string{"a/x", "b/x", "b/y", "m/v2", "other/m", "c/x"} {
		roots = append(roots, &root{pkg: &listed{ImportPath: p}})
	}
	var got []string
	for _, g := range groups(roots) {
		var names []string
		for _, r := range g {
			names = append(names, r.pkg.ImportPath)
		}
		got = append(got, strings.Join(names, " "))
	}
	want := "a/x b/y m/v2; b/x other/m; c/x" // m/v2's binary is m.test
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}
