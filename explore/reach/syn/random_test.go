package syn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomProgram makes a program in which every message is received: each
// thread receives from its own port as often as others send to it.
func randomProgram(r *rand.Rand) Program {
	n := 2 + r.IntN(3)
	prog := make(Program, n)
	for range 3 + r.IntN(4) {
		from, to := r.IntN(n), r.IntN(n)
		if from == to {
			continue
		}
		port := fmt.Sprint("p", to)
		prog[from] = slices.Insert(prog[from], r.IntN(len(prog[from])+1), To(port))
		prog[to] = slices.Insert(prog[to], r.IntN(len(prog[to])+1), From(port))
	}
	return prog
}

func shapeOf(q *Sequence) string { return strings.Join(q.shape(q.Events), " ") }

// enumerate returns all sequences of prog, from all interleavings, and whether any gets stuck.
func enumerate(prog Program) (set map[string]bool, stuck bool) {
	set = map[string]bool{}
	next := make([]int, len(prog))
	type message struct{ from, index int }
	queues := map[string][][]message{}
	var pairs []string
	var walk func()
	walk = func() {
		moved := false
		for t := range prog {
			if next[t] == len(prog[t]) {
				continue
			}
			op := prog[t][next[t]]
			id := fmt.Sprint(ThreadName(t+1), ".", next[t]+1)
			if queues[op.Port] == nil {
				queues[op.Port] = make([][]message, len(prog))
			}
			from := queues[op.Port]
			if op.Send {
				moved = true
				next[t]++
				from[t] = append(from[t], message{t, next[t]})
				pairs = append(pairs, id)
				walk()
				pairs = pairs[:len(pairs)-1]
				from[t] = from[t][:len(from[t])-1]
				next[t]--
				continue
			}
			for s := range from {
				if len(from[s]) == 0 {
					continue
				}
				moved = true
				m := from[s][0]
				old := from[s]
				from[s] = old[1:len(old):len(old)]
				next[t]++
				pairs = append(pairs, fmt.Sprint(id, "<", ThreadName(m.from+1), ".", m.index))
				walk()
				pairs = pairs[:len(pairs)-1]
				next[t]--
				from[s] = old
			}
		}
		if !moved {
			for t := range prog {
				stuck = stuck || next[t] < len(prog[t])
			}
			all := slices.Clone(pairs)
			slices.Sort(all)
			set[strings.Join(all, " ")] = true
		}
	}
	walk()
	return set, stuck
}

// Theorem 2 on random programs, and Fig. 7 against the naive algorithm on all
// their sequences.
func TestRandomPrograms(t *testing.T) {
	compared, rows := 0, 0
	for seed := range uint64(500) {
		prog := randomProgram(rand.New(rand.NewPCG(seed, 1)))
		want, stuck := enumerate(prog)
		if stuck || len(want) > 500 {
			continue
		}
		compared++
		got := map[string]bool{}
		prog.Reach(func(q, _ *Sequence, _ *Variant, partial bool) {
			s := shapeOf(q)
			if !partial && got[s] {
				t.Fatalf("seed %d: %s twice", seed, s)
			}
			got[s] = got[s] || !partial
			a, b := q.Construct(all(q)), q.Naive(all(q))
			slices.SortFunc(b.Rows, slices.Compare)
			slices.SortFunc(a.Rows, slices.Compare)
			rows += len(a.Rows)
			if fmt.Sprint(a.Rows) != fmt.Sprint(b.Rows) {
				t.Fatalf("seed %d: Construct-Race-Table gives %v, the naive algorithm %v", seed, a.Rows,
					b.Rows)
			}
		})
		for s := range want {
			if !got[s] {
				t.Fatalf("seed %d, %v: %s is missing", seed, prog, s)
			}
			delete(got, s)
		}
		for s, complete := range got {
			if complete {
				t.Fatalf("seed %d, %v: %s cannot happen", seed, prog, s)
			}
		}
	}
	if compared < 100 || rows < 500 {
		t.Errorf("only %d programs and %d rows were compared", compared, rows)
	}
}
