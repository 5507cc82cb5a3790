package sleepset

import (
	"context"
	"testing"

	"heddle/explore/transition"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/internal/progen/table2"
)

// Every class of equivalent executions is shown, and whatever is executed to its end is of a new
// one.
func TestClasses(t *testing.T) {
	for _, r := range []struct {
		name    string
		p       *progen.Program
		classes int
	}{
		{"Fib, N = 2", table2.Fib(2), 140},
		{"Dining, n = 3", table2.Dining(3, 2), 106},
		{"Pairs", table2.Pairs(5), 32},
		{"Single lock, 3 threads", table2.Sections([2]int{2, 3}, [2]int{2, 3}, [2]int{2, 3}), 90},
		{"Filesystem, 14 threads", table2.Filesystem(14), 2},
	} {
		for _, others := range []bool{false, true} {
			s := New()
			s.Others = others
			m := machine.New(r.p)
			forms := transition.NewForms(transition.NewTable())
			twice := 0
			for sc := s.Next(); sc != nil; sc = s.Next() {
				tr, err := m.Execute(context.Background(), sc)
				blocked := s.Blocked
				s.Done(tr)
				if s.Blocked > blocked {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if !forms.Add(tr) {
					twice++
				}
			}
			if forms.Len() != r.classes || twice > 0 && !(others == false) {
				t.Errorf("%s, others %v: %d classes, want %d; %d executions of one that was shown", r.name, others, forms.Len(), r.classes, twice)
			}
			t.Logf("%s, others %v: %d executions, %d of them broken off, %d classes, %d twice", r.name, others, s.Executions, s.Blocked, forms.Len(), twice)
		}
	}
}
