package policy

import (
	"math"
	"slices"
	"strings"
	"testing"

	"heddle/trace"
)

func mustNew(t testing.TB, name string, depth int) Policy {
	p, err := New(name, depth)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != name {
		t.Fatalf("%s calls itself %s", name, p.Name())
	}
	return p
}

func TestNew(t *testing.T) {
	_, err := New("chaos", 0)
	want := `unknown policy "chaos": want one of first, random, pos, pct, rr`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if p, err := New("", 0); err != nil || p.Name() != "first" {
		t.Errorf("%v, %v", p, err)
	}
}

var some = program{
	append(times(10, local), write(1), lock(2), read(3), unlock(2)),
	{lock(2), write(1), unlock(2), write(3)},
	append(times(5, read(1)), write(4), local),
	{read(4), lock(2), unlock(2)},
}

// The same seed gives the same choices, from a new policy and from one that has made other
// executions.
func TestDeterministic(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			used := mustNew(t, name, 3)
			different := false
			var last []trace.GID
			for seed := range uint64(50) {
				p := mustNew(t, name, 3)
				if l, ok := p.(Lengther); ok {
					l.SetLength(some.steps())
				}
				a, b := some.execute(p, seed), some.execute(used, seed)
				if seed == 0 {
					b = some.execute(used, seed) // pct has learnt the length
				}
				if !slices.Equal(a.order, b.order) {
					t.Fatalf("seed %d: %v and %v", seed, a.order, b.order)
				}
				different = different || seed > 0 && !slices.Equal(a.order, last)
				last = a.order
			}
			if seedless := name == "first" || name == "rr"; different == seedless {
				t.Errorf("seeds make a difference: %v", different)
			}
		})
	}
}

