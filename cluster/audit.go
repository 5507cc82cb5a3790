package cluster

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"heddle/rt/wire"
)

// Workers elsewhere may lie, or have broken memory. So that "covered" does not rest on their word alone, some of their results, which
// cannot be foretold, are made again here at the end: a result of a search is a function of its Item and of how far it went.

// mostClaims is how many results of a search are checked at most.
const mostClaims = 8

// A Claim is what a worker said an Item came to.
type Claim struct {
	Worker string
	item   *wire.Item
	worked *wire.Worked
}

// Item returns what is to be made again.
func (c *Claim) Item() *wire.Item {
	it := *c.item
	it.Same, it.Quantum, it.Least, it.Budget = c.worked.Extent, 0, 0, 0
	return &it
}

// Check compares the claim with what was made of Item here. The error says what differs.
func (c *Claim) Check(w *wire.Worked) error {
	said, want := c.worked, w
	differs := ""
	switch {
	case said.Tally.Executions != want.Tally.Executions:
		differs = fmt.Sprintf("%d executions; made again here there are %d", said.Tally.Executions, want.Tally.Executions)
	case said.Tally.Buggy != want.Tally.Buggy || !slices.Equal(said.Seen, want.Seen):
		differs = fmt.Sprintf("findings %q in %d executions; made again here they are %q in %d",
			said.Seen, said.Tally.Buggy, want.Seen, want.Tally.Buggy)
	case !slices.EqualFunc(said.Left, want.Left, func(a, b wire.Piece) bool { return bytes.Equal(a.Data, b.Data) }):
		differs = "something else left to do than there is when it is made again here"
	default:
		return nil
	}
	return fmt.Errorf("the result of worker %s for piece %d does not hold: it said %s", c.Worker, c.item.N, differs)
}

// claims are a sample of what workers said, each result with the same chance.
type claims struct {
	mu   sync.Mutex
	seen int
	kept []*Claim
}

// add takes a result. Those that void themselves are not kept: what they say only makes the search longer.
func (s *claims) add(worker string, it *wire.Item, w *wire.Worked) {
	if it == nil || it.Piece == nil || w.Learnt != nil || w.Isolate != nil || !w.Tally.Failed.None() {
		return
	}
	if w.Extent == nil { // then nothing can be compared but that it made nothing
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

// Claims returns some of the results that workers sent since Work began.
func (m *Remote) Claims() []*Claim {
	m.claims.mu.Lock()
	defer m.claims.mu.Unlock()
	return slices.Clone(m.claims.kept)
}
