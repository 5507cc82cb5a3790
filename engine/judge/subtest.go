package judge

import (
	"strings"

	"heddle/rt/wire"
)

// subtestOf returns the full name of the subtest whose goroutines a finding is about, "" if there
// is none, or if there are several. A subtest of a subtest is one with it.
func subtestOf(x *Execution, f *wire.Finding) (name string) {
	goroutines := map[string]bool{}
	for _, p := range f.CorePlaces() {
		goroutines[p.Goroutine] = true
	}
	for i := range f.Stacks {
		if len(f.Places) == 0 {
			goroutines[f.Stacks[i].Goroutine] = true
		}
	}
	for g := range goroutines {
		switch of := x.subtest(g); {
		case of == "" || of == name || strings.HasPrefix(name, of+"/"):
		case name == "" || strings.HasPrefix(of, name+"/"):
			name = of
		default:
			return ""
		}
	}
	return name
}

// subtest returns the subtest of the goroutine of a name: that of the nearest one, up the tree of
// go statements, that runs a subtest.
func (x *Execution) subtest(goroutine string) (name string) {
	longest := 0
	for g, of := range x.Subtests {
		n := x.Name(g)
		if len(n) > longest && (goroutine == n || strings.HasPrefix(goroutine, n+"/")) {
			name, longest = of, len(n)
		}
	}
	return name
}
