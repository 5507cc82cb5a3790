package timeline

import "strings"

// Prose splits text at what is code in it, between backticks: the Class of such a Part is "code". A
// backtick without a partner is text.
func Prose(s string) (parts []Part) {
	add := func(class, text string) {
		if text != "" {
			parts = append(parts, Part{class, text})
		}
	}
	for {
		before, rest, ok := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !ok || !closed || code == "" {
			add("", s)
			return parts
		}
		add("", before)
		add("code", code)
		s = after
	}
}
