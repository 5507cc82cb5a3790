package transition

import (
	"heddle/model"
	"heddle/trace"
)

// An Operation is a communication that a goroutine announced: a send, a
// receive, or a select with its cases.
type Operation struct {
	Proc      Proc
	Op        trace.Op
	Announced int // the transition at whose end it was announced, -1: before the first
	Done      int // the transition that performed it; Path.Len() if none
	Poll      bool

	first, n int // its cases, in Path.offers
	era      int // the last barrier before its announcement, -1
}

// An offer is a case of an operation.
type offer struct {
	obj  Object
	at   int16 // index + 1 in the select, 0 outside one
	send bool
	op   int32
}

// Operations returns the communications that were announced, in that order.
func (p *Path) Operations() []Operation { return p.ops }

// readOffers reads the operations of an execution.
func (p *Path) readOffers(t *trace.Trace) {
	p.offers, p.ops = p.offers[:0], p.ops[:0]
	for i := 0; i < len(t.Offers); {
		o := &t.Offers[i]
		if o.Case < 0 { // no operation
			i++
			continue
		}
		k := i + 1
		for k < len(t.Offers) && t.Offers[k].G == o.G && t.Offers[k].Step == o.Step &&
			t.Offers[k].Case > o.Case {
			k++
		}
		p.readOperation(t, i, k)
		i = k
	}
	p.readDone()
}

// readOperation adds the operation whose cases are t.Offers[i:k].
func (p *Path) readOperation(t *trace.Trace, i, k int) {
	o := &t.Offers[i]
	g := p.Tab.procOfGID(o.G)
	op := Operation{Proc: g, Op: trace.OpSelect, Announced: int(p.transitionOf(o.Step)), Poll: o.Poll,
		Done: p.n, first: len(p.offers), n: k - i, era: -1}
	if o.Case == 0 {
		op.Op = trace.OpRecv
		if o.Send {
			op.Op = trace.OpSend
		}
	}
	if op.Announced >= 0 {
		op.era = p.era(op.Announced)
	}
	for ; i < k; i++ {
		o := &t.Offers[i]
		p.offers = append(p.offers, offer{p.Tab.object(t, o.Obj, 0), o.Case, o.Send, int32(len(p.ops))})
	}
	p.ops = append(p.ops, op)
}

// readDone sets the transition that performed each operation: the next transition of its goroutine.
func (p *Path) readDone() {
	if len(p.ops) == 0 {
		return
	}
	for i := range p.open {
		p.open[i] = -1
	}
	k := p.announce(0, -1)
	for j := range p.n {
		s := &p.steps[j]
		r := &p.rows[j]
		r.op, r.opWith = p.close(s.Proc, j), -1
		if s.With != NoProc {
			r.opWith = p.close(s.With, j)
		}
		k = p.announce(k, j)
	}
}

func (p *Path) close(g Proc, j int) int32 {
	o := p.open[g]
	if o >= 0 {
		p.ops[o].Done = j
		p.open[g] = -1
	}
	return o
}

// announce opens the operations that were announced at j, from the k-th on, and returns the index
// after them.
func (p *Path) announce(k, j int) int {
	for ; k < len(p.ops) && p.ops[k].Announced == j; k++ {
		p.open[p.ops[k].Proc] = int32(k)
	}
	return k
}

// readLeft reads the leftovers that are not communications.
func (p *Path) readLeft(t *trace.Trace) {
	n := 0
	for i := range t.Left {
		l := &t.Left[i]
		switch l.Op {
		case trace.OpSend, trace.OpRecv, trace.OpSelect, trace.OpAwait, trace.OpSleep, trace.OpCondWait:
			continue // a communication (see Operations), or only other goroutines can enable it
		}
		if l.Obj == 0 {
			continue
		}
		if n == len(p.left) {
			if n < cap(p.left) {
				p.left = p.left[:n+1]
			} else {
				p.left = append(p.left, Transition{})
			}
		}
		a := &p.left[n]
		*a = Transition{Proc: p.Tab.procOfGID(l.G), With: NoProc, Choice: -1, Op: l.Op,
			Accesses: a.Accesses[:0], Starts: a.Starts[:0]}
		obj := p.Tab.object(t, l.Obj, 0)
		if l.Op == trace.OpArrive && t.Objects[l.Obj].Kind == trace.ObjChan {
			p.readArrival(t, l, a)
			n++
		} else if m, ok := p.Tab.mode(obj, l.Op, 1); ok {
			a.Accesses = append(a.Accesses, Access{obj, m, l.Op, 1})
			n++
		}
	}
	p.left = p.left[:n]
}

// readArrival adds to a the sides of channels at which a goroutine that has not ended was about to
// arrive.
func (p *Path) readArrival(t *trace.Trace, l *trace.Left, a *Transition) {
	i := len(t.Offers)
	for i > 0 && t.Offers[i-1].Case == trace.Arriving {
		i--
	}
	for ; i < len(t.Offers); i++ {
		if o := &t.Offers[i]; o.G == l.G && o.Step == l.Step {
			a.Accesses = append(a.Accesses, Access{p.Tab.object(t, o.Obj, 0), model.Arrived, trace.OpArrive,
				side(o.Send)})
		}
	}
}
