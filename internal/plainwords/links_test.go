package plainwords

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link finds the targets of links and images of a page that are neither URLs nor in code.
var link = regexp.MustCompile(`\]\(([^)\s:]+)\)`)

// known returns the files outside testdata that git knows and that are there, and their folders.
func known(t *testing.T) map[string]bool { return existing(t, files(t)) }

// existing returns those of all that are there, and their folders.
func existing(t *testing.T, all []string) map[string]bool {
	t.Helper()
	known := make(map[string]bool)
	for _, file := range all {
		if _, err := os.Stat(filepath.Join(top, file)); err != nil {
			continue // removed, but not in git yet
		}
		for ; !known[file]; file = path.Dir(file) {
			known[file] = true
		}
	}
	return known
}

// TestLinks: every relative link of every page leads to a file or folder that git knows, and its
// fragment to a heading there. Every file in docs is reachable from docs/README.md.
func TestLinks(t *testing.T) {
	known := known(t)
	var pages []string
	for file := range known {
		if path.Ext(file) == ".md" {
			pages = append(pages, file)
		}
	}
	targets := make(map[string][]string) // by page
	anchors := make(map[string]map[string]bool)
	for _, page := range pages {
		text := read(t, page)
		anchors[page] = headings(text)
		for _, m := range link.FindAllStringSubmatch(prose(text), -1) {
			targets[page] = append(targets[page], m[1])
		}
	}
	reached := make(map[string]bool)
	for _, page := range pages {
		for _, target := range targets[page] {
			file, fragment, _ := strings.Cut(target, "#")
			file = resolve(page, file)
			switch {
			case !known[file]:
				t.Errorf("%s: the link %s leads to %s, which git does not know", page, target, file)
			case fragment != "" && !anchors[file][fragment]:
				t.Errorf("%s: the link %s: %s has no heading of that name", page, target, file)
			}
		}
	}
	const index = "docs/README.md"
	for todo := []string{index}; len(todo) > 0; todo = todo[1:] {
		page := todo[0]
		if reached[page] {
			continue
		}
		reached[page] = true
		for _, target := range targets[page] {
			file, _, _ := strings.Cut(target, "#")
			todo = append(todo, resolve(page, file))
		}
	}
	for file := range known {
		if strings.HasPrefix(file, "docs/") && path.Ext(file) != "" && !reached[file] {
			t.Errorf("%s: no path of links leads there from %s", file, index)
		}
	}
}

// resolve returns the file that a link of page names. A link without a file is to page.
func resolve(page, file string) string {
	if file == "" {
		return page
	}
	return path.Join(path.Dir(page), file)
}

func read(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(top, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// prose returns the text of a page without code.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced && !strings.HasPrefix(line, "    ") {
			b.WriteString(withoutCode(line))
		}
	}
	return b.String()
}

// notInAnchor are the characters that are left out of the anchor of a heading.
var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// headings returns the anchors of a page's headings, by GitHub's rule.
func headings(text string) map[string]bool {
	all := make(map[string]bool)
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return all
}
