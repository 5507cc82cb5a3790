package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A sample is a command that a page shows, with what it prints.
type sample struct {
	page   string // below the root
	change bool   // the program as the page that shows it changes it in the end
}

// A program is a module for the samples of pages: one that a page shows, a folder of examples, or
// one of cmd/heddle/testdata.
type program struct {
	page    string
	example string
	module  string
	samples []sample // in the order of the pages
}

// programs has all samples of pages that begin with "$ heddle" or "$ cat", but for those of
// heddle debug, which needs a terminal.
var programs = []program{
	{page: "docs/guide/first-test.md", samples: []sample{
		{page: "docs/guide/first-test.md"}, {page: "docs/guide/replay.md", change: true},
		{page: "docs/guide/first-test.md", change: true}, {page: "docs/guide/commands.md", change: true},
		{page: "docs/guide/replay.md"}}},
	{page: "docs/guide/fuzzing.md", samples: []sample{{page: "docs/guide/fuzzing.md"}}},
	{page: "docs/guide/generated-tests.md", samples: []sample{
		{page: "docs/guide/generated-tests.md"}, {page: "docs/guide/generated-tests.md"}}},
	{example: "sendclosed", samples: []sample{{page: "README.md"}}},
	{example: "sendclosed", samples: []sample{
		{page: "docs/guide/findings.md"}, {page: "docs/guide/clip-format.md"}}},
	{module: "causes", samples: []sample{{page: "docs/guide/findings.md"}}},
}

// TestSamples executes each command that a page shows. What it prints is what the page says, except
// for times and versions; a line "..." on the page stands for any lines.
//
//	go test ./cmd/heddle -run TestSamples -update     writes them
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	t.Setenv("GOWORK", "off")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, p := range programs {
		dir := t.TempDir()
		p.write(t, root, dir, false)
		if p.module != "" {
			dir = filepath.Join(dir, p.module)
		}
		for _, s := range p.samples {
			p.write(t, root, dir, s.change)
			seen[s.page]++
			t.Run(fmt.Sprint(filepath.Base(s.page), " ", seen[s.page]), func(t *testing.T) {
				s.check(t, root, dir, seen[s.page]-1)
			})
		}
	}
	pages, err := fs.Glob(os.DirFS(root), "docs/guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(pages, "README.md") {
		if n := len(samplesOf(pageText(t, root, name))); n != seen[name] {
			t.Errorf("%s has %d samples, and the table programs has %d", name, n, seen[name])
		}
	}
}

// write writes the files of a program.
func (p *program) write(t *testing.T, root, dir string, change bool) {
	t.Helper()
	switch {
	case p.example != "":
		copyOnce(t, filepath.Join(root, "examples", p.example), filepath.Join(dir, p.example))
		putFile(t, dir, "go.mod", "module heddle.examples\n\ngo 1.26\n")
		return
	case p.module != "":
		copyOnce(t, filepath.Join(root, "cmd", "heddle", "testdata", p.module), filepath.Join(dir, p.module))
		return
	}
	files := programOf(pageText(t, root, p.page), change)
	if files["go.mod"] == "" {
		t.Fatalf("%s shows no program", p.page)
	}
	for name, text := range files {
		putFile(t, dir, name, text)
	}
}

// copyOnce copies a folder without the clips of other runs, unless it is there.
func copyOnce(t *testing.T, from, to string) {
	t.Helper()
	if _, err := os.Stat(to); err == nil {
		return
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(to, "testdata")); err != nil {
		t.Fatal(err)
	}
}

func putFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func pageText(t *testing.T, root, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	goBlock    = regexp.MustCompile("(?s)```go\n(.*?)```")
	goPackage  = regexp.MustCompile(`(?m)^package (\w+)$`)
	goFunction = regexp.MustCompile(`^func .*\{\n`)
)

