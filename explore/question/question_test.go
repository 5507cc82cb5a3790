package question

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	q, err := Parse("bank.go:21@main/1 & sub/b.go:3 && x == 0 && 2*a.b[1] - y + 3 >= z - 4 && ok == true && s != \"a b\"")
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Terms) != 6 {
		t.Fatalf("%d terms: %+v", len(q.Terms), q.Terms)
	}
	if a := q.Terms[0]; a.At.File != "bank.go" || a.At.Line != 21 || a.Goroutine != "main/1" {
		t.Errorf("%+v", a)
	}
	if a := q.Terms[1]; a.At.File != "sub/b.go" || a.At.Line != 3 || a.Goroutine != "" {
		t.Errorf("%+v", a)
	}
	if got, want := strings.Join(q.Variables(), " "), "x a.b[1] y z ok s"; got != want {
		t.Errorf("variables %s, want %s", got, want)
	}
	sum := q.Terms[3]
	var times []int64
	for _, x := range sum.Sum {
		times = append(times, x.Times)
	}
	if !slices.Equal(times, []int64{2, -1, -1}) || sum.Number != -7 {
		t.Errorf("%+v", sum)
	}
	for _, c := range []struct {
		term   int
		values []string
		holds  bool
	}{
		{2, []string{"0"}, true}, {2, []string{"1"}, false}, {2, []string{`"0"`}, false},
		{3, []string{"1", "4", "5"}, true}, {3, []string{"1", "5", "5"}, false}, // 2-y+3 >= 1
		{4, []string{"true"}, true}, {4, []string{"1"}, true}, {4, []string{"false"}, false},
		{5, []string{`"a b"`}, false}, {5, []string{`"c"`}, true},
	} {
		if got := q.Terms[c.term].Holds(c.values); got != c.holds {
			t.Errorf("term %d of %v: %v", c.term, c.values, got)
		}
	}
	for _, bad := range []string{"", "x", "x ==", "1 == 2", "bank.go:0", "bank.go:21@Main", "x == 1 +",
		"x y == 1", `x < "a"`, "x == 99999999999999999999"} {
		if q, err := Parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, q.Terms)
		}
	}
}

// FuzzParse: whatever text a user types is a question, or an error of one line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"bank.go:21@main/1 & x == 0", "2*a.b[1] - y + 3 >= z - 4 && ok == true",
		`s != "a b"`, "x.go:99999999999999999999", "9999999999999999999*x == 1", "&&"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if (q == nil) == (err == nil) || q != nil && len(q.Terms) == 0 {
			t.Errorf("%q: %+v, %v", text, q, err)
		}
	})
}
