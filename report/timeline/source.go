package timeline

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// around is how many lines are shown on each side of a line with events.
const around = 12

// NewFile returns the lines of a Go file near the needed ones, for display. Lines count from 1.
func NewFile(name string, text []byte, needed []int) File {
	f := File{Name: name}
	lines := Highlight(text)
	wanted := make([]bool, len(lines)+1)
	for _, n := range needed {
		for i := max(1, n-around); i <= min(len(lines), n+around); i++ {
			wanted[i] = true
		}
	}
	for i, parts := range lines {
		if wanted[i+1] {
			f.Lines = append(f.Lines, Line{i + 1, parts})
		}
	}
	return f
}

// Excerpt returns the lines of f from line-n to line+n, as far as they exist.
func (f *File) Excerpt(line, n int) []Line {
	i, _ := slices.BinarySearchFunc(f.Lines, line-n, func(l Line, n int) int { return l.N - n })
	j := i
	for j < len(f.Lines) && f.Lines[j].N <= line+n {
		j++
	}
	return f.Lines[i:j]
}

// Has reports whether f has the line.
func (f *File) Has(line int) bool { return len(f.Excerpt(line, 0)) > 0 }

// Highlight splits Go source into lines, and each line into parts of one colour. Text that is not
// valid Go is returned too, coloured as far as possible.
func Highlight(text []byte) [][]Part {
	var (
		h    highlighter
		s    scanner.Scanner
		fset = token.NewFileSet()
		last int
	)
	file := fset.AddFile("", fset.Base(), len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		at, class := min(file.Offset(pos), len(text)), classOf(tok)
		if class == "" || at < last {
			continue
		}
		h.add("", string(text[last:at]))
		last = min(at+len(lit), len(text))
		h.add(class, string(text[at:last]))
	}
	h.add("", string(text[last:]))
	h.endLine()
	return h.lines
}

func classOf(tok token.Token) string {
	switch {
	case tok.IsKeyword():
		return "kw"
	case tok == token.COMMENT:
		return "com"
	case tok == token.STRING || tok == token.CHAR:
		return "str"
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return "num"
	}
	return ""
}

type highlighter struct {
	lines [][]Part
	line  []Part
}

// add appends text of one colour, which may extend over several lines.
func (h *highlighter) add(class, text string) {
	for {
		head, rest, more := strings.Cut(text, "\n")
		if head = strings.TrimSuffix(head, "\r"); head != "" {
			h.line = append(h.line, Part{class, head})
		}
		if !more {
			return
		}
		h.endLine()
		text = rest
	}
}

func (h *highlighter) endLine() {
	h.lines = append(h.lines, h.line)
	h.line = nil
}
