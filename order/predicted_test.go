package order_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"heddle/order"
	"heddle/predict"
	"heddle/trace"
)

// What heddle predict -complete rests on: of races and deadlocks, package predict asks the solver
// about everything that some correct order of a trace has, and the solver finds an order for it.

func TestEveryRaceIsPredicted(t *testing.T) {
	races := 0
	for seed := range order.Scripts() {
		tr, w := order.RandomTrace(int64(seed))
		if len(tr.Events) == 0 {
			continue
		}
		predicted := predictedRaces(tr)
		w.EachState(func(next []int, _ func([]int) bool) {
			for i, a := range next {
				for _, b := range next[i+1:] {
					pair := [2]int{min(a, b), max(a, b)}
					if !conflict(tr, a, b) || predicted[pair] == 2 {
						continue
					}
					if predicted[pair]++; predicted[pair] == 1 {
						t.Fatalf("script %d: the race of events %v was not predicted", seed, pair)
					}
					races++
				}
			}
		})
		for pair, n := range predicted {
			if n == 1 {
				t.Fatalf("script %d: no correct order has the race of events %v, which was predicted", seed,
					pair)
			}
		}
	}
	if races < order.Scripts()/10 {
		t.Errorf("%d races only", races)
	}
}

// predictedRaces returns 1 for the pairs of events for which there is a schedule.
func predictedRaces(tr *trace.Trace) map[[2]int]int {
	g := predict.NewGraph(tr, predict.Locks)
	eventOf := make(map[int32]int) // by step: its first event
	for i := range slices.Backward(tr.Events) {
		eventOf[tr.Events[i].Step] = i
	}
	predicted := make(map[[2]int]int)
	s := &predict.Solver{}
	for _, c := range g.Races() {
		for a := range c.All() {
			goal := a.Goal()
			if schedules, _ := s.Schedules(g, goal); len(schedules) > 0 {
				x, y := eventOf[g.Nodes[goal.Nodes[0]].Step], eventOf[g.Nodes[goal.Nodes[1]].Step]
				predicted[[2]int{min(x, y), max(x, y)}] = 1
			}
		}
	}
	return predicted
}

// conflict reports whether two events access the same memory, one of them to write.
func conflict(tr *trace.Trace, a, b int) bool {
	if a >= len(tr.Events) || b >= len(tr.Events) {
		return false
	}
	x, y := &tr.Events[a], &tr.Events[b]
	access := func(op trace.Op) bool { return op == trace.OpRead || op == trace.OpWrite }
	return x.Obj == y.Obj && access(x.Op) && access(y.Op) && (x.Op == trace.OpWrite || y.Op == trace.OpWrite)
}

func TestEveryDeadlockIsPredicted(t *testing.T) {
	deadlocks := 0
	for seed := range order.Scripts() {
		tr, w := order.RandomTrace(int64(seed))
		if len(tr.Events) == 0 {
			continue
		}
		predicted := predictedSets(tr)
		seen := make(map[string]bool)
		w.EachState(func(next []int, deadlocked func([]int) bool) {
			for _, set := range subsets(next) {
				key := fmt.Sprint(set)
				if seen[key] || !deadlocked(set) {
					continue
				}
				seen[key] = true
				deadlocks++
				if !slices.ContainsFunc(predicted, func(p []int32) bool {
					return !slices.ContainsFunc(p, func(e int32) bool {
						return !slices.Contains(set,
							int(e))
					})
				}) {
					t.Fatalf("script %d: of the deadlock before events %v no part was predicted, only %v\n%s",
						seed, set, predicted, listing(tr))
				}
			}
		})
		whole, parts := stuckIn(tr, 1), stuckIn(tr, 3)
		if !maps.Equal(whole, parts) {
			t.Fatalf("script %d: the search in parts comes to %v, as a whole to %v\n%s", seed, parts, whole,
				listing(tr))
		}
		for _, p := range predicted {
			set := make([]int, len(p))
			for i, e := range p {
				set[i] = int(e)
			}
			if !seen[fmt.Sprint(set)] {
				t.Fatalf("script %d: no correct order has the deadlock before events %v, which was predicted\n%s", seed, set, listing(tr))
			}
		}
	}
	if deadlocks < order.Scripts()/10 {
		t.Errorf("%d deadlocks only", deadlocks)
	}
	t.Log(deadlocks)
}

// predictedSets returns the sets for which there is a schedule.
func predictedSets(tr *trace.Trace) (sets [][]int32) {
	g := predict.NewGraph(tr, predict.Locks)
	s := &predict.Solver{}
	for a := range g.Stuck(false, nil) {
		if schedules, _ := s.Schedules(g, a.Goal()); len(schedules) > 0 {
			sets = append(sets, a.Events)
		}
	}
	return sets
}

// stuckIn returns what the search for sets that may be stuck comes to, in so many parts.
func stuckIn(tr *trace.Trace, parts int) map[string]bool {
	g := predict.NewGraph(tr, predict.Locks)
	sets := make(map[string]bool)
	for part := range parts {
		for a := range g.StuckPart(part, parts, nil) {
			sets[fmt.Sprint(a.Events)] = true
		}
	}
	return sets
}

// subsets returns all subsets of set but the empty one, each in the order of set.
func subsets(set []int) (all [][]int) {
	for m := 1; m < 1<<len(set); m++ {
		var s []int
		for i, e := range set {
			if m>>i&1 == 1 {
				s = append(s, e)
			}
		}
		all = append(all, s)
	}
	return all
}

func listing(t *trace.Trace) (s string) {
	for i := range t.Events {
		e := &t.Events[i]
		s += fmt.Sprintf("%3d g%d %v %v%d(%d) arg %d partner %d\n", i, e.G, e.Op, t.Objects[e.Obj].Kind,
			e.Obj, t.Objects[e.Obj].Cap, e.Arg, e.Partner)
	}
	for i, l := range t.Left {
		s += fmt.Sprintf("%3d g%d left at %v %v%d\n", len(t.Events)+i, l.G, l.Op, t.Objects[l.Obj].Kind,
			l.Obj)
	}
	return s
}
