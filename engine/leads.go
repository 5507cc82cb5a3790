package engine

import (
	"cmp"
	"encoding/binary"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
)

// Where what is asked about an execution depends on its trace alone, a search can be handed out as
// leads (explore.Leads): executions that are to be made, each with what is to be asked about it.

// shareLeads gives the rest of an exploration away and reports whether it did.
func (e *exploration) shareLeads(s explore.Strategy, result string) bool {
	p, ok := s.(explore.Leads)
	if !ok || e.n == 0 || e.cfg.Runs > 0 || !e.mayShare() {
		return false
	}
	leads, states, ok := p.Leads()
	if !ok || len(leads) == 0 {
		return false
	}
	e.share = e.shared(result)
	e.share.Closure, e.share.States, e.share.Formulas = true, states, e.formulasOf(p)
	e.share.Tally.Short = p.Short()
	for i := range leads {
		x := pieceOf(&leads[i])
		if x.Made {
			x.State = 0 // it is among those that are known
		}
		e.share.Pieces = append(e.share.Pieces, x)
	}
	return true
}

// formulasOf returns what a strategy has asked of a solver.
func (e *exploration) formulasOf(s explore.Strategy) *wire.Formulas {
	x, ok := s.(explore.Measured)
	if !ok {
		return nil
	}
	m := x.Measure()
	return e.formulas(&m)
}

// Asked says how far executions have come that add up to t; all: nothing is left to ask.
func Asked(t *wire.Tally, all bool) why.End {
	switch {
	case t.Real:
		return why.Sampled(why.Of(why.Uncontrolled))
	case t.Cuts != (wire.Cuts{}):
		return why.Sampled(t.Cuts.Reason())
	case !t.Failed.None():
		return why.Sampled(t.Failed)
	case !all:
		return why.End{}
	}
	return why.Sampled(cmp.Or(t.Short, why.Of(why.Exhausted)))
}

// mostLeads is how many bytes of leads a worker gives back at a time, more or less.
const mostLeads = 1 << 20

// pieceOf returns a lead as it is handed out.
func pieceOf(l *explore.Lead) wire.Piece {
	return wire.Piece{Data: l.Encode(), Size: 1, State: l.State, Made: l.Made, Bare: l.Bare}
}

// expandOn makes the executions of an Item. About those that were made before it asks what there
// is to ask: so what is found is executed soon, and thought about in its turn.
func (w *Worker) expandOn() {
	e, it, r := w.e, w.item, w.worked
	s := w.leads
	if s == nil {
		s = e.unit.Expand(e.startOf(e.unit))
		w.leads = s
	}
	var known []uint64
	for b := it.Known; len(b) >= 8; b = b[8:] {
		known = append(known, binary.LittleEndian.Uint64(b))
	}
	s.Know(known)
	s.ForgetMeasures()
	needs := e.needs(e.unit)
	size := 0
	leave := func(l *explore.Lead) *wire.Piece {
		p := pieceOf(l)
		size += len(p.Data)
		r.Left = append(r.Left, p)
		return &r.Left[len(r.Left)-1]
	}
	enough := func() bool { return e.late() || size > mostLeads || w.enough(leastExecutions) }
	pieces := append([]wire.Piece{*it.Piece}, it.More...)
	for ; r.To < len(pieces) && !e.ended() && (r.To == 0 || !enough()); r.To++ {
		l, err := explore.DecodeLead(pieces[r.To].Data)
		if err != nil {
			r.Tally.Failed = why.From(err)
			return
		}
		ex := e.performWide(&l.Schedule, needs)
		if e.err != nil {
			return
		}
		if e.expired(&ex, &l.Schedule) {
			r.Tally.Failed = why.Ended(ex.Trace.Verdict)
			return
		}
		if !l.Made {
			again := s.Made(l, ex.Trace)
			leave(&again)
			e.showNarrow(ex, &l.Schedule, s.Sites)
			continue
		}
		r.Again++
		e.n--
		leads, rest := s.Expand(l, ex.Trace, enough)
		for i := range leads {
			leave(&leads[i])
		}
		if rest != nil {
			leave(rest).State = 0
		}
	}
	r.Tally.Executions = e.n - it.Before
	r.Tally.Short, r.Formulas = s.Short(), e.formulasOf(s)
}
