package acyclic

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"heddle/order/sat"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

var instances = flag.Int("instances", 1500, "random formulas compared with other solvers")

// A formula is about the order of nodes, with propositional variables beside.
type formula struct {
	nodes, props int
	fixed        [][2]int
	clauses      [][]term
}

// A term is "a before b", or the proposition a if b is -1, negated if not.
type term struct {
	a, b int
	not  bool
}

const maxNodes = 11

func randomFormula(r *rand.Rand) *formula {
	f := &formula{nodes: 3 + r.Intn(maxNodes-2), props: r.Intn(4)}
	for range r.Intn(f.nodes) {
		if a, b := r.Intn(f.nodes), r.Intn(f.nodes); a < b {
			f.fixed = append(f.fixed, [2]int{a, b})
		}
	}
	for range f.nodes + r.Intn(5*f.nodes) {
		f.clauses = append(f.clauses, f.randomClause(r))
	}
	return f
}

func (f *formula) randomClause(r *rand.Rand) []term {
	var c []term
	for range 1 + r.Intn(3) + r.Intn(2) {
		c = append(c, f.randomTerm(r))
	}
	return c
}

func (f *formula) randomTerm(r *rand.Rand) term {
	if f.props > 0 && r.Intn(5) == 0 {
		return term{r.Intn(f.props), -1, r.Intn(2) == 0}
	}
	a, b := r.Intn(f.nodes), r.Intn(f.nodes-1)
	if b >= a {
		b++
	}
	return term{a, b, false}
}

// An instance is a formula in our solver.
type instance struct {
	th    *Theory
	s     *sat.Solver
	props []sat.Lit
	facts [][2]int // tag minus factBase: what rests on fixed edges
}

const factBase = 1 << 20

func newInstance(f *formula) *instance {
	in := &instance{th: New(f.nodes)}
	in.th.Named = func(a, b int) int {
		in.facts = append(in.facts, [2]int{a, b})
		return factBase + len(in.facts) - 1
	}
	in.s = sat.New(sat.Options{Theory: in.th, Proof: true})
	in.th.Use(in.s)
	for _, e := range f.fixed {
		in.th.Fix(e[0], e[1])
	}
	for range f.props {
		in.props = append(in.props, in.s.NewVar().Pos())
	}
	return in
}

func (in *instance) lit(t term) sat.Lit {
	l := sat.None
	if t.b < 0 {
		l = in.props[t.a]
	} else {
		l = in.th.Before(t.a, t.b)
	}
	if t.not {
		l = l.Not()
	}
	return l
}

func (in *instance) lits(c []term) (ls []sat.Lit) {
	for _, t := range c {
		ls = append(ls, in.lit(t))
	}
	return ls
}

// holds reports whether a term is true in the order that was found.
func (in *instance) holds(t term) bool {
	if t.b < 0 {
		return in.s.True(in.lit(t))
	}
	return (in.th.Place(t.a) < in.th.Place(t.b)) != t.not
}

// A lazy solver is gini, which is given the cycles of its own models one after the other.
type lazy struct {
	g     *gini.Gini
	guard z.Lit
	f     *formula
	props []z.Lit
	atoms map[pair]z.Lit
}

func newLazy(f *formula) *lazy {
	y := &lazy{g: gini.New(), f: f, atoms: map[pair]z.Lit{}}
	y.guard = y.g.Lit()
	for range f.props {
		y.props = append(y.props, y.g.Lit())
	}
	for a := range f.nodes {
		for b := a + 1; b < f.nodes; b++ {
			y.atoms[pair{int32(a), int32(b)}] = y.g.Lit()
		}
	}
	for _, e := range f.fixed {
		y.add([]term{{e[0], e[1], false}})
	}
	return y
}

func (y *lazy) lit(t term) z.Lit {
	l := z.LitNull
	switch {
	case t.b < 0:
		l = y.props[t.a]
	case t.a < t.b:
		l = y.atoms[pair{int32(t.a), int32(t.b)}]
	default:
		l = y.atoms[pair{int32(t.b), int32(t.a)}].Not()
	}
	if t.not {
		l = l.Not()
	}
	return l
}

func (y *lazy) add(c []term) {
	y.g.Add(y.guard.Not())
	for _, t := range c {
		y.g.Add(y.lit(t))
	}
	y.g.Add(z.LitNull)
}

