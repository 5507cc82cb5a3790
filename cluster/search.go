package cluster

import (
	"slices"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// search is the plan of an exhaustive search in pieces. A worker works on a piece for a while and
// leaves a rest.
type search struct {
	test  string
	epoch int
	know  wire.Knowledge

	out    Outcome
	rest   rest
	failed bool
}

// A rest is the part of a search that is not done.
type rest interface {
	// next hands out some of it under a new number, or returns nil if all is at workers.
	next() (n int, x *wire.Piece)
	// back takes back what was handed out under a number.
	back(n int)
	// open reports whether no result was taken for a number.
	open(n int) bool
	// sign adds to a result what take needs if the number is unknown by then.
	sign(w *wire.Worked)
	// take takes the first result for a number.
	take(w *wire.Worked) error
	// anew starts again with the given knowledge and nothing done.
	anew(k *wire.Knowledge)
	// done reports whether nothing is left, neither here nor at a worker.
	done() bool
	// size returns the approximate number of executions left.
	size() float64
}

func newSearch(test string, s *wire.Share) *search {
	p := &search{test: test}
	p.know.Join(&s.Know)
	p.out.Tally = s.Tally
	if s.Wakeups {
		p.rest = newWakeups(&p.know)
	} else {
		p.rest = newPieces()
	}
	p.keep(&wire.Worked{Left: s.Pieces, Of: []int{1}})
	return p
}

// next implements plan.
func (p *search) next() *wire.Item {
	if p.failed {
		return nil
	}
	n, x := p.rest.next()
	if x == nil {
		return nil
	}
	return &wire.Item{N: n, Epoch: p.epoch, Test: p.test, Know: p.know.Clone(), Piece: x,
		Before: p.out.Tally.Executions}
}

// back implements plan.
func (p *search) back(it *wire.Item) {
	if it.Epoch == p.epoch && p.rest.open(it.N) {
		p.rest.back(it.N)
	}
}

// take implements plan.
func (p *search) take(w *wire.Worked) []*wire.Worked {
	if w.Epoch != p.epoch || !p.rest.open(w.N) {
		if len(w.Found) == 0 {
			return nil
		}
		// Findings count although the result does not.
		return []*wire.Worked{{N: -1, Found: w.Found, Seen: w.Seen}}
	}
	p.rest.sign(w)
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
	p.out.Tally.Add(&w.Tally)
	p.out.Again += w.Again
	if w.Tally.Failed.None() {
		p.keep(w)
	}
	p.failed = p.failed || !p.out.Tally.Failed.None()
}

// keep keeps the rest of a result.
func (p *search) keep(w *wire.Worked) {
	if err := p.rest.take(w); err != nil {
		p.out.Tally.Failed, p.failed = why.From(err), true
	}
}

// anew starts the search again with more knowledge.
func (p *search) anew(k *wire.Knowledge) {
	p.know.Join(k)
	p.epoch++
	p.out.Again += p.out.Tally.Executions
	was := p.out.Tally
	p.out.Tally = wire.Tally{Buggy: was.Buggy, Cuts: was.Cuts, Timers: was.Timers, Real: was.Real,
		Nondet: was.Nondet}
	p.rest.anew(&p.know)
}

func (p *search) outcome() Outcome {
	o := p.out
	o.Know, o.Complete = *p.know.Clone(), p.rest.done()
	return o
}

func (p *search) done() bool { return p.rest.done() || p.failed }

func (p *search) end() []*wire.Worked { return nil }

func (p *search) estimate() float64 { return float64(p.out.Tally.Executions) + p.rest.size() }

// pieces is the rest of a search that can be cut anywhere: each piece is a search of its own.
type pieces struct {
	number int
	all    map[int]*wire.Piece // by number: those that are not done
	idle   []int               // those that no worker has
}

func newPieces() *pieces { return &pieces{all: make(map[int]*wire.Piece)} }

// next implements rest. It hands out the largest piece first.
func (p *pieces) next() (int, *wire.Piece) {
	if len(p.idle) == 0 {
		return 0, nil
	}
	best := 0
	for i, n := range p.idle {
		if p.all[n].Size > p.all[p.idle[best]].Size {
			best = i
		}
	}
	n := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return n, p.all[n]
}

func (p *pieces) back(n int) {
	if !slices.Contains(p.idle, n) {
		p.idle = append(p.idle, n)
	}
}

func (p *pieces) open(n int) bool { return p.all[n] != nil }

func (p *pieces) sign(*wire.Worked) {}

func (p *pieces) take(w *wire.Worked) error {
	delete(p.all, w.N)
	p.idle = slices.DeleteFunc(p.idle, func(n int) bool { return n == w.N })
	for i := range w.Left {
		p.add(&w.Left[i])
	}
	return nil
}

func (p *pieces) add(x *wire.Piece) {
	p.number++
	p.all[p.number] = x
	p.idle = append(p.idle, p.number)
}

func (p *pieces) anew(*wire.Knowledge) {
	clear(p.all)
	p.idle = p.idle[:0]
	p.add(&wire.Piece{Size: 1})
}

func (p *pieces) done() bool { return len(p.all) == 0 }

func (p *pieces) size() (n float64) {
	for _, x := range p.all {
		n += x.Size
	}
	return n
}
