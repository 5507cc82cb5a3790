package timeline

import (
	"errors"
	"html/template"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An Editor is the address at which an editor opens a line of a file, with {path} and {line} in
// their places: "vscode://file/{path}:{line}".
type Editor string

// editors are those with a name.
var editors = map[string]Editor{
	"vscode":   "vscode://file{path}:{line}",
	"cursor":   "cursor://file{path}:{line}",
	"windsurf": "windsurf://file{path}:{line}",
	"zed":      "zed://file{path}:{line}",
	"goland":   "goland://open?file={path}&line={line}",
	"idea":     "idea://open?file={path}&line={line}",
}

// EditorNames returns the names that ParseEditor knows, sorted.
func EditorNames() []string {
	var names []string
	for name := range editors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParseEditor returns the editor of that name, or of a template.
func ParseEditor(s string) (Editor, error) {
	if e, ok := editors[s]; ok {
		return e, nil
	}
	want := "want one of " + strings.Join(EditorNames(), ", ") +
		", or an address with {path} and, if it can have it, {line}, such as emacs://open?url=file://{path}&line={line}"
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !strings.Contains(rest, "{path}") || scheme == "" ||
		strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return "", errors.New(want)
	}
	switch strings.ToLower(scheme) {
	case "javascript", "data", "vbscript", "blob":
		return "", errors.New("an address of " + scheme + ": would run on the page: " + want)
	}
	return Editor(s), nil
}

// At returns the address of a line of a file, or "" without an editor or path.
func (e Editor) At(path string, line int) template.URL {
	if e == "" || path == "" {
		return ""
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/...
		path = "/" + path
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(p), "+", "%20")
	}
	path = strings.ReplaceAll(strings.Join(parts, "/"), "%3A", ":")
	put := strings.NewReplacer("{path}", path, "{line}", strconv.Itoa(max(line, 1)))
	return template.URL(put.Replace(string(e)))
}

// A link is a position that may lead to the editor.
type link struct {
	Text string
	URL  template.URL
}

// Link returns a position of the page.
func (v view) Link(text, path string, line int) link { return link{text, v.Editor.At(path, line)} }

// Frame returns a frame with its link.
func (v view) Frame(f Frame) any {
	return struct {
		Frame
		Link link
	}{f, v.Link(f.Position(), f.Path, f.Line)}
}
