// Package recipes reads the recipes for CI and executes their steps, so that what docs/ci.md offers was tried.
package recipes

import (
	"fmt"
	"strings"
)

// Parse reads as much of YAML as the recipes use: maps, lists, lists in brackets, plain and quoted words, and texts after "|". Maps are
// map[string]any, lists []any, all else is a string.
func Parse(text string) (any, error) {
	p := &parser{}
	for i, line := range strings.Split(text, "\n") {
		p.lines = append(p.lines, line)
		if strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t") {
			return nil, fmt.Errorf("line %d: a tab in the indent", i+1)
		}
	}
	p.skip()
	v := p.value(p.indent())
	p.skip()
	if p.err == nil && p.at < len(p.lines) {
		p.fail("what is this?")
	}
	return v, p.err
}

type parser struct {
	lines []string
	at    int
	err   error
}

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("line %d: %s: %q", p.at+1, what, p.lines[min(p.at, len(p.lines)-1)])
	}
	p.at = len(p.lines)
}

// skip goes to the next line that says something.
func (p *parser) skip() {
	for p.at < len(p.lines) {
		if s := strings.TrimSpace(p.lines[p.at]); s != "" && s[0] != '#' {
			return
		}
		p.at++
	}
}

// indent returns that of the line; -1 at the end.
func (p *parser) indent() int {
	if p.at >= len(p.lines) {
		return -1
	}
	return len(p.lines[p.at]) - len(strings.TrimLeft(p.lines[p.at], " "))
}

func (p *parser) line() string { return strings.TrimSpace(p.lines[p.at]) }

// value reads the map or list that begins in this line.
func (p *parser) value(indent int) any {
	if indent < 0 {
		return ""
	}
	if s := p.line(); s == "-" || strings.HasPrefix(s, "- ") {
		return p.list(indent)
	}
	return p.mapping(indent)
}

func (p *parser) list(indent int) (list []any) {
	for p.skip(); p.indent() == indent && strings.HasPrefix(p.line(), "-"); p.skip() {
		rest := strings.TrimPrefix(p.line(), "-")
		item := strings.TrimSpace(rest)
		if _, _, ok := pair(item); ok {
			// A map: its first line is this one, without the dash.
			p.lines[p.at] = strings.Repeat(" ", indent+2) + item
			list = append(list, p.mapping(indent+2))
			continue
		}
		list = append(list, p.scalar(item, indent))
	}
	return list
}

func (p *parser) mapping(indent int) map[string]any {
	m := map[string]any{}
	for p.skip(); p.indent() == indent; p.skip() {
		key, rest, ok := pair(p.line())
		if !ok {
			p.fail("want a key")
			return m
		}
		if _, twice := m[key]; twice {
			p.fail("the key is there twice")
			return m
		}
		if rest != "" {
			m[key] = p.scalar(rest, indent)
			continue
		}
		p.at++
		p.skip()
		deeper := p.indent()
		if deeper > indent || deeper == indent && strings.HasPrefix(p.line(), "-") {
			m[key] = p.value(deeper)
		} else {
			m[key] = ""
		}
	}
	return m
}

// pair divides "key: rest"; ok is false if that is none.
func pair(s string) (key, rest string, ok bool) {
	if s == "" || strings.ContainsRune(`"'[{`, rune(s[0])) {
		return "", "", false
	}
	if key, ok := strings.CutSuffix(s, ":"); ok && !strings.Contains(key, ": ") {
		return key, "", true
	}
	key, rest, ok = strings.Cut(s, ": ")
	return key, strings.TrimSpace(rest), ok && !strings.Contains(key, " ")
}

// scalar reads what stands after a key or a dash, and the lines below that belong to it.
func (p *parser) scalar(s string, indent int) any {
	p.at++
	switch {
	case s == "|":
		return p.block(indent)
	case strings.HasPrefix(s, "["):
		if !strings.HasSuffix(s, "]") {
			p.at--
			p.fail("want ] in the same line")
		}
		var list []any
		for _, e := range strings.Split(strings.Trim(s, "[]"), ",") {
			if e = strings.TrimSpace(e); e != "" {
				list = append(list, unquote(e))
			}
		}
		return list
	}
	return unquote(s)
}

// block reads a text that is indented deeper.
func (p *parser) block(indent int) string {
	var lines []string
	depth := 0
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if strings.TrimSpace(line) == "" {
			lines = append(lines, "")
			continue
		}
		if n := p.indent(); n <= indent {
			break
		} else if depth == 0 {
			depth = n
		}
		lines = append(lines, line[min(depth, p.indent()):])
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s
}
