package places

import (
	"flag"
	"math/rand"
	"slices"
	"testing"
	"time"
)

var huge = flag.Bool("huge", false, "the rows of Table 2 that take long, too")

// traces counts the Mazurkiewicz traces in a net: its maximal configurations,
// as the product over groups of threads that share nothing.
func traces(n *Net) (all, deadlocked int) {
	all = 1
	for _, group := range groups(n) {
		a, d := tracesOf(n, group)
		all, deadlocked = all*a, deadlocked*a+d*all
	}
	return all, deadlocked
}

// groups returns the threads by whether they use the same objects.
func groups(n *Net) map[int][]int {
	of := make([]int, len(n.p.Threads)) // the least thread of each one's group
	for i := range of {
		of[i] = i
	}
	user := map[[2]int]int{}
	for i := range n.events {
		op := &n.events[i].op
		if op.Kind == Branch {
			continue
		}
		object := [2]int{0, op.Object}
		if op.Kind == Lock || op.Kind == Unlock {
			object[0] = 1
		}
		if j, ok := user[object]; ok && of[j] != of[op.Thread] {
			least, other := min(of[j], of[op.Thread]), max(of[j], of[op.Thread])
			for k := range of {
				if of[k] == other {
					of[k] = least
				}
			}
		}
		user[object] = op.Thread
	}
	members := map[int][]int{}
	for i, g := range of {
		members[g] = append(members[g], i)
	}
	return members
}

// tracesOf counts those of a group of threads, by a search with sleep sets.
// Events are independent if their presets are disjoint.
func tracesOf(n *Net, threads []int) (all, deadlocked int) {
	var visit func(marking []cond, sleep []event)
	visit = func(marking []cond, sleep []event) {
		var able []event
		for _, i := range threads {
			for _, e := range n.conds[marking[i]].post {
				gone := func(c cond) bool { return marking[n.conds[c].place] != c }
				if !slices.ContainsFunc(n.events[e].pre, gone) {
					able = append(able, e)
				}
			}
		}
		if len(able) == 0 {
			all++
			if slices.ContainsFunc(threads, func(i int) bool { return n.conds[marking[i]].next != nil }) {
				deadlocked++
			}
		}
		for _, e := range able {
			if slices.Contains(sleep, e) {
				continue
			}
			var rest []event
			for _, s := range sleep {
				shared := func(c cond) bool { return slices.Contains(n.events[e].pre, c) }
				if !slices.ContainsFunc(n.events[s].pre, shared) {
					rest = append(rest, s)
				}
			}
			m := append([]cond(nil), marking...)
			n.fire(e, m)
			visit(m, rest)
			sleep = append(sleep, e)
		}
	}
	visit(n.initial, nil)
	return all, deadlocked
}

// Table 2: traces and core events are exact properties of the programs; tests
// depend on the order of targets and are never more than traces.
func TestTable2(t *testing.T) {
	for _, r := range []struct {
		name                    string
		p                       *Program
		core, traces, deadlocks int
		published               int // tests; 0: not comparable
		huge                    bool
	}{
		{"Fib, N = 2", fib(2), 537, 140, 0, 0, false},
		{"Fib, N = 3", fib(3), 7125, 1698, 0, 0, false},
		{"Fib 1", fib(4), 87454, 19605, 0, 19605, false},
		{"Fib 2", fib(5), 1016553, 218243, 0, 218243, true},
		{"Dining, n = 3", dining(3), 975, 106, 16, 0, false},
		{"Dining 1", dining(4), 8044, 831, 45, 799, false},
		{"Dining 2", dining(5), 52880, 5851, 121, 5747, false},
		{"Dining 3", dining(6), 306150, 38786, 320, 36079, true},
		{"Single lock 1", sections([2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}), 36820, 2520, 0,
			2520, false},
		{"Single lock 2", sections([2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}, [2]int{1, 4}),
			333370, 22680, 0, 22680, true},
		{"Parallel Pi 1", parallelPi(5, 3), 1625, 120, 0, 120, false},
		{"Parallel Pi 2", parallelPi(6, 3), 9780, 720, 0, 720, false},
		{"Parallel Pi, minimal, 5", parallelPi(5, 2), 1300, 120, 0, 120, false},
		{"Filesystem 1", filesystem(16), 182, 8, 0, 3, false},
		{"Filesystem 2", filesystem(18), 234, 32, 0, 3, false},
		{"Pairs", pairs(10), 40, 1024, 0, 7, false},
	} {
		if r.huge && !*huge {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			x := New(r.p)
			x.Choose, x.Free = rng.Intn, func(able []int) int { return rng.Intn(len(able)) }
			begin := time.Now()
			s, err := x.Run()
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(begin)
			all, stuck := traces(x.net)
			if s.Events != r.core || all != r.traces || stuck != r.deadlocks || s.Deadlocks != r.deadlocks {
				t.Errorf("%d events, %d traces, %d of them deadlocked, %d deadlocks found; want %d, %d, %d",
					s.Events, all, stuck, s.Deadlocks, r.core, r.traces, r.deadlocks)
			}
			if s.Tests > all {
				t.Errorf("%d tests are more than %d traces", s.Tests, all)
			}
			t.Logf("%d tests (published: %d), %d traces, %d events, %v", s.Tests, r.published, all,
				s.Events, took.Round(time.Millisecond))
		})
	}
}
