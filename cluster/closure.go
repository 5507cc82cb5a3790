package cluster

import (
	"encoding/binary"
	"slices"
	"time"

	"heddle/rt/wire"
)

// closure is the plan of an exploration in which each execution leads to further states and each
// state is to be reached only once: of the pieces in results, those that lead to known states are
// dropped.
type closure struct {
	test    string
	know    wire.Knowledge
	quantum time.Duration

	out    Outcome
	states map[uint64]bool
	order  []uint64 // in the order in which they became known
	pieces map[int]*wire.Piece
	number int
	fresh  queue // pieces that no worker has and that were never executed
	made   queue // pieces that were executed in part; they take longer
	bare   []int // indices of bare pieces, which are handed out when nothing else is left
	items  int
	hands  hands
	failed bool
}

// A queue is a list of pieces that no worker has, in order.
type queue struct {
	idle []int         // some may be done by now
	each time.Duration // estimated time for one
}

const (
	// toldStates is how many states a worker is told of at most, the last that became known. The
	// worker need not lead to them.
	toldStates = 1 << 10

	mostPieces = 256     // most pieces of a queue in an Item
	mostBytes  = 1 << 20 // most bytes of an Item, approximately
)

func newClosure(test string, s *wire.Share, quantum time.Duration) *closure {
	p := &closure{test: test, know: s.Know, quantum: quantum, states: make(map[uint64]bool),
		pieces: make(map[int]*wire.Piece)}
	p.fresh.each, p.made.each = quantum, quantum
	p.out.Tally = s.Tally
	p.out.Formulas = new(wire.Formulas)
	if s.Formulas != nil {
		p.out.Formulas.Add(s.Formulas)
	}
	for _, x := range s.States {
		p.reach(x)
	}
	for i := range s.Pieces {
		x := s.Pieces[i]
		p.number++
		x.N = p.number
		p.add(&x)
	}
	return p
}

// reach marks a state as known.
func (p *closure) reach(state uint64) {
	if state != 0 && !p.states[state] {
		p.states[state] = true
		p.order = append(p.order, state)
	}
}

// add adds a piece that no worker has.
func (p *closure) add(x *wire.Piece) {
	p.pieces[x.N] = x
	if x.Bare {
		p.bare = append(p.bare, x.N)
		return
	}
	q := p.of(x)
	q.idle = append(q.idle, x.N)
	p.reach(x.State)
}

// of returns the queue of a piece.
func (p *closure) of(x *wire.Piece) *queue {
	if x.Made {
		return &p.made
	}
	return &p.fresh
}

// some removes pieces from a queue: about as many as one worker finishes in a quantum, and few
// enough to leave some for other workers.
func (p *closure) some(q *queue) (of []int) {
	n := min(len(q.idle)/2+1, max(1, int(p.quantum/max(q.each, 1))), mostPieces)
	for size := 0; len(of) < n && len(q.idle) > 0 && size < mostBytes; q.idle = q.idle[1:] {
		if k := q.idle[0]; p.pieces[k] != nil {
			of = append(of, k)
			size += len(p.pieces[k].Data)
		}
	}
	return of
}

// next implements plan.
func (p *closure) next() *wire.Item {
	if p.failed {
		return nil
	}
	if it := p.hands.again(); it != nil {
		return it
	}
	of := append(p.some(&p.fresh), p.some(&p.made)...) // new states are executed soon
	if len(of) == 0 {
		of = p.nextBare()
	}
	if len(of) == 0 {
		return nil
	}
	p.items++
	it := &wire.Item{N: p.items, Test: p.test, Know: p.know.Clone(), Before: p.out.Tally.Executions}
	for _, k := range of {
		it.More = append(it.More, *p.pieces[k])
	}
	first := it.More[0]
	it.Piece, it.More = &first, it.More[1:]
	it.Piece.Size = float64(len(of))
	for _, x := range p.order[max(0, len(p.order)-toldStates):] {
		it.Known = binary.LittleEndian.AppendUint64(it.Known, x)
	}
	p.hands.give(it)
	return it
}

// tidy removes bare pieces that are done or that lead to states known by now.
func (p *closure) tidy() {
	for len(p.bare) > 0 && (p.pieces[p.bare[0]] == nil || p.states[p.pieces[p.bare[0]].State]) {
		delete(p.pieces, p.bare[0])
		p.bare = p.bare[1:]
	}
}

// nextBare returns a bare piece if nothing else is left, else nil.
func (p *closure) nextBare() []int {
	if p.tidy(); len(p.bare) == 0 || len(p.hands.items) > 0 {
		return nil
	}
	of := p.bare[:1]
	p.bare = p.bare[1:]
	p.reach(p.pieces[of[0]].State)
	return of
}

// back implements plan.
func (p *closure) back(it *wire.Item) {
	p.hands.back(it)
}

// take implements plan.
func (p *closure) take(w *wire.Worked) []*wire.Worked {
	it := p.hands.done(w.N)
	if it == nil {
		if len(w.Found) == 0 {
			return nil
		}
		// its findings count although the result does not
		return []*wire.Worked{{N: -1, Found: w.Found, Seen: w.Seen}}
	}
	of := append([]wire.Piece{*it.Piece}, it.More...)
	w.To = min(w.To, len(of))
	for i := range of[:w.To] {
		w.Of = append(w.Of, of[i].N)
	}
	for i := len(of) - 1; i >= w.To; i-- {
		q := p.of(&of[i])
		q.idle = slices.Insert(q.idle, 0, of[i].N)
	}
	if w.To > 0 && w.Elapsed > 0 {
		q := p.of(&of[w.To-1]) // the one that took longest
		n := 0
		for i := range of[:w.To] {
			if p.of(&of[i]) == q {
				n++
			}
		}
		q.each = (q.each + time.Duration(w.Elapsed/float64(n)*float64(time.Second))) / 2
	}
	type where struct {
		state uint64
		bare  bool
	}
	led := make(map[where]bool)
	fresh := w.Left[:0]
	for _, x := range w.Left {
		to := where{x.State, x.Bare}
		if x.State != 0 && (p.states[x.State] || led[to]) {
			continue
		}
		led[to] = true
		p.number++
		x.N = p.number
		fresh = append(fresh, x)
	}
	w.Left = fresh
	p.replay(w)
	return []*wire.Worked{w}
}

// replay implements plan.
func (p *closure) replay(w *wire.Worked) {
	if w.N < 0 {
		return
	}
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Add(&w.Tally)
	p.out.Again += w.Again
	if w.Formulas != nil {
		p.out.Formulas.Add(w.Formulas)
	}
	p.failed = p.failed || !w.Tally.Failed.None() || w.Over || w.Isolate != nil
	for _, n := range w.Of {
		if x := p.pieces[n]; x != nil {
			delete(p.pieces, n)
			p.reach(x.State)
		}
	}
	for i := range w.Left {
		x := w.Left[i]
		p.number = max(p.number, x.N)
		p.add(&x)
	}
	p.items = max(p.items, w.N)
}

func (p *closure) done() bool {
	if p.failed {
		return true
	}
	p.tidy()
	return len(p.pieces) == 0
}

func (p *closure) end() []*wire.Worked { return nil }

func (p *closure) outcome() Outcome {
	o := p.out
	o.Know, o.Complete = *p.know.Clone(), !p.failed && p.done()
	return o
}

func (p *closure) estimate() float64 { return 0 }
