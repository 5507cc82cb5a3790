package report

import (
	"strings"
	"unicode"
)

// width returns how many columns s takes on a terminal.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// wide are the ranges of characters that take two columns on a terminal (East Asian Width W and F,
// and emoji).
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},
	{0xa000, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f}, {0xff00, 0xff60},
	{0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
}

func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// fit shortens s to at most n columns, with an ellipsis at the end if it was longer.
func fit(s string, n int) string {
	if width(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	k := 0
	for i, r := range s {
		w := runeWidth(r)
		if k+w > n-1 {
			return s[:i] + "…"
		}
		k += w
	}
	return s
}

// fill adds spaces to s up to n columns.
func fill(s string, n int) string {
	if k := width(s); k < n {
		return s + strings.Repeat(" ", n-k)
	}
	return s
}

// columns aligns rows of cells, with two spaces between columns and none at the ends of lines. The
// last column may have any width.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(c))
		}
	}
	out := make([]string, len(rows))
	for j, row := range rows {
		var b strings.Builder
		for i, c := range row {
			if widths[i] == 0 {
				continue
			}
			b.WriteString(fill(c, widths[i]) + "  ")
		}
		out[j] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// wrap breaks text between words into lines of at most n columns. A longer word has its own line.
func wrap(text string, n int) []string {
	return wrapAt(strings.Join(strings.Fields(text), " "), " ", n)
}

// wrapAt is wrap for a text whose lines end at sep only.
func wrapAt(text, sep string, n int) []string {
	var out []string
	line := ""
	for _, w := range strings.Split(text, sep) {
		switch {
		case line == "":
			line = w
		case width(line)+width(sep)+width(w) <= n:
			line += sep + w
		default:
			out = append(out, line+strings.TrimRight(sep, " "))
			line = w
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}