func (y *lazy) solve(assume []term) sat.Status {
	for {
		y.g.Assume(y.guard)
		for _, t := range assume {
			y.g.Assume(y.lit(t))
		}
		if y.g.Solve() != 1 {
			return sat.Unsat
		}
		c := y.triangle()
		if c == nil {
			return sat.Sat
		}
		y.add(c)
	}
}

// triangle returns the clause against a cycle of three in the model: in a
// tournament there is one if there is any.
func (y *lazy) triangle() []term {
	before := func(a, b int) bool { return y.g.Value(y.lit(term{a, b, false})) }
	for a := range y.f.nodes {
		for b := range y.f.nodes {
			for c := range y.f.nodes {
				if a != b && b != c && a != c && before(a, b) && before(b, c) && before(c, a) {
					return []term{{b, a, false}, {c, b, false}, {a, c, false}}
				}
			}
		}
	}
	return nil
}

// TestAgainstGini compares answers, orders and cores on random formulas that grow between
// questions.
func TestAgainstGini(t *testing.T) {
	answers := map[sat.Status]int{}
	for seed := range *instances {
		r := rand.New(rand.NewSource(int64(seed)))
		f := randomFormula(r)
		in, y := newInstance(f), newLazy(f)
		given := 0
		for range 3 {
			for _, c := range f.clauses[given:] {
				in.s.Add(given, in.lits(c)...)
				y.add(c)
				given++
			}
			var assume []term
			for range r.Intn(3) {
				assume = append(assume, f.randomTerm(r))
			}
			got, want := in.s.Solve(in.lits(assume)...), y.solve(assume)
			if got != want {
				t.Fatalf("seed %d: %v, gini says %v: %+v assuming %v", seed, got, want, f, assume)
			}
			answers[got]++
			if got == sat.Sat {
				in.checkOrder(t, f, assume)
			} else {
				in.checkCore(t, f, assume)
			}
			for range r.Intn(4) {
				f.clauses = append(f.clauses, f.randomClause(r))
			}
		}
	}
	if answers[sat.Sat] < *instances/2 || answers[sat.Unsat] < *instances/2 {
		t.Errorf("one-sided: %v", answers)
	}
}

func (in *instance) checkOrder(t *testing.T, f *formula, assume []term) {
	t.Helper()
	for _, e := range f.fixed {
		if in.th.Place(e[0]) >= in.th.Place(e[1]) {
			t.Fatalf("%v is not kept", e)
		}
	}
	for i, c := range f.clauses {
		ok := false
		for _, x := range c {
			ok = ok || in.holds(x)
		}
		if !ok {
			t.Fatalf("clause %d of %+v is not satisfied", i, f)
		}
	}
	for _, x := range assume {
		if !in.holds(x) {
			t.Fatalf("assumption %v does not hold", x)
		}
	}
}

// checkCore: what the core names is unsatisfiable by itself, and the facts in it are true.
func (in *instance) checkCore(t *testing.T, f *formula, assume []term) {
	t.Helper()
	g := *f
	g.fixed, g.clauses = nil, nil
	y := newLazy(&g)
	for _, tag := range in.s.Core() {
		if tag < factBase {
			y.add(f.clauses[tag])
			continue
		}
		e := in.facts[tag-factBase]
		y.add([]term{{e[0], e[1], false}})
		g := *f
		g.clauses = nil
		if newLazy(&g).solve([]term{{e[1], e[0], false}}) != sat.Unsat {
			t.Fatalf("%v is named, and not so", e)
		}
	}
	var failed []term
	for _, x := range assume {
		for _, l := range in.s.Failed() {
			if in.lit(x) == l {
				failed = append(failed, x)
			}
		}
	}
	if y.solve(failed) != sat.Unsat {
		t.Fatalf("core %v of %+v with %v is satisfiable", in.s.Core(), f, failed)
	}
}

// TestAgainstZ3 compares answers with z3's, if it is installed: nodes are numbers there.
func TestAgainstZ3(t *testing.T) {
	path, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3 is not installed: its answers are not compared")
	}
	cmd := exec.Command(path, "-in")
	w, err1 := cmd.StdinPipe()
	r, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal("cannot start z3")
	}
	defer cmd.Wait()
	defer w.Close()
	out := bufio.NewReader(r)
	for n := range maxNodes {
		fmt.Fprintf(w, "(declare-const n%d Real)(declare-const p%d Bool)", n, n)
	}
	for seed := range *instances {
		f := randomFormula(rand.New(rand.NewSource(int64(1e6 + seed))))
		in := newInstance(f)
		for i, c := range f.clauses {
			in.s.Add(i, in.lits(c)...)
		}
		got := in.s.Solve()
		f.smt(w)
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSpace(line); (got == sat.Sat) != (want == "sat") ||
			want != "sat" && want != "unsat" {
			t.Fatalf("seed %d: %v, z3 says %s: %+v", seed, got, want, f)
		}
	}
}

