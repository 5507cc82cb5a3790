package agree

import (
	"context"
	"testing"

	"heddle/explore/bound"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/internal/odometer"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/policy"
	"heddle/trace"
)

// A counter makes all executions and counts the cost of each.
type counter struct {
	odometer.Odometer
	preemptions, delays int
}

func (c *counter) Begin(seed uint64) {
	c.Odometer.Begin(seed)
	c.preemptions, c.delays = 0, 0
}

func (c *counter) Choose(prev trace.GID, ready *policy.Ready, p []trace.Pending) trace.GID {
	g := c.Odometer.Choose(prev, ready, p)
	if g != prev && ready.Has(prev) {
		c.preemptions++
	}
	for turn := ready.After(max(prev-1, trace.NoG)); turn != g; turn = ready.After(turn) {
		c.delays++
	}
	return g
}

// bounds are the bounds of a search.
type bounds struct{ bound.Options }

var someBounds = []bounds{
	{bound.Options{Preemptions: 0, Delays: -1}}, {bound.Options{Preemptions: 1, Delays: -1}},
	{bound.Options{Preemptions: 2, Delays: -1}}, {bound.Options{Preemptions: -1, Delays: 0}},
	{bound.Options{Preemptions: -1, Delays: 2}}, {bound.Options{Preemptions: 1, Delays: 1}},
}

// keeps reports whether an execution is within the bounds.
func (o bounds) keeps(c *counter) bool {
	return (o.Preemptions < 0 || c.preemptions <= o.Preemptions) && (o.Delays < 0 || c.delays <= o.Delays)
}

// within returns the equivalence classes of those executions of m's program that keep accepts.
func within(m *machine.Machine, tab *transition.Table, most int,
	keep func(*counter) bool) (*transition.Forms, bool) {
	c, f := new(counter), transition.NewForms(tab)
	m.Policy = c
	defer func() { m.Policy = nil }()
	for n := 0; n < most; n++ {
		t, err := m.Execute(context.Background(), &trace.Schedule{Exhaustive: true})
		if m.Restart() {
			*c, f = counter{}, transition.NewForms(tab)
			continue
		}
		if err != nil {
			return nil, false
		}
		if keep(c) {
			f.Add(t)
		}
		if !c.Next() {
			return f, true
		}
	}
	return nil, false
}

// bounded returns the equivalence classes that a bounded search executes. It fails the test if the
// search executes one of them twice.
func bounded(t *testing.T, m *machine.Machine, tab *transition.Table, seed uint64,
	o bound.Options) *transition.Forms {
	f, s := transition.NewForms(tab), bound.New(o)
	for sc := s.Next(); sc != nil; sc = s.Next() {
		if len(sc.Steps) == 0 { // the search begins, or begins anew
			f = transition.NewForms(tab)
		}
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, o, err)
		}
		if !f.Add(tr) {
			t.Errorf("seed %d, %+v: two executions of a class", seed, o)
		}
		s.Done(tr)
	}
	r := s.Result()
	if r.Complete || r.Reason.Code != why.Bounded || r.Executions != f.Len() {
		t.Errorf("seed %d, %+v: %+v, %d classes", seed, o, r, f.Len())
	}
	return f
}

// Without reduction a bounded search covers the classes of all interleavings within the bounds, and
// no others.
func TestBoundsPlain(t *testing.T) {
	for seed := range uint64(100) {
		m := machine.New(progen.Generate(seed, progen.Default))
		tab := transition.NewTable()
		if _, ok := within(m, tab, 1500, func(*counter) bool { return true }); !ok {
			continue
		}
		for _, o := range someBounds {
			want, _ := within(m, tab, 1500, o.keeps)
			got, s := transition.NewForms(tab), bound.NewPlain(o.Options)
			for sc := s.Next(); sc != nil; sc = s.Next() {
				tr, err := m.Execute(context.Background(), sc)
				if err != nil {
					t.Fatal(err)
				}
				got.Add(tr)
				s.Done(tr)
			}
			if !got.Covers(want) || !want.Covers(got) {
				t.Fatalf("seed %d, %+v: %d classes, %d are within", seed, o, got.Len(), want.Len())
			}
		}
	}
}

// A bounded search covers the classes of all interleavings within the bounds, and executes none
// twice. So it never executes more than there are classes, which is what dpor executes.
func TestBounds(t *testing.T) {
	checked, executed, needed, fewer := 0, 0, 0, 0
	for k := range *seeds / 4 {
		seed := *from + uint64(k)
		p := progen.Generate(seed, progen.Default)
		m := machine.New(p)
		tab := transition.NewTable()
		all, ok := within(m, tab, 1500, func(*counter) bool { return true })
		for ok && tab.Changed { // the classes of before are those of fewer dependencies
			tab.Changed = false
			all, ok = within(m, tab, 1500, func(*counter) bool { return true })
		}
		if !ok {
			continue
		}
		checked++
		for _, o := range someBounds {
			// the dependencies that executions within the bounds show: the search knows no others
			tab := transition.NewTable()
			want, _ := within(m, tab, 1500, o.keeps)
			got := bounded(t, m, tab, seed, o.Options)
			for tab.Changed {
				tab.Changed = false
				want, _ = within(m, tab, 1500, o.keeps)
				got = bounded(t, m, tab, seed, o.Options)
			}
			if !got.Covers(want) || got.Len() > all.Len() {
				t.Fatalf("seed %d, %+v: %d classes, %d are within, of %d\n%s", seed, o, got.Len(), want.Len(),
					all.Len(), progen.Source(p))
			}
			executed += got.Len()
			needed += want.Len()
			if got.Len() < all.Len() {
				fewer++
			}
		}
	}
	t.Logf("%d programs, %d executions of %d classes; %d searches left something out", checked, executed,
		needed, fewer)
	if fewer == 0 {
		t.Error("no bound ever kept anything out")
	}
}

// A rising bound covers, bound by bound, what a search with that bound covers, and executes none
// twice.
func TestBoundsRise(t *testing.T) {
	risen := 0
	for seed := range uint64(min(*seeds, 500)) {
		p := progen.Generate(seed, progen.Default)
		m := machine.New(p)
		tab := transition.NewTable()
		if _, ok := within(m, tab, 1500, func(*counter) bool { return true }); !ok {
			continue
		}
		f, before := transition.NewForms(tab), -1
		s := bound.New(bound.Options{Delays: -1, Rising: true})
		check := func() {
			b := s.Result().Within
			if b.None() || *b.Preemptions == before {
				return
			}
			before = *b.Preemptions
			want, _ := within(m, tab, 1500, func(c *counter) bool { return c.preemptions <= before })
			if !f.Covers(want) {
				t.Fatalf("seed %d: not all within %s\n%s", seed, b, progen.Source(p))
			}
		}
		for sc := s.Next(); sc != nil; sc = s.Next() {
			check()
			if len(sc.Steps) == 0 {
				f, before = transition.NewForms(tab), -1
			}
			tr, err := m.Execute(context.Background(), sc)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !f.Add(tr) {
				t.Errorf("seed %d: two executions of a class", seed)
			}
			s.Done(tr)
		}
		check()
		if before > 0 {
			risen++
		}
	}
	if risen == 0 {
		t.Error("no bound was ever raised")
	}
}
