package agree

import (
	"context"
	"testing"

	"heddle/explore/bound"
	"heddle/explore/transition"
	"heddle/internal/odometer"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
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

func (c *counter) Choose(prev trace.GID, ready []trace.GID, p []trace.Pending) trace.GID {
	g := c.Odometer.Choose(prev, ready, p)
	turn := 0
	for i, id := range ready {
		if id == prev && g != prev {
			c.preemptions++
		}
		if id < prev {
			turn = (i + 1) % len(ready)
		}
	}
	for ready[turn] != g {
		turn = (turn + 1) % len(ready)
		c.delays++
	}
	return g
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

// bounded returns the equivalence classes that a bounded search executes, and the number of
// executions.
func bounded(t *testing.T, m *machine.Machine, tab *transition.Table,
	o bound.Options) (*transition.Forms, int) {
	f, s := transition.NewForms(tab), bound.New(o)
	for sc := s.Next(); sc != nil; sc = s.Next() {
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		f.Add(tr)
		s.Done(tr)
	}
	r := s.Result()
	if r.Complete || r.Reason.None() {
		t.Errorf("a bounded search says that it covered everything: %+v", r)
	}
	return f, r.Executions
}

// A bounded search covers the classes of all executions within the bound, and no others.
func TestBounds(t *testing.T) {
	checked, executed, fewer := 0, 0, 0
	for seed := range uint64(min(*seeds, 100)) {
		p := progen.Generate(seed, progen.Default)
		m := machine.New(p)
		tab := transition.NewTable()
		all, ok := within(m, tab, 1500, func(*counter) bool { return true })
		if !ok {
			continue
		}
		checked++
		for _, o := range []bound.Options{{Preemptions: 0, Delays: -1}, {Preemptions: 1, Delays: -1},
			{Preemptions: 2, Delays: -1}, {Preemptions: -1, Delays: 0}, {Preemptions: -1, Delays: 2},
			{Preemptions: 1, Delays: 1}} {
			want, _ := within(m, tab, 1500, func(c *counter) bool {
				return (o.Preemptions < 0 || c.preemptions <= o.Preemptions) &&
					(o.Delays < 0 || c.delays <= o.Delays)
			})
			got, n := bounded(t, m, tab, o)
			if !got.Covers(want) || !want.Covers(got) {
				t.Fatalf("seed %d, %+v: %d classes, %d are within\n%s", seed, o, got.Len(), want.Len(),
					progen.Source(p))
			}
			executed += n
			if want.Len() < all.Len() {
				fewer++
			}
		}
	}
	t.Logf("%d programs, %d executions; %d bounds kept something out", checked, executed, fewer)
	if fewer == 0 {
		t.Error("no bound ever kept anything out")
	}
}
