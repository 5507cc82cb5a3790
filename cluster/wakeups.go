package cluster

import (
	"errors"
	"slices"

	"heddle/explore"
	"heddle/rt/wire"
)

// wakeups is the rest of a search with wakeup trees. Their leaves are handed out, several at a
// time if they are small. A result has the rest of its leaves in one piece.
type wakeups struct {
	tree   explore.Tree
	idle   []explore.Leaf // those that no worker has
	number int            // of the last piece that was handed out
	hands  map[int][]int  // by number: the leaves that were handed out
	undone []int          // numbers whose leaves came back undone
}

// A piece has about one groupPart-th of the leaves that no worker has, and at most groupMost
// transitions in its prefixes, a few hundred kilobytes.
const (
	groupPart = 8
	groupMost = 10_000
)

func newWakeups(k *wire.Knowledge) *wakeups {
	p := new(wakeups)
	p.begin(k)
	return p
}

func (p *wakeups) begin(k *wire.Knowledge) {
	p.tree, p.hands, p.undone = newTree(), make(map[int][]int), nil
	p.tree.Know(k.Ordered)
	p.idle = []explore.Leaf{{N: 1, Size: 1}}
}

// newTree returns the Tree of a search that has not begun.
func newTree() explore.Tree {
	return explore.First(func(u *explore.Unit) bool { return u.Tree != nil }).Tree()
}

func (p *wakeups) anew(k *wire.Knowledge) { p.begin(k) }

// next implements rest. It hands out the largest leaves first.
func (p *wakeups) next() (int, *wire.Piece) {
	if len(p.undone) > 0 {
		n := p.undone[0]
		p.undone = p.undone[1:]
		return n, p.piece(n)
	}
	if len(p.idle) == 0 {
		return 0, nil
	}
	all, some := 0.0, 0.0
	for _, l := range p.idle {
		all += l.Size
	}
	slices.SortStableFunc(p.idle, func(a, b explore.Leaf) int {
		switch {
		case a.Size > b.Size:
			return -1
		case a.Size < b.Size:
			return 1
		}
		return 0
	})
	p.number++
	for depth := 0; len(p.idle) > 0 && some < all/groupPart && depth < groupMost; {
		l := p.idle[0]
		p.hands[p.number], p.idle = append(p.hands[p.number], l.N), p.idle[1:]
		some += l.Size
		depth += l.Depth
	}
	return p.number, p.piece(p.number)
}

func (p *wakeups) piece(n int) *wire.Piece {
	return &wire.Piece{Data: p.tree.Item(p.hands[n]), Size: p.tree.Size(p.hands[n])}
}

func (p *wakeups) back(n int) {
	if !slices.Contains(p.undone, n) {
		p.undone = append(p.undone, n)
	}
}

func (p *wakeups) open(n int) bool { return p.hands[n] != nil }

func (p *wakeups) sign(w *wire.Worked) { w.Of = p.hands[w.N] }

var errLeft = errors.New("a result does not say what is left")

func (p *wakeups) take(w *wire.Worked) error {
	delete(p.hands, w.N)
	p.undone = slices.DeleteFunc(p.undone, func(n int) bool { return n == w.N })
	p.number = max(p.number, w.N)
	p.idle = slices.DeleteFunc(p.idle, func(l explore.Leaf) bool { return slices.Contains(w.Of, l.N) })
	if len(w.Left) != 1 {
		return errLeft
	}
	fresh, err := p.tree.Take(w.Of, w.Left[0].Data, w.Tally.Executions)
	p.idle = append(p.idle, fresh...)
	return err
}

func (p *wakeups) done() bool { return p.tree.Done() }

func (p *wakeups) size() float64 { return p.tree.Size(nil) }