// smt writes f as a question in SMT-LIB. Nodes may be equal where no term says that one comes
// before the other: then either may.
func (f *formula) smt(w io.Writer) {
	fmt.Fprintln(w, "(push)")
	for _, e := range f.fixed {
		fmt.Fprintf(w, "(assert (< n%d n%d))\n", e[0], e[1])
	}
	for _, c := range f.clauses {
		fmt.Fprint(w, "(assert (or false")
		for _, t := range c {
			switch {
			case t.b < 0 && t.not:
				fmt.Fprintf(w, " (not p%d)", t.a)
			case t.b < 0:
				fmt.Fprintf(w, " p%d", t.a)
			case t.not:
				fmt.Fprintf(w, " (< n%d n%d)", t.b, t.a)
			default:
				fmt.Fprintf(w, " (< n%d n%d)", t.a, t.b)
			}
		}
		fmt.Fprintln(w, "))")
	}
	fmt.Fprintln(w, "(check-sat)(pop)")
}

// BenchmarkRegions is the shape of the measurement that spoke for this design:
// 2,000 events of 32 goroutines, one lock, and 50 questions about pairs of regions.
func BenchmarkRegions(b *testing.B) {
	const events, gs = 2000, 32
	for b.Loop() {
		th := New(events)
		s := sat.New(sat.Options{Theory: th})
		th.Use(s)
		last := make([]int, gs)
		for i := range last {
			last[i] = -1
		}
		r := rand.New(rand.NewSource(1))
		var locks [][2]int
		for e := 0; e+1 < events; e += 2 {
			g := r.Intn(gs)
			if last[g] >= 0 {
				th.Fix(last[g], e)
			}
			th.Fix(e, e+1)
			last[g] = e + 1
			if e%8 == 0 {
				locks = append(locks, [2]int{e, e + 1})
			}
		}
		for i, x := range locks {
			for _, y := range locks[:i] {
				s.Add(0, th.Before(x[1], y[0]), th.Before(y[1], x[0]))
			}
		}
		for range 50 {
			x, y := locks[r.Intn(len(locks))], locks[r.Intn(len(locks))]
			if x != y {
				s.Solve(th.Before(x[0], y[0]))
			}
		}
	}
}

// TestArrange: an order that is made anew keeps all edges, and has room for the edges that come,
// unless these close a cycle: then it stays as it was.
func TestArrange(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	made, refused := 0, 0
	for range 2000 {
		n := 2 + r.Intn(30)
		g := newGraph(n)
		for range r.Intn(2 * n) {
			g.add(int32(r.Intn(n)), int32(r.Intn(n)), fixed, sat.None)
		}
		was := slices.Clone(g.place)
		var more []pair
		whole := newGraph(n)
		acyclic := true
		for _, e := range g.edges {
			whole.add(e.from, e.to, fixed, sat.None)
		}
		for range 1 + r.Intn(n) {
			a, b := int32(r.Intn(n)), int32(r.Intn(n))
			if a != b {
				more = append(more, pair{a, b})
				acyclic = acyclic && whole.add(a, b, fixed, sat.None)
			}
		}
		g.arrange(more)
		if !acyclic {
			refused++
			if !slices.Equal(g.place, was) {
				t.Fatalf("%v close a cycle, and the order %v became %v", more, was, g.place)
			}
			continue
		}
		made++
		for at, m := range g.place {
			if g.ord[m] != int32(at) {
				t.Fatalf("node %d is at place %d and has place %d", m, at, g.ord[m])
			}
		}
		for _, e := range g.edges {
			more = append(more, pair{e.from, e.to})
		}
		for _, e := range more {
			if g.ord[e.a] >= g.ord[e.b] {
				t.Fatalf("%d comes at %d and %d, which follows it, at %d", e.a, g.ord[e.a], e.b, g.ord[e.b])
			}
		}
	}
	if made < 200 || refused < 200 {
		t.Errorf("%d orders were made and %d refused", made, refused)
	}
}
