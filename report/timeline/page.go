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
)

//go:embed page.html top.html index.html compare.html page.css page.js
var assets embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"sentence": sentence,
	"css":      func() template.CSS { return template.CSS(asset("page.css")) },
	"js":       func() template.JS { return template.JS(asset("page.js")) },
	"add":      func(a, b int) int { return a + b },
}).ParseFS(assets, "page.html", "top.html", "index.html", "compare.html"))

func asset(name string) string {
	data, err := assets.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(data)
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
func (v view) KindClass() string { return strings.ReplaceAll(v.Kind, " ", "-") }

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
	return data{v.Goroutines, v.Objects, v.Events, Order(v.Objects, v.Events), v.Files}
}

type data struct {
	Goroutines []Goroutine `json:"goroutines"`
	Objects    []Object    `json:"objects"`
	Events     []Event     `json:"events"`
	Arrows     []Arrow     `json:"arrows"`
	Files      []File      `json:"files"`
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

// sentence makes text begin with a capital letter and end with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if first, n := utf8.DecodeRuneInString(s); !strings.ContainsAny(firstWord(s), "./()_:") &&
		firstWord(s) == strings.ToLower(firstWord(s)) {
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
