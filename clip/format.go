package clip

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/rt/wire"
)

// Format returns c as text. Parse restores it, except for Path and for texts longer than MaxText,
// which are cut.
func Format(c *wire.Clip) []byte { return (&File{Clip: *c}).Format() }

// Format returns f as text.
func (f *File) Format() []byte {
	b := fmt.Appendf(nil, "%s%d\n", magic, Version)
	if tame(f.Test) && f.Test != "" {
		b = fmt.Appendf(b, "# A schedule of %s that shows the finding below. Run it: heddle replay FILE\n", f.Test)
	}
	text := func(word, s string) {
		if s != "" {
			b = fmt.Appendf(b, "%-10s %s\n", word, value(s))
		}
	}
	text("test", f.Test)
	text("package", f.Package)
	text("kind", f.Kind)
	text("message", f.Message)
	text("go", f.Go)
	text("heddle", f.Heddle)
	text("policy", f.Policy)
	b = fmt.Appendf(b, "%-10s %d\n", "seed", f.Seed)
	if f.Depth != 0 {
		b = fmt.Appendf(b, "%-10s %d\n", "depth", f.Depth)
	}
	if f.Free {
		text("time", "free")
	}
	if f.Exhaustive {
		text("model", "exhaustive")
	}
	text("isolate", f.Isolate)
	texts := func(word string, ss []string) {
		for _, s := range ss {
			b = fmt.Appendf(b, "%-10s %s\n", word, value(s))
		}
	}
	texts("flag", f.Flags)
	texts("arg", f.Args)
	texts("env", f.Env)
	text("code", f.Code)
	text("fixed", f.Fixed)
	text("pattern", f.Pattern)
	texts("input", f.Input)
	places := func(name string, ps []wire.Place) {
		for i := range ps {
			b = fmt.Appendf(b, "%-10s ", name)
			b = appendPlaceLine(b, &ps[i])
			b = append(b, '\n')
		}
	}
	places("visible", f.Spots)
	plain, packed := appendSteps(nil, f.Steps, mostText), []byte(nil)
	first := len(f.Places)
	if len(plain) > mostText || first > 2*mostPlaces {
		first = min(first, mostPlaces)
		packed = pack(f.Steps, f.Places[first:])
	}
	places("place", f.Places[:first])
	if packed == nil {
		b = append(append(b, "steps\n"...), plain...)
	} else {
		b = append(append(b, "steps packed\n"...), packed...)
	}
	return fmt.Appendf(b, "end %d\n", len(f.Steps))
}

// appendSteps writes one line for each run of equal steps, until there is more than most text.
func appendSteps(b []byte, steps []wire.Step, most int) []byte {
	for i := 0; i < len(steps) && len(b) <= most; {
		n := 1
		for i+n < len(steps) && steps[i+n] == steps[i] {
			n++
		}
		b = appendStep(b, &steps[i])
		if n > 1 {
			b = fmt.Appendf(b, " x%d", n)
		}
		b = append(b, '\n')
		i += n
	}
	return b
}

// The columns of a step have fixed widths, so that a changed step changes only its own line.
const (
	colG  = 10
	colOp = 28
)

func appendStep(b []byte, s *wire.Step) []byte {
	mark := "  "
	if s.Switch {
		mark = "* "
	}
	op := word(s.Op)
	if s.Choice != -1 {
		op += " =" + strconv.Itoa(s.Choice)
	}
	if s.Where.Object != "" {
		op += " " + word(s.Where.Object)
	}
	w := s.Where
	rest := appendWhere(nil, &w)
	if w.Op != "" {
		rest = attr(rest, "op", w.Op)
	}
	b = append(b, mark...)
	b = append(b, pad(word(s.G), colG)...)
	b = append(b, ' ')
	if len(rest) == 0 {
		return append(b, op...)
	}
	b = append(b, pad(op, colOp)...)
	return append(b, rest...)
}

// appendPlaceLine writes a place of a finding: operation, object, position.
func appendPlaceLine(b []byte, p *wire.Place) []byte {
	b = append(b, word(p.Op)...)
	if p.Object != "" {
		b = append(b, ' ')
		b = append(b, word(p.Object)...)
	}
	return appendWhere(b, p)
}

// appendWhere writes the attributes of a place other than operation and object, each after a
// space.
func appendWhere(b []byte, p *wire.Place) []byte {
	if p.File != "" || p.Line != 0 {
		b = append(b, ' ')
		if bareFile(p.File) {
			b = append(b, p.File...)
		} else {
			b = append(b, quote(p.File)...)
		}
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(p.Line), 10)
	}
	if p.Site != 0 {
		b = fmt.Appendf(b, " @%#x", p.Site)
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	for _, a := range [...]struct{ key, val string }{{"by", p.Goroutine}, {"func", p.Func},
		{"nth", number(p.Nth)}, {"down", number(p.Down)}, {"note", p.Note}} {
		if a.val != "" {
			b = attr(b, a.key, a.val)
		}
	}
	return b
}

func attr(b []byte, key, val string) []byte {
	b = append(b, ' ')
	b = append(b, key...)
	b = append(b, '=')
	if plain(val) {
		return append(b, val...)
	}
	return append(b, quote(val)...)
}

// value returns a header's value, quoted only if the bare value would not be read back equal.
func value(s string) string {
	if s != "" && len(s) <= MaxText && tame(s) && s == strings.TrimSpace(s) && s[0] != '"' {
		return s
	}
	return quote(s)
}

// word returns s as one word of a line, quoted only if the bare word would be read as something
// else.
func word(s string) string {
	if plain(s) && classOf(s) == classText {
		return s
	}
	return quote(s)
}

// plain reports whether s is one word without quotes.
func plain(s string) bool {
	return s != "" && len(s) <= MaxText && tame(s) && s[0] != '#' && !strings.ContainsAny(s, ` "`)
}

// bareFile reports whether s, a file name, need not be quoted before its line number.
func bareFile(s string) bool {
	return plain(s) && s[0] != '=' && s[0] != '@' && !hasKey(s)
}

// tame reports whether s is valid UTF-8 without control characters. U+0020 is its only white
// space.
func tame(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return false
			}
		}
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func quote(s string) string { return strconv.Quote(cut(s)) }

// cut shortens s to MaxText bytes.
func cut(s string) string {
	if len(s) <= MaxText {
		return s
	}
	const more = "..."
	n := MaxText - len(more)
	for n > MaxText-8 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + more
}

// pad adds spaces up to n characters.
func pad(s string, n int) string {
	if k := utf8.RuneCountInString(s); k < n {
		return s + strings.Repeat(" ", n-k)
	}
	return s
}
