package cluster

import "heddle/rt/wire"

// portfolio is the plan of sampling by several strategies, in turns without end. Each worker has a
// portfolio of its own, in memory, with other seeds. It is told which orders the others found
// first, so that its strategies share the time by what is new to all.
type portfolio struct {
	test  string
	state wire.State
	free  bool

	out    Outcome
	orders []uint64 // new in recent results
	number int
	hands  hands
	over   bool
}

func newPortfolio(test string, s *wire.Share) *portfolio {
	p := &portfolio{test: test, state: *s.State, free: s.Free}
	p.out.Tally, p.out.Know = s.Tally, s.Know
	return p
}

// next implements plan.
func (p *portfolio) next() *wire.Item {
	if p.over {
		return nil
	}
	if it := p.hands.again(); it != nil {
		return it
	}
	p.number++
	it := &wire.Item{N: p.number, Test: p.test, Know: p.out.Know.Clone(), Before: p.out.Tally.Executions,
		Turn: &wire.Turn{State: p.state, Free: p.free, Orders: p.orders}}
	p.hands.give(it)
	return it
}

// back implements plan.
func (p *portfolio) back(it *wire.Item) { p.hands.back(it) }

// take implements plan.
func (p *portfolio) take(w *wire.Worked) []*wire.Worked {
	if p.hands.done(w.N) == nil {
		if len(w.Found) == 0 {
			return nil
		}
		// its findings count although the result does not
		return []*wire.Worked{{N: -1, Found: w.Found, Seen: w.Seen}}
	}
	all := append(p.orders[:len(p.orders):len(p.orders)], w.Orders...)
	p.orders = all[max(0, len(all)-wire.MostOrders):]
	w.Orders = nil // a run that resumes from the Log has other portfolios
	p.replay(w)
	return []*wire.Worked{w}
}

// replay implements plan.
func (p *portfolio) replay(w *wire.Worked) {
	if w.N < 0 {
		return
	}
	p.number = max(p.number, w.N) // another number means another seed
	p.out.Items++
	p.out.Working += w.Elapsed
	p.out.Tally.Add(&w.Tally)
	if w.Know != nil {
		k := p.out.Know.Clone()
		k.Join(w.Know)
		p.out.Know = *k
	}
	p.over = p.over || !w.Tally.Failed.None() || w.Over || w.Isolate != nil
}

// done implements plan.
func (p *portfolio) done() bool { return p.over }

// end implements plan.
func (p *portfolio) end() []*wire.Worked { return nil }

func (p *portfolio) outcome() Outcome { return p.out }

func (p *portfolio) estimate() float64 { return 0 }
