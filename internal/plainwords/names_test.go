package plainwords

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A namer knows the names of a source tree.
type namer struct {
	words    map[string]bool            // every identifier of Go code
	in       map[string]map[string]bool // by file and by folder: the identifiers of its code
	declared map[string]map[string]bool // by package: what it declares, with fields and methods
	tails    map[string]bool            // what paths of files and folders end in
	known    map[string]bool            // the paths of files and folders
}

// notOurs are names on design pages that belong to examples or to Go itself.
var notOurs = map[string]bool{
	"heddle.go": true, "heddle_linux.go": true, "file_unix.go": true, // in a patched standard library
	"model/latch.go": true, "sync.Latch": true, // the example of extending.md
	"internal/runtime/maps": true, "internal/bytealg": true, "internal/byteorder": true,
	"isMaybeRunnable":     true, // of package runtime
	"go/types/version.go": true, "heddle.toml": true,
	"mapcover.json": true, // in the cache
}

// TestNames: files, folders, functions, types and packages that design pages name between
// backquotes are there. Of other pages that holds for files below heddle's folders.
func TestNames(t *testing.T) {
	n := namesOf(t)
	for page := range n.known {
		if path.Ext(page) != ".md" || page == "CHANGELOG.md" || strings.Contains(page, "testdata/") {
			continue
		}
		design := strings.HasPrefix(page, "docs/design/") || page == "DEVELOPMENT.md"
		for line := range strings.Lines(read(t, page)) {
			if strings.HasPrefix(line, "    ") {
				continue // code
			}
			for _, m := range span.FindAllStringSubmatch(line, -1) {
				if !design && !n.below(m[1]) {
					continue
				}
				if why := n.wrong(m[1]); why != "" {
					t.Errorf("%s: `%s`: %s", page, m[1], why)
				}
			}
		}
		if design {
			n.members(t, page)
		}
	}
}

// below reports whether text is the path of a Go file below a folder of heddle's.
func (n *namer) below(text string) bool {
	first, _, found := strings.Cut(text, "/")
	return found && n.known[first] && path.Ext(text) == ".go" && file.MatchString(text)
}

// members checks the names that a page says are in a file or a folder.
func (n *namer) members(t *testing.T, page string) {
	for _, m := range members.FindAllStringSubmatch(read(t, page), -1) {
		place := m[1] + m[4]
		if n.in[place] == nil {
			continue // no Go file, or one of Go's own; wrong says so
		}
		for _, id := range span.FindAllStringSubmatch(m[2]+m[3], -1) {
			if name.MatchString(id[1]) && !n.in[place][path.Ext("." + id[1])[1:]] {
				t.Errorf("%s: there is no %s in %s", page, id[1], place)
			}
		}
	}
}

// TestWrong: a name that nothing has is noticed.
func TestWrong(t *testing.T) {
	n := &namer{words: map[string]bool{}, in: map[string]map[string]bool{},
		declared: map[string]map[string]bool{}, tails: map[string]bool{"a/b.go": true, "b.go": true},
		known: map[string]bool{"a": true, "a/b.go": true}}
	n.add("a/b.go", "package a\n\ntype T struct{ Field int }\n\nfunc (t T) Method() {}\n")
	for text, wrong := range map[string]bool{
		"a/b.go": false, "b.go": false, "c.go": true, "a/c.go": true, "a/sub": true, "other/sub": false,
		"T": false, "Field": false, "a.T": false, "a.Field": false, "a.U": true, "T.Method()": false,
		"(*T).Method": false, "noSuchName": true, "word": false, "http.Client": false, "x + y": false,
	} {
		if why := n.wrong(text); (why != "") != wrong {
			t.Errorf("%s: %q", text, why)
		}
	}
}

var (
	span = regexp.MustCompile("`([^`]+)`")
	// members finds "`FILE` (`name`, `name`)" and "`name` in `FILE`".
	members = regexp.MustCompile("`([\\w/.]+)`\\s+\\(((?:`[^`]+`,?\\s*)+)\\)|(`\\w+`)\\s+in\\s+`([\\w/.]+)`")
	file    = regexp.MustCompile(`^[\w./-]+\.(go|txt|md|svg|json|toml)$`)
	folder  = regexp.MustCompile(`^[a-z]\w*(/\w+)+/?$`)
	name    = regexp.MustCompile(`^\(?\*?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\)?((?:\.\w+)*)(\(\))?$`)
)

// wrong returns what is wrong with the text between two backquotes, "" if nothing is.
func (n *namer) wrong(text string) string {
	first, _, _ := strings.Cut(text, "/")
	switch {
	case notOurs[text] || strings.Contains(text, "NAME") || strings.HasPrefix(text, "_"):
	case file.MatchString(text):
		if !n.tails[text] {
			return "there is no such file"
		}
	case folder.MatchString(text):
		if n.known[first] && !n.tails[strings.TrimSuffix(text, "/")] {
			return "there is no such folder"
		}
	default:
		if m := name.FindStringSubmatch(text); m != nil {
			return n.wrongName(strings.Split(m[1]+m[2], "."))
		}
	}
	return ""
}

// wrongName checks a name such as thisWay, x.V or pkg.T.V. A word of small letters may be an option
// or an English word, and one of capitals alone a variable of the environment: neither is checked.
// Names of packages that are not heddle's are not known.
func (n *namer) wrongName(parts []string) string {
	last := parts[len(parts)-1]
	pkg := n.declared[parts[0]]
	switch {
	case len(parts) == 1 && (strings.ToLower(last) == last || strings.ToUpper(last) == last):
	case len(parts) == 2 && pkg != nil && !pkg[last]:
		return "package " + parts[0] + " declares no " + last
	case (len(parts) == 1 || pkg != nil) && !n.words[last]:
		return "no Go code has the name " + last
	}
	return ""
}

// namesOf reads the names of all Go files.
func namesOf(t *testing.T) *namer {
	n := &namer{words: map[string]bool{}, in: map[string]map[string]bool{},
		declared: map[string]map[string]bool{}, tails: map[string]bool{},
		known: existing(t, tracked(t))}
	for file := range n.known {
		for tail := file; tail != ""; _, tail, _ = strings.Cut(tail, "/") {
			n.tails[tail] = true
		}
		if slices.Contains(strings.Split(file, "/"), "testdata") {
			continue
		}
		if path.Ext(file) == ".go" || strings.HasSuffix(file, ".go.txt") {
			n.add(file, read(t, file))
		}
	}
	return n
}

// add adds the names of a Go file. A page may name the file by its path or by its last element.
func (n *namer) add(file, src string) {
	places := []string{file, path.Base(file), path.Dir(file)}
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile(file, -1, len(src)), []byte(src), nil, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.IDENT {
			n.words[lit] = true
			for _, place := range places {
				if n.in[place] == nil {
					n.in[place] = map[string]bool{}
				}
				n.in[place][lit] = true
			}
		}
	}
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil || path.Ext(file) != ".go" {
		return // an added file belongs to a package of the standard library
	}
	pkg := n.declared[f.Name.Name]
	if pkg == nil {
		pkg = make(map[string]bool)
		n.declared[f.Name.Name] = pkg
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch d := node.(type) {
		case *ast.FuncDecl:
			pkg[d.Name.Name] = true
		case *ast.TypeSpec:
			pkg[d.Name.Name] = true
		case *ast.ValueSpec:
			for _, id := range d.Names {
				pkg[id.Name] = true
			}
		case *ast.Field:
			for _, id := range d.Names {
				pkg[id.Name] = true
			}
		}
		return true
	})
}
