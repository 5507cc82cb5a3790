package dpor

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// schedules returns the first schedules of a search, and how many stops its trails had.
func schedules(p *program, most int) (all []string, stops int) {
	s := New(Options{})
	var w *world
	x := newExecutor(p.main(&w))
	for len(all) < most {
		schedule := s.Next()
		if schedule == nil {
			break
		}
		all = append(all, fmt.Sprint(schedule.Steps))
		s.Done(x.run(schedule, x.first))
		for i := range s.nodes {
			if t := &s.nodes[i].trail; t.round == s.round && len(t.stops) > 1 {
				stops += len(t.stops)
			}
		}
	}
	return all, stops
}

// A search is the same whether sequences are inserted along trails or from the root.
func TestTrails(t *testing.T) {
	defer func(n int) { fewAfter = n }(fewAfter)
	send, recv := stmt{op: "send"}, stmt{op: "recv"}
	programs := []*program{
		started([]int{0, 0, 0}, nil, times(9, send), times(9, recv), times(9, send), times(9, recv)),
		started([]int{0, 0, 0}, nil, times(5, send, stmt{op: "write"}), times(5, recv), times(5, send),
			times(3, recv, stmt{op: "lock"}, stmt{op: "unlock"})),
		started([]int{1, 0, 0}, nil, times(6, send), times(6, recv), times(6, send), times(6, recv)),
	}
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		kinds := [][]string{
			{"send", "recv"}, {"send", "recv", "select", "close"}, {"send", "recv", "mutex", "write", "draw"},
			{"mutex", "load", "store", "incr", "sleep", "poll", "send", "recv"},
		}[seed%4]
		programs = append(programs, random(r, kinds, 3+r.Intn(3), 2+r.Intn(6)))
	}
	stops := 0
	for i, p := range programs {
		fewAfter = 1 << 30
		want, _ := schedules(p, 300)
		fewAfter = 0
		got, n := schedules(p, 300)
		if !slices.Equal(got, want) {
			t.Fatalf("program %d: %d schedules along trails are not the %d others:\n%v", i, len(got),
				len(want), p)
		}
		stops += n
	}
	if t.Logf("%d stops", stops); stops < 1000 {
		t.Errorf("%d stops", stops)
	}
}
