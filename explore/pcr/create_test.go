package pcr

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/order"
	"heddle/trace"
)

// randomTraces calls f with traces of random programs under random schedules.
func randomTraces(t *testing.T, n int, f func(seed uint64, tr *trace.Trace)) {
	t.Helper()
	for seed := uint64(0); n > 0; seed++ {
		p := progen.Generate(seed, progen.Default)
		if !modelled(p) {
			continue
		}
		n--
		m := machine.New(p)
		m.Values = true
		tr, err := m.Execute(context.Background(), &trace.Schedule{Policy: "random", Seed: seed + 1,
			Exhaustive: true})
		if err != nil {
			t.Fatal(err)
		}
		f(seed, tr.Clone())
	}
}

// literal is Algorithm 3 as printed, with the correction: patterns of length 2, and their
// combinations.
func literal(c *creation) {
	type pair [2]int32
	pairs := make([][]pair, len(c.as.Vars))
	for v := range c.as.Vars {
		for _, u := range c.as.Vars[v].All {
			for _, w := range c.as.Vars[v].All {
				if a, b := &c.as.All[u], &c.as.All[w]; a.G != b.G && (a.Write || b.Write) {
					pairs[v] = append(pairs[v], pair{u, w})
				}
			}
		}
	}
	g := func(i int32) trace.GID { return c.as.All[i].G }
	once := map[[4]int32]bool{}
	consider := func(accesses ...int32) {
		key := [4]int32{-1, -1, -1, -1}
		copy(key[:], accesses)
		for i, u := range accesses {
			for _, w := range accesses[:i] {
				if c.as.All[u].Event == c.as.All[w].Event {
					return
				}
			}
		}
		if !once[key] {
			once[key] = true
			c.consider(accesses...)
		}
	}
	for x := range pairs {
		for _, p := range pairs[x] {
			consider(p[0], p[1])
			for _, q := range pairs[x] {
				if g(p[0]) == g(q[1]) && p[0] != q[1] && p[1] == q[0] {
					consider(p[0], p[1], q[1])
				}
			}
		}
		for y := range pairs {
			if x == y {
				continue
			}
			for _, p := range pairs[x] {
				for _, q := range pairs[y] {
					if g(p[0]) == g(q[1]) && g(p[1]) == g(q[0]) {
						consider(p[0], p[1], q[0], q[1])
						consider(p[0], q[0], p[1], q[1])
						consider(p[0], q[0], q[1], p[1])
					}
				}
			}
		}
	}
}

// keys returns the candidates that were made, as text.
func (c *creation) keys() []string {
	m := map[string]bool{}
	for i := range c.found {
		k := &c.found[i]
		m[fmt.Sprint(k.access[:k.n], k.write[:k.n])] = true
	}
	return slices.Sorted(maps.Keys(m))
}

// TestCreation: combining legs gives the candidates of the paper's algorithm, under each rule
// alone, all but each, and all.
func TestCreation(t *testing.T) {
	sets := []Rules{0, AllRules &^ Covered}
	for r := NonDefined; r <= Redundant; r <<= 1 {
		if r != Covered {
			sets = append(sets, r, AllRules&^Covered&^r)
		}
	}
	made := 0
	randomTraces(t, 200, func(seed uint64, tr *trace.Trace) {
		for _, rules := range sets {
			want := createFrom(tr, 0)
			want.rules, want.found = rules, nil
			literal(want)
			got := createFrom(tr, rules)
			made += len(got.found)
			if a, b := got.keys(), want.keys(); !slices.Equal(a, b) {
				t.Fatalf("seed %d, rules %b: %d candidates, as printed %d:\n%v\n%v", seed, rules, len(a),
					len(b), a, b)
			}
		}
	})
	if made == 0 {
		t.Fatal("nothing was made")
	}
}

// TestMCR: the candidates of strategy mcr, by rule 4 alone, are those of maximal causality
// reduction: every read with every write by another goroutine that left another value than the read
// saw.
func TestMCR(t *testing.T) {
	asked := 0
	randomTraces(t, 500, func(seed uint64, tr *trace.Trace) {
		c := createFrom(tr, 0)
		c = &creation{as: c.as, set: c.set, rules: MCR().Rules, longest: MCR().Longest,
			problem: order.New(tr, order.Options{})}
		c.create()
		got := map[[2]int]bool{}
		for i := range c.found {
			k := &c.found[i]
			for _, x := range c.goal(k, c.certain(k), true).Sees {
				if x[1] >= 0 {
					got[x] = true
				}
			}
		}
		want := map[[2]int]bool{}
		for r := range tr.Events {
			for w := range tr.Events {
				if another(tr, r, w) {
					want[[2]int{r, w}] = true
				}
			}
		}
		for x := range want {
			if !got[x] {
				t.Errorf("seed %d: that %d sees %d is not asked for", seed, x[0], x[1])
			}
		}
		asked += len(want)
	})
	if asked == 0 {
		t.Fatal("there was nothing to ask for")
	}
}

