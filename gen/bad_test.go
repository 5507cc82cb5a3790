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
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/bad\n\ngo 1.24\n",
		"bad.go": badSource, "spec_test.go": badSpecs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(context.Background(), dir, ".", true)
	if err != nil {
		t.Fatal(err)
	}
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

const badSource = `package bad

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
`

const badSpecs = `package bad

type other struct{ n int }

func (s *other) Add(n int) { s.n += n }

type empty struct{}

var zero = empty{}

// check says nothing of use.
func check(c *Count) bool { return true }
`
