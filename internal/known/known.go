// Package known says which findings are known already: by a baseline, which is a file that heddle
// writes, and by rules that a user writes, in heddle.toml or as comments in the source:
//
//	set := known.New(baseline, rules)
//	by := set.By(&finding)   // "known.toml:12", "bank.go:31", or "": it is new
//	set.Stale(...)           // entries that nothing matched
//
// A finding is known by its package, test, kind, message and places. A place is the function, the
// object and the text of the line, and not its number: an edit elsewhere makes no finding new.
package known

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"heddle/internal/norm"
)

// A Finding is what heddle found, as far as it counts here.
type Finding struct {
	Package, Test, Kind string
	Message             string
	Places              []Place // those that make the bug, in the user's source
}

// A Place is where something happened.
type Place struct {
	File   string // absolute
	Line   int
	Func   string // "(*Bank).Transfer"
	Object string // "acct.balance"
	Text   string // of the line, without white space at its ends
}

// String is the place in a baseline.
func (p Place) String() string {
	var parts []string
	for _, s := range []string{p.Func, p.Object, p.Text} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// entry returns the finding as an entry of a baseline.
func (f *Finding) entry() Entry {
	e := Entry{Package: f.Package, Test: f.Test, Kind: f.Kind, Message: norm.Message(f.Message)}
	for _, p := range f.Places {
		if s := p.String(); s != "" {
			e.Places = append(e.Places, s)
		}
	}
	slices.Sort(e.Places)
	e.Places = slices.Compact(e.Places)
	return e
}

// A Set decides which findings are known. Its methods may be called concurrently.
type Set struct {
	mu       sync.Mutex
	baseline *Baseline
	entries  map[string]*Entry // of the baseline, by key
	rules    []*Rule
	add      bool // new findings become entries
	matched  map[*Entry]bool
	used     map[*Rule]bool
}

// New returns a set. baseline may be nil. add: a finding that is not known becomes an entry of the
// baseline, and is known then.
func New(baseline *Baseline, rules []*Rule, add bool) *Set {
	s := &Set{baseline: baseline, rules: rules, add: add && baseline != nil, entries: map[string]*Entry{},
		matched: map[*Entry]bool{}, used: map[*Rule]bool{}}
	if baseline != nil {
		for _, e := range baseline.Entries {
			s.entries[e.key()] = e
		}
	}
	return s
}

// Add adds rules.
func (s *Set) Add(rules ...*Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, rules...)
}

// Concerns reports whether a finding of a package may be known.
func (s *Set) Concerns(pkg string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules) > 0 || s.add || s.baseline != nil &&
		slices.ContainsFunc(s.baseline.Entries, func(e *Entry) bool { return e.Package == pkg })
}

// By returns by what a finding is known; "" if it is new.
func (s *Set) By(f *Finding) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.matches(f) {
			s.used[r] = true
			return fmt.Sprintf("%s: %s", r.Where(), r.Reason)
		}
	}
	if s.baseline == nil {
		return ""
	}
	want := f.entry()
	e := s.entries[want.key()]
	if e == nil && s.add {
		e = &want
		s.baseline.Entries = append(s.baseline.Entries, e)
		s.entries[e.key()] = e
	}
	if e == nil {
		return ""
	}
	s.matched[e] = true
	by := s.baseline.Path
	if e.Line > 0 {
		by = fmt.Sprintf("%s:%d", by, e.Line)
	}
	if e.Reason != "" {
		by += ": " + e.Reason
	}
	return by
}

// Stale returns the entries of the baseline that nothing matched, of the tests that ran reports.
func (s *Set) Stale(ran func(pkg, test string) bool) (stale []*Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.baseline == nil {
		return nil
	}
	for _, e := range s.baseline.Entries {
		if !s.matched[e] && ran(e.Package, e.Test) {
			stale = append(stale, e)
		}
	}
	return stale
}

// Drop takes entries out of the baseline.
func (s *Set) Drop(stale []*Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.baseline.Entries = slices.DeleteFunc(s.baseline.Entries,
		func(e *Entry) bool { return slices.Contains(stale, e) })
}

// Unused returns the rules that matched no finding.
func (s *Set) Unused() (unused []*Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if !s.used[r] {
			unused = append(unused, r)
		}
	}
	return unused
}