// another reports whether plain memory read by r was written by w of another goroutine with another
// value.
func another(tr *trace.Trace, r, w int) bool {
	a, b := &tr.Events[r], &tr.Events[w]
	if a.Op != trace.OpRead || b.Op != trace.OpWrite || a.Obj != b.Obj || a.G == b.G {
		return false
	}
	return a.Val > 0 && b.Val > 0 && tr.Values[a.Val-1] != tr.Values[b.Val-1]
}

// TestExpired: when the time is up there is no next schedule, and the search does not say that it
// has ended by itself.
func TestExpired(t *testing.T) {
	o := Map()
	over := false
	o.Expired = func() bool { return over }
	s := New(o)
	s.Next()
	s.Done(traceOf(t, figure1))
	if s.Next() == nil {
		t.Fatal("there is no second schedule")
	}
	if over = true; s.Next() != nil {
		t.Error("there is a schedule after the time was over")
	}
	if r := s.Result(); r.Complete || r.Reason.String() != "the time was over" {
		t.Errorf("%+v", r)
	}
}

// TestExpiredWithin: when the time is up the remaining candidates of an execution are not examined.
func TestExpiredWithin(t *testing.T) {
	var lines strings.Builder
	for g := 1; g <= 2; g++ {
		for v := range 40 {
			fmt.Fprintf(&lines, "%d R v%d s%d %d\n%d W v%d s%d %d\n", g, v, 2*v, g-1, g, v, 2*v+1, g)
		}
	}
	asked := func(times int) (candidates, left int) {
		o := Map()
		o.Expired = func() bool { times--; return times < 0 }
		s := New(o)
		s.Next()
		s.Done(traceOf(t, lines.String()))
		if times < 0 && s.Result().Reason.String() != "the time was over" {
			t.Errorf("%+v", s.Result())
		}
		return s.Stats().Candidates, times
	}
	all, left := asked(math.MaxInt)
	if all == 0 || math.MaxInt-left < 100 {
		t.Fatalf("%d candidates; it was asked %d times whether the time is over", all, math.MaxInt-left)
	}
	if some, left := asked(100); some >= all || left != -1 {
		t.Errorf("%d of %d candidates, asked %d times after the time was over", some, all, -1-left)
	}
}

// TestUnknown: a formula that is not decided in time is listed as unknown, and not as one without a
// solution.
func TestUnknown(t *testing.T) {
	s := New(Options{Rules: AllRules, Longest: 4, Limit: time.Nanosecond})
	s.Next()
	s.Done(traceOf(t, figure1))
	if s.Next() != nil {
		t.Error("there is a schedule, but no time to find it")
	}
	st := s.Stats()
	if len(st.Unknown) == 0 || st.Refuted > 0 || s.cores[0].n > 0 || st.Skipped > 0 {
		t.Errorf("%+v", st)
	}
	if s.Result().Reason.String() != "formulas not decided in time" || s.Result().Complete {
		t.Errorf("%+v", s.Result())
	}
}

// After each execution that is examined Cheap random ones come, which ask for nothing and count
// what they cover. All patterns are found as without.
func TestCheap(t *testing.T) {
	covered := [2]int{}
	for i, cheap := range [2]int{0, 3} {
		examined, random := 0, 0
		for seed := uint64(0); seed < 60; seed++ {
			p := progen.Generate(seed, progen.Default)
			if !modelled(p) {
				continue
			}
			m := machine.New(p)
			m.Values = true
			opt := Map()
			opt.Seed, opt.Cheap = 1, cheap
			s := New(opt)
			for next := s.Next(); next != nil && s.result.Executions < 400; next = s.Next() {
				if s.quick {
					random++
				} else {
					examined++
				}
				tr, err := m.Execute(context.Background(), next)
				if err != nil {
					t.Fatal(err)
				}
				kept := s.stats.Candidates
				quick := s.quick
				if s.Done(tr); quick && s.stats.Candidates != kept {
					t.Fatalf("program %d: a random execution was examined", seed)
				}
			}
			covered[i] += s.set.Covered()
		}
		if random > cheap*examined || (random > 0) != (cheap > 0) {
			t.Errorf("cheap %d: %d random executions beside %d examined ones", cheap, random, examined)
		}
	}
	if covered[1] < covered[0] {
		t.Errorf("%d patterns with random executions, %d without", covered[1], covered[0])
	}
}
