package net

import (
	"slices"
	"testing"
)

// A builder adds events that are shown at once: each takes a goroutine's
// condition, takes some others, and reads some.
type builder struct {
	*Net
	places []Place
}

func build(places int) *builder {
	b := &builder{Net: New()}
	for range places {
		k := b.NewPlace()
		b.Mark(k, 0)
		b.places = append(b.places, k)
	}
	return b
}

// arcs returns the arcs of an event.
func arcs(takes, reads []Cond) (arcs []Arc) {
	for _, c := range takes {
		arcs = append(arcs, To(c, Takes))
	}
	for _, c := range reads {
		arcs = append(arcs, To(c, Reads))
	}
	return arcs
}

// event returns an event, and what it gives for what it takes.
func (b *builder) event(takes, reads []Cond) (Event, []Cond) {
	e := b.Foresee(0, arcs(takes, reads), None)
	b.Show(e)
	var given []Cond
	for _, c := range takes {
		given = append(given, b.Give(e, b.Place(c), c, 0))
	}
	return e, given
}

// Two goroutines that each write one variable and then read the other one: not both can read the
// value before the other's write, though every two of the four events can happen together.
func TestCycle(t *testing.T) {
	b := build(4)
	g, h, x, y := b.Root(0), b.Root(1), b.Root(2), b.Root(3)
	w1, g1 := b.event([]Cond{g, x}, nil)
	w2, h1 := b.event([]Cond{h, y}, nil)
	r1, _ := b.event([]Cond{g1[0]}, []Cond{y})
	r2, _ := b.event([]Cond{h1[0]}, []Cond{x})
	c := NewConfig(b.Net)
	c.Begin()
	m := c.Mark()
	if !c.Add(r1) || !c.Add(w2) {
		t.Fatal("r1 and w2 cannot both happen")
	}
	// r1 was added before w2 and w2 before r1 in the net: r1 has to come first all the same.
	if o := c.Order(); slices.Index(o, r1) > slices.Index(o, w2) {
		t.Errorf("w2, which takes what r1 reads, comes first: %v", o)
	}
	if c.Add(r2) {
		t.Error("both read the old value")
	}
	cycle := append([]Event(nil), c.Cycle()...)
	slices.Sort(cycle)
	if !slices.Equal(cycle, []Event{w1, w2, r1, r2}) {
		t.Errorf("the cycle is %v", cycle)
	}
	c.Undo(m)
	if c.Len() != 0 || !c.Add(r2) || !c.Add(w1) {
		t.Error("what was undone is still there")
	}
}

// A condition is taken once; what is kept is not taken.
func TestConflict(t *testing.T) {
	b := build(3)
	e, _ := b.event([]Cond{b.Root(0), b.Root(2)}, nil)
	f, _ := b.event([]Cond{b.Root(1), b.Root(2)}, nil)
	c := NewConfig(b.Net)
	c.Begin()
	if !c.Add(e) || c.Add(f) {
		t.Error("one condition was taken twice, or not at all")
	}
	c.Begin()
	if !c.Keep(b.Root(2)) || c.Add(e) {
		t.Error("what was to be kept was taken")
	}
}

// Versions of a place are found along its branches, as far as they go with what is there.
func TestVersions(t *testing.T) {
	b := build(3)
	_, one := b.event([]Cond{b.Root(0), b.Root(2)}, nil)
	_, two := b.event([]Cond{b.Root(1), b.Root(2)}, nil)
	_, after := b.event([]Cond{b.Root(1), one[1]}, nil)
	c := NewConfig(b.Net)
	versions := func() (vs []Cond) {
		c.Versions(2, func(x Cond) { vs = append(vs, x) })
		slices.Sort(vs)
		return vs
	}
	c.Begin()
	if got := versions(); !slices.Equal(got, []Cond{b.Root(2), one[1], two[1], after[1]}) {
		t.Errorf("from the start: %v", got)
	}
	c.Begin()
	c.Keep(b.Root(1))
	if got := versions(); !slices.Equal(got, []Cond{b.Root(2), one[1]}) {
		t.Errorf("while the second goroutine stays: %v", got)
	}
}

// An event that seals a condition comes after the joining events that it follows, and after no
// others.
func TestSeals(t *testing.T) {
	b := build(4)
	beside := b.NewPlace()
	b.Mark(beside, 0)
	join := func(g Cond) (Event, Cond) {
		e := b.Foresee(0, []Arc{To(g, Takes), To(b.Root(3), Joins)}, beside)
		b.Show(e)
		b.Give(e, b.Place(g), g, 0)
		return e, b.Aside(e, beside, 1)
	}
	_, one := join(b.Root(0))
	two, _ := join(b.Root(1))
	seal := b.Foresee(0, []Arc{To(b.Root(2), Takes), To(b.Root(3), Seals), To(one, Follows)}, None)
	b.Show(seal)
	c := NewConfig(b.Net)
	c.Begin()
	if !c.Add(seal) || c.Add(two) {
		t.Error("a reader that the writer does not follow joined what it sealed")
	}
	c.Begin()
	if !c.Add(two) || c.Add(seal) {
		t.Error("a writer sealed what another reader has joined")
	}
}

// An event that watches comes before those that it does not follow.
func TestWatches(t *testing.T) {
	b := build(2)
	beside := b.NewPlace()
	root := b.Mark(beside, 0)
	add := b.Foresee(0, []Arc{To(b.Root(0), Takes)}, beside)
	b.Show(add)
	b.Give(add, 0, b.Root(0), 0)
	b.Aside(add, beside, 1)
	wait := b.Foresee(0, []Arc{To(b.Root(1), Takes), To(root, Watches)}, None)
	b.Show(wait)
	c := NewConfig(b.Net)
	c.Begin()
	if !c.Add(add) || !c.Add(wait) {
		t.Fatal("they cannot both happen")
	}
	if o := c.Order(); !slices.Equal(o, []Event{wait, add}) {
		t.Errorf("the order is %v", o)
	}
}
