package std

import (
	_ "embed"
	"fmt"
	"go/version"
	"strings"
	"sync"
)

// memoryTable says for each package of the standard library how the accesses to memory that
// it shares with its callers are made known. TestMemory checks it against what the packages export.
//
// A line without indent names a package and its decision:
//
//	all      the accesses of all functions are announced one by one, but for those on the lines below it
//	some     what the lines below it say of its functions
//	left     the package is not rewritten; why is said after it
//
// The lines below a package say what is done in its functions, T.f for a method:
//
//	names = body      their accesses are announced one by one
//	names = own       they access nothing of their callers', or hand it on to functions that announce, or lock for themselves
//	names = parts...  each announces at its border what it accesses
//
// The parts are r:x (x is read), w:x (written), a:x (the result was appended to x), f:x and g:x (as many elements of x as
// the first or second result says were written), u:x and v:x (the first or last rune of x is read) and n:x (nothing), where x is the
// receiver or a parameter, or a field of one. Of a pointer this is what it points to, of a slice its elements, the first n of them
// where it is r:x:n or w:x:n. The part r is r:x for the receiver and all parameters that no
// other part names. A line that begins with go1.27+ is for that release and later ones. R and R:x read the slices in what x points to as well; W:x is w:x, and those of its slices are written that it still has when the function returns.
//
//go:embed memory.txt
var memoryTable string

// A decision is a package's.
type decision struct {
	word  string // all, some, left
	why   string
	funcs map[string]*Border
}

// A Border says what a function announces.
type Border struct {
	Body  bool   // its accesses, one by one
	Rest  byte   // 'r' or 'R': what no part names is read; 0: it is not
	Parts []Part // nil with Body and Rest false: nothing
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

// decisionOf returns a package's decision, nil if there is none.
func decisionOf(importPath string) *decision {
	ds, err := memory()
	if err != nil {
		panic(err) // embedded, and tested
	}
	return ds[importPath]
}

// parseMemory reads what a table in the form of memoryTable says for a release.
func parseMemory(text, release string) (map[string]*decision, error) {
	ds := map[string]*decision{}
	var d *decision
	for i, line := range strings.Split(text, "\n") {
		body, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(body) == "" {
			continue
		}
		indented := body[0] == ' ' || body[0] == '\t'
		later, marked := false, false // this line is for later releases; it is for some only, and replaces what others say of a package
		if first, rest, _ := strings.Cut(strings.TrimSpace(body), " "); strings.HasPrefix(first, "go1.") && strings.HasSuffix(first, "+") {
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
				return nil, fmt.Errorf("memory.txt:%d: expected all, some or left after %s, found %q", i+1, path, word)
			}
			d = &decision{word: word, why: why, funcs: map[string]*Border{}}
			if !later {
				ds[path] = d
			}
			continue
		}
		names, parts, ok := strings.Cut(body, "=")
		if d == nil || !ok {
			return nil, fmt.Errorf("memory.txt:%d: expected names = parts below a package, found %q", i+1, strings.TrimSpace(body))
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

// BorderOf returns what a function of a package announces at its border, nil for nothing. The
// function's name is T.f for a method of T or *T.
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

// borders reports whether a function of the package announces something at its border.
func (d *decision) borders() bool {
	for _, b := range d.funcs {
		if b.Rest != 0 || len(b.Parts) > 0 {
			return true
		}
	}
	return false
}

// bodies reports whether the accesses of a function of the package are announced one by one.
func (d *decision) bodies() bool {
	for _, b := range d.funcs {
		if b.Body {
			return true
		}
	}
	return false
}
