// Command imports draws which packages import which: docs/design/imports.svg, a box for each row of
// the table in layers.go.
//
//	go run ./scripts/imports
//
// It is run in heddle's own folder. Its test fails if an import goes up, and if the picture is
// older than the imports.
package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const picture = "docs/design/imports.svg"

func main() {
	log.SetFlags(0)
	g, err := read(".")
	if err == nil {
		err = os.WriteFile(picture, draw(g), 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range g.problems() {
		log.Print(p)
	}
}

// A graph has the imports of each package, both by their paths below the module: "rt/sched".
type graph map[string][]string

// read returns the imports of the packages below top. Files for every platform count. Test files,
// testdata and nested modules do not.
func read(top string) (graph, error) {
	sets := make(map[string]map[string]bool)
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(top, file, d)
		case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(top, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		if sets[pkg] == nil {
			sets[pkg] = make(map[string]bool)
		}
		for _, s := range f.Imports {
			path, _ := strconv.Unquote(s.Path.Value)
			if p, ok := strings.CutPrefix(path, module); ok {
				sets[pkg][p] = true
			}
		}
		return nil
	})
	g := make(graph)
	for pkg, set := range sets {
		g[pkg] = slices.Sorted(maps.Keys(set))
	}
	return g, err
}

func skip(top, dir string, d fs.DirEntry) error {
	if dir == top {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil ||
		d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
		return filepath.SkipDir
	}
	return nil
}
