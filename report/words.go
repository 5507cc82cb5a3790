package report

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// thousands prints 12096 as 12,096.
func thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// plural prints 1 as "1 execution", 2 as "2 executions".
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return thousands(n) + " " + noun + "es"
	}
	return thousands(n) + " " + noun + "s"
}

// seconds returns a time as text: 11ms, 0.2s, 12s, 2m05s.
func seconds(s float64) string {
	switch {
	case s < 0.001:
		return "<1ms"
	case s < 0.0995:
		return fmt.Sprintf("%.0fms", s*1000)
	case s < 9.95:
		return fmt.Sprintf("%.1fs", s)
	case s < 59.5:
		return fmt.Sprintf("%.0fs", s)
	}
	n := int(s + 0.5)
	return fmt.Sprintf("%dm%02ds", n/60, n%60)
}

// lines splits s after newlines, and adds a newline at the end if there is none.
func lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(s) {
			if !strings.HasSuffix(line, "\n") {
				line += "\n"
			}
			if !yield(line) {
				return
			}
		}
	}
}

// indent puts n spaces before each line that is not empty.
func indent(n int, s string) string {
	var b strings.Builder
	for line := range lines(s) {
		if line != "\n" {
			b.WriteString(strings.Repeat(" ", n))
		}
		b.WriteString(line)
	}
	return b.String()
}

// clean makes text of the program under test safe for a terminal. Tabs become spaces, and other
// unprintable characters are shown as in a Go string. Newlines stay.
func clean(s string) string {
	if strings.IndexFunc(s, wild) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == utf8.RuneError && s[i] != "\uFFFD"[0]:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case wild(r):
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func wild(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// oneLine is clean for text that must stay on one line.
func oneLine(s string) string {
	return strings.ReplaceAll(clean(s), "\n", `\n`)
}

// The colours, used only on a terminal.
func (r *Reporter) red(s string) string   { return r.colour("31", s) }
func (r *Reporter) green(s string) string { return r.colour("32", s) }
func (r *Reporter) bold(s string) string  { return r.colour("1", s) }

// boldHead makes the first line of a finding bold.
func (r *Reporter) boldHead(text string) string {
	head, rest, _ := strings.Cut(text, "\n")
	return r.bold(head) + "\n" + rest
}

func (r *Reporter) colour(code, s string) string {
	if !r.o.Colour || r.o.JSON {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// long is seconds for times that may be very long.
func long(s float64) string {
	const hour, day, year = 3600, 24 * 3600, 365 * 24 * 3600
	switch {
	case s < 2*hour:
		return seconds(s)
	case s < 2*day:
		return fmt.Sprintf("%.0f hours", s/hour)
	case s < 2*year:
		return fmt.Sprintf("%.0f days", s/day)
	}
	return about(s/year) + " years"
}

// Plural prints 1 as "1 execution", 12096 as "12,096 executions".
func Plural(n int, noun string) string { return plural(n, noun) }
