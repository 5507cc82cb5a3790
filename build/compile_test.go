package build

import (
	"slices"
	"strings"
	"testing"
)

func TestQuotedFields(t *testing.T) {
	for _, want := range [][]string{nil, {"a"}, {"-ldflags=-X a.b=c d", "-v"}, {`it's`, "x"}, {`say "a"`}} {
		var line []string
		for _, f := range want {
			line = append(line, quotedField(f))
		}
		if got := quotedFields("  " + strings.Join(line, " \t") + " "); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got := quotedFields("a 'b c"); !slices.Equal(got, []string{"a", "b c"}) {
		t.Errorf("%q", got)
	}
}

// The user's linker flags stay for the packages that they name, and heddle's are added.
func TestLinkerFlags(t *testing.T) {
	c, err := openCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, tc := range []struct {
		flags string
		ends  []string
	}{
		{"", []string{""}},
		{"-mod=mod -ldflags=-s", []string{"", " -s"}},
		{"'--ldflags=-X a.b=c -s' -ldflags=m/...=-v", []string{"", " -X a.b=c -s", " -v"}},
		{"-ldflags=", []string{"", " "}},
	} {
		b := &Builder{cache: c, tool: toolchain{"GOFLAGS": tc.flags, "GOMODCACHE": "/a b/mod"},
			root: rooted{real: "/go", second: "/second"}}
		got := b.linkerFlags()
		if len(got) != len(tc.ends) {
			t.Errorf("%s: %q", tc.flags, got)
			continue
		}
		own := strings.TrimPrefix(got[0], "-ldflags=")
		if !strings.Contains(own, "-X=runtime.heddleRoot=/go ") ||
			!strings.HasSuffix(own, " '-X=runtime.heddleModules=/a b/mod'") {
			t.Errorf("%q", own)
		}
		for i, end := range tc.ends {
			want := "-ldflags=" + own + end
			if strings.HasSuffix(end, "-v") {
				want = "-ldflags=m/...=" + own + end
			}
			if got[i] != want {
				t.Errorf("%s: %q, want %q", tc.flags, got[i], want)
			}
		}
		b.Debug = true
		for i, f := range b.linkerFlags() {
			if strings.Contains(f, " -w ") || i > 0 && !strings.HasSuffix(f, " -s=false -w=false") {
				t.Errorf("%s: for a debugger %q, want DWARF in any case", tc.flags, f)
			}
		}
	}
}

// So do the compiler's, of packages with counters too.
func TestCompilerFlags(t *testing.T) {
	main := &listed{ImportPath: "m/a", Module: &listedModule{Path: "m", Main: true}}
	pkgs := []*listed{main, {ImportPath: "m/ab", DepOnly: true},
		{ImportPath: "strings", DepOnly: true, Standard: true}}
	for _, tc := range []struct {
		flags string
		want  []string // what each of the three has beside heddle's
	}{
		{"-mod=mod", []string{"", "", ""}},
		{"-gcflags=-N", []string{" -N", "", ""}},
		{"'-gcflags=all=-N -l' -gcflags=m/a=-m", []string{" -m", " -N -l", " -N -l"}},
		{"-gcflags=m/a...=-N", []string{" -N", " -N", ""}},
		{"-gcflags=m/...=-N -gcflags=std=-l", []string{" -N", " -N", " -l"}},
		{"-gcflags=./...=-N", []string{" -N", "", ""}},
	} {
		b := &Builder{Config: Config{Exprs: true}, tool: toolchain{"GOFLAGS": tc.flags}}
		b.graph = &graph{b: b, pkgs: pkgs}
		given := b.givenFlags("gcflags")
		got := b.compilerFlags()
		if len(got) != 1+len(given)+len(pkgs) || got[0] != "-gcflags=all=-dwarf=false" {
			t.Errorf("%s: %q", tc.flags, got)
			continue
		}
		for i, g := range given {
			if want := "-gcflags=" + g.pattern + "-dwarf=false " + g.flags; got[1+i] != want {
				t.Errorf("%s: %q, want %q", tc.flags, got[1+i], want)
			}
		}
		for i, p := range pkgs {
			want := "-gcflags=" + p.ImportPath + "=-dwarf=false -d=libfuzzer=1" + tc.want[i]
			if got := got[1+len(given)+i]; got != want {
				t.Errorf("%s: %q, want %q", tc.flags, got, want)
			}
		}
	}
}
