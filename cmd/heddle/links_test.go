package main

import (
	"bytes"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`\b(href|src|for|aria-labelledby|aria-controls)="([^"]*)"`)

// Every link of the pages of a run leads to a page that is there, and to a part that it has.
func TestPageLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	tool, _ := clipOf(t, account, "data race")
	pages := filepath.Join(tool.Dir, "pages")
	for _, args := range [][]string{
		{"test", "-html", "pages", "."},
		{"compare", "-runs", "20", "-html", "pages/compare.html", "."},
	} {
		if code := tool.run(t.Context(), args); code != exitFindings {
			t.Fatalf("%q: exit code %d\n%s", args, code, tool.Stdout.(*bytes.Buffer))
		}
	}
	files, err := filepath.Glob(filepath.Join(pages, "*.html"))
	if err != nil || len(files) < 4 {
		t.Fatalf("pages %q, want an index, two findings and a comparison (%v)", files, err)
	}
	text := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text[filepath.Base(file)] = string(b)
	}
	links := 0
	for name, page := range text {
		for _, m := range reference.FindAllStringSubmatch(page, -1) {
			to := html.UnescapeString(m[2])
			if m[1] == "for" || strings.HasPrefix(m[1], "aria-") {
				to = "#" + to
			}
			u, err := url.Parse(to)
			switch {
			case err != nil:
				t.Errorf("%s: %s: %v", name, m[0], err)
				continue
			case u.Scheme == "data":
				continue
			case u.Scheme != "" || u.Host != "":
				t.Errorf("%s: %s leads elsewhere", name, m[0])
				continue
			}
			there, ok := page, true
			if u.Path != "" {
				there, ok = text[u.Path]
				links++
			}
			if !ok || u.Fragment != "" && !strings.Contains(there, `id="`+u.Fragment+`"`) {
				t.Errorf("%s: %s leads nowhere", name, m[0])
			}
		}
	}
	if links < 5 {
		t.Errorf("%d links between the pages, want those of the index, back, and to the next one", links)
	}
}
