package unfold

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

// Many values go through a channel until it is closed: the solver's work to see that no goroutine
// is left blocked grows linearly with their number.
func TestLong(t *testing.T) {
	const values = 500
	send := &progen.Stmt{Op: progen.Send, Src: -1, Val: 1}
	p := &progen.Program{Chans: []int{4}, Body: []*progen.Stmt{
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Repeat, Val: values, Body: []*progen.Stmt{send}},
			{Op: progen.Close}}},
		{Op: progen.Repeat, Val: values + 1, Body: []*progen.Stmt{{Op: progen.Recv}}},
	}}
	p.Number()
	m, s := machine.New(p), New(Options{})
	executions := 0
	for sc := s.Next(); sc != nil; sc = s.Next() {
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		s.Done(tr)
		executions++
	}
	if r := s.Result(); executions != 1 || !r.Complete {
		t.Errorf("%d executions, %+v", executions, r)
	}
	if s.rest == nil {
		t.Fatal("the solver was not asked")
	}
	if st := s.rest.solver.Stats; st.Propagations > 5*s.net.Len() || st.Conflicts > 0 {
		t.Errorf("%d events: %+v", s.net.Len(), st)
	}
}
