package report

import (
	"strings"
	"testing"

	"heddle/explore/why"
)

func TestBest(t *testing.T) {
	found := func(name string, findings, first int) Comparison {
		return Comparison{Strategy: name, Findings: findings, First: first, Executions: 300, Elapsed: 1}
	}
	covered := func(name string, n int, elapsed float64, what string) Comparison {
		return Comparison{Strategy: name, Executions: n, Covering: n, Complete: true, Elapsed: elapsed,
			Why: why.End{Covered: what}}
	}
	sampled := func(name string, orders int) Comparison {
		return Comparison{Strategy: name, Executions: 300, Elapsed: 1, Orders: orders}
	}
	broken := Comparison{Strategy: "map", Error: "could not be built for data flow"}
	for _, tt := range []struct {
		name string
		all  []Comparison
		want string // names: why
	}{
		{"one strategy", []Comparison{found("dpor", 1, 3)}, ": "},
		{"one that ran", []Comparison{found("dpor", 1, 3), broken}, ": "},
		{"alone", []Comparison{found("dpor", 1, 3), found("pct", 0, 0), broken},
			"dpor: found 1 finding, the others none"},
		{"more", []Comparison{found("dpor", 2, 30), found("pct", 1, 1), found("reach", 0, 0)},
			"dpor: found 2 findings, the others 1 at most"},
		{"sooner", []Comparison{found("pct", 1, 1041), found("dpor", 1, 3), found("reach", 1, 90)},
			"dpor: all found 1 finding; the first after 3 executions, by reach after 90"},
		{"more, then sooner", []Comparison{found("pct", 2, 9), found("dpor", 2, 1), found("reach", 0, 0)},
			"dpor: 2 of 3 found 2 findings, the others none; the first after 1 execution, by pct after 9"},
		{"two", []Comparison{found("pct", 1, 3), found("dpor", 1, 3), found("reach", 0, 0)},
			"pct dpor: found 1 finding, the others none"},
		{"all alike", []Comparison{found("pct", 1, 3), found("dpor", 1, 3)},
			": all found 1 finding after 3 executions"},
		{"covers", []Comparison{sampled("pct", 9), covered("dpor", 6, 2, ""), sampled("surw", 8)},
			"dpor: covered all interleavings, which the others did not"},
		{"covers more", []Comparison{covered("unfold", 4, 1, "local states"), covered("dpor", 6, 2, "")},
			"dpor: covered all interleavings, which unfold did not"},
		{"covers sooner", []Comparison{covered("auto", 60, 2, ""), covered("dpor", 24, 0.5, "")},
			"dpor: covered all interleavings; by 24 executions in 0.5s, auto by 60 executions in 2.0s"},
		{"both at once", []Comparison{covered("auto", 60, 0.003, ""), covered("dpor", 24, 0.02, "")},
			"dpor: covered all interleavings; by 24 executions in 20ms, auto by 60 executions in 3ms"},
		{"cover alike", []Comparison{covered("auto", 6, 0.003, ""), covered("dpor", 6, 0.02, "")},
			": all covered all interleavings by 6 executions"},
		{"nothing", []Comparison{sampled("pct", 90), sampled("surw", 4711)},
			": none found anything or covered everything, so none is better; the most orders of operations, 4,711, were seen by surw"},
	} {
		names, because := best(tt.all)
		if got := strings.Join(names, " ") + ": " + because; got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
