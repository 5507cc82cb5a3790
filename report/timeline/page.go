package timeline

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/internal/norm"
)

//go:embed *.html *.css *.js
var assets embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"sentence": Sentence,
	"prose":    func(s string) []Part { return Prose(Sentence(s)) },
	"css":      func() template.CSS { return template.CSS(asset("page.css")) },
	"js":       script,
	"add":      func(a, b int) int { return a + b },
	"split":    split,
	"join":     func(all []string) string { return strings.Join(all, ", ") },
}).ParseFS(assets, "*.html"))

// script returns files as one script, in which nothing is global.
func script(files ...string) template.JS {
	var b strings.Builder
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range files {
		b.WriteString(asset(name))
	}
	b.WriteString("})();\n")
	return template.JS(b.String())
}

func asset(name string) string {
	data, err := assets.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
}

// longest is how much of a message is a heading.
const longest = 300

// split divides text that is too long for a heading; Rest is "" if it is not.
func split(s string) (parts struct{ Head, Rest string }) {
	parts.Head = s
	if utf8.RuneCountInString(s) > longest {
		parts.Head, parts.Rest = string([]rune(s)[:longest])+"…", s
	}
	return parts
}

// Write writes a page that shows findings, one at a time.
func Write(w io.Writer, findings []Finding) error {
	p := struct {
		Title    string
		Findings []view
	}{Title: "heddle: nothing found"}
	for i := range findings {
		p.Findings = append(p.Findings, view{Finding: &findings[i], N: i + 1})
	}
	if len(findings) > 0 {
		p.Title = findings[0].Heading + " in " + findings[0].Test
	}
	return pages.ExecuteTemplate(w, "page.html", p)
}

// A view is a finding in the form that the template needs.
type view struct {
	*Finding
	N int
}

// KindClass returns the kind as a class of CSS.
func (v view) KindClass() string { return norm.Name(v.Kind) }

// Excerpt returns the source around a place.
func (v view) Excerpt(p Place) []Line {
	for i := range v.Files {
		if v.Files[i].Name == p.File {
			return v.Files[i].Excerpt(p.Line, 2)
		}
	}
	return nil
}

// Data returns the data that the script draws.
func (v view) Data() data {
	d := data{v.Goroutines, v.Objects, v.Events, Order(v.Objects, v.Events), v.Files, v.Editor, nil}
	files := map[string]int{}
	for i := range v.Files {
		files[v.Files[i].Name] = i + 1
	}
	for _, path := range v.Paths {
		frames := make([]frame, len(path))
		for i, f := range path {
			frames[i] = frame{f.Func, f.Position(), f.Path, f.Line, f.Std, 0}
			if n := files[f.File]; n > 0 && v.Files[n-1].Has(f.Line) {
				frames[i].File = n
			}
		}
		d.Stacks = append(d.Stacks, frames)
	}
	return d
}

type data struct {
	Goroutines []Goroutine `json:"goroutines"`
	Objects    []Object    `json:"objects"`
	Events     []Event     `json:"events"`
	Arrows     []Arrow     `json:"arrows"`
	Files      []File      `json:"files"`
	Editor     Editor      `json:"editor,omitempty"`
	Stacks     [][]frame   `json:"stacks,omitempty"`
}

// A frame is a Frame for the script.
type frame struct {
	Func string `json:"func"`
	At   string `json:"at"`
	Path string `json:"path,omitempty"`
	Line int    `json:"line"`
	Std  bool   `json:"std,omitempty"`
	File int    `json:"file,omitempty"` // index in Files + 1
}

// MarshalJSON writes [from, to, why].
func (a Arrow) MarshalJSON() ([]byte, error) { return json.Marshal([]any{a.From, a.To, a.Why}) }

// MarshalJSON writes [number, class, text, class, text, ...].
func (l Line) MarshalJSON() ([]byte, error) {
	row := []any{l.N}
	for _, p := range l.Parts {
		row = append(row, p.Class, p.Text)
	}
	return json.Marshal(row)
}

// Sentence makes text begin with a capital letter and end with a full stop.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if first, n := utf8.DecodeRuneInString(s); !strings.ContainsAny(firstWord(s), "./()_:") &&
		firstWord(s) == strings.ToLower(firstWord(s)) && firstWord(s) != "main" { // a goroutine
		s = string(unicode.ToUpper(first)) + s[n:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	return s
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(s, " ")
	return w
}

// Position returns file:line, or "" if it is unknown.
func (p Place) Position() string { return position(p.File, p.Line) }

// Position returns file:line, or "" if it is unknown.
func (f Frame) Position() string { return position(f.File, f.Line) }

func position(file string, line int) string {
	if file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", file, line)
}
