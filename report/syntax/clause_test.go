package syntax

import "testing"

// TestClause asks for the lines of the cases of a select, in which a default is not counted.
func TestClause(t *testing.T) {
	files := New(func(string) []byte {
		return []byte("package a\nfunc f(a, b chan int) {\n\tselect {\n\tcase <-a:\n\tdefault:\n\tcase b <- 1:\n\t}\n}\n")
	})
	for n, want := range map[int]int{0: 4, 1: 6, -1: 5, 2: 0} {
		if got := files.Clause("a.go", 3, n); got != want {
			t.Errorf("case %d is at line %d, want %d", n, got, want)
		}
	}
	if got := files.Clause("a.go", 4, 0); got != 0 {
		t.Errorf("no select begins at line 4, but its case is at %d", got)
	}
}
