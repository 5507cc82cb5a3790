package syntax

import "testing"

func TestDeclared(t *testing.T) {
	const source = `package p

var total, on = 0, false

type s struct {
	n  int64
	up *s
}

type t struct{ up bool }

func f(a []int) (err error) {
	m := map[string]int{}
	if total := 1; total > 0 {
		x := &s{}
		use(x)
	}
	go func() {
		err = g(m, x)
		total++
	}()
	x, y := h()
	use(x, y)
}
`
	files := New(func(string) []byte { return []byte(source) })
	for _, test := range []struct {
		name string
		line int
		want Declaration
	}{
		{"total", 20, Declaration{3, "int"}}, {"on", 20, Declaration{3, "bool"}},
		{"v.n", 20, Declaration{6, "int64"}},
		{"v.up", 20, Declaration{}},
		{"a", 16, Declaration{12, "[]int"}}, {"err", 19, Declaration{12, "error"}},
		{"m", 19, Declaration{13, "map[string]int"}}, {"x", 16, Declaration{15, "*s"}},
		{"x", 19, Declaration{}}, {"x", 23, Declaration{22, ""}}, {"nowhere", 19, Declaration{}},
	} {
		if got := files.Declared("p.go", test.line, test.name); got != test.want {
			t.Errorf("%s at line %d: %+v, want %+v", test.name, test.line, got, test.want)
		}
	}
}
