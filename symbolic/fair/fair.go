// Package fair has queues of work in classes that take turns: a class with ever more work keeps no
// other class waiting (class-uniform path analysis: Bucur, Kinder and Candea, "Prototyping symbolic
// execution engines for interpreted languages", ASPLOS 2014).
package fair

import (
	"cmp"
	"slices"
)

// A Queue has items of type T in classes C, and in kinds within a class. The next class is the one
// whose turns have cost least, the oldest of several; of its kinds, the one that had the fewest
// turns. The next item of that is the one of the lowest rank, the oldest of several.
type Queue[C comparable, T any] struct {
	cost    func(C) int
	classes map[C]*class[T]
	found   []*class[T]
	n       int // number of items
	added   int // number of items ever added
}

// A class is its kinds, in the order in which they were found.
type class[T any] struct {
	cost, spent int
	n           int // number of items
	kinds       []*kind[T]
	by          map[uint64]*kind[T]
}

// A kind is a heap of items.
type kind[T any] struct {
	turns int
	items []item[T]
	lent  bool // the items are shared with another kind: they are copied before one is taken
}

type item[T any] struct {
	rank, nth int
	x         T
}

func (a item[T]) before(b item[T]) bool {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.nth, b.nth)) < 0
}

// New returns an empty queue. A turn of a class costs cost(class), at least 1.
func New[C comparable, T any](cost func(C) int) *Queue[C, T] {
	return &Queue[C, T]{cost: cost, classes: map[C]*class[T]{}}
}

// Len returns the number of items.
func (q *Queue[C, T]) Len() int { return q.n }

func (q *Queue[C, T]) class(c C) *class[T] {
	k := q.classes[c]
	if k == nil {
		k = &class[T]{cost: max(1, q.cost(c)), by: map[uint64]*kind[T]{}}
		q.classes[c] = k
		q.found = append(q.found, k)
	}
	return k
}

// Add adds an item to a class.
func (q *Queue[C, T]) Add(c C, rank int, x T) { q.AddOf(c, 0, rank, x) }

// AddOf adds an item to a kind of a class.
func (q *Queue[C, T]) AddOf(c C, of uint64, rank int, x T) {
	class := q.class(c)
	k := class.by[of]
	if k == nil {
		k = &kind[T]{}
		class.by[of] = k
		class.kinds = append(class.kinds, k)
	}
	k.items = append(k.items, item[T]{rank, q.added, x})
	class.n++
	q.n++
	q.added++
	for i := len(k.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !k.items[i].before(k.items[up]) {
			break
		}
		k.items[i], k.items[up] = k.items[up], k.items[i]
		i = up
	}
}

// Charge makes a class pay for a turn that it took outside the queue.
func (q *Queue[C, T]) Charge(c C) {
	k := q.class(c)
	k.spent += k.cost
}

// Next removes and returns the next item; ok is false if there is none.
func (q *Queue[C, T]) Next() (x T, ok bool) {
	var k *class[T]
	for _, c := range q.found {
		if c.n > 0 && (k == nil || c.spent < k.spent) {
			k = c
		}
	}
	if k == nil {
		return x, false
	}
	k.spent += k.cost
	q.n--
	return k.take(), true
}

// take removes and returns the first item of a class.
func (c *class[T]) take() T {
	var k *kind[T]
	for _, x := range c.kinds {
		if len(x.items) > 0 && (k == nil || x.turns < k.turns) {
			k = x
		}
	}
	k.turns++
	c.n--
	return k.take()
}

// take removes and returns the first item of a heap.
func (k *kind[T]) take() T {
	if k.lent {
		k.items, k.lent = slices.Clone(k.items), false
	}
	x, last := k.items[0].x, len(k.items)-1
	k.items[0] = k.items[last]
	k.items[last] = item[T]{}
	k.items = k.items[:last]
	down(k.items, 0, item[T].before)
	return x
}

// down moves element i of a heap to where it belongs among those below it. (Package container/heap
// is not for what is compiled into the program under test: that may be its own test.)
func down[E any](heap []E, i int, before func(a, b E) bool) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if before(heap[c], heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// Ahead calls do with the items that Next would return, in order, at most most of them, while do
// returns true.
func (q *Queue[C, T]) Ahead(most int, do func(T) bool) {
	var next []turn[T] // a heap of the classes with items
	for i, c := range q.found {
		if c.n > 0 {
			next = append(next, turn[T]{c, c.spent, i, false})
		}
	}
	for i := len(next)/2 - 1; i >= 0; i-- {
		down(next, i, turn[T].before)
	}
	for ; most > 0 && len(next) > 0; most-- {
		t := &next[0]
		if !t.own {
			t.class, t.own = t.lend(), true
		}
		t.spent += t.cost
		x := t.take()
		if t.n == 0 {
			*t = next[len(next)-1]
			next = next[:len(next)-1]
		}
		down(next, 0, turn[T].before)
		if !do(x) {
			return
		}
	}
}

// lend returns a copy of a class that shares its items.
func (c *class[T]) lend() *class[T] {
	kinds := make([]*kind[T], len(c.kinds))
	for i, k := range c.kinds {
		kinds[i] = &kind[T]{k.turns, k.items, true}
	}
	return &class[T]{cost: c.cost, n: c.n, kinds: kinds}
}

// A turn is a class with what it will have spent. own: the class is a copy.
type turn[T any] struct {
	*class[T]
	spent, nth int
	own        bool
}

func (t turn[T]) before(u turn[T]) bool {
	return cmp.Or(cmp.Compare(t.spent, u.spent), cmp.Compare(t.nth, u.nth)) < 0
}