// first is the program run goroutine by goroutine.
func TestFirst(t *testing.T) {
	p := program{times(3, local), {lock(1), local, unlock(1)}, {lock(1), unlock(1)}}
	want := []trace.GID{0, 0, 0, 1, 1, 1, 2, 2}
	if got := p.execute(mustNew(t, "first", 0), 0).order; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Two goroutines that wait for a third by giving way let it go.
func TestYield(t *testing.T) {
	yields := times(50, op{trace.OpGosched, 0})
	p := program{yields, yields, times(5, local)}
	for _, name := range []string{"first", "pct", "rr"} {
		for seed := range uint64(20) {
			r := p.execute(mustNew(t, name, 2), seed)
			if r.at[2][4] > 20 {
				t.Errorf("%s, seed %d: the third ended at step %d", name, seed, r.at[2][4])
			}
		}
	}
	// An early timer never has a turn.
	pend := []trace.Pending{{Op: trace.OpGosched}, {Op: trace.OpTimerFire}}
	if g := (first{}).Choose(0, timersAt(1, 0), pend); g != 0 {
		t.Errorf("first fired a timer early")
	}
}

func TestRoundRobin(t *testing.T) {
	p := program{times(3, local), times(2, local), times(4, local)}
	want := []trace.GID{0, 1, 2, 0, 1, 2, 0, 2, 2}
	if got := p.execute(mustNew(t, "rr", 0), 0).order; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOutcome(t *testing.T) {
	const n, each = 7, 2000
	for _, name := range Names() {
		p := mustNew(t, name, 3)
		count := make([]int, n)
		for seed := range uint64(100) { // of the first outcomes of executions too, not only within one
			p.Begin(seed)
			for range n * each / 100 {
				count[p.Outcome(n)]++
			}
		}
		if name == "first" {
			if count[0] != n*each {
				t.Errorf("first: %v", count)
			}
			continue
		}
		if x := chiSquare(count); x > 22.5 { // 6 degrees of freedom: p = 0.001
			t.Errorf("%s: outcomes %v, chi square %.1f", name, count, x)
		}
	}
}

func chiSquare(count []int) (x float64) {
	sum := 0
	for _, c := range count {
		sum += c
	}
	e := float64(sum) / float64(len(count))
	for _, c := range count {
		x += (float64(c) - e) * (float64(c) - e) / e
	}
	return x
}

// random takes each of those that are ready equally often, whatever came before.
func TestRandomUniform(t *testing.T) {
	gs := []trace.GID{1, 4, 5, 9, 11}
	ready := Of(gs...)
	pend := make([]trace.Pending, 12)
	p := mustNew(t, "random", 0)
	pairs := make([]int, 25)
	p.Begin(7)
	last := 0
	for range 50000 {
		i := slices.Index(gs, p.Choose(trace.NoG, ready, pend))
		pairs[last*5+i]++
		last = i
	}
	if x := chiSquare(pairs); x > 51.2 { // 24 degrees of freedom: p = 0.001
		t.Errorf("chi square %.1f: %v", x, pairs)
	}
	// The first choice of consecutive seeds.
	firsts := make([]int, 5)
	for seed := range uint64(20000) {
		p.Begin(seed)
		firsts[slices.Index(gs, p.Choose(trace.NoG, ready, pend))]++
	}
	if x := chiSquare(firsts); x > 18.5 {
		t.Errorf("first choices: chi square %.1f: %v", x, firsts)
	}
}

// near reports whether a frequency seen in n tries is within four standard deviations of p.
func near(got, p float64, n int) bool {
	return math.Abs(got-p) <= 4*math.Sqrt(p*(1-p)/float64(n))
}

// The promise of PCT: a bug of depth d shows with probability at least 1/(n*k^(d-1)).
func TestPCTBound(t *testing.T) {
	const n = 20000
	for _, test := range []struct {
		name  string
		depth int
		p     program
		bug   func(run) bool
	}{
		{"Ordering", 1, // used before it is initialised, at the end of a long start
			program{append(times(20, local), write(1)), {read(1)}, times(10, local)},
			func(r run) bool { return r.before(1, 0, 0, 20) }},
		{"OrderingBehind", 1, // only if one overtakes everything the other does first
			program{append(times(20, local), write(1)), {read(1)}},
			func(r run) bool { return r.before(0, 20, 1, 0) }},
		{"Atomicity", 2, // a write between the check and the use
			program{
				slices.Concat(times(8, local), []op{read(1), read(1)}, times(8, local)),
				slices.Concat(times(8, local), []op{write(1)}),
			},
			func(r run) bool { return r.before(0, 8, 1, 8) && r.before(1, 8, 0, 9) }},
		{"Deadlock", 2,
			program{
				slices.Concat(times(6, local), []op{lock(1), lock(2), unlock(2), unlock(1)}),
				slices.Concat(times(6, local), []op{lock(2), lock(1), unlock(1), unlock(2)}),
				times(5, local)},
			func(r run) bool { return r.at[0][7] == never && r.at[1][7] == never }},
		{"ThreeConstraints", 3, // there, back and there again
			program{append(times(2, local), write(1), write(1)), append(times(2, local), write(1), write(1))},
			func(r run) bool {
				return r.before(0, 2, 1, 2) && r.before(1, 2, 0, 3) && r.before(0, 3, 1, 3)
			}},
		// Two are stopped half way, and the one stopped last goes on first, or the other way round.
		{"LaterDropGoesFirst", 3,
			program{{write(1), write(2)}, {write(1), write(2)}, {write(1)}},
			func(r run) bool {
				stopped := r.before(0, 0, 1, 0) && r.before(1, 0, 2, 0)
				return stopped && r.before(2, 0, 1, 1) && r.before(1, 1, 0, 1)
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustNew(t, "pct", test.depth)
			p.(Lengther).SetLength(test.p.steps())
			bound := 1 / (float64(len(test.p)) * math.Pow(float64(test.p.steps()), float64(test.depth-1)))
			if test.name == "LaterDropGoesFirst" {
				bound = 1. / 6 / 25 // one order of three priorities, and two change points
			}
			got := test.p.odds(p, n, test.bug)
			random := test.p.odds(mustNew(t, "random", 0), n, test.bug)
			t.Logf("shows in %.4f, bound %.4f, random %.4f", got, bound, random)
			if got < bound && !near(got, bound, n) {
				t.Errorf("shows in %.4f of the executions, less than %.4f", got, bound)
			}
		})
	}
}

func TestPCTLength(t *testing.T) {
	p := mustNew(t, "pct", 3)
	l := p.(Lengther)
	if l.Length() != 0 {
		t.Errorf("length %d before anything was seen", l.Length())
	}
	short, long := program{times(5, local)}, program{times(60, local)}
	for i, test := range []struct {
		p    program
		want int // length that the execution was begun with
	}{{short, firstLength}, {short, 5}, {long, 5}, {short, 60}, {short, 60}} {
		test.p.execute(p, 1)
		if l.Length() != test.want {
			t.Errorf("execution %d: length %d, want %d", i, l.Length(), test.want)
		}
	}
	l.SetLength(17)
	if p.Begin(1); l.Length() != 17 {
		t.Errorf("length %d after SetLength(17)", l.Length())
	}
}

// In POS, operations that concern no other goroutine cost little. With n of them
// before it, A's write comes before B's only when B's one pending operation has the
// lowest of n+2 priorities: 1/(n+2). A random walk needs n+1 coins to fall the same way.
func TestPOSLocalSteps(t *testing.T) {
	const tries, n = 20000, 20
	p := program{append(times(n, local), write(1)), {write(1)}}
	bug := func(r run) bool { return r.before(0, n, 1, 0) }
	if got := p.odds(mustNew(t, "pos", 0), tries, bug); !near(got, 1./(n+2), tries) {
		t.Errorf("pos: %.4f, want %.4f", got, 1./(n+2))
	}
	if got := p.odds(mustNew(t, "random", 0), tries, bug); got > 0.001 {
		t.Errorf("random: %.4f, want 2^-21", got)
	}
}

// Fresh priorities for conflicting operations make each race a fair coin: that B's first write
// waits for n of A's has probability 2^-n. Without them it would be 1/(n+1): B's priority, once
// low, would stay low.
func TestPOSFreshPriorities(t *testing.T) {
	const tries, n = 40000, 5
	p := program{times(n, write(1)), times(n, write(1))}
	got := p.odds(mustNew(t, "pos", 0), tries, func(r run) bool { return r.before(0, n-1, 1, 0) })
	if !near(got, 1./(1<<n), tries) {
		t.Errorf("%.4f, want %.4f", got, 1./(1<<n))
	}
	// Reads do not conflict: nothing is drawn again, and the lowest of n+1 goes last.
	p = program{times(n, read(1)), times(n, read(1))}
	got = p.odds(mustNew(t, "pos", 0), tries, func(r run) bool { return r.before(0, n-1, 1, 0) })
	if !near(got, 1./(n+1), tries) {
		t.Errorf("reads: %.4f, want %.4f", got, 1./(n+1))
	}
}

// One that waits for a lock takes part afresh when it is free: all that ask for it have the same
// chance.
func TestPOSBlocked(t *testing.T) {
	const tries = 40000
	section := []op{lock(1), unlock(1)}
	p := program{section, section, section, section}
	orders := make(map[string]int)
	for seed := range uint64(tries) {
		var b strings.Builder
		seen := map[trace.GID]bool{}
		for _, g := range p.execute(mustNew(t, "pos", 0), seed).order {
			if !seen[g] {
				seen[g] = true
				b.WriteByte('0' + byte(g))
			}
		}
		orders[b.String()]++
	}
	var count []int
	for _, n := range orders {
		count = append(count, n)
	}
	if x := chiSquare(count); len(count) != 24 || x > 49.7 { // 23 degrees of freedom: p = 0.001
		t.Errorf("%d orders, chi square %.1f: %v", len(count), x, orders)
	}
}

func TestNoAllocations(t *testing.T) {
	ready, pend := allReady(50)
	for _, name := range Names() {
		p := mustNew(t, name, 5)
		seed := uint64(0)
		if n := testing.AllocsPerRun(20, func() {
			seed++
			p.Begin(seed)
			cur := trace.NoG
			for i := range 200 {
				cur = p.Choose(cur, ready, pend)
				pend[cur].Seq += 50
				pend[cur].Obj = trace.ObjID(i % 7)
				p.Outcome(3)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations in an execution", name, n)
		}
	}
}

func allReady(n int) (*Ready, []trace.Pending) {
	ready, pend := new(Ready), make([]trace.Pending, n)
	for i := range n {
		ready.Insert(trace.GID(i))
		pend[i] = trace.Pending{Op: trace.OpLock, Obj: trace.ObjID(1 + i%10), Seq: uint32(i + 1)}
	}
	return ready, pend
}

func BenchmarkChoose(b *testing.B) {
	for _, name := range Names() {
		for _, n := range []int{4, 16, 1000} {
			b.Run(name+"/"+map[int]string{4: "4", 16: "16", 1000: "1000"}[n], func(b *testing.B) {
				ready, pend := allReady(n)
				p := mustNew(b, name, 3)
				p.Begin(1)
				cur := trace.NoG
				seq := uint32(n)
				for b.Loop() {
					cur = p.Choose(cur, ready, pend)
					seq++
					pend[cur].Seq = seq
				}
			})
		}
	}
}

// timersAt returns the set of some goroutines, and timers.
func timersAt(timers trace.GID, gs ...trace.GID) *Ready {
	r := Of(gs...)
	r.Timers(timers)
	return r
}

// A Ready is what a sorted list of its members is.
func TestReady(t *testing.T) {
	var r rng
	for seed := range uint64(300) {
		r.seed(seed)
		n := 2 + r.below(200)
		ready, member := new(Ready), make([]bool, n)
		timers := trace.NoG
		for range 100 {
			switch g := trace.GID(r.below(n)); {
			case g == 1:
				if timers = trace.NoG; seed%2 == 0 && r.below(2) == 0 {
					timers = 1
				}
				ready.Timers(timers)
			case r.below(8) == 0: // a few, those that are no members or those that are
				var some Bits
				for g := trace.GID(0); int(g) < n; g++ {
					if g != 1 && member[g] == (seed%3 == 0) && r.below(3) == 0 {
						some.Set(g)
						member[g] = !member[g]
					}
				}
				if seed%3 == 0 {
					ready.RemoveAll(some)
				} else {
					ready.InsertAll(some)
				}
			case member[g]:
				member[g] = false
				ready.Remove(g)
			default:
				member[g] = true
				ready.Insert(g)
			}
			var want []trace.GID
			for g, m := range member {
				if m {
					want = append(want, trace.GID(g))
				}
			}
			checkReady(t, ready, want, timers)
		}
	}
}

func checkReady(t *testing.T, ready *Ready, want []trace.GID, timers trace.GID) {
	t.Helper()
	for g := trace.NoG; g < 210; g++ {
		if ready.Has(g) != (slices.Contains(want, g) || g == timers && g >= 0) {
			t.Fatalf("Has(%d) is %v for %v, timers %d", g, ready.Has(g), want, timers)
		}
		if len(want) > 0 {
			i := slices.IndexFunc(want, func(x trace.GID) bool { return x > g })
			if got := ready.After(g); got != want[max(i, 0)] {
				t.Fatalf("After(%d) is %d for %v", g, got, want)
			}
		}
	}
	if timers >= 0 {
		want = append(want, timers)
	}
	var got []trace.GID
	for g := ready.First(); g != trace.NoG; g = ready.Next(g) {
		got = append(got, g)
		if n := len(got) - 1; ready.Nth(n) != g {
			t.Fatalf("Nth(%d) is %d for %v", n, ready.Nth(n), want)
		}
	}
	if !slices.Equal(got, want) || ready.Len() != len(want) {
		t.Fatalf("got %v, %d of them, want %v", got, ready.Len(), want)
	}
}
