package predict

import (
	"slices"
	"strings"
	"testing"
)

// The worked examples of the paper. Only the prose on Figures 1, 3, 4 and 5 was available; the
// figures are rebuilt to agree with it.

// Figure 1, section 2: three races on x and y, found in the trace 1,5,2,3,6,7;
// the schedule 1,5,2,6,7,3 shows (3,7) and triggers the error. Here operation 1
// begins the first goroutine and is about nothing shared.
//
//	1: lock l; unlock l     5: b = x
//	2: x = 1                6: if b != x {
//	3: if y != 0 {          7:     y = 1
//	4:     ERROR               }
//
// In the paper's numbers the operations of the text below are 1, 5, 2, 3, 6, 7.
const figure1 = "1 atomic-store a; 2 read x; 1 write x; 1 read y; 2 read x; 2 write y"

func TestFigure1HasExactlyThreeRaces(t *testing.T) {
	paper := map[int32]int32{0: 1, 1: 5, 2: 2, 3: 3, 4: 6, 5: 7}
	g := graphOf(t, figure1)
	var got []string
	for _, c := range g.Search(nil, 0) {
		ns := []int32{paper[c.Instances[0].Nodes[0]] - 1, paper[c.Instances[0].Nodes[1]] - 1}
		slices.Sort(ns)
		got = append(got, show(ns))
	}
	slices.Sort(got)
	if want := []string{"2,5", "2,6", "3,7"}; !slices.Equal(got, want) {
		t.Errorf("races %v, want %v", got, want)
	}
	orders, why := Moves{}.Orders(g, Goal{Nodes: []int32{3, 5}, Adjacent: true})
	if why != nil {
		t.Fatal(why)
	}
	var schedules []string
	for _, o := range orders {
		for i, n := range o {
			o[i] = paper[n] - 1
		}
		schedules = append(schedules, show(o))
	}
	// The first is the text's, the second what Algorithm 3 as printed gives.
	if want := []string{"1,5,2,6,7,3", "1,5,2,6,3,7"}; !slices.Equal(schedules, want) {
		t.Errorf("schedules %v, want %v", schedules, want)
	}
}

// Figure 3: the triple (v2, v8, v5) is an atomicity violation by way of v_x = v4:
// the first goroutine, within a critical section, gives its inner lock back at v3
// and takes it again at v4.

const figure3nested = "1 lock l; 1 read x; 1 unlock l; 1 lock l; 1 write x; 1 unlock l; 2 lock l; 2 write x; 2 unlock l"

func TestFigure3IsFoundViaV4(t *testing.T) {
	text := "1 lock a; " + figure3nested + "; 1 unlock a"
	g := graphOf(t, text) // v1 is node 1 here
	if x := g.between(2, 8, 5); x != 4 {
		t.Errorf("v_x is v%d, want v4", x)
	}
	found := candidates(g.Search(Builtin(Locks), 0))
	if !slices.Contains(found, "stale read 3,9,6") {
		t.Errorf("found %v, want (v2, v8, v5), which is 3,9,6 here", found)
	}
	// Where both are under one lock from v2 to v5 there is no such place.
	g = graphOf(t, "1 lock l; 1 read x; 1 atomic-store f; 1 atomic-store f; 1 write x; 1 unlock l; 2 lock l; 2 write x; 2 unlock l")
	if found := candidates(g.Search(Builtin(Locks), 0)); len(found) > 0 {
		t.Errorf("found %v under one lock", found)
	}
}

// Algorithm 4 on the triple of figure 3: v8 comes between v3 and v4.
func TestFigure3Schedule(t *testing.T) {
	g := graphOf(t, "1 lock a; "+figure3nested+"; 1 unlock a")
	orders, why := Moves{}.Orders(g, Goal{Nodes: nodes(3, 9, 6)})
	if why != nil {
		t.Fatal(why.Explain(func(n int32) string { return show([]int32{n}) }, nil))
	}
	if got, want := show(orders[0]), "1,2,3,4,8,9,10,5,6"; got != want {
		t.Errorf("schedule %s, want %s", got, want)
	}
}

// Figure 4: of the race (v2, v5) the schedule is v1, v4, v2, v5: v3 depends on
// v2, and v3 and v6 are beyond the violation.
func TestFigure4(t *testing.T) {
	g := graphOf(t, "1 write p; 1 write x; 1 read p; 2 write q; 2 read x; 2 read q; 1 read q; 2 read p")
	orders, why := Moves{}.Orders(g, Goal{Nodes: nodes(2, 5), Adjacent: true})
	if why != nil {
		t.Fatal(why)
	}
	if got, want := show(orders[1]), "1,4,2,5"; got != want {
		t.Errorf("schedule %s, want %s", got, want)
	}
}

// Figure 5: (v3, v8) share no lock and are not ordered, but v2 comes before v5.
const (
	figure5       = "1 lock l; 1 signal c; 1 write x; 1 unlock l; 2 wake c; 2 lock l; 2 unlock l; 2 read x"
	figure5undone = "1 lock l; 1 atomic-store c; 1 write x; 1 unlock l; 2 atomic-store d; 2 lock l; 2 unlock l; 2 read x"
)

func TestFigure5FalseRaceIsPredictedAndPruned(t *testing.T) {
	g := graphOf(t, figure5)
	if got := candidates(g.Search(nil, 0)); !slices.Equal(got, []string{"race 3,8"}) {
		t.Fatalf("predicted %v, want the race of v3 and v8", got)
	}
	orders, why := Moves{}.Orders(g, Goal{Nodes: nodes(3, 8), Adjacent: true})
	if len(orders) > 0 || why == nil {
		t.Fatalf("orders %v of a race that cannot happen", orders)
	}
	if text := why.Explain(func(n int32) string { return show([]int32{n}) }, nil); !strings.Contains(text,
		"6 cannot go on before 3: the lock is held") {
		t.Errorf("reason %q", text)
	}
}

func TestFigure5WithoutTheOrderHasASchedule(t *testing.T) {
	g := graphOf(t, figure5undone)
	if got := candidates(g.Search(nil, 0)); !slices.Equal(got, []string{"race 3,8"}) {
		t.Fatalf("predicted %v, want the race of v3 and v8", got)
	}
	orders, why := Moves{}.Orders(g, Goal{Nodes: nodes(3, 8), Adjacent: true})
	if why != nil {
		t.Fatal(why)
	}
	var got []string
	for _, o := range orders {
		got = append(got, show(o))
	}
	if !slices.Contains(got, "5,6,7,1,2,3,8") {
		t.Errorf("schedules %v, want 5,6,7,1,2,3,8 among them", got)
	}
}

// The counterexample to Theorem 1: immediately before v_j the goroutine that is
// moved cannot have the inner lock; before v_j's own critical section it can.
func TestTheorem1Counterexample(t *testing.T) {
	g := graphOf(t, "1 lock a; 1 lock m; 1 unlock m; 1 write x; 1 unlock a; 2 lock m; 2 read x; 2 unlock m")
	if got := candidates(g.Search(nil, 0)); !slices.Equal(got, []string{"race 4,7"}) {
		t.Fatalf("predicted %v, want the race", got)
	}
	orders, why := Moves{}.Orders(g, Goal{Nodes: nodes(4, 7), Adjacent: true})
	if why != nil {
		t.Fatal(why)
	}
	var got []string
	for _, o := range orders {
		got = append(got, show(o))
	}
	if want := []string{"1,2,3,6,7,4", "1,2,3,6,4,7"}; !slices.Equal(got, want) {
		t.Errorf("schedules %v, want %v", got, want)
	}
}
