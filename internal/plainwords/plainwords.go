// Package plainwords checks the words and the width of heddle's own sources: its test reads every
// file that git knows. The rules are those of docs/glossary.md, whose table of words that are not
// used is read from there, so that the page and the test cannot disagree.
package plainwords

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Widths in columns. A tab is tabWidth columns.
const (
	codeWidth  = 110 // a line of Go
	proseWidth = 100 // a line of a comment or of a page
	tabWidth   = 4
)

// A Problem is one place that breaks a rule.
type Problem struct {
	File string // slash-separated, relative to the top of the work tree
	Line int    // from 1
	Rule string // "width", "word", "package comment" or "doc comment"
	Text string // what was found, what was expected
}

// String returns p as "file:line: rule: text".
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Rule, p.Text)
}

// Words are the words that are not used.
type Words struct {
	re      *regexp.Regexp
	instead map[string]string // what to write, by the word in lower case
}

// ReadWords reads the table under the heading "## Words that are not used" of the glossary: in
// each row the word between backquotes, and what to write instead.
func ReadWords(glossary string) (*Words, error) {
	_, rest, ok := strings.Cut(glossary, "\n## Words that are not used\n")
	if !ok {
		return nil, errors.New(`no heading "## Words that are not used"`)
	}
	if before, _, more := strings.Cut(rest, "\n## "); more {
		rest = before
	}
	w := &Words{instead: make(map[string]string)}
	var all []string
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		for i, word := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				w.instead[strings.ToLower(word)] = strings.TrimSpace(cells[2])
				all = append(all, regexp.QuoteMeta(word))
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the table has no words")
	}
	w.re = regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
	return w, nil
}

// Find returns the words in text that are not used, each with what to write instead. "He," and
// "He et al." are an author's name.
func (w *Words) Find(text string) []string {
	var found []string
	for _, at := range w.re.FindAllStringIndex(text, -1) {
		word, rest := text[at[0]:at[1]], text[at[1]:]
		if word[0] == 'H' && (strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, " et al")) {
			continue
		}
		found = append(found, fmt.Sprintf("%q: write %s", word, w.instead[strings.ToLower(word)]))
	}
	return found
}

// A Checker collects the problems of files. Add takes the files one by one; Problems returns what
// was found, package comments included, which only the sum of a folder's files can tell.
type Checker struct {
	Words *Words

	problems []Problem
	packages map[string]*packageRow // by folder and name
}

// packageRow is what is known of a package: where it was first seen, and whether it has a comment.
type packageRow struct {
	file      string
	commented bool
}

// Add checks the file at a path relative to the top of the work tree, by the end of its name.
func (c *Checker) Add(file string, src []byte) error {
	switch path.Ext(file) {
	case ".go":
		return c.addGo(file, src)
	case ".md":
		c.addPage(file, string(src))
	}
	return nil
}

// Problems returns the problems of all files that were added.
func (c *Checker) Problems() []Problem {
	all := c.problems
	for _, p := range c.packages {
		if !p.commented {
			all = append(all, Problem{p.file, 1, "package comment", "no file of the package has one"})
		}
	}
	return all
}

func (c *Checker) add(file string, line int, rule, format string, args ...any) {
	c.problems = append(c.problems, Problem{file, line, rule, fmt.Sprintf(format, args...)})
}

// addGo checks a Go file. Generated files are exempt.
func (c *Checker) addGo(file string, src []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(f) {
		return nil
	}
	raw := exemptLines(src)
	for i, line := range strings.Split(string(src), "\n") {
		most, n := codeWidth, columns(line)
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "// ") {
			most = proseWidth
		}
		directive := strings.HasPrefix(trimmed, "//go:")
		if n > most && !raw[i+1] && !directive && strings.Contains(trimmed[2:], " ") {
			c.add(file, i+1, "width", "%d columns, expected at most %d", n, most)
		}
	}
	for _, group := range f.Comments {
		for _, comment := range group.List {
			for i, line := range strings.Split(comment.Text, "\n") {
				for _, word := range c.Words.Find(line) {
					c.add(file, fset.Position(comment.Pos()).Line+i, "word", "%s", word)
				}
			}
		}
	}
	test := strings.HasSuffix(file, "_test.go")
	c.addPackage(file, f)
	if test {
		return nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			for _, word := range c.Words.Find(lit.Value) {
				c.add(file, fset.Position(lit.Pos()).Line, "word", "in a message: %s", word)
			}
		}
		return true
	})
	if f.Name.Name != "main" {
		c.addDocs(file, fset, f)
	}
	return nil
}

