package instrument

import (
	"os"
	"strings"
	"testing"
)

// TestMeaning compares the meaning of names before and after rewriting: in programs with every
// construct and, with HEDDLE_LONG, in the standard library.
func TestMeaning(t *testing.T) {
	t.Setenv("GOWORK", "off")
	var sum Comparison
	compare := func(dir string, args ...string) {
		inputs := load(t, dir, args...)
		im := NewImporter(inputs)
		for _, in := range inputs {
			if in.Standard && os.Getenv("HEDDLE_LONG") == "" || in.ImportPath == "unsafe" ||
				below(in.ImportPath) {
				continue
			}
			c, err := Compare(in, im)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, d := range c.Differences {
				t.Error(d)
			}
			sum.Names, sum.Selectors, sum.Calls, sum.Gone = sum.Names+c.Names, sum.Selectors+c.Selectors,
				sum.Calls+c.Calls, sum.Gone+c.Gone
		}
	}
	compare("testdata/behave/modern", ".")
	compare("testdata/behave/old", ".")
	if os.Getenv("HEDDLE_LONG") != "" {
		compare(".", "std")
	}
	t.Logf("%d names, %d of them selectors, %d calls; %d gone", sum.Names, sum.Selectors, sum.Calls, sum.Gone)
	if sum.Names < 1000 || sum.Gone > sum.Names/5 {
		t.Errorf("only %d names were compared, %d were not found again", sum.Names, sum.Gone)
	}
}

// TestMeaningDiffers compares a package with a text in which one name means something else.
func TestMeaningDiffers(t *testing.T) {
	in := &Input{ImportPath: "p", Name: "p", Files: []File{{Path: "/p/p.go", Content: []byte("package p\n\ntype e struct{ n int }\n\nfunc (*e) run() int { return 1 }\n\ntype w struct{ *e }\n\nfunc f(x *w) int { return x.run() }\n")}}}
	c, err := Compare(in, NewImporter(nil))
	if err != nil || len(c.Differences) > 0 || c.Selectors != 1 || c.Calls != 1 {
		t.Fatal(c, err)
	}
	was, now := newMeanings(), newMeanings()
	for i, m := range []*meanings{was, now} {
		text := string(in.Files[0].Content)
		if i == 1 {
			text += "\nfunc (*w) run() int { return 2 }\n"
		}
		p := &pkg{in: &Input{ImportPath: "p", Files: []File{{Path: "/p/p.go", Content: []byte(text)}}}}
		im := NewImporter(nil)
		if err := p.load(im.fset); err != nil {
			t.Fatal(err)
		}
		if m.pkg, err = p.check(im.fset, im, m.info); err != nil {
			t.Fatal(err)
		}
		m.file(im.fset, p.files[0], "/p/p.go", nil)
	}
	if c := was.compare(now); len(c.Differences) != 1 || !strings.Contains(c.Differences[0], ":9: run:") {
		t.Error(c.Differences)
	}
}
