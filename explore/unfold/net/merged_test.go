package net

import (
	"math/rand/v2"
	"testing"
)

// A joined builder makes nets of goroutines that write variables and give tokens beside one place.
type joined struct {
	*builder
	r      *rand.Rand
	beside Place
	at     [][]Cond // by goroutine: its conditions
	vars   []Place
	tokens []Cond
	merged []Cond // by goroutine
}

func newJoined(seed uint64, goroutines, vars int) *joined {
	j := &joined{builder: build(goroutines + vars), r: rand.New(rand.NewPCG(seed, 1))}
	for g := range goroutines {
		j.at = append(j.at, []Cond{j.Root(Place(g))})
	}
	for v := range vars {
		j.vars = append(j.vars, Place(goroutines+v))
	}
	j.beside = j.NewPlace()
	j.Mark(j.beside, 0)
	for range goroutines {
		j.merged = append(j.merged, j.NewMerged(j.beside, 1))
	}
	return j
}

// grow adds an event of a goroutine that reads or writes a condition of a variable, if it can
// happen.
func (j *joined) grow() {
	g := j.r.IntN(len(j.at))
	t := j.at[g][j.r.IntN(len(j.at[g]))]
	xs := j.conds(j.vars[j.r.IntN(len(j.vars))])
	x := xs[j.r.IntN(len(xs))]
	use := Takes
	if j.r.IntN(2) == 0 {
		use = Reads
	}
	arcs := []Arc{To(t, Takes), To(x, use)}
	if j.Find(0, arcs) != None {
		return
	}
	token := j.r.IntN(2) == 0 && len(j.Members(j.merged[g])) < 4 && !j.given(t)
	beside := Place(None)
	if token {
		beside = j.beside
	}
	e := j.Foresee(0, arcs, beside)
	c := NewConfig(j.Net)
	c.Begin()
	j.Show(e)
	if !c.Add(e) { // it cannot happen: no goroutine goes on from it
		return
	}
	j.at[g] = append(j.at[g], j.Give(e, Place(g), t, 0))
	if use == Takes {
		j.Give(e, j.Place(x), x, 0)
	}
	if token {
		y := j.Aside(e, j.beside, 1)
		j.Merge(j.merged[g], y)
		j.tokens = append(j.tokens, y)
	}
}

// given reports whether the goroutine at t has given a token: no two members of a merged condition
// are given in one configuration.
func (j *joined) given(t Cond) bool {
	for ; t != None && j.By(t) != None; t = j.Up(t) {
		for _, y := range j.tokens {
			if j.By(y) == j.By(t) {
				return true
			}
		}
	}
	return false
}

func (j *joined) conds(k Place) (xs []Cond) {
	for x := range Cond(j.Conds()) {
		if j.Place(x) == k {
			xs = append(xs, x)
		}
	}
	return xs
}

// brute reports whether members of ms can be chosen so that all of it can happen with keep.
func (j *joined) brute(ms []Cond, events []Event, keep Cond) bool {
	if len(ms) == 0 {
		c := NewConfig(j.Net)
		c.Begin()
		if !c.AddCond(keep) || !c.Keep(keep) {
			return false
		}
		for _, e := range events {
			if !c.Add(e) {
				return false
			}
		}
		return true
	}
	for _, y := range j.Members(ms[0]) {
		if j.brute(ms[1:], append(events[:len(events):len(events)], j.By(y)), keep) {
			return true
		}
	}
	return false
}

// Resolve finds members if and only if there are some, as trying all choices does.
func TestResolve(t *testing.T) {
	yes, no := 0, 0
	for seed := range uint64(3000) {
		j := newJoined(seed, 4, 2)
		for range 30 {
			j.grow()
		}
		var ms []Cond
		for _, m := range j.merged[1:] {
			if len(j.Members(m)) > 0 {
				ms = append(ms, m)
			}
		}
		for _, keep := range j.at[0] {
			want := j.brute(ms, nil, keep)
			c := NewConfig(j.Net)
			c.Begin()
			if !c.AddCond(keep) || !c.Keep(keep) {
				continue
			}
			before := c.Mark()
			events := c.Len()
			for _, m := range ms {
				c.Want(m)
			}
			got := c.Resolve(func() bool { return false })
			if got != want {
				t.Fatalf("seed %d: members of %v with %d: %v, want %v", seed, ms, keep, got, want)
			}
			if got {
				yes++
				for _, m := range ms {
					if c.member(m) == None {
						t.Fatalf("seed %d: no member of %d", seed, m)
					}
				}
				c.Order() // panics if there is none
			} else {
				no++
			}
			if c.Undo(before); c.Len() != events || len(c.wants) != 0 {
				t.Fatalf("seed %d: what was undone is still there", seed)
			}
		}
	}
	t.Logf("%d can happen, %d cannot", yes, no)
	if min(yes, no) < 1000 {
		t.Error("too few of one kind")
	}
}

// Whether two merged conditions exclude each other is seen without a look at all choices of forty
// others.
func TestResolveFar(t *testing.T) {
	j := newJoined(0, 42, 42)
	follows := func(g, v int) { // goroutine g takes variable v and gives a token
		e := j.Foresee(0, []Arc{To(j.Root(Place(g)), Takes), To(j.Root(j.vars[v]), Takes)}, j.beside)
		j.Show(e)
		j.Give(e, Place(g), j.Root(Place(g)), 0)
		j.Give(e, j.vars[v], j.Root(j.vars[v]), 0)
		y := j.Aside(e, j.beside, 1)
		j.Merge(j.merged[g], y)
	}
	for g := range 40 { // each may take either of two variables that no other goroutine uses
		follows(g, g/2*2)
		follows(g, g/2*2+1)
	}
	follows(40, 41) // these two take the same variable
	follows(41, 41)
	c := NewConfig(j.Net)
	c.Begin()
	for _, m := range j.merged {
		c.Want(m)
	}
	asked := 0
	if c.Resolve(func() bool { asked++; return asked > 20_000 }) || asked > 20_000 {
		t.Errorf("%d choices", asked)
	}
	t.Logf("%d choices", asked)
}
