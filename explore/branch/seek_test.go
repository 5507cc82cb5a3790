package branch

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heddle/order"
)

var programs = flag.Int("traces", 400, "random traces of which both ways must make the same groups")

// bothWays compares the groups of all branches, with the graph and without.
func bothWays(t *testing.T, w *written) (groups int) {
	t.Helper()
	x := Read(w.Trace)
	g, ok := Draw(x, 100000)
	if !ok {
		t.Fatal("the graph is too large")
	}
	s := NewSeeker(x)
	for b := range x.Branches {
		related, _ := x.RelatedOP(b)
		drawn := map[string]string{}
		for _, gr := range x.Groups(b, g.Variants) {
			if len(gr.Members) > 0 || gr.Executed {
				drawn[gr.Key()] = w.order(x, gr.Order)
			}
		}
		found := map[string]string{(&Group{Order: related}).Key(): w.order(x, related)}
		orders, ok := s.Orders(b, true, 100000)
		if !ok {
			t.Fatal("too many orders")
		}
		for _, gr := range orders {
			v, verdict := s.Find(context.Background(), b, gr)
			if verdict == order.Unknown {
				t.Fatalf("unknown: %s", w.order(x, gr.Order))
			}
			if verdict != order.Found {
				continue
			}
			found[gr.Key()] = w.order(x, gr.Order)
			if got, ok := x.groupOf(b, related, &v); !ok || got.Key() != gr.Key() {
				t.Errorf("branch %d: the variant found for %s is of the group %s", b, w.order(x, gr.Order),
					w.order(x, got.Order))
			}
			sound(t, x, &v)
		}
		for key, o := range drawn {
			if _, ok := found[key]; !ok {
				t.Errorf("branch %d: only the graph has the group %s", b, o)
			}
		}
		for key, o := range found {
			if _, ok := drawn[key]; !ok {
				t.Errorf("branch %d: only the solver has the group %s", b, o)
			}
		}
		groups += len(drawn)
	}
	return groups
}

// sound carries a variant out.
func sound(t *testing.T, x *Execution, v *Variant) {
	t.Helper()
	m := newRules(x)
	s := m.initial()
	for _, op := range v.Order {
		if feasible, changed := m.can(s, op); !feasible || changed {
			t.Fatalf("variant %v: op %d is feasible %v, changed %v", v, op, feasible, changed)
		}
		m.do(s, op)
	}
	if feasible, changed := m.can(s, v.Changed); !feasible || !changed {
		t.Fatalf("variant %v: at its end feasible %v, changed %v", v, feasible, changed)
	}
}

func TestBothWaysOnTheExamples(t *testing.T) {
	for name, text := range map[string]string{
		"figure 3": figure3, "figure 6": isTrue + t1True + t2, "figure 13": strings.Replace(figure13,
			"T1 10", "T1 4 wake c\nT1 10", 1) + "T1 10 branch true < y\n", "figure 15": figure15,
		"figure 19": figure19,
	} {
		t.Run(name, func(t *testing.T) { bothWays(t, parse(t, text)) })
	}
}

// randomTrace writes an execution of two or three goroutines down: accesses to a few variables,
// plainly and under locks, branches on what was read.
func randomTrace(r *rand.Rand) string {
	type goroutine struct {
		lines []string
		held  string
		read  []string
	}
	gs := make([]goroutine, 2+r.IntN(2))
	vars := []string{"x", "y", "z"}[:1+r.IntN(3)]
	line := 0
	for i := range gs {
		g := &gs[i]
		say := func(format string, args ...any) {
			line++
			g.lines = append(g.lines, fmt.Sprintf("T%d %d %s", i+1, line, fmt.Sprintf(format, args...)))
		}
		from := func() string {
			if len(g.read) == 0 || r.IntN(3) == 0 {
				return ""
			}
			return " < " + g.read[r.IntN(len(g.read))]
		}
		for range 2 + r.IntN(10/len(gs)) {
			v := vars[r.IntN(len(vars))]
			switch k := r.IntN(10); {
			case k < 4:
				say("read %s", v)
				if !slices.Contains(g.read, v) {
					g.read = append(g.read, v)
				}
			case k < 7:
				say("write %s%s", v, from())
			case k < 8 && g.held == "":
				g.held = []string{"a", "b"}[r.IntN(2)]
				say("lock %s", g.held)
			case k < 9 && g.held != "":
				say("unlock %s", g.held)
				g.held = ""
			default:
				if f := from(); f != "" {
					say("branch true%s", f)
				}
			}
		}
		if g.held != "" && r.IntN(4) > 0 {
			say("unlock %s", g.held)
		}
	}
	var out []string
	holder := map[string]int{}
	for {
		var ready []int
		for i := range gs {
			if len(gs[i].lines) == 0 {
				continue
			}
			f := strings.Fields(gs[i].lines[0])
			if f[2] == "lock" && holder[f[3]] != 0 {
				continue
			}
			ready = append(ready, i)
		}
		if len(ready) == 0 {
			return strings.Join(out, "\n")
		}
		i := ready[r.IntN(len(ready))]
		f := strings.Fields(gs[i].lines[0])
		switch f[2] {
		case "lock":
			holder[f[3]] = i + 1
		case "unlock":
			holder[f[3]] = 0
		}
		out = append(out, gs[i].lines[0])
		gs[i].lines = gs[i].lines[1:]
	}
}

func TestBothWaysOnRandomTraces(t *testing.T) {
	groups := 0
	for seed := range *programs {
		text := randomTrace(rand.New(rand.NewPCG(uint64(seed), 6)))
		groups += bothWays(t, parse(t, text))
		if t.Failed() {
			t.Fatalf("trace %d:\n%s", seed, text)
		}
	}
	if groups < *programs {
		t.Errorf("only %d groups", groups)
	}
	t.Logf("%d groups", groups)
}
