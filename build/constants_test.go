package build

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A text that a program asks for, to compare what comes of it, is compared; one that tells what has
// gone wrong is nothing that an input may have.
func TestCompared(t *testing.T) {
	c := constants{known: map[string]bool{}, named: map[string]bool{}, decls: map[string]*leads{}}
	p := &listed{}
	p.Dir, p.TestGoFiles = t.TempDir(), []string{"p_test.go"}
	text := "package p\n" +
		"func f(t *testing.T, q url.Values) {\n" +
		"	g(\"first\", \"both\")\n" +
		"	if q.Get(\"shared\") != \"1\" || q[\"both\"] == nil || !q.Has(\"asked\") { t.Errorf(\"two stores\") }\n" +
		"	if v, ok := q.Lookup(\"looked\"); ok && q.All(\"up\")[0] == v { return }\n" +
		"	x := q.Get(\"left\") + \"plus\"\n" +
		"}\n"
	if err := os.WriteFile(filepath.Join(p.Dir, "p_test.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c.take(p)
	compared := []string{"shared", "1", "both", "asked", "looked", "up", "0"}
	other := []string{"first", "left", "plus"}
	if !slices.Equal(c.Compared, compared) || !slices.Equal(c.Other, other) {
		t.Errorf("compared %q, want %q; others %q, want %q", c.Compared, compared, c.Other, other)
	}
}

// What a target leads to is found by the names of functions, methods, variables and types.
func TestNearConstants(t *testing.T) {
	dir := t.TempDir()
	text := "package p\n" +
		"import \"testing\"\n" +
		"type conf struct { Port int; other string `json:\"tagged\"` }\n" +
		"var table = map[string]int{\"listed\": 1}\n" +
		"var unused = \"nowhere\"\n" +
		"func (c conf) check(s string) bool { return s == \"method\" || table[s] > 0 }\n" +
		"func far(s string) bool { return s == \"far\" }\n" +
		"func FuzzA(f *testing.F) { f.Fuzz(func(t *testing.T, s string) { conf{}.check(s) }) }\n" +
		"func FuzzB(f *testing.F) { f.Add(\"seed\"); f.Fuzz(func(t *testing.T, s string) { far(s) }) }\n"
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := constants{known: map[string]bool{}, named: map[string]bool{}, decls: map[string]*leads{}}
	p := &listed{}
	p.Dir, p.TestGoFiles = dir, []string{"p_test.go"}
	c.take(p)
	c.near()
	for target, want := range map[string][2][]string{
		"FuzzA": {{"0", "1", "Port", "listed", "method", "tagged"}, {"far", "nowhere", "seed"}},
		"FuzzB": {{"far", "seed"}, {"0", "1", "Port", "listed", "method", "nowhere", "tagged"}},
	} {
		near, far := c.NearTo(target)
		words := slices.Concat(near.Compared, near.Other)
		others := slices.Concat(far.Compared, far.Other)
		for _, n := range near.Names {
			words = append(words, n.Name)
		}
		for _, n := range far.Names {
			others = append(others, n.Name)
		}
		for i, got := range [][]string{words, others} {
			slices.Sort(got)
			got = slices.DeleteFunc(slices.Compact(got), func(s string) bool { return s == "json" })
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s: %q, want %q", target, got, want[i])
			}
		}
	}
}
