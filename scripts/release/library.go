package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heddle/instrument/std"
)

// A unit is a package of a standard library.
type unit struct {
	exports map[string]string // signature by name, T.M for methods, T.f for fields
	touches map[string]string // by function: how it uses goroutines
}

// library reads the packages of a standard library for all platforms of heddle, without commands.
func library(goroot string) map[string]*unit {
	units := map[string]*unit{}
	src := filepath.Join(goroot, "src")
	filepath.WalkDir(src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		path, _ := filepath.Rel(src, dir)
		path = filepath.ToSlash(path)
		if d.Name() == "testdata" || d.Name() == "_gen" || d.Name() == "_asm" || path == "cmd" {
			return fs.SkipDir
		}
		if u := read(dir); u != nil {
			units[path] = u
		}
		return nil
	})
	return units
}

func read(dir string) *unit {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	u := &unit{map[string]string{}, map[string]string{}}
	found := false
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "linux", "amd64", true
	context.ReleaseTags = append(slices.Clone(context.ReleaseTags), newerTags()...)
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := context.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			u.exports["? "+name] = "cannot be read by the Go here: " + err.Error()
			continue
		}
		found = true
		for _, d := range f.Decls {
			u.declaration(fset, d)
		}
	}
	if !found {
		return nil
	}
	return u
}

// newerTags returns the release tags that the Go here lacks.
func newerTags() []string {
	have := len(build.Default.ReleaseTags)
	var tags []string
	for i := have + 1; i < have+10; i++ {
		tags = append(tags, fmt.Sprintf("go1.%d", i))
	}
	return tags
}

func (u *unit) declaration(fset *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := std.FunctionName(d)
		if what := touches(d); what != "" {
			u.touches[name] = what
		}
		if public(name) {
			u.exports[name] = text(fset, d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if !s.Name.IsExported() {
					continue
				}
				u.exports[s.Name.Name] = "type"
				u.members(fset, s)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						u.exports[n.Name] = d.Tok.String()
					}
				}
			}
		}
	}
}

// members adds the exported fields of a struct and methods of an interface.
func (u *unit) members(fset *token.FileSet, s *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		u.exports[s.Name.Name] = "type " + text(fset, s.Type)
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			if n.IsExported() {
				u.exports[s.Name.Name+"."+n.Name] = text(fset, f.Type)
			}
		}
	}
}

func public(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if !token.IsExported(part) {
			return false
		}
	}
	return true
}

func text(fset *token.FileSet, n ast.Node) string {
	var s strings.Builder
	printer.Fprint(&s, fset, n)
	return strings.Join(strings.Fields(s.String()), " ")
}

// touches says how a function uses goroutines, or "" if its text shows no use.
func touches(d *ast.FuncDecl) string {
	if d.Body == nil {
		return ""
	}
	found := map[string]bool{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found["go"] = true
		case *ast.SelectStmt:
			found["select"] = true
		case *ast.SendStmt:
			found["send"] = true
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				found["receive"] = true
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				switch name := s.Sel.Name; name {
				case "Lock", "RLock", "TryLock", "Wait", "Signal", "Broadcast", "CompareAndSwap", "Sleep",
					"AfterFunc", "NewTimer", "NewTicker", "After":
					found[name] = true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "atomic" {
					found["atomic"] = true
				}
			}
		}
		return true
	})
	return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// hidden reports whether programs cannot name a package.
func hidden(path string) bool {
	return strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal/") ||
		strings.HasPrefix(path, "vendor/") || strings.HasSuffix(path, "/internal")
}

func star(yes bool) string {
	if yes {
		return "* "
	}
	return "  "
}

func packages(before, after map[string]*unit) []string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] == nil {
			rewritten, _, _ := std.Mode(path)
			found = append(found, star(rewritten)+path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] == nil {
			found = append(found, "  "+path+" is gone")
		}
	}
	return found
}

// concurrent are packages whose new functions are all reported.
var concurrent = []string{"context", "iter", "os", "os/signal", "reflect", "runtime", "runtime/debug",
	"runtime/pprof", "sync", "sync/atomic", "testing", "testing/synctest", "time", "unique", "weak"}

func exported(before, after map[string]*unit) []string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if hidden(path) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(after[path].exports)) {
			u := after[path]
			was := ""
			if old := before[path]; old != nil {
				if have, ok := old.exports[name]; ok {
					if have == u.exports[name] {
						continue
					}
					was = ", was " + have
				}
			}
			found = append(found,
				star(u.touches[name] != "" || slices.Contains(concurrent, path))+path+"."+name+" "+
					u.exports[name]+was)
		}
	}
	return found
}

func touching(before, after map[string]*unit) []string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if path == "runtime" || strings.HasPrefix(path, "internal/runtime/") ||
			strings.HasPrefix(path, "runtime/") {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(after[path].touches)) {
			was := ""
			if before[path] != nil {
				was = before[path].touches[name]
			}
			if now := after[path].touches[name]; now != was {
				line := path + "." + name + ": " + now
				if was != "" {
					line += " (was " + was + ")"
				}
				found = append(found, line)
			}
		}
	}
	return found
}

// experiments returns the flags of internal/goexperiment.
func experiments(goroot string) []string {
	f, err := parser.ParseFile(token.NewFileSet(),
		filepath.Join(goroot, "src", "internal", "goexperiment", "flags.go"), nil,
		parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
		}
		return true
	})
	return names
}

// minus returns the elements of after that are not in before.
func minus(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(s string) bool { return slices.Contains(before, s) })
}
