package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"heddle"
	"heddle/instrument/std"
)

// laidPrefix is the folder under GOROOT/src that holds the laid packages.
const laidPrefix = "heddlert"

// laidFrom lists the sources of the laid packages: folders of heddle.Sources,
// whose packages are laid under laidPrefix by the last element of their path.
var laidFrom = []string{"trace", "model", "detect", "explore", "order", "predict", "symbolic", "engine", "rt"}

// A baseOverlay is the part of the overlay that all builds with one toolchain share: patched and
// added files of the standard library. Laid packages are files of the second GOROOT.
type baseOverlay struct {
	key     string
	path    string            // path of its overlay file, with names of the second GOROOT
	replace map[string]string // from real path to replacement, laid packages included
	lost    []string          // the functions that are lost because optional edits do not fit
	named   map[string]string // like replace, with the line directives that rooted.named adds
}

// File names of replace, named and lost.
const (
	realNames  = "real.json"
	givenNames = "named.json"
	losses     = "lost.json"
)

// layBase finds or makes the base overlay.
func (b *Builder) layBase() (*baseOverlay, error) {
	goroot := b.tool["GOROOT"]
	h := newHasher("base")
	h.add(self(), goroot, b.root.second, b.tool["GOVERSION"], stamp(filepath.Join(goroot, "VERSION")))
	o := &baseOverlay{key: h.key()}
	o.path = filepath.Join(b.cache.entry("base", o.key), "overlay.json")
	if b.cache.has("base", o.key, "overlay.json") {
		var err error
		o.replace, err = readOverlay(filepath.Join(filepath.Dir(o.path), realNames))
		if err == nil {
			o.named, err = readOverlay(filepath.Join(filepath.Dir(o.path), givenNames))
		}
		if data, e := os.ReadFile(filepath.Join(filepath.Dir(o.path), losses)); err == nil && e == nil {
			err = json.Unmarshal(data, &o.lost)
		}
		if err == nil {
			return o, nil
		}
		os.RemoveAll(filepath.Dir(o.path))
	}
	files := map[string][]byte{} // by path below GOROOT/src
	if err := patchedFiles(files, &o.lost, goroot); err != nil {
		return nil, err
	}
	o.replace = make(map[string]string, len(files))
	for name := range files {
		o.replace[filepath.Join(goroot, "src",
			filepath.FromSlash(name))] = filepath.Join(filepath.Dir(o.path), filepath.FromSlash(name))
	}
	laid := filepath.Join(b.root.second, "src", laidPrefix)
	err := filepath.WalkDir(laid, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			o.replace[string(b.root.out([]byte(name)))] = name
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	o.named = maps.Clone(o.replace)
	for name, text := range maps.Clone(files) {
		from := filepath.Join(goroot, "src", filepath.FromSlash(name))
		files["named/"+name] = b.root.named(from, text)
		o.named[from] = filepath.Join(filepath.Dir(o.path), "named", filepath.FromSlash(name))
	}
	if files["overlay.json"], err = overlayJSON(b.root.overlay(o.named)); err != nil {
		return nil, err
	}
	if files[realNames], err = overlayJSON(o.replace); err != nil {
		return nil, err
	}
	if files[givenNames], err = overlayJSON(o.named); err != nil {
		return nil, err
	}
	if len(o.lost) > 0 {
		if files[losses], err = json.Marshal(o.lost); err != nil {
			return nil, err
		}
	}
	return o, b.cache.put("base", o.key, files)
}

// ownCopies are packages of the standard library that heddle uses everywhere. The program's copies
// call hooks, so the laid packages have their own, as the toolchain has them.
var ownCopies = []string{"bytes", "encoding/base64", "encoding/hex", "slices", "strconv", "strings",
	"unicode/utf8"}

// laidFiles adds the files of the laid packages to files. goroot is the toolchain's folder.
func laidFiles(files map[string][]byte, goroot string) error {
	for _, pkg := range ownCopies {
		dir := filepath.Join(goroot, "src", filepath.FromSlash(pkg))
		err := eachSource(dir, func(name string, text []byte) (err error) {
			files[path.Join(laidPrefix, pkg, name)], err = lay(name, text)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, dir := range laidFrom {
		err := fs.WalkDir(heddle.Sources, dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"),
				strings.HasSuffix(name, "_plain.go"):
				return nil
			}
			src, err := heddle.Sources.ReadFile(name)
			if err != nil {
				return err
			}
			if src, err = lay(name, src); err != nil {
				return err
			}
			files[path.Join(laidPrefix, strings.TrimPrefix(name, "rt/"))] = src
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachSource calls do with the Go files of a folder, those of tests left out.
func eachSource(dir string, do func(name string, text []byte) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if err := do(e.Name(), text); err != nil {
			return err
		}
	}
	return nil
}

const rtConstraint = "//go:build heddle_rt\n"

// lay returns a file of heddle as it is laid: imports of heddle's packages and of ownCopies lead to
// the laid ones, and the build constraint that excludes a file from heddle's own build is removed.
func lay(name string, src []byte) ([]byte, error) {
	if strings.HasSuffix(name, "_rt.go") {
		if !bytes.HasPrefix(src, []byte(rtConstraint)) {
			return nil, fmt.Errorf("%s: does not begin with %q", name, strings.TrimSpace(rtConstraint))
		}
		src = append([]byte("\n"), src[len(rtConstraint):]...)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	done := 0
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		rest, ok := strings.CutPrefix(p, "heddle/")
		if slices.Contains(ownCopies, p) {
			rest, ok = p, true
		}
		if !ok {
			continue
		}
		out = append(out, src[done:fset.Position(imp.Path.Pos()).Offset]...)
		out = strconv.AppendQuote(out, path.Join(laidPrefix, strings.TrimPrefix(rest, "rt/")))
		done = fset.Position(imp.Path.End()).Offset
	}
	return append(out, src[done:]...), nil
}

// patchedFiles adds the files of the standard library that package std changes or adds. It appends
// to lost what is lost where optional edits do not fit.
func patchedFiles(files map[string][]byte, lost *[]string, goroot string) error {
	src := filepath.Join(goroot, "src")
	return filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		if d.Name() == "testdata" || pkg == "cmd" || pkg == "vendor" {
			return fs.SkipDir
		}
		if !std.Patched(pkg) {
			return nil
		}
		return patchPackage(files, lost, name, pkg)
	})
}

func patchPackage(files map[string][]byte, lost *[]string, dir, pkg string) error {
	for name, text := range std.Added(pkg) {
		files[path.Join(pkg, name)] = text
	}
	for _, name := range std.Needed(pkg) {
		// other errors of reading are reported below
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("unsupported Go version %s: %s/%s, which heddle changes, is gone",
				std.GoVersion, pkg, name)
		}
	}
	return eachSource(dir, func(name string, old []byte) error {
		text, gone, err := std.Patch(pkg, name, old)
		if err != nil {
			return err
		}
		*lost = append(*lost, gone...)
		if !bytes.Equal(text, old) {
			files[path.Join(pkg, name)] = text
		}
		return nil
	})
}

// stdMode decides whether and how a package of the standard library is rewritten.
func stdMode(path string) (rewrite, memory, quiet bool) { return std.Mode(path) }

// An overlayFile is the JSON that go build -overlay reads.
type overlayFile struct{ Replace map[string]string }

func overlayJSON(replace map[string]string) ([]byte, error) {
	return json.Marshal(overlayFile{replace})
}

func readOverlay(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var o overlayFile
	err = json.Unmarshal(data, &o)
	return o.Replace, err
}
