package clip

import (
	"fmt"
	"strconv"
	"strings"
)

// A class is a kind of word in a line. Only words of class classText may be quoted as a whole, so
// quoting turns any word into a text.
type class uint8

const (
	classText   class = iota // mu, "a b"
	classPos                 // bank.go:20, "my file.go":20
	classChoice              // =2
	classTimes               // x12
	classSite                // @0x4d2a
	classKey                 // by=main/2, note="waits since"
)

var keys = [...]string{"by", "func", "nth", "down", "note", "op"}

// hasKey reports whether s begins like a word of classKey.
func hasKey(s string) bool {
	k, _, ok := strings.Cut(s, "=")
	for _, key := range keys {
		if ok && k == key {
			return true
		}
	}
	return false
}

// classOf returns the class of the unquoted word s by its form only: "x" and digits is a
// repetition, however large the number.
func classOf(s string) class {
	switch {
	case s[0] == '=':
		return classChoice
	case s[0] == '@':
		return classSite
	case hasKey(s):
		return classKey
	case s[0] == 'x' && digits(s[1:]):
		return classTimes
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && digits(strings.TrimPrefix(s[i+1:], "-")) {
		return classPos
	}
	return classText
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// A piece is one word of a line.
type piece struct {
	raw   string
	class class
	key   string // for classKey
	text  string
	n     int
	site  uint64
}

// words splits a line at white space outside quotes.
func (p *parser) words(line string) []piece {
	var out []piece
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return out
		}
		n := p.wordLen(line)
		if len(out) == 16 {
			p.fail("at most 16 words in a line", "more")
		}
		out = append(out, p.piece(line[:n]))
		line = line[n:]
	}
}

// wordLen returns the length of the first word of line.
func (p *parser) wordLen(line string) int {
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t':
			return i
		case '"':
			q, err := strconv.QuotedPrefix(line[i:])
			if err != nil {
				p.fail("a text quoted as in Go", shown(line[i:]))
			}
			i += len(q)
		default:
			i++
		}
	}
	return len(line)
}

func (p *parser) piece(raw string) piece {
	w := piece{raw: raw}
	if raw[0] == '"' {
		q, _ := strconv.QuotedPrefix(raw)
		w.text = p.unquote(q)
		if after := raw[len(q):]; after != "" {
			w.class = classPos
			w.n = p.lineNumber(raw, after)
		}
		return w
	}
	w.class = classOf(raw)
	switch w.class {
	case classText:
		w.text = p.bare(raw)
	case classChoice:
		w.n = p.int(raw[1:], "an outcome such as =2")
	case classTimes:
		w.n = p.int(raw[1:], "a number of times such as x12")
	case classSite:
		w.site = p.number(raw[1:], 64)
	case classPos:
		i := strings.LastIndexByte(raw, ':')
		w.text = p.bare(raw[:i])
		w.n = p.lineNumber(raw, raw[i:])
	case classKey:
		var val string
		w.key, val, _ = strings.Cut(raw, "=")
		if strings.HasPrefix(val, `"`) {
			w.text = p.unquote(val)
		} else {
			w.text = p.bare(val)
		}
	}
	return w
}

func (p *parser) unquote(s string) string {
	t, err := strconv.Unquote(s)
	if err != nil || s[0] != '"' {
		p.fail("a text quoted as in Go", shown(s))
	}
	return p.text(t)
}

func (p *parser) bare(s string) string {
	if strings.IndexByte(s, '"') >= 0 {
		p.fail("the whole word quoted", shown(s))
	}
	return p.text(s)
}

// lineNumber parses after, such as ":20". raw is the whole word, for errors.
func (p *parser) lineNumber(raw, after string) int {
	if after[0] != ':' {
		p.fail("white space or a line number after the quoted text", shown(raw))
	}
	return p.int(after[1:], fmt.Sprintf("a line number in %s", shown(raw)))
}

func (p *parser) int(s, want string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.fail(want, shown(s))
	}
	return n
}
