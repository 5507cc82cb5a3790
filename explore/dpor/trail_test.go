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

// A search is the same whether sequences are inserted along trails or from the root, at once or
// when the search comes back, or where they take too much memory.
func TestTrails(t *testing.T) {
	defer func(a, k, m, w int) {
		fewAfter, fewKept, mostMore, mostWords = a, k, m, w
	}(fewAfter, fewKept, mostMore, mostWords)
	send, recv := stmt{op: "send"}, stmt{op: "recv"}
	programs := []*program{
		started([]int{0, 0, 0}, nil, times(9, send), times(9, recv), times(9, send), times(9, recv)),
		started([]int{0, 0, 0}, nil, times(5, send, stmt{op: "write"}), times(5, recv), times(5, send),
			times(3, recv, stmt{op: "lock"}, stmt{op: "unlock"})),
		started([]int{1, 0, 0}, nil, times(6, send), times(6, recv), times(6, send), times(6, recv)),
	}
	programs = append(programs, crowd(12))
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		kinds := [][]string{
			{"send", "recv"}, {"send", "recv", "select", "close"}, {"send", "recv", "mutex", "write", "draw"},
			{"mutex", "load", "store", "incr", "sleep", "poll", "send", "recv"},
			{"mutex", "trylock", "condwait", "broadcast", "select", "draw", "swap", "rw", "join"},
		}[seed%5]
		programs = append(programs, random(r, kinds, 3+r.Intn(3), 2+r.Intn(6)))
	}
	stops := 0
	for i, p := range programs {
		fewAfter, fewKept = 1<<30, 1<<30
		want, _ := schedules(p, 300)
		fewAfter = 0
		got, n := schedules(p, 300)
		if !slices.Equal(got, want) {
			t.Fatalf("program %d: %d schedules along trails are not the %d others:\n%v", i, len(got),
				len(want), p)
		}
		stops += n
		for _, most := range [][2]int{{64, 1 << 24}, {1, 1 << 24}, {64, 2000}} {
			fewAfter, fewKept, mostMore, mostWords = i%2*64, 0, most[0], most[1]
			if got, _ = schedules(p, 300); !slices.Equal(got, want) {
				t.Fatalf("program %d: %d schedules with reversals that are kept (%v) are not the %d others:\n%v", i,
					len(got), most, len(want), p)
			}
		}
	}
	if t.Logf("%d stops", stops); stops < 1000 {
		t.Errorf("%d stops", stops)
	}
}

// crowd is a program of n goroutines that lock one mutex.
func crowd(n int) *program {
	bodies := make([][]stmt, n)
	for i := range bodies {
		bodies[i] = []stmt{{op: "lock"}, {op: "incr"}, {op: "unlock"}}
	}
	return started([]int{0, 0, 0}, nil, bodies...)
}

// Executions of n goroutines that lock one mutex have wakeup sequences of n²/2 transitions, and of
// n communications n²/16 sequences. They are not made while the search does not come back to them.
func TestReversalsAreKept(t *testing.T) {
	send, recv := stmt{op: "send"}, stmt{op: "recv"}
	market := started([]int{0, 0, 0}, nil, times(300, send), times(300, recv), times(300, send),
		times(300, recv))
	for _, p := range []*program{crowd(600), market} {
		s := New(Options{})
		var w *world
		x := newExecutor(p.main(&w))
		for range 80 {
			s.Done(x.run(s.Next(), x.first))
		}
		t.Logf("%d wakeups, %d reversals", s.wakeups, s.later.kept)
		if n := s.path.Len(); s.wakeups > 20*n || s.later.kept < n/8 || s.later.words > mostWords/4 {
			t.Errorf("%d transitions: %d wakeups, %d reversals, %d words", n, s.wakeups, s.later.kept,
				s.later.words)
		}
	}
}
