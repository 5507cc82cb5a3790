package sat

import (
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

var instances = flag.Int("instances", 2000, "random formulas compared with other solvers")

// An oracle is gini with the same clauses. Every clause has a guard: gini ends
// the process once it is asked about a formula that is unsatisfiable by itself.
type oracle struct {
	g     *gini.Gini
	guard z.Lit
	vars  []z.Lit
}

func newOracle(n int) *oracle {
	o := &oracle{g: gini.New()}
	o.guard = o.g.Lit()
	for range n {
		o.vars = append(o.vars, o.g.Lit())
	}
	return o
}

func (o *oracle) lit(l Lit) z.Lit {
	if l.Negative() {
		return o.vars[l.Var()].Not()
	}
	return o.vars[l.Var()]
}

func (o *oracle) add(lits []Lit) {
	o.g.Add(o.guard.Not())
	for _, l := range lits {
		o.g.Add(o.lit(l))
	}
	o.g.Add(z.LitNull)
}

func (o *oracle) solve(assume []Lit) Status {
	o.g.Assume(o.guard)
	for _, l := range assume {
		o.g.Assume(o.lit(l))
	}
	if o.g.Solve() == 1 {
		return Sat
	}
	return Unsat
}

func randomLits(r *rand.Rand, vars, n int) []Lit {
	var ls []Lit
	for range n {
		ls = append(ls, Lit(r.Intn(2*vars)))
	}
	return ls
}

// TestAgainstGini compares answers, models, failed assumptions and cores on
// random formulas that grow between questions.
func TestAgainstGini(t *testing.T) {
	answers := map[Status]int{}
	for seed := range *instances {
		r := rand.New(rand.NewSource(int64(seed)))
		n := 3 + r.Intn(30)
		s, o := New(Options{Proof: true, InOrder: seed%2 == 1}), newOracle(n)
		for range n {
			s.NewVar()
		}
		var given [][]Lit
		for range 4 {
			for range n + r.Intn(2*n) {
				c := randomLits(r, n, 1+r.Intn(4)+r.Intn(2))
				s.Add(len(given), c...)
				o.add(c)
				given = append(given, c)
			}
			assume := randomLits(r, n, r.Intn(4))
			got, want := s.Solve(assume...), o.solve(assume)
			if got != want {
				t.Fatalf("seed %d: %v, gini says %v", seed, got, want)
			}
			answers[got]++
			if got == Sat {
				checkModel(t, s, given, assume)
			} else {
				checkCore(t, n, s, given, assume)
			}
		}
	}
	if answers[Sat] < *instances/2 || answers[Unsat] < *instances/2 {
		t.Errorf("one-sided: %v", answers)
	}
}

func checkModel(t *testing.T, s *Solver, given [][]Lit, assume []Lit) {
	t.Helper()
	for _, l := range assume {
		if !s.True(l) {
			t.Fatalf("assumption %d is not true", l)
		}
	}
	for _, c := range given {
		ok := false
		for _, l := range c {
			ok = ok || s.True(l)
		}
		if !ok {
			t.Fatalf("clause %v is not satisfied", c)
		}
	}
}

// checkCore: the clauses of the core and the failed assumptions are unsatisfiable by themselves.
func checkCore(t *testing.T, n int, s *Solver, given [][]Lit, assume []Lit) {
	t.Helper()
	o := newOracle(n)
	for _, tag := range s.Core() {
		o.add(given[tag])
	}
	for _, l := range s.Failed() {
		if !slices.Contains(assume, l) {
			t.Fatalf("%d failed, which was not assumed", l)
		}
	}
	if o.solve(s.Failed()) != Unsat {
		t.Fatalf("core %v with %v is satisfiable", s.Core(), s.Failed())
	}
}

// TestPigeons: n+1 pigeons do not fit into n holes. It needs restarts, and with few clauses allowed
// their deletion.
func TestPigeons(t *testing.T) {
	for n := 2; n <= 7; n++ {
		s := New(Options{Proof: true})
		s.maxLearnt = 50
		in := make([][]Lit, n+1)
		for p := range in {
			for range n {
				in[p] = append(in[p], s.NewVar().Pos())
			}
		}
		clauses := 0
		add := func(ls ...Lit) { s.Add(clauses, ls...); clauses++ }
		for p := range in {
			add(in[p]...)
		}
		for h := range n {
			for p := range in {
				for q := range p {
					add(in[p][h].Not(), in[q][h].Not())
				}
			}
		}
		if st := s.Solve(); st != Unsat {
			t.Fatalf("%d pigeons: %v", n+1, st)
		}
		if got := len(s.Core()); got != clauses { // it is minimally unsatisfiable
			t.Errorf("%d pigeons: %d of %d clauses in the core", n+1, got, clauses)
		}
		if n == 7 && (s.Stats.Deleted == 0 || s.Stats.Restarts == 0) {
			t.Errorf("nothing deleted or no restart: %+v", s.Stats)
		}
	}
}

// TestStop: a solver that is stopped returns Unknown.
func TestStop(t *testing.T) {
	stop := false
	s := New(Options{Stop: func() bool { return stop }})
	r := rand.New(rand.NewSource(1))
	for range 150 {
		s.NewVar()
	}
	for range 639 {
		s.Add(0, randomLits(r, 150, 3)...)
	}
	stop = true
	if st := s.Solve(); st != Unknown {
		t.Fatal(st)
	}
	stop = false
	if st := s.Solve(); st == Unknown {
		t.Fatal(st)
	}
}

func TestLuby(t *testing.T) {
	var got []int
	for i := 1; i <= 15; i++ {
		got = append(got, luby(i))
	}
	if s := fmt.Sprint(got); s != "[1 1 2 1 1 2 4 1 1 2 1 1 2 4 8]" {
		t.Error(s)
	}
}

func BenchmarkRandom3SAT(b *testing.B) {
	for b.Loop() {
		s := New(Options{})
		r := rand.New(rand.NewSource(7))
		for range 200 {
			s.NewVar()
		}
		for range 852 {
			s.Add(0, randomLits(r, 200, 3)...)
		}
		s.Solve()
	}
}