// longText is the width from which a string literal may make its line too wide: a message that is
// broken is not found by searching for it.
const longText = 70

// exemptLines returns the lines that may be wider: those of raw string literals of several lines,
// and those with long string literals.
func exemptLines(src []byte) map[int]bool {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, src, nil, 0)
	exempt := make(map[int]bool)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return exempt
		}
		if tok != token.STRING {
			continue
		}
		first, more := file.Line(pos), strings.Count(lit, "\n")
		if more > 0 || columns(lit) > longText {
			for i := range more + 1 {
				exempt[first+i] = true
			}
		}
	}
}

func (c *Checker) addPackage(file string, f *ast.File) {
	name := strings.TrimSuffix(f.Name.Name, "_test")
	key := path.Dir(file) + " " + name
	if c.packages == nil {
		c.packages = make(map[string]*packageRow)
	}
	p := c.packages[key]
	if p == nil {
		p = &packageRow{file: file}
		c.packages[key] = p
	}
	p.commented = p.commented || f.Doc != nil
}

// wellKnown are methods whose meaning their name gives: those of fmt, errors, sort and heap.
var wellKnown = map[string]bool{
	"String": true, "Error": true, "Unwrap": true,
	"Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true,
}

// addDocs checks that what f exports has doc comments. One comment for a group of constants or
// variables is enough; a group of constants of a named type has that type's.
func (c *Checker) addDocs(file string, fset *token.FileSet, f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !wellKnown[d.Name.Name] {
				c.add(file, fset.Position(d.Pos()).Line, "doc comment", "%s has none", d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Lparen != token.NoPos && d.Tok != token.TYPE && (d.Doc != nil || enum(d)) {
				continue
			}
			for _, spec := range d.Specs {
				if name := undocumented(d, spec); name != "" {
					c.add(file, fset.Position(spec.Pos()).Line, "doc comment", "%s has none", name)
				}
			}
		}
	}
}

// enum reports whether d is a group of constants whose first has a named type.
func enum(d *ast.GenDecl) bool {
	if d.Tok != token.CONST || len(d.Specs) == 0 {
		return false
	}
	first, ok := d.Specs[0].(*ast.ValueSpec)
	return ok && first.Type != nil
}

// exportedReceiver reports whether d is a function, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// undocumented returns the first exported name of spec if spec has no comment, else "".
func undocumented(d *ast.GenDecl, spec ast.Spec) string {
	doc := d.Doc
	if d.Lparen != token.NoPos {
		doc = nil
	}
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if doc == nil && s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
			return s.Name.Name
		}
	case *ast.ValueSpec:
		if doc != nil || s.Doc != nil || s.Comment != nil {
			return ""
		}
		for _, name := range s.Names {
			if name.IsExported() {
				return name.Name
			}
		}
	}
	return ""
}

// addPage checks a page. Tables, code, and lines with nowhere to break may be wider, and the words
// may stand between backquotes.
func (c *Checker) addPage(file, src string) {
	fenced := false
	for i, line := range strings.Split(src, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			continue
		}
		for _, word := range c.Words.Find(withoutCode(line)) {
			c.add(file, i+1, "word", "%s", word)
		}
		breakable := strings.Contains(strings.TrimLeft(line, "-*#> "), " ")
		if n := columns(line); n > proseWidth && breakable && !strings.HasPrefix(line, "|") {
			c.add(file, i+1, "width", "%d columns, expected at most %d", n, proseWidth)
		}
	}
}

// withoutCode returns line without what stands between backquotes.
func withoutCode(line string) string {
	parts := strings.Split(line, "`")
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// columns is the width of line.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}
