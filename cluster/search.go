package cluster

import (
	"slices"

	"heddle/rt/wire"
)

// search is the plan of an exhaustive search: a tree of pieces, each of which is worked on
// for a while, and leaves pieces over.
type search struct {
	test  string
	epoch int
	know  wire.Knowledge

	out    Outcome
	number int
	open   map[int]*wire.Piece // that are not done, by Item
	idle   []int               // that nobody has
	failed bool
}

func newSearch(test string, s *wire.Share) *search {
	p := &search{test: test, open: make(map[int]*wire.Piece)}
	p.know.Join(&s.Know)
	p.out.Tally = s.Tally
	for i := range s.Pieces {
		p.add(&s.Pieces[i])
	}
	return p
}

func (p *search) add(x *wire.Piece) {
	p.number++
	p.open[p.number] = x
	p.idle = append(p.idle, p.number)
}

// next implements plan: the largest piece is given away first.
func (p *search) next() *wire.Item {
	if len(p.idle) == 0 || p.failed {
		return nil
	}
	best := 0
	for i, n := range p.idle {
		if p.open[n].Size > p.open[p.idle[best]].Size {
			best = i
		}
	}
	n := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return &wire.Item{N: n, Epoch: p.epoch, Test: p.test, Know: p.know.Clone(), Piece: p.open[n], Before: p.out.Tally.Executions}
}

// back implements plan.
func (p *search) back(it *wire.Item) {
	if it.Epoch == p.epoch && p.open[it.N] != nil && !slices.Contains(p.idle, it.N) {
		p.idle = append(p.idle, it.N)
	}
}

// take implements plan.
func (p *search) take(w *wire.Worked) []*wire.Worked {
	if w.Epoch != p.epoch || p.open[w.N] == nil {
		if len(w.Found) == 0 {
			return nil
		}
		// What was found was found, though it does not count.
		return []*wire.Worked{{N: -1, Found: w.Found, Seen: w.Seen}}
	}
	p.replay(w)
	return []*wire.Worked{w}
}

// replay implements plan.
func (p *search) replay(w *wire.Worked) {
	if w.N < 0 {
		return
	}
	p.out.Items++
	p.out.Working += w.Elapsed
	if w.Learnt != nil {
		p.anew(w.Learnt)
		return
	}
	delete(p.open, w.N)
	p.idle = slices.DeleteFunc(p.idle, func(n int) bool { return n == w.N })
	p.out.Tally.Add(&w.Tally)
	p.out.Again += w.Again
	p.failed = p.failed || w.Tally.Failed != ""
	for i := range w.Left {
		p.add(&w.Left[i])
	}
}

// anew begins the search again, with what was learnt.
func (p *search) anew(k *wire.Knowledge) {
	p.know.Join(k)
	p.epoch++
	clear(p.open)
	p.idle = p.idle[:0]
	p.out.Again += p.out.Tally.Executions
	was := p.out.Tally
	p.out.Tally = wire.Tally{Buggy: was.Buggy, Bounded: was.Bounded, Timers: was.Timers, Real: was.Real, Nondet: was.Nondet}
	p.add(&wire.Piece{Size: 1})
}

func (p *search) outcome() Outcome {
	o := p.out
	o.Know, o.Complete = *p.know.Clone(), len(p.open) == 0
	return o
}

func (p *search) done() bool { return len(p.open) == 0 || p.failed }

func (p *search) end() []*wire.Worked { return nil }

func (p *search) estimate() float64 {
	n := float64(p.out.Tally.Executions)
	for _, x := range p.open {
		n += x.Size
	}
	return n
}