// programOf returns the files that a page shows. A block without a package clause is a function
// that, with change, replaces the one of that name.
func programOf(page string, change bool) map[string]string {
	files := map[string]string{}
	for _, m := range goBlock.FindAllStringSubmatch(page, -1) {
		text := m[1]
		pkg := goPackage.FindStringSubmatch(text)
		switch {
		case pkg == nil && change:
			head := goFunction.FindString(text)
			for name, was := range files {
				if before, rest, ok := strings.Cut(was, head); ok && head != "" {
					_, after, _ := strings.Cut(rest, "\n}\n")
					files[name] = before + text + after
				}
			}
		case pkg == nil:
		case strings.Contains(text, `"testing"`):
			files[pkg[1]+"_test.go"] = text
		default:
			files[pkg[1]+".go"] = text
			files["go.mod"] = "module example.com/" + pkg[1] + "\n\ngo 1.26\n"
		}
	}
	return files
}

// A block is a sample on a page: its command, and the bounds of the lines that it prints. The
// command is of heddle, or shows a file (cat).
type block struct {
	command     string
	begin, stop int
	lines       []string
}

// samplesOf returns the samples of a page.
func samplesOf(page string) (all []block) {
	const indent = "    "
	var open *block
	at := 0
	lines := strings.SplitAfter(page, "\n")
	for i, line := range lines {
		at += len(line)
		switch {
		case strings.HasPrefix(line, "    $ heddle "), strings.HasPrefix(line, "    $ cat "):
			all = append(all, block{command: strings.TrimSpace(line[len("    $ "):]), begin: at, stop: at})
			open = &all[len(all)-1]
		case open == nil:
		case strings.HasPrefix(line, indent),
			line == "\n" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], indent):
			open.lines = append(open.lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), indent))
			open.stop = at
		default:
			open = nil
		}
	}
	return slices.DeleteFunc(all, func(b block) bool { return strings.HasPrefix(b.command, "heddle debug ") })
}

// check compares the nth sample of a page with what heddle prints.
func (s *sample) check(t *testing.T, root, dir string, nth int) {
	text := pageText(t, root, s.page)
	all := samplesOf(text)
	if nth >= len(all) {
		t.Fatalf("there is no sample %d", nth+1)
	}
	shown := all[nth]
	t.Chdir(dir)
	out := printed(t, dir, quotedFields(shown.command))
	var got []string
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "heddle: preparing ") {
			got = append(got, strings.TrimRight(line, "\n"))
		}
	}
	if alike(shown.lines, got) {
		return
	}
	if !*update || slices.ContainsFunc(shown.lines, elided) {
		t.Errorf("%s prints\n%s\nand %s says\n%s\n-update writes what is printed, but by hand where there is a line \"...\"",
			shown.command, strings.Join(got, "\n"), s.page, strings.Join(shown.lines, "\n"))
		return
	}
	var b strings.Builder
	for _, line := range got {
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
	putFile(t, root, s.page, text[:shown.begin]+b.String()+text[shown.stop:])
}

func elided(line string) bool { return strings.TrimSpace(line) == "..." }

// printed executes a command of a page and returns what it prints.
func printed(t *testing.T, dir string, args []string) (out string) {
	t.Helper()
	if args[0] == "heddle" {
		_, out = runIn(dir, args[1:]...)
		return out
	}
	text, err := os.ReadFile(filepath.Join(dir, args[1]))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// quotedFields divides a command line; single quotes hold words together.
func quotedFields(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

// varies is what differs from run to run, between releases of Go, and between versions of heddle.
var varies = regexp.MustCompile(`<?\d+(\.\d+)?m?s\b|\bgo1\.[\d.]+|\b[0-9a-f]{40}\b`)

// alike reports whether lines that a page shows are those that were printed. A line "..." stands
// for any number of lines.
func alike(shown, printed []string) bool {
	for i, line := range shown {
		if elided(line) {
			for k := i; k <= len(printed); k++ {
				if alike(shown[i+1:], printed[k:]) {
					return true
				}
			}
			return false
		}
		if i >= len(printed) ||
			varies.ReplaceAllString(line, "T") != varies.ReplaceAllString(printed[i], "T") {
			return false
		}
	}
	return len(shown) == len(printed)
}

// TestAlike: what samples leave open.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a 12ms\nb", "a 1.5s\nb", true},
		{"a\nb", "a\nc", false},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"a\n  ...\nd", "a\nb\nc\nd", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"...", "", true},
	} {
		if got := alike(strings.Split(c.shown, "\n"), strings.Split(c.printed, "\n")); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.shown, c.printed, got, c.want)
		}
	}
}
