// Package gogen makes random concurrent Go programs as source. Unlike package progen it knows
// nothing about the behaviour of a program: a program is text, combined from pieces (pieces_*.go),
// and the Go compiler gives it its meaning.
//
// A program has a few goroutines with a few statements each. It always ends or deadlocks, and it
// is deterministic except for the order of its goroutines. Its outcome is a string: the log of
// each goroutine, and the final content of the shared objects.
package gogen

import (
	"regexp"
	"slices"
	"strings"
)

// A Program is one random program.
type Program struct {
	Seed    uint64
	Objects []*Object
	Bodies  [][]*Node // [0] is the test's own goroutine's, the others those of the goroutines that it starts

	Join  string // how the test waits for its goroutines; "": it does not
	Clean bool   // plain memory is guarded everywhere: a data race would be a false finding
	Loud  bool   // panics are not recovered
}

// An Object is shared by the goroutines of a program.
type Object struct {
	Name string // such as ch0; all names in its declaration begin with it
	Decl string // statements
	Show string // statements that log its final content; "" for nothing
	Open string // beginning of a guarded access, which ends by a defer; "" for none

	plain bool // memory that must be guarded
}

// A Node is a statement. Its text has %0%, %1%, ... in place of its blocks, and %y% where a native
// run may yield.
type Node struct {
	Text   string
	Blocks [][]*Node `json:",omitempty"`
	Piece  string    // the name of its piece
}

// words matches the identifiers in a text.
var words = regexp.MustCompile(`[a-zA-Z_][a-zA-Z_0-9]*`)

// Uses returns the objects that the program's statements name.
func (p *Program) Uses() []*Object {
	named := map[string]bool{}
	note := func(s string) {
		for _, w := range words.FindAllString(s, -1) {
			named[w] = true
		}
	}
	p.each(func(n *Node) { note(n.Text) })
	var used []*Object
	for _, o := range slices.Backward(p.Objects) {
		if slices.ContainsFunc(names(o), func(n string) bool { return named[n] }) {
			used = append(used, o)
			note(o.Decl)
			note(o.Open)
		}
	}
	slices.Reverse(used)
	return used
}

// names returns the names in an object's declaration.
func names(o *Object) []string {
	list := []string{o.Name}
	for _, w := range words.FindAllString(o.Decl, -1) {
		if strings.HasPrefix(w, o.Name) && w != o.Name {
			list = append(list, w)
		}
	}
	return list
}

// each calls f with every statement.
func (p *Program) each(f func(*Node)) {
	var walk func([]*Node)
	walk = func(list []*Node) {
		for _, n := range list {
			f(n)
			for _, b := range n.Blocks {
				walk(b)
			}
		}
	}
	for _, b := range p.Bodies {
		walk(b)
	}
}

// Pieces returns the names of the pieces in p.
func (p *Program) Pieces() []string {
	var list []string
	p.each(func(n *Node) { list = append(list, n.Piece) })
	slices.Sort(list)
	return slices.Compact(list)
}

// Size returns the number of p's statements.
func (p *Program) Size() int {
	n := 0
	p.each(func(*Node) { n++ })
	return n
}

// Timed reports whether p depends on the clock.
func (p *Program) Timed() bool {
	timed := false
	note := func(s string) { timed = timed || strings.Contains(s, "time.") || strings.Contains(s, "Timeout") }
	p.each(func(n *Node) { note(n.Text) })
	for _, o := range p.Uses() {
		note(o.Decl)
	}
	return timed
}

// Misuses reports whether p may have a data race although its plain memory is guarded: it adds to
// a WaitGroup during a Wait, or reads the content of a guarded object at the end, while a
// goroutine that the test does not wait for may still use it.
func (p *Program) Misuses() bool {
	bad, alone := false, false
	p.each(func(n *Node) {
		bad = bad || strings.HasPrefix(n.Piece, "wg-") || strings.HasPrefix(n.Piece, "group-")
		alone = alone || n.Piece == "go-alone"
	})
	return bad || alone && slices.ContainsFunc(p.Uses(), func(o *Object) bool {
		kind := strings.TrimRight(o.Name, "0123456789")
		return kind == "cd" || kind == "on" || kind == "lg"
	})
}

// features are elements of programs, and how to recognise them in the source.
var features = []struct {
	name string
	in   *regexp.Regexp
}{
	{"goroutines", regexp.MustCompile(`\bgo func|\.Go\(|\bgo [a-z]`)},
	{"channels", regexp.MustCompile(`<-|make\(chan|Sem\b`)},
	{"select", regexp.MustCompile(`\bselect \{`)},
	{"locks", regexp.MustCompile(`sync\.Mutex`)},
	{"RWMutex", regexp.MustCompile(`sync\.RWMutex|\bStack\[`)},
	{"Cond", regexp.MustCompile(`sync\.NewCond|NewQueue`)},
	{"WaitGroup", regexp.MustCompile(`sync\.WaitGroup|\bGroup\b`)},
	{"Once", regexp.MustCompile(`sync\.Once|\bGroup\b`)},
	{"maps", regexp.MustCompile(`\bmap\[|sync\.Map`)},
	{"slices", regexp.MustCompile(`\[\][a-z]|append\(|copy\(`)},
	{"closures", regexp.MustCompile(`\bf\w* := func|defer func|func\(\) \{`)},
	{"generics", regexp.MustCompile(`\bBox\[|\bMax\(|\bSet\(|\bMap\(|NewQueue\[|\bStack\[|atomic\.Pointer\[`)},
	{"iterators", regexp.MustCompile(`range (Count|Each|Drain|Pairs)|\.All\(\)|iter\.|slices\.(Values|Collect|Sorted)`)},
	{"timers", regexp.MustCompile(`time\.(NewTimer|NewTicker|After|AfterFunc|Sleep|Tick)\b|WithTimeout|WithDeadline`)},
	{"contexts", regexp.MustCompile(`context\.`)},
	{"sync/atomic", regexp.MustCompile(`atomic\.`)},
	{"standard library", regexp.MustCompile(`\b(json|fmt|strings|bytes|sort|os|io|bufio|sha256|binary|big|time|url|http|log|regexp|template|reflect|errors|list|heap|strconv|utf8|net|rand|slices|maps)\.[A-Z]`)},
}

// Features returns the names of all features.
func Features() []string {
	var list []string
	for _, f := range features {
		list = append(list, f.name)
	}
	return list
}

// Features returns the features of p, without the goroutines that it starts with and the way it
// waits for them.
func (p *Program) Features() []string {
	var b strings.Builder
	p.each(func(n *Node) { b.WriteString(n.Text + "\n") })
	for _, o := range p.Uses() {
		b.WriteString(o.Decl + "\n")
	}
	var list []string
	for _, f := range features {
		if f.in.MatchString(b.String()) {
			list = append(list, f.name)
		}
	}
	return list
}
