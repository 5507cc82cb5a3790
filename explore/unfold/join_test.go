package unfold

import (
	"context"
	"fmt"
	"testing"

	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/internal/progen/table2"
	"heddle/rt/limit"
)

// joinedPairs is table2.Pairs with a WaitGroup: main waits for all goroutines. With results each
// reader writes what it has loaded to a variable of its own, and main reads the variables of the
// first few pairs.
func joinedPairs(n int, results bool, reads int) *progen.Program {
	p := table2.Pairs(n)
	p.Groups = 1
	readers := 0
	for _, s := range p.Body {
		if s.Op != progen.Go {
			continue
		}
		if s.Body[0].Op == progen.Load && results {
			s.Body = append(s.Body, &progen.Stmt{Op: progen.Write, Obj: readers, Src: s.Body[0].Reg})
		}
		if s.Body[0].Op == progen.Load {
			readers++
		}
		s.Body = append(s.Body, &progen.Stmt{Op: progen.Done})
	}
	p.Body = append([]*progen.Stmt{{Op: progen.GroupAdd, Val: 2 * n}}, p.Body...)
	p.Body = append(p.Body, &progen.Stmt{Op: progen.Join})
	if results {
		p.Vars = n
	}
	for i := range reads {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Read, Obj: i, Reg: 0})
	}
	p.Number()
	return p
}

// What main cannot observe of the goroutines that it waits for costs no execution: 16 pairs have
// 65,536 ways to come to their end.
func TestJoinedPairs(t *testing.T) {
	for _, c := range []struct {
		pairs   int
		results bool
		reads   int
		most    int
	}{
		{4, false, 0, 3},
		{16, false, 0, 3},
		{40, false, 0, 3},
		{16, true, 0, 3},
		{16, true, 1, 8},  // what one pair has done is told apart
		{16, true, 3, 24}, // of three
		{5, true, 5, 33},  // each of 32 results is a local state of main; the search begins anew once
	} {
		t.Run(fmt.Sprint(c.pairs, c.results, c.reads), func(t *testing.T) {
			m := machine.New(joinedPairs(c.pairs, c.results, c.reads))
			m.Sync = true
			s := New(Options{})
			n := 0
			for sc := s.Next(); sc != nil && n < 100; sc = s.Next() {
				tr, err := m.Execute(context.Background(), sc)
				if err != nil {
					t.Fatal(err)
				}
				s.Done(tr)
				n++
			}
			if r := s.Result(); !r.Complete || s.Why != "" || n > c.most {
				t.Errorf("%d executions, at most %d expected: %+v %s", n, c.most, r, s.Why)
			}
		})
	}
}

// Without the Wait dpor has an execution for each way; with it too.
func TestJoinedPairsTwin(t *testing.T) {
	if n, _ := explored(t, joinedPairs(4, false, 0), dpor.New(dpor.Options{})); n != 16 {
		t.Errorf("dpor makes %d executions", n)
	}
}

// When the time is up a search ends soon, wherever it is: the events that it adds to its
// configurations between two questions whether the time is up are no more than two executions have.
func TestJoinsAskForTime(t *testing.T) {
	pool := func(workers, jobs int) *progen.Program {
		p := &progen.Program{Chans: []int{0, jobs}, Groups: 1}
		p.Body = append(p.Body, &progen.Stmt{Op: progen.GroupAdd, Val: workers})
		for range workers {
			p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: []*progen.Stmt{
				{Op: progen.Range, Obj: 0, Reg: 0}, {Op: progen.Send, Obj: 1, Src: 0}, {Op: progen.Done}}})
		}
		for i := range jobs {
			p.Body = append(p.Body, &progen.Stmt{Op: progen.Send, Obj: 0, Src: -1, Val: i + 1})
		}
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Close, Obj: 0}, &progen.Stmt{Op: progen.Join},
			&progen.Stmt{Op: progen.Close, Obj: 1}, &progen.Stmt{Op: progen.Range, Obj: 1, Reg: 0})
		p.Number()
		return p
	}
	for name, p := range map[string]*progen.Program{
		"pairs": joinedPairs(16, false, 0), "results": joinedPairs(5, true, 5), "pool": pool(3, 3),
	} {
		t.Run(name, func(t *testing.T) {
			m := machine.New(p)
			m.Sync = true
			s := New(Options{})
			var before, most, asked int
			s.limit = limit.Always(func() bool {
				asked++
				now := s.added()
				if now >= before { // else the search has begun anew
					most = max(most, now-before)
				}
				before = now
				return false
			})
			n := 0
			for sc := s.Next(); sc != nil && n < 400; sc = s.Next() {
				tr, err := m.Execute(context.Background(), sc)
				if err != nil {
					t.Fatal(err)
				}
				before = s.added()
				s.Done(tr)
				n++
			}
			if s.Why != "" || !s.Result().Complete {
				t.Fatalf("%+v %s", s.Result(), s.Why)
			}
			t.Logf("%d executions, %d events, %d questions, at most %d events between two", n, s.net.Len(), asked, most)
			if few := 2*s.run.Len() + 16; most > few {
				t.Errorf("%d events were added between two questions, %d are expected at most", most, few)
			}
		})
	}
}

// added returns how many events were added to the configurations of s.
func (s *Strategy) added() int {
	return s.run.Added + s.find.Added + s.joins.waits.Added + s.joins.check.Added
}
