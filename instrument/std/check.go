package std

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Check compares the changes with the standard library of the toolchain in goroot, a release such
// as "go1.27". It returns a line for each file that is missing, each anchor that does not occur as
// often as expected, and each decision of the tables whose package is missing.
func Check(goroot, release string) []string {
	var problems []string
	for _, path := range slices.Sorted(maps.Keys(of(release))) {
		for _, name := range slices.Sorted(maps.Keys(packages[path].files)) {
			edits := packages[path].files[name].in(release)
			if len(edits) == 0 {
				continue
			}
			data, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(path), name))
			if err != nil {
				problems = append(problems,
					fmt.Sprintf("%s/%s is gone, for which heddle has %d edits", path, name, len(edits)))
				continue
			}
			src := string(data)
			for _, e := range edits {
				text, err := e.apply(src)
				switch {
				case err == nil:
					src = text
				case e.lost != "":
					problems = append(problems,
						fmt.Sprintf("%s/%s: %v (may be left out: %s)", path, name, err, e.lost))
				default:
					problems = append(problems, fmt.Sprintf("%s/%s: %v", path, name, err))
				}
			}
		}
	}
	for what, table := range map[string]map[string]bool{"loud": loud, "left": left, "followed": followed,
		"belowRuntime": belowRuntime} {
		for path := range table {
			if first := laterPackages[path]; first != "" && version.Compare(release, first) < 0 {
				continue
			}
			if _, err := os.Stat(filepath.Join(goroot, "src", filepath.FromSlash(path))); err != nil {
				problems = append(problems,
					fmt.Sprintf("package %s is gone, which mode.go has in the table %s", path, what))
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// Edited returns the text of every declaration in goroot that an edit for the release changes, by
// a key such as "sync/mutex.go: Mutex.Lock".
func Edited(goroot, release string) map[string]string {
	decls := map[string]string{}
	for path, p := range of(release) {
		for name, f := range p.files {
			data, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(path), name))
			if err != nil {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			for _, e := range f.in(release) {
				at := strings.Index(string(data), e.old)
				for _, d := range file.Decls {
					from, to := fset.Position(d.Pos()).Offset, fset.Position(d.End()).Offset
					if at >= 0 && from < at+len(e.old) && at < to {
						decls[path+"/"+name+": "+declared(d)] = string(data[from:to])
					}
				}
			}
		}
	}
	return decls
}

// declared returns the name of a declaration.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return FunctionName(d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				return "type " + s.Name.Name
			case *ast.ValueSpec:
				return d.Tok.String() + " " + s.Names[0].Name
			}
		}
		return d.Tok.String()
	}
	return ""
}

// BelowRuntime reports whether a package is in the table of those below heddlert/hook.
func BelowRuntime(importPath string) bool {
	return belowRuntime[importPath] || strings.HasPrefix(importPath, "internal/runtime/")
}

// Newest returns the last of Releases that is older than release, or the first one if none is.
func Newest(release string) string {
	for _, r := range slices.Backward(Releases) {
		if version.Compare(r, release) < 0 {
			return r
		}
	}
	return Releases[0]
}

// Everything returns the packages of the standard library in goroot that programs can import and
// that have files for this platform.
func Everything(goroot string) []string {
	var paths []string
	src := filepath.Join(goroot, "src")
	filepath.WalkDir(src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		path, _ := filepath.Rel(src, dir)
		switch path = filepath.ToSlash(path); path {
		case "cmd", "vendor", "unsafe", "builtin":
			return fs.SkipDir
		}
		if d.Name() == "internal" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_") {
			return fs.SkipDir
		}
		if p, err := build.ImportDir(dir, 0); err == nil && p.Name != "main" && len(p.GoFiles) > 0 {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}
