package std

import (
	"fmt"
	"go/version"
	"strings"
)

// An edit replaces old, which must occur exactly times times, by new. Both have the same number of
// lines.
type edit struct {
	old, new string
	times    int
	first    string // first release of Go with the edit; "": all
	last     string // last release with the edit; "": all
	lost     string // what is lost without the edit; "": the edit is required
}

// since restricts edits to a release of Go, such as "go1.27", and later ones.
func since(release string, es ...edit) []edit {
	for i := range es {
		es[i].first = release
	}
	return es
}

// until restricts edits to a release of Go and earlier ones.
func until(release string, es ...edit) []edit {
	for i := range es {
		es[i].last = release
	}
	return es
}

// optional makes an edit optional: it is left out if its anchor is missing. lost says what is lost
// then.
func optional(lost string, e edit) edit {
	e.lost = lost
	return e
}

// in returns the edits of a release.
func (f file) in(release string) []edit {
	var es []edit
	for _, e := range f.edits {
		if (e.first == "" || version.Compare(release, e.first) >= 0) &&
			(e.last == "" || version.Compare(release, e.last) <= 0) {
			es = append(es, e)
		}
	}
	return es
}

// replace replaces the only occurrence of old.
func replace(old, new string) edit { return edit{old: old, new: new, times: 1} }

// replaceAll replaces all of the times occurrences of old.
func replaceAll(times int, old, new string) edit { return edit{old: old, new: new, times: times} }

// begin inserts a statement at the start of a function. header is its header line with the brace.
func begin(header, stmt string) edit { return replace(header+"\n", header+" "+stmt+";\n") }

// guard is begin for a statement that uses hook.CallerPC. It also keeps the function from being
// inlined, so that CallerPC returns the position of the call:
//
//	guard("func (m *Map) Clear() {", "if _hs.Here() { ...; return }")
func guard(header, stmt string) edit {
	if !strings.HasSuffix(header, "{") {
		panic("std: not a function header: " + header)
	}
	return edit{old: header, new: header + " " + stmt + ";"}
}

// apply makes the edits of a release one after the other. lost has the optional edits that do not
// fit.
func (f file) apply(src, pkgName, release string) (out string, lost []edit, err error) {
	lines := strings.Count(src, "\n")
	for _, e := range f.in(release) {
		switch text, err := e.apply(src); {
		case err == nil:
			src = text
		case e.lost != "":
			lost = append(lost, e)
		default:
			return "", nil, err
		}
	}
	if f.hook {
		if src, err = addImport(src); err != nil {
			return "", nil, err
		}
	}
	if n := strings.Count(src, "\n"); n != lines {
		panic(fmt.Sprintf("std: edits of package %s change the number of lines: %d to %d", pkgName, lines, n))
	}
	return src, lost, nil
}

func (e edit) apply(src string) (string, error) {
	if e.times == 0 {
		return e.applyGuard(src)
	}
	if n := strings.Count(src, e.old); n != e.times {
		return "", fmt.Errorf("found %d times, not %d: %q", n, e.times, e.old)
	}
	return strings.ReplaceAll(src, e.old, e.new), nil
}

func (e edit) applyGuard(src string) (string, error) {
	if n := strings.Count(src, "\n"+e.old); n != 1 {
		return "", fmt.Errorf("found %d times, not 1: %q", n, e.old)
	}
	at := strings.Index(src, "\n"+e.old) + 1
	head, err := noinline(src[:at])
	if err != nil {
		return "", fmt.Errorf("%v: %q", err, e.old)
	}
	return head + e.new + src[at+len(e.old):], nil
}

// noinline inserts the directive go:noinline before the function that follows head. It replaces
// the nearest blank line or comment line: a directive needs a line of its own, and no line may
// move.
func noinline(head string) (string, error) {
	end := len(head) // just after a newline
	for end > 0 {
		start := strings.LastIndexByte(head[:end-1], '\n') + 1
		line := head[start : end-1]
		switch {
		case strings.HasPrefix(line, "//go:noinline"):
			return head, nil
		case strings.HasPrefix(line, "//go:"):
			end = start
		case line == "" || strings.HasPrefix(line, "//"):
			return head[:start] + "//go:noinline" + head[end-1:], nil
		default:
			return "", fmt.Errorf("no room for a directive after %q", line)
		}
	}
	return "", fmt.Errorf("no room for a directive")
}

// addImport imports heddlert/hook as _hs, on the package line, as cmd/cover does.
func addImport(src string) (string, error) {
	at := 0
	if !strings.HasPrefix(src, "package ") {
		i := strings.Index(src, "\npackage ")
		if i < 0 {
			return "", fmt.Errorf("found 0 times, not 1: %q", "package")
		}
		at = i + 1
	}
	end := strings.IndexByte(src[at:], '\n')
	if end < 0 {
		end = len(src) - at
	}
	line := strings.TrimRight(src[at:at+end], " \t\r")
	return src[:at] + line + `; import _hs "heddlert/hook"` + src[at+end:], nil
}
