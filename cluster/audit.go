package cluster

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"heddle/rt/wire"
)

// Workers on other machines may lie or have broken memory. So that "covered" does not depend on
// them alone, some of their results, chosen at random, are made again here at the end: a result of
// a search is a function of its Item and of how far the worker went.

// mostClaims is how many results of a search are checked.
const mostClaims = 8

// A Claim is a worker's result for an Item.
type Claim struct {
	Worker string
	item   *wire.Item
	worked *wire.Worked
}

// Item returns the Item to be done again.
func (c *Claim) Item() *wire.Item {
	it := *c.item
	it.Same, it.Quantum, it.Least, it.Budget = c.worked.Extent, 0, 0, 0
	return &it
}

// Check compares the claim with w, the result of doing Item here. The error says what differs.
func (c *Claim) Check(w *wire.Worked) error {
	said, want := c.worked, w
	differs := ""
	switch {
	case said.Tally.Executions != want.Tally.Executions:
		differs = fmt.Sprintf("%d executions, repeated here %d", said.Tally.Executions, want.Tally.Executions)
	case said.Tally.Buggy != want.Tally.Buggy || !slices.Equal(said.Seen, want.Seen):
		differs = fmt.Sprintf("findings %q in %d executions, repeated here %q in %d",
			said.Seen, said.Tally.Buggy, want.Seen, want.Tally.Buggy)
	case !slices.EqualFunc(said.Left, want.Left,
		func(a, b wire.Piece) bool { return bytes.Equal(a.Data, b.Data) }):
		differs = "another rest of work than a repetition here"
	default:
		return nil
	}
	return fmt.Errorf("the result of worker %s for piece %d is wrong: it reported %s", c.Worker, c.item.N,
		differs)
}

// claims is a uniform random sample of the workers' results.
type claims struct {
	mu   sync.Mutex
	seen int
	kept []*Claim
}

// add adds a result. A void result is not kept: it only makes the search longer.
func (s *claims) add(worker string, it *wire.Item, w *wire.Worked) {
	if it == nil || it.Piece == nil || w.Learnt != nil || w.Isolate != nil || !w.Tally.Failed.None() {
		return
	}
	if w.Extent == nil { // without an Extent only an empty result can be compared
		w.Extent = new(wire.Extent)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	c := &Claim{worker, it, w}
	if len(s.kept) < mostClaims {
		s.kept = append(s.kept, c)
	} else if i := rand.IntN(s.seen); i < mostClaims {
		s.kept[i] = c
	}
}

// Claims returns a sample of the results since Work began.
func (m *Remote) Claims() []*Claim {
	m.claims.mu.Lock()
	defer m.claims.mu.Unlock()
	return slices.Clone(m.claims.kept)
}
