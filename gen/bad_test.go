package gen

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadInput: what cannot be tested is told with its place, what was expected, and what to do.
func TestBadInput(t *testing.T) {
	p := loadFiles(t, "bad", map[string]string{"bad.go": badSource, "spec_test.go": badSpecs}, true)
	for _, c := range []struct {
		typ  string
		opt  Options
		want []string
	}{
		{"Plain", Options{}, []string{
			"bad.go:4: Plain has no exported methods",
			"types with exported methods are Count, Gen, Needs",
			"export a method",
		}},
		{"Needs", Options{}, []string{
			"bad.go:10: Needs",
			"Put is left out: no arguments can be made for it",
		}},
		{"Gen", Options{}, []string{
			"bad.go:16: Gen is generic",
			"int, string, what they list, and types of the package were tried",
		}},
		{"Cuont", Options{}, []string{
			"has no type Cuont; those with exported methods are Count, Gen, Needs",
		}},
		{"*Count", Options{}, []string{
			"has no type *Count (-type takes the name alone, without package, pointer and type arguments)",
		}},
		{"Locked", Options{}, []string{
			"Locked has no exported methods", "(methods of an embedded lock are not called)",
		}},
		{"check", Options{}, []string{"has no type check (spec_test.go:12: check is a function)"}},
		{"Count", Options{Spec: "other"}, []string{
			"spec_test.go:3: -spec other: its method Add is func(n int), and that of Count is " +
				"func(n int) int: want the same",
		}},
		{"Count", Options{Spec: "empty"}, []string{
			"spec_test.go:7: -spec empty has none of the methods of Count, which are Add: write " +
				"those",
		}},
		{"Count", Options{Spec: "check"}, []string{
			"has no type check (spec_test.go:12: check is a function): -spec names one",
		}},
		{"Count", Options{Spec: "none"}, []string{
			"has no type none: -spec names one, of the package or its tests",
		}},
		{"Count", Options{Validate: "check"}, []string{
			"spec_test.go:12: -validate check is func(c *Count) bool: want func(*Count) error",
		}},
		{"Count", Options{Validate: "other"}, []string{
			"(spec_test.go:3: other is a type): -validate names one",
		}},
		{"Count", Options{Once: []string{"Sub"}}, []string{
			"bad.go:20: Count has no method Sub that is called; there are Add: -once and -serial " +
				"name some",
		}},
		{"Count", Options{New: []string{"NewCount"}}, []string{
			"no function NewCount makes objects of Count; there are none",
		}},
	} {
		_, err := p.Suite(c.typ, c.opt)
		if err == nil {
			t.Errorf("%s %+v: no error", c.typ, c.opt)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s %+v: %v\nwant %s", c.typ, c.opt, err, want)
			}
		}
	}
}

const badSource = `package bad; import "sync"

// Plain has no exported methods.
type Plain struct{ n int }

func (p *Plain) add() { p.n++ }

type secret interface{ x() }

type Needs struct{}

// Put takes what cannot be made.
func (n *Needs) Put(s secret) {}

// Gen has a constraint that nothing satisfies.
type Gen[T secret] struct{ v T }

func (g *Gen[T]) Get() T { return g.v }

type Count struct{ n int }

func (c *Count) Add(n int) int { c.n += n; return c.n }

type Locked struct {
	sync.Mutex
	n int
}
`

const badSpecs = `package bad

type other struct{ n int }

func (s *other) Add(n int) { s.n += n }

type empty struct{}

var zero = empty{}

// check says nothing of use.
func check(c *Count) bool { return true }
`

// loadShared loads the package of sharedSource, tests: as Load does.
func loadShared(t *testing.T, tests bool) *Package {
	t.Helper()
	return loadFiles(t, "shared", map[string]string{"shared.go": sharedSource}, tests)
}

// loadFiles loads the package of files, by their names, which is example.com/module; tests: as Load
// does.
func loadFiles(t *testing.T, module string, files map[string]string, tests bool) *Package {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/"+module+"\n\ngo 1.24\n")
	for name, text := range files {
		write(name, text)
	}
	p, err := Load(context.Background(), dir, ".", tests)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSharedObject: a maker that returns one object for the whole process is left out, since what
// one scenario does to it is there in the next.
func TestSharedObject(t *testing.T) {
	ctx, p := context.Background(), loadShared(t, true)
	s, err := p.Suite("Set", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes,
		"Default() is left out: it returns the same object each time") {
		t.Errorf("notes: %s", notes)
	}
	for _, i := range s.fine {
		if strings.Contains(s.makes[i].shown(), "Default") {
			t.Errorf("used: %s", s.makes[i].shown())
		}
	}
	if len(s.fine) == 0 {
		t.Error("NewSet is not used")
	}
	only, err := p.Suite("Registry", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer only.Close()
	err = only.Prepare(ctx)
	if want := "Global(): returns the same object each time; write an exported function without " +
		"parameters that returns a new one"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s", err, want)
	}
}

const sharedSource = `package shared

import "sync"

type Set struct {
	mu sync.Mutex
	m  map[string]int
}

var std = NewSet()

func NewSet() *Set { return &Set{m: map[string]int{}} }

// Default returns the set of the process.
func Default() *Set { return std }

func (s *Set) Add(k string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k]++
	return s.m[k]
}

func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.m)
}

type Registry interface{ Register(k string) int }

type registry struct{ *Set }

func (r registry) Register(k string) int { return r.Add(k) }

var global = &registry{std}

// Global returns the registry of the process.
func Global() Registry { return global }
`
