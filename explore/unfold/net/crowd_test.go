package net

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Goroutines lock one of two mutexes each time and read a flag, which one of them sets once. A
// crowd sorted by a mutex finds the same setters and readers as an unsorted list.
func TestCrowds(t *testing.T) {
	const goroutines, each = 5, 3
	rng := rand.New(rand.NewPCG(1, 2))
	b := build(goroutines + 3)
	flag := Place(goroutines)
	flags := b.Root(flag)
	waits := map[Cond]bool{} // at the flag while it is not set
	c := NewConfig(b.Net)
	for range 1500 {
		now := make([]Cond, goroutines+3) // of each place
		for k := range now {
			now[k] = b.Root(Place(k))
		}
		var done [goroutines]int
		for range goroutines * each {
			g := rng.IntN(goroutines)
			if done[g] == each {
				continue
			}
			done[g]++
			takes, reads := []Cond{now[g], now[goroutines+1+(g+done[g])%2]}, []Cond{now[flag]}
			if g == 0 && done[g] == 2 {
				takes, reads = append(takes, now[flag]), nil
			}
			for _, y := range b.once(takes, reads) {
				now[b.Place(y)] = y
			}
			if now[flag] == flags {
				b.Wait(flags, now[g])
				waits[now[g]] = true
			}
		}
		c.Begin()
		t0 := now[rng.IntN(goroutines)]
		for b.Up(t0) != None && rng.IntN(3) > 0 {
			t0 = b.Up(t0)
		}
		if !c.AddCond(t0) || !c.Keep(t0) || c.Last(flag) != flags {
			continue
		}
		b.compare(t, c, flags, waits)
	}
	sorted := 0
	for _, w := range b.crowds {
		if w.place != None {
			sorted++
			if w.place < flag {
				t.Errorf("a crowd of %d is sorted by the conditions of a goroutine",
					len(w.top.on(b.Net, None, nil)))
			}
		}
	}
	if sorted == 0 {
		t.Error("no crowd was sorted")
	}
}

// compare compares the conditions that can replace x, and those that wait at it, as c finds them,
// with all conditions for which that holds.
func (b *builder) compare(t *testing.T, c *Config, x Cond, waits map[Cond]bool) {
	t.Helper()
	there := func(y Cond) bool {
		m := c.Mark()
		defer c.Undo(m)
		return c.AddCond(y)
	}
	var next, waiting, gotNext, gotWaiting []Cond
	for y := range Cond(b.Conds()) {
		if b.Up(y) == x && there(y) {
			next = append(next, y)
		}
	}
	c.eachChild(x, func(y Cond) { gotNext = append(gotNext, y) })
	for y := range waits {
		if there(y) {
			waiting = append(waiting, y)
		}
	}
	c.Waiting(x, func(y Cond) {
		if there(y) {
			gotWaiting = append(gotWaiting, y)
		}
	})
	for _, list := range [][]Cond{next, waiting, gotNext, gotWaiting} {
		slices.Sort(list)
	}
	if gotWaiting = slices.Compact(gotWaiting); !slices.Equal(next, gotNext) ||
		!slices.Equal(waiting, gotWaiting) {
		t.Fatalf("%v and %v; want %v and %v", gotNext, gotWaiting, next, waiting)
	}
}

// once is event, unless there is one like it: then what that gave.
func (b *builder) once(takes, reads []Cond) []Cond {
	e := b.Find(0, arcs(takes, reads))
	if e == None {
		_, given := b.event(takes, reads)
		return given
	}
	first, k := b.Given(e)
	given := make([]Cond, k)
	for i := range given {
		given[i] = first + Cond(i)
	}
	return given
}

// Ancestors and forks in a random forest are what a walk from one condition to the next finds.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := New()
	place := n.NewPlace()
	for range 4 {
		n.Mark(place, 0)
	}
	for x := Cond(4); x < 3000; x++ {
		up := max(0, x-1-Cond(rng.IntN(1+rng.IntN(40)))) // long branches and short ones
		e := n.Foresee(int32(x), []Arc{To(up, Takes)}, None)
		n.Show(e)
		n.Give(e, place, up, 0)
	}
	chain := func(x Cond) (list []Cond) { // the first one first
		for ; x != None; x = n.Up(x) {
			list = append(list, x)
		}
		slices.Reverse(list)
		return list
	}
	for range 20_000 {
		x, y := Cond(rng.IntN(3000)), Cond(rng.IntN(3000))
		a, b := chain(x), chain(y)
		d := rng.IntN(len(a))
		if got := n.Ancestor(x, d); got != a[d] {
			t.Fatalf("the one of depth %d before %d is %d, not %d", d, x, a[d], got)
		}
		fork := Cond(None)
		for i := range min(len(a), len(b)) {
			if a[i] == b[i] {
				fork = a[i]
			}
		}
		if got := n.fork(x, y); got != fork {
			t.Fatalf("the fork of %d and %d is %d, not %d", x, y, fork, got)
		}
		if got := n.onOneBranch(x, y); got != (fork == x || fork == y) {
			t.Fatalf("%d and %d on one branch: %v", x, y, got)
		}
	}
}
