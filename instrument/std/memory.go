package std

import (
	_ "embed"
	"fmt"
	"go/version"
	"strings"
	"sync"
)

// memoryTable says for each package of the standard library how its accesses to memory of its
// callers are announced. TestMemory checks it against the exported functions.
//
// A line without indent names a package and its decision:
//
//	all      all functions announce their accesses one by one, except those on the lines below it
//	some     the functions on the lines below it announce what the lines say
//	left     the package is not rewritten; the reason follows
//
// The lines below a package name functions, T.f for a method:
//
//	names = body      announce their accesses one by one
//	names = own       access no memory of their callers, or only by functions that announce, or
//	                  under their own lock
//	names = parts...  announce at their border what they access
//
// The parts are r:x (x is read), w:x (written), a:x (the result was appended to x), f:x and g:x
// (as many elements of x as the first or second result says were written), u:x and v:x (the first
// or last rune of x is read) and n:x (nothing). x is the receiver, a parameter, or a field of one.
// If x is a pointer, the part means what it points to; if x is a slice, its elements, or the first
// n of them with r:x:n or w:x:n. The part r alone is r:x for the receiver and all parameters that
// no other part names. R and R:x also read the slices in *x. W:x is w:x, and also writes those
// slices in *x that are the same when the function returns. A line that begins with go1.27+
// applies to that release and later ones.
//
//go:embed memory.txt
var memoryTable string

// A decision is the entry of a package.
type decision struct {
	word  string // all, some, left
	why   string
	funcs map[string]*Border
}

// A Border is what a function announces.
type Border struct {
	Body  bool   // its accesses, one by one
	Rest  byte   // 'r' or 'R': parameters that no part names are read; 0: they are not
	Parts []Part // nil with Body false and Rest 0: nothing
}

// A Part is what a function does to one of its parameters.
type Part struct {
	Do    byte   // one of partsOf
	Name  string // x, or x.f
	Count string // of elements, a Go expression; "" for all
}

const partsOf = "rRwWafguvn"

var (
	memoryLock sync.Mutex
	memories   = map[string]map[string]*decision{} // by release
)

func memory() (map[string]*decision, error) {
	memoryLock.Lock()
	defer memoryLock.Unlock()
	if ds := memories[release()]; ds != nil {
		return ds, nil
	}
	ds, err := parseMemory(memoryTable, release())
	memories[release()] = ds
	return ds, err
}

// decisionOf returns a package's decision, or nil.
func decisionOf(importPath string) *decision {
	ds, err := memory()
	if err != nil {
		panic(err) // embedded and tested
	}
	return ds[importPath]
}

// parseMemory parses a table in the form of memoryTable for a release.
func parseMemory(text, release string) (map[string]*decision, error) {
	ds := map[string]*decision{}
	var d *decision
	for i, line := range strings.Split(text, "\n") {
		body, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(body) == "" {
			continue
		}
		indented := body[0] == ' ' || body[0] == '\t'
		// this line is for later releases; it is for some releases and replaces the package's
		// other decision
		later, marked := false, false
		if first, rest, _ := strings.Cut(strings.TrimSpace(body), " "); strings.HasPrefix(first, "go1.") &&
			strings.HasSuffix(first, "+") {
			marked = true
			body, later = rest, version.Compare(release, strings.TrimSuffix(first, "+")) < 0
		}
		if !indented {
			path, rest, _ := strings.Cut(strings.TrimSpace(body), " ")
			word, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
			switch {
			case ds[path] != nil && !marked:
				return nil, fmt.Errorf("memory.txt:%d: package %s has two decisions: leave one", i+1, path)
			case word != "all" && word != "some" && word != "left":
				return nil, fmt.Errorf("memory.txt:%d: expected all, some or left after %s, found %q", i+1,
					path, word)
			}
			d = &decision{word: word, why: why, funcs: map[string]*Border{}}
			if !later {
				ds[path] = d
			}
			continue
		}
		names, parts, ok := strings.Cut(body, "=")
		if d == nil || !ok {
			return nil, fmt.Errorf("memory.txt:%d: expected names = parts below a package, found %q", i+1,
				strings.TrimSpace(body))
		}
		b, err := parseBorder(strings.Fields(parts))
		if err != nil {
			return nil, fmt.Errorf("memory.txt:%d: %v", i+1, err)
		}
		for _, name := range strings.Fields(names) {
			if later {
				continue
			}
			if d.funcs[name] != nil {
				return nil, fmt.Errorf("memory.txt:%d: %s has two decisions: leave one", i+1, name)
			}
			d.funcs[name] = b
		}
	}
	return ds, nil
}

func parseBorder(parts []string) (*Border, error) {
	b := &Border{}
	for _, p := range parts {
		do, name, named := strings.Cut(p, ":")
		switch {
		case p == "body":
			b.Body = true
		case p == "own" && len(parts) == 1:
		case (p == "r" || p == "R") && b.Rest == 0:
			b.Rest = p[0]
		case named && len(do) == 1 && strings.Contains(partsOf, do) && name != "":
			name, count, _ := strings.Cut(name, ":")
			b.Parts = append(b.Parts, Part{do[0], name, count})
		default:
			return nil, fmt.Errorf("expected body, own, r, R or one of the letters %s with a name, such as r:p, found %q", partsOf, p)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("expected parts after =, found none")
	}
	return b, nil
}

// BorderOf returns what a function of a package announces at its border, or nil. name is T.f for a
// method of T or *T.
func BorderOf(importPath, name string) *Border {
	importPath, _, _ = strings.Cut(importPath, " ")
	d := decisionOf(importPath)
	if d == nil {
		return nil
	}
	if b := d.funcs[name]; b != nil && (b.Rest != 0 || len(b.Parts) > 0) {
		return b
	}
	return nil
}

// borders reports whether a function of the package announces at its border.
func (d *decision) borders() bool {
	for _, b := range d.funcs {
		if b.Rest != 0 || len(b.Parts) > 0 {
			return true
		}
	}
	return false
}

// bodies reports whether a function of the package announces its accesses one by one.
func (d *decision) bodies() bool {
	for _, b := range d.funcs {
		if b.Body {
			return true
		}
	}
	return false
}
