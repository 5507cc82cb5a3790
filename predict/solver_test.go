package predict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/rt/limit"
	"heddle/trace"
)

// steps prints the steps of a schedule by their sites, which are the numbers of the operations in
// the text.
func steps(s *trace.Schedule) string {
	var parts []string
	for _, st := range s.Steps {
		parts = append(parts, fmt.Sprint(uint64(st.Site)))
	}
	return strings.Join(parts, ",")
}

func name(n int32) string { return show([]int32{n}) }

// A goroutine takes a lock and waits for what is held back: replaying operations in their order
// leads nowhere, but the goroutine need not have taken the lock.
func TestSolverFindsWhatMovesDoesNot(t *testing.T) {
	g := graphOf(t, "1 lock m; 2 write x; 2 send c; 1 recv c; 1 unlock m; 3 lock m; 3 read x; 3 unlock m")
	goal := Goal{Nodes: nodes(2, 7), Adjacent: true}
	if orders, _ := (Moves{}).Orders(g, goal); len(orders) > 0 {
		t.Fatalf("moved: %v", orders)
	}
	schedules, why := (&Solver{}).Schedules(g, goal)
	if why != nil {
		t.Fatal(why.Explain(name, name))
	}
	var got []string
	for _, s := range schedules {
		got = append(got, steps(s))
	}
	if want := []string{"6,7,2", "6,2,7"}; !slices.Equal(got, want) {
		t.Errorf("schedules %v, want %v", got, want)
	}
}

// The paper's false warning is refuted by proof; without the order from v2 to v5 there is a
// schedule.
func TestSolverOnFigure5(t *testing.T) {
	s := &Solver{}
	waits := "2 cond-wait c; " + figure5 // the numbers are one higher
	schedules, why := s.Schedules(graphOf(t, waits), Goal{Nodes: nodes(4, 9), Adjacent: true})
	if len(schedules) > 0 || why == nil || !why.Proof || why.Open {
		t.Fatalf("%v %+v", schedules, why)
	}
	for _, want := range []string{"2 and 7 hold one lock in turn", "6 needs a signal"} {
		if text := why.Explain(name, name); !strings.Contains(text, want) {
			t.Errorf("reason %q, want %q in it", text, want)
		}
	}
	schedules, why = s.Schedules(graphOf(t, figure5undone), Goal{Nodes: nodes(3, 8), Adjacent: true})
	if why != nil {
		t.Fatal(why.Explain(name, name))
	}
	for i, last := range []string{",8,3", ",3,8"} {
		got := steps(schedules[i])
		lock, unlock := strings.Index(got, "1,"), strings.Index(got, "7,")
		if !strings.HasSuffix(got, last) || lock < unlock || strings.Contains(got, "4") {
			t.Errorf("schedule %s, want the second goroutine's section before the first's, and then%s", got,
				last)
		}
	}
}

func TestSolverFindsTheCounterexample(t *testing.T) {
	g := graphOf(t, "1 lock a; 1 lock m; 1 unlock m; 1 write x; 1 unlock a; 2 lock m; 2 read x; 2 unlock m")
	schedules, why := (&Solver{}).Schedules(g, Goal{Nodes: nodes(4, 7), Adjacent: true})
	if why != nil {
		t.Fatal(why.Explain(name, name))
	}
	if got := steps(schedules[1]); got != "1,2,3,6,4,7" {
		t.Errorf("schedule %s", got)
	}
}

// A question without time for the solver is not refuted.
func TestSolverStopped(t *testing.T) {
	g := graphOf(t, figure5)
	schedules, why := (&Solver{Limit: time.Nanosecond}).Schedules(g, Goal{Nodes: nodes(3, 8), Adjacent: true})
	if len(schedules) > 0 || why == nil || !why.Open || why.Proof {
		t.Errorf("%v %+v", schedules, why)
	}
}

func stuckOf(t *testing.T, text string) []string {
	t.Helper()
	g := graphOf(t, text)
	s := &Solver{}
	var out []string
	for a := range g.Stuck(true, nil) {
		if schedules, _ := s.Schedules(g, a.Goal()); len(schedules) > 0 {
			out = append(out, show(a.Events)+" after "+steps(schedules[0]))
		}
	}
	return out
}

func TestStuck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a send under the lock of the receiver",
			"1 lock m; 1 unlock m; 2 lock m; 2 rendezvous 1 c; 2 unlock m", []string{"1,4 after 3"}},
		{"the lock was given back", "1 lock m; 1 unlock m; 2 lock m; 2 unlock m; 2 rendezvous 1 c", nil},
		{"a WaitGroup", "0 wg-add w; 1 lock m; 1 unlock m; 1 wg-done w; 2 lock m; 2 wg-wait w; 2 unlock m",
			[]string{"2,6 after 1,5"}},
		{"a signal too early", "1 cond-wait c; 2 signal c; 1 wake c", []string{"3 after 2,1"}},
		{"after the goroutine was waiting", "1 cond-wait c; 1 go 2; 2 signal c; 1 wake c", nil},
	} {
		if got := stuckOf(t, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A search for sets whose time is up ends without any, wherever it is.
func TestStuckStopped(t *testing.T) {
	for after := range 40 {
		g := graphOf(t, "1 lock m; 1 unlock m; 2 lock m; 2 rendezvous 1 c; 2 unlock m")
		asked := 0
		g.Limit = limit.Always(func() bool { asked++; return asked > after })
		n := 0
		for range g.Stuck(true, func() bool { return asked > after }) {
			n++
		}
		if after == 0 && n > 0 {
			t.Errorf("%d sets in no time", n)
		}
	}
}

func TestWaitGroups(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"Add by a goroutine that is not waited for", "1 wg-add w; 1 wg-done w; 2 wg-wait w",
			[]string{"Wait before Add 3"}},
		{"Add before the go statement", "0 wg-add w; 0 go 1; 1 wg-done w; 0 wg-wait w", nil},
		{"Done of another's Add", "1 wg-add w; 2 wg-done w", []string{"negative counter "}},
		{"the next round", "1 wg-add w; 1 go 2; 2 wg-done w; 2 wg-add w; 2 wg-done w; 1 wg-wait w",
			[]string{"Wait before Add 1,2,3,6"}},
	} {
		g := graphOf(t, c.text)
		var got []string
		for _, x := range g.WaitGroups() {
			for _, a := range x.Instances {
				if schedules, _ := (&Solver{}).Schedules(g, a.Goal()); len(schedules) > 0 {
					text := steps(schedules[0])
					if a.Pattern == EarlyWait {
						text = strings.TrimSuffix(text[:strings.LastIndexByte(","+text, ',')], ",")
					} else {
						text = strings.TrimSuffix(text, fmt.Sprint(a.Events[0]+1))
					}
					got = append(got, a.Pattern.Name+" "+text)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
