package judge

import (
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

func TestSubtestOf(t *testing.T) {
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: 0, N: 1},
		{Parent: 0, N: 2},
		{Parent: 1, N: 1}, {Parent: 1, N: 2}, {Parent: 2, N: 1}}}
	x := &Execution{Trace: tr, Outcome: Outcome{Subtests: map[trace.GID]string{1: "TestA/b", 2: "TestA/c",
		4: "TestA/b/d"}}}
	for _, test := range []struct {
		of   []string
		want string
	}{
		{[]string{"main"}, ""},
		{[]string{"main/1"}, "TestA/b"},
		{[]string{"main", "main/1/1"}, "TestA/b"},
		{[]string{"main/1", "main/1/2"}, "TestA/b/d"},
		{[]string{"main/1", "main/2/1"}, ""},
		{[]string{"main/10"}, ""},
	} {
		f := &wire.Finding{}
		for _, g := range test.of {
			f.Places = append(f.Places, wire.Place{Goroutine: g})
		}
		if got := subtestOf(x, f); got != test.want {
			t.Errorf("%q: %q, want %q", test.of, got, test.want)
		}
	}
}
