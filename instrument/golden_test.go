package instrument

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"heddle/trace"
)

// TestGolden rewrites the files testdata/*.txt. Each is an archive: a comment whose first line
// gives the mode ("memory go1.16"), the file in.go, and the expected out.go and sites. -update
// writes the latter two; review the changes before a commit. To add a case, write a comment and an
// in.go, and run with -update.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			how, _, _ := strings.Cut(string(a.Comment), "\n")
			in := &Input{ImportPath: "p", Name: "p", Dir: "/p", Files: []File{{"/p/in.go", a.Files[0].Data}}}
			for _, word := range strings.Fields(how) {
				switch {
				case word == "memory":
					in.Mode.Memory = true
				case word == "flow":
					in.Mode.Flow = true
				case word == "linked":
					in.Mode.Linked = true
				case word == "standard": // as for package image
					in.Standard, in.ImportPath, in.Mode.Receivers = true, "image", true
				case word == "border": // as for a package with a border
					in.Standard, in.ImportPath, in.Mode.Receivers = true, "regexp", true
				case strings.HasPrefix(word, "go"):
					in.GoVersion = strings.TrimPrefix(word, "go")
				}
			}
			out, err := Rewrite(in, importer.ForCompiler(token.NewFileSet(), "source", nil))
			if err != nil {
				t.Fatal(err)
			}
			again, err := Rewrite(in, importer.ForCompiler(token.NewFileSet(), "source", nil))
			if err != nil || !bytes.Equal(out.Files["/p/in.go"], again.Files["/p/in.go"]) ||
				fmt.Sprint(out.Sites) != fmt.Sprint(again.Sites) {
				t.Error("rewriting twice gives two results")
			}
			text := shortSites(out.Files["/p/in.go"])
			checkWords(t, file, a.Files[0].Data, out.Files["/p/in.go"])
			var sites strings.Builder
			for i, s := range out.Sites {
				fmt.Fprintf(&sites, "%d %s:%d:%d %s %s (%s)\n", i, filepath.Base(s.File), s.Line, s.Col, s.Op,
					s.Text, s.Type)
			}
			for _, s := range out.Skipped {
				fmt.Fprintln(&sites, "skipped", s)
			}
			a.Files = append(a.Files[:1], txtar.File{Name: "out.go", Data: text},
				txtar.File{Name: "sites", Data: []byte(sites.String())})
			golden(t, file, string(txtar.Format(a)))
		})
	}
}

// shortSites shows only the index of each site constant: 0x5 is row 5.
func shortSites(text []byte) []byte {
	return siteConst.ReplaceAllFunc(text, func(c []byte) []byte {
		var s uint64
		if _, err := fmt.Sscanf(string(c), "0x%x", &s); err != nil {
			return c
		}
		return fmt.Appendf(nil, "S%d", s&(1<<20-1))
	})
}

// TestSites checks what the constants say.
func TestSites(t *testing.T) {
	src := "package p\nvar c chan int\nfunc f() { c <- 1 }\n"
	for _, quiet := range []bool{false, true} {
		in := &Input{ImportPath: "p [p.test]", Name: "p", Dir: "/p", Files: []File{{"/p/in.go", []byte(src)}},
			Mode: Mode{Quiet: quiet}}
		out, err := Rewrite(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := siteOf(t, out.Files["/p/in.go"])
		if s.Quiet() != quiet || s.Index() != 0 || s.Package() != trace.PackageHash("p [p.test]") {
			t.Errorf("site %#x", uint64(s))
		}
		if got := fmt.Sprint(out.Sites); got != "[{/p/in.go 3 14 send c chan int}]" {
			t.Error(got)
		}
	}
}

// TestUntouched checks that the output omits files with nothing to rewrite and files with cgo, but
// that one file says that the other announces nothing.
func TestUntouched(t *testing.T) {
	plain := "package p\n\nfunc f(a, b int) int { return a + b }\n"
	cgo := "package p\n\nimport \"C\"\n\nfunc g(c chan int) { c <- 1 }\n"
	in := &Input{ImportPath: "p", Name: "p", Dir: "/p",
		Files: []File{{"/p/a.go", []byte(plain)}, {"/p/b.go", []byte(cgo)}}, Mode: Mode{Memory: true}}
	out, err := Rewrite(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := string(out.Files["/p/a.go"])
	if len(out.Files) != 1 || len(out.Skipped) != 1 || !strings.Contains(got, "_hd.Mutes()") {
		t.Error(out)
	}
	in.Files = in.Files[:1]
	if out, err = Rewrite(in, nil); err != nil || len(out.Files) != 0 {
		t.Error(out, err)
	}
	in.Files[0].Content = []byte("package p\nfunc f() { undefined() }\n")
	if _, err := Rewrite(in, nil); err == nil ||
		!strings.Contains(err.Error(), "/p/a.go:2:12: undefined: undefined") {
		t.Error(err)
	}
	if _, err := os.Stat("/p"); err == nil {
		t.Error("/p was made")
	}
}

var siteConst = regexp.MustCompile(`0x[0-9a-f]{8,16}`)

func siteOf(t *testing.T, text []byte) trace.Site {
	t.Helper()
	var s uint64
	if _, err := fmt.Sscanf(string(siteConst.Find(text)), "0x%x", &s); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return trace.Site(s)
}
