package gogen

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestGenerate: a number always gives the same program, which is valid Go source in both manners.
func TestGenerate(t *testing.T) {
	for seed := range uint64(60) {
		p := Generate(seed)
		a := source(t, p)
		if b := source(t, Generate(seed)); a != b {
			t.Fatalf("program %d is not the same twice:\n%s\n%s", seed, a, b)
		}
		n, err := Source([]*Program{p}, Native)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", n, 0); err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, n)
		}
	}
}

// TestPieces: each piece occurs in some program.
func TestPieces(t *testing.T) {
	pieces := map[string]bool{}
	for seed := range uint64(10000) {
		for _, name := range Generate(seed).Pieces() {
			pieces[name] = true
		}
	}
	for _, pc := range all {
		if !pieces[pc.name] {
			t.Errorf("no program has a piece %q", pc.name)
		}
	}
}

// TestFeatures: every feature occurs in one of a hundred programs.
func TestFeatures(t *testing.T) {
	has := map[string]int{}
	for seed := range uint64(1000) {
		for _, f := range Generate(seed).Features() {
			has[f]++
		}
	}
	for _, f := range Features() {
		if has[f] < 10 {
			t.Errorf("%d of 1,000 programs have %s", has[f], f)
		}
	}
}

// TestPieceNames: the names of pieces are distinct.
func TestPieceNames(t *testing.T) {
	seen := map[string]bool{}
	for _, pc := range all {
		if seen[pc.name] {
			t.Errorf("two pieces are called %q", pc.name)
		}
		seen[pc.name] = true
	}
}

// TestSmaller: removing parts makes a program smaller, down to nothing.
func TestSmaller(t *testing.T) {
	for seed := range uint64(5) {
		p := Generate(seed)
		steps := 0
		for p.Size() > 0 {
			list := Smaller(p)
			if len(list) == 0 {
				t.Fatalf("program %d: nothing can be left out of\n%s", seed, source(t, p))
			}
			for _, q := range list {
				source(t, q)
			}
			p = list[0]
			if steps++; steps > 200 {
				t.Fatalf("program %d does not become smaller:\n%s", seed, source(t, p))
			}
		}
	}
}

// TestJSON: a program is the same after it was written to a file and read again.
func TestJSON(t *testing.T) {
	for seed := range uint64(30) {
		p := Generate(seed)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q := new(Program)
		if err := json.Unmarshal(text, q); err != nil {
			t.Fatal(err)
		}
		if a, b := source(t, p), source(t, q); a != b {
			t.Errorf("program %d:\n%s\nread back:\n%s", seed, a, b)
		}
	}
}

// TestClean: in clean programs all plain memory is guarded.
func TestClean(t *testing.T) {
	for seed := range uint64(500) {
		p := Generate(seed)
		if !p.Clean {
			continue
		}
		p.each(func(n *Node) {
			for _, o := range p.Objects {
				if o.plain && slices.Contains(words.FindAllString(n.Text, -1), o.Name) &&
					!strings.Contains(n.Text, o.Open) {
					t.Errorf("program %d: %s is not guarded in\n%s", seed, o.Name, n.Text)
				}
			}
		})
	}
}

func source(t *testing.T, p *Program) string {
	t.Helper()
	s, err := Source([]*Program{p}, Test)
	if err != nil {
		t.Fatalf("program %d: %v\n%s", p.Seed, err, s)
	}
	return s
}
