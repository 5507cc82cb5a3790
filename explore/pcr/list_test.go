package pcr

import (
	"context"
	"slices"
	"testing"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// TestList: on random programs no execution shows a pattern that List calls refuted after a search
// that came to its end, all covered patterns are listed as such, and the schedule for the next
// pattern shows it (not always: what follows a read that sees something else is not known).
func TestList(t *testing.T) {
	refuted, shown, aimed, hit, compared := 0, 0, 0, 0, 0
	for seed := uint64(0); compared < *programs/4; seed++ {
		p := progen.Generate(seed, progen.Default)
		if !modelled(p) {
			continue
		}
		source := progen.Source(p)
		compared++
		m := machine.New(p)
		m.Values = true
		st := New(Map())
		// stopped in the middle, the next pattern has a schedule that shows it
		half := New(Map())
		for range 3 {
			if next := half.Next(); next != nil {
				if tr, err := m.Execute(context.Background(), next); err == nil {
					half.Done(tr)
				}
			}
		}
		half.opt.Expired = func() bool { return false }
		var l explore.Listed
		if next := half.upcoming(&l); next != nil {
			if half.set.Has(l.Next) || len(l.Steps) == 0 {
				t.Errorf("seed %d: next is %+v by %v", seed, l.Next, l.Steps)
			}
			if tr, err := m.Execute(context.Background(), next); err == nil {
				aimed++
				if half.set.Add(tr); half.set.Has(l.Next) {
					hit++
				}
			}
		}
		if _, _, err := explored(m, st, 2000); err != nil {
			continue
		}
		list := st.List()
		if list.Next.Row != 0 {
			t.Errorf("seed %d: a search that has ended has a next pattern", seed)
		}
		cannot := map[mapcov.Key]bool{}
		for _, l := range list.Patterns {
			if st.set.Has(l.Pattern) {
				t.Errorf("seed %d: a covered pattern is %s", seed, l.State)
			}
			if l.State == mapcov.Refuted {
				cannot[st.set.Names.Key(&l.Pattern)] = true
			}
		}
		refuted += len(cannot)
		for i := range 200 {
			s := &trace.Schedule{Policy: "random", Seed: uint64(i) + 1, Exhaustive: true}
			tr, err := m.Execute(context.Background(), s)
			if err != nil {
				continue
			}
			st.set.Names.Read(tr).Each(func(p mapcov.Pattern) {
				k := st.set.Names.Key(&p)
				if shown++; cannot[k] {
					delete(cannot, k)
					t.Errorf("seed %d: an execution shows %+v, which is refuted\n%s", seed,
						p, source)
				}
			})
		}
		all := st.set.List(list.Patterns)
		all = slices.DeleteFunc(all, func(l mapcov.Listed) bool { return l.State != mapcov.Shown })
		if n := len(all); n != st.set.Covered()+st.set.Syncs() {
			t.Errorf("seed %d: %d patterns are listed as covered, of %d", seed, n,
				st.set.Covered()+st.set.Syncs())
		}
	}
	t.Logf("%d programs, %d refuted patterns, %d of %d next ones shown by their schedules",
		compared,
		refuted, hit, aimed)
	if refuted == 0 || shown == 0 || hit < aimed*3/4 || aimed == 0 {
		t.Error("too few to tell anything")
	}
}
