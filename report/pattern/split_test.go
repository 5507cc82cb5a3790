package pattern

import (
	"testing"

	"heddle/report/syntax"
	"heddle/rt/wire"
	"heddle/trace"
)

// TestStartsAfter: goroutines that are started after a write, by the one that writes or by others.
func TestStartsAfter(t *testing.T) {
	write := func(g string) act { return act{Event: &wire.Event{G: g}, op: trace.OpWrite} }
	starts := func(g, child string) act { return act{Event: &wire.Event{G: g, Child: child}, op: trace.OpGo} }
	for _, tt := range []struct {
		name  string
		acts  []act
		write int
		g     string
		want  bool
	}{
		{"after", []act{write("main"), starts("main", "main/1")}, 0, "main/1", true},
		{"before", []act{starts("main", "main/1"), write("main")}, 1, "main/1", false},
		{"by one that was", []act{write("main"), starts("main", "main/1"), starts("main/1", "main/1/1")}, 0,
			"main/1/1", true},
		{"by one of before", []act{starts("main", "main/1"), write("main"), starts("main/1", "main/1/1")}, 1,
			"main/1/1", false},
		{"a subtest", []act{write("main")}, 0, "main/1", true},
		{"two subtests", []act{write("main/2")}, 0, "main/1", false},
	} {
		for i := range tt.acts {
			tt.acts[i].i = i
		}
		s := &story{acts: tt.acts}
		if got := s.startsAfter(tt.acts[tt.write], tt.g); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestAwaits: a check in the condition of a loop waits until what comes after the loop is possible;
// one that the loop goes round with does not.
func TestAwaits(t *testing.T) {
	c := &sources{syntax.New(func(string) []byte {
		return []byte(`package p
func (q *Q) Next() int {
	for q.Size() == 0 {
		runtime.Gosched()
	}
	for q.Size() > 0 {
		q.Remove()
	}
	if q.Size() == 0 { return 0 }
	return q.First()
}`)
	})}
	at := func(line int) wire.Place { return wire.Place{File: "p.go", Line: line} }
	for _, tt := range []struct {
		check, act int
		want       bool
	}{{3, 10, true}, {3, 4, false}, {6, 7, false}, {9, 10, false}} {
		if got := c.awaits(at(tt.check), at(tt.act)); got != tt.want {
			t.Errorf("lines %d and %d: %v, want %v", tt.check, tt.act, got, tt.want)
		}
	}
}
