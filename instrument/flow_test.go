package instrument

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// flowPackages are packages of the standard library in many styles. No build rewrites them for
// data flow; the test does.
var flowPackages = []string{
	"sort", "slices", "strings", "bytes", "unicode", "maps", "container/list", "container/ring", "bufio",
	"context", "encoding/json", "text/template", "regexp", "go/types", "compress/flate",
}

// TestFlowTypes rewrites programs and much of the standard library for data flow. The output must
// type-check and have the same sites as without data flow.
func TestFlowTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the standard library")
	}
	t.Setenv("GOWORK", "off")
	t.Run("sets", func(t *testing.T) { allFlowTypes(t, Mode{Memory: true, Flow: true}) })
	t.Run("expressions", func(t *testing.T) { allFlowTypes(t, Mode{Memory: true, Flow: true, Exprs: true}) })
}

func allFlowTypes(t *testing.T, mode Mode) {
	for _, name := range []string{"modern", "old", "fired"} {
		dir, err := filepath.Abs(filepath.Join("testdata/behave", name))
		if err != nil {
			t.Fatal(err)
		}
		flowTypes(t, load(t, dir, "."), mode, func(in *Input) bool { return strings.HasPrefix(in.Dir, dir) })
	}
	std := load(t, ".", flowPackages...)
	flowTypes(t, std, mode, func(in *Input) bool { return slices.Contains(flowPackages, in.ImportPath) })
}

func flowTypes(t *testing.T, inputs []*Input, mode Mode, which func(*Input) bool) {
	for _, in := range inputs {
		patch(t, in)
	}
	inputs = append(laidInputs(t), inputs...)
	im := NewImporter(inputs)
	var again, changed []*Input
	for _, in := range inputs {
		next := *in
		next.Files = append([]File{}, in.Files...)
		if which(in) {
			next.Mode = Mode{}
			in.Mode = Mode{Memory: true}
			without, err := Rewrite(in, im)
			if err != nil {
				t.Fatal(err)
			}
			in.Mode = mode
			out, err := Rewrite(in, im)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(without.Sites); len(out.Sites) < n ||
				fmt.Sprint(out.Sites[:n]) != fmt.Sprint(without.Sites) {
				t.Errorf("%s: other sites than without data flow", in.ImportPath)
			}
			for _, s := range out.Skipped {
				if strings.HasPrefix(s, "no data flow") {
					t.Errorf("%s: %s", in.ImportPath, s)
				}
			}
			for i := range next.Files {
				if text, ok := out.Files[next.Files[i].Path]; ok {
					next.Files[i].Content = text
				}
				if d := os.Getenv("HEDDLE_DUMP"); d != "" {
					os.WriteFile(filepath.Join(d,
						strings.ReplaceAll(in.ImportPath, "/", "_")+"_"+filepath.Base(next.Files[i].Path)),
						next.Files[i].Content, 0o666)
				}
			}
			changed = append(changed, &next)
		}
		again = append(again, &next)
	}
	im = NewImporter(again)
	for _, in := range changed {
		for i, err := range allErrors(im, im.pkgs[in.ImportPath]) {
			if i < 8 {
				t.Error(err)
			}
		}
	}
}

// allErrors checks a package with its bodies.
func allErrors(im *Importer, p *pkg) (errs []error) {
	if err := p.load(im.fset); err != nil {
		return []error{err}
	}
	conf := types.Config{GoVersion: langVersion(p.in.GoVersion), FakeImportC: true,
		Importer: mapped{p.in.ImportMap, im},
		Sizes:    types.SizesFor("gc", "amd64"), Error: func(err error) { errs = append(errs, err) }}
	conf.Check(plainPath(p.in.ImportPath), im.fset, p.files, nil)
	if len(p.in.CgoFiles) > 0 {
		return nil
	}
	return errs
}
