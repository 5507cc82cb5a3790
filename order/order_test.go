package order

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"heddle/trace"
)

var (
	scripts = flag.Int("scripts", 300, "random traces compared with brute force")
	only    = flag.Int("script", -1, "compare this one alone")
)

// goals returns questions about a trace: all pairs of events of two goroutines
// that could race, some patterns and some sets that could wait for one another.
func goals(r *rand.Rand, w *twin) (gs []Goal) {
	var all []int
	for e := range len(w.t.Events) + len(w.t.Left) {
		all = append(all, e)
	}
	for range 12 {
		a, b := all[r.Intn(len(all))], all[r.Intn(len(all))]
		if w.event(a).G != w.event(b).G {
			gs = append(gs, Race(a, b), Deadlock(a, b))
		}
	}
	for range 6 {
		gs = append(gs, Deadlock(all[r.Intn(len(all))]))
		p := r.Perm(len(w.t.Events))[:min(len(w.t.Events), 1+r.Intn(3))]
		if len(p) > 0 {
			gs = append(gs, Pattern(p...))
		}
	}
	if len(w.byG) > 2 {
		var one []int
		for _, es := range w.byG {
			if len(es) > 0 {
				one = append(one, es[r.Intn(len(es))])
			}
		}
		gs = append(gs, Deadlock(one...), Goal{At: one})
	}
	return gs
}

// seeing returns questions about which write a read sees: as the next event, and
// with something done after it.
func seeing(r *rand.Rand, w *twin) (gs []Goal) {
	var reads, writes []int
	users := map[trace.ObjID]map[trace.GID]bool{}
	for _, e := range w.t.Events {
		if users[e.Obj] == nil {
			users[e.Obj] = map[trace.GID]bool{}
		}
		users[e.Obj][e.G] = true
	}
	for e := range w.t.Events {
		if len(users[w.t.Events[e].Obj]) < 2 {
			continue
		}
		switch w.t.Events[e].Op {
		case trace.OpRead, trace.OpAtomicLoad:
			reads = append(reads, e)
		case trace.OpWrite, trace.OpAtomicStore:
			writes = append(writes, e)
		}
	}
	for range 4 {
		if len(reads) == 0 || len(writes) == 0 {
			break
		}
		e, x := reads[r.Intn(len(reads))], writes[r.Intn(len(writes))]
		gs = append(gs, Goal{At: []int{e}, Sees: [][2]int{{e, -1}}})
		if w.t.Events[e].Obj != w.t.Events[x].Obj || w.t.Events[e].G == w.t.Events[x].G {
			continue
		}
		gs = append(gs, Goal{At: []int{e}, Sees: [][2]int{{e, x}}})
		last := r.Intn(len(w.t.Events))
		if last != e && last != x {
			gs = append(gs, Goal{Keep: []int{x}, Before: [][2]int{{x, e}, {e, last}}, Sees: [][2]int{{e, x}}})
		}
	}
	return gs
}

// TestMaximal: an order is found if and only if some correct order shows the
// goal, and what is found is one. In every fourth trace nothing depends on what is read.
func TestMaximal(t *testing.T) {
	asked := map[string]int{}
	for seed := range *scripts {
		if *only >= 0 && seed != *only {
			continue
		}
		r := rand.New(rand.NewSource(int64(seed)))
		s := randomScript(r)
		tr := s.execute(r)
		if len(tr.Events) == 0 {
			continue
		}
		w := newTwin(s, tr)
		opt := Options{}
		if seed%4 == 3 {
			w.free, opt.Dependent = true, func(int) int { return -1 }
		}
		p := New(tr, opt)
		for _, g := range append(goals(r, w), seeing(r, w)...) {
			want := w.search(g, func(st *state) bool { return w.shows(st, g) })
			a := p.Solve(context.Background(), g)
			kind := "race"
			if len(g.Sees) > 0 {
				kind = "sees"
			} else if g.Blocked {
				kind = "deadlock"
			} else if len(g.Keep) > 0 {
				kind = "pattern"
			}
			asked[fmt.Sprint(kind, " ", want)]++
			if (a.Verdict == Found) != want || a.Verdict == Unknown {
				t.Fatalf("script %d: %+v: %v %v %v, brute force says %v\n%s", seed, g, a.Verdict, a.Order,
					a.Core, want, listing(tr))
			}
			if want {
				checkOrder(t, seed, w, g, a.Order)
			}
		}
	}
	for _, k := range []string{"race true", "race false", "deadlock true", "deadlock false", "pattern true",
		"pattern false", "sees true", "sees false"} {
		if asked[k] < *scripts/10 && *only < 0 {
			t.Errorf("%s: asked %d times only", k, asked[k])
		}
	}
	t.Log(asked)
}

// checkOrder: an order that was found is correct and shows the goal.
func checkOrder(t *testing.T, seed int, w *twin, g Goal, order []int) {
	t.Helper()
	st := w.follow(order)
	if st == nil {
		t.Fatalf("script %d: %+v: %v is not correct\n%s", seed, g, order, listing(w.t))
	}
	if !w.shows(st, g) {
		t.Fatalf("script %d: %+v: %v does not show it\n%s", seed, g, order, listing(w.t))
	}
	for _, e := range g.Keep {
		if !slices.Contains(order, e) {
			t.Fatalf("script %d: %+v: %v lacks %d", seed, g, order, e)
		}
	}
	for _, b := range g.Before {
		i, j := slices.Index(order, b[0]), slices.Index(order, b[1])
		if i < 0 || j < 0 || i > j {
			t.Fatalf("script %d: %+v: %v has it otherwise\n%s", seed, g, order, listing(w.t))
		}
	}
}

func listing(t *trace.Trace) (s string) {
	for i := range t.Events {
		e := &t.Events[i]
		val := ""
		if e.Val > 0 {
			val = t.Values[e.Val-1]
		}
		s += fmt.Sprintf("%3d g%d %v %v%d(%d) arg %d partner %d value %q\n", i, e.G, e.Op,
			t.Objects[e.Obj].Kind, e.Obj, t.Objects[e.Obj].Cap, e.Arg, e.Partner, val)
	}
	for i, l := range t.Left {
		s += fmt.Sprintf("%3d g%d left at %v %v%d\n", len(t.Events)+i, l.G, l.Op, t.Objects[l.Obj].Kind,
			l.Obj)
	}
	return s
}
