package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/symbolic"
	"heddle/trace"
)

// A step may have several events: its operation, then branches on the input, and quiet operations
// of the standard library (quiet.go). What the goroutine does between two of them belongs to the
// first: goroutines and timers that it starts, accesses that are no scheduling points.

// A piece is a part of a transition, from one of its events to the next.
type piece struct {
	branch   *symbolic.Branch // that begins the piece, if any
	mail     message          // of the quiet receive that begins the piece, if any
	receives bool
	starts   []transition.Proc
	from, to int // its events in the trace, if there are several pieces; to: 0 for the last one
}

// holds reports whether the event with index before belongs to the piece.
func (p *piece) holds(before int) bool { return before >= p.from && (p.to == 0 || before < p.to) }

// pieces divides transition j; -1 is what main does before the first. The next call overwrites the
// result.
func (s *Strategy) pieces(j int) []piece {
	ps := append(s.read.pieces[:0], piece{})
	step := int32(-1)
	if j >= 0 {
		step = int32(s.path.Step(j))
	}
	bs := s.read.branch[step]
	for i := range bs {
		ps = append(ps, piece{branch: &bs[i], from: bs[i].Event + 1})
	}
	if j >= 0 {
		ps = s.addReceives(ps, j)
	}
	slices.SortStableFunc(ps, func(a, b piece) int { return a.from - b.from })
	for k := range len(ps) - 1 {
		ps[k].to = ps[k+1].from
	}
	s.read.pieces = ps
	if j >= 0 {
		s.divideStarts(ps, j)
	}
	return ps
}

// addReceives adds the pieces that begin with a quiet receive, unless that is the operation itself.
func (s *Strategy) addReceives(ps []piece, j int) []piece {
	if len(s.quiet.takes) == 0 {
		return ps
	}
	t, p := s.read.trace, s.path.At(j).Proc
	_, own := s.receives(p, j)
	for i := s.path.Event(j); i < len(t.Events) && int(t.Events[i].Step) <= s.path.Step(j); i++ {
		m, ok := s.quiet.takes[i]
		if !ok || s.tab.ProcOf(t.Events[i].G) != p {
			continue
		}
		if !own {
			ps = append(ps, piece{mail: m, receives: true, from: i + 1})
		}
		own = false
	}
	return ps
}

// divideStarts gives each piece of transition j the goroutines that it starts.
func (s *Strategy) divideStarts(ps []piece, j int) {
	starts, i := s.path.At(j).Starts, s.path.Event(j)
	if len(ps) == 1 {
		ps[0].starts = starts
		return
	}
	from, k := 0, 0
	for n := range starts {
		for s.read.trace.Events[i].Op != trace.OpGo {
			i++
		}
		for ; !ps[k].holds(i); k++ {
			ps[k].starts, from = starts[from:n], n
		}
		i++
	}
	ps[k].starts = starts[from:]
}

// then returns the call of p after the k-th piece of transition j.
func (s *Strategy) then(p transition.Proc, j int, ps []piece, k int) net.Value {
	if k+1 == len(ps) {
		return s.next(p, j)
	}
	next := &ps[k+1]
	if next.receives {
		return s.awaitsMail(p, next.mail, s.read.trace.Events[next.from-1].Site)
	}
	return s.asks(p, next.branch)
}

// addPieces adds the events of p that transition j has after its first.
func (s *Strategy) addPieces(p transition.Proc, j int, ps []piece) string {
	for k := 1; k < len(ps); k++ {
		e, why := s.beginning(&ps[k], s.run.Last(s.procPlace(p)))
		if why != "" {
			return why
		}
		s.follow(e)
		if s.inputs.cut[e] {
			return impossible
		}
		fresh := !s.net.Shown(e)
		if fresh {
			s.showPiece(e, p, j, ps, k)
		}
		s.run.Grow()
		if !s.run.Add(e) {
			return "what follows an operation that the net takes for impossible"
		}
		if fresh {
			s.extend(e)
		} else if why := s.comeTo(p, s.then(p, j, ps, k)); why != "" {
			return why
		}
	}
	return ""
}

// comeTo brings p to a condition with call v. If other executions have asked about their input
// there and this one has not, this input decides the answer: an execution that compares a text of
// four bytes does not ask whether the text is empty.
func (s *Strategy) comeTo(p transition.Proc, v net.Value) string {
	for {
		t := s.run.Last(s.procPlace(p))
		if s.sameCall(t, v) {
			return ""
		}
		c, _ := s.callAt(t)
		if c == nil || c.op != trace.OpBranch {
			return unfollowed
		}
		w := way{int32(s.opt.Inputs.Table.Eval(c.cond, s.inputs.model)), s.first(t)}
		e := s.net.Find(w.label, w.arcs)
		if e == net.None {
			s.Surprise++
			e = s.net.Foresee(w.label, w.arcs, net.None)
		}
		s.follow(e)
		if s.inputs.cut[e] {
			return impossible
		}
		fresh := !s.net.Shown(e)
		if fresh {
			s.net.Show(e)
			s.timed(s.net.Give(e, s.net.Place(t), t, v))
		}
		s.run.Grow()
		if !s.run.Add(e) {
			return "what follows an operation that the net takes for impossible"
		}
		if fresh {
			s.extend(e)
		}
	}
}

// beginning returns the event that begins a piece, of the goroutine at t.
func (s *Strategy) beginning(p *piece, t net.Cond) (e net.Event, why string) {
	e = net.None
	find := func(w way) {
		if e = s.net.Find(w.label, w.arcs); e == net.None {
			s.Surprise++
			e = s.net.Foresee(w.label, w.arcs, net.None)
		}
	}
	switch c, _ := s.callAt(t); {
	case p.receives && c != nil && c.mail == s.mail(p.mail):
		s.run.Grow()
		if s.operation(c, t, s.run, find); e == net.None {
			return e, "a receive of a message without a send"
		}
	case p.branch != nil && c != nil && c.op == trace.OpBranch && c.cond == p.branch.If:
		find(way{outcomeOf(p.branch), s.first(t)})
	default:
		return e, unfollowed
	}
	return e, ""
}

// showPiece adds what e gives, the event that begins the k-th piece of transition j, by p.
func (s *Strategy) showPiece(e net.Event, p transition.Proc, j int, ps []piece, k int) {
	t := s.net.Arcs(e)[0].Cond()
	values := []net.Value{s.then(p, j, ps, k)}
	for _, q := range ps[k].starts {
		values = append(values, s.next(q, j))
	}
	s.net.Show(e)
	s.timed(s.net.Give(e, s.net.Place(t), t, values[0]))
	for i, q := range ps[k].starts {
		s.timed(s.net.Give(e, s.procPlace(q), net.None, values[i+1]))
	}
	if j >= 0 {
		s.startTimers(e, j, &ps[k])
		s.sendMail(e, j, &ps[k])
		s.notePlain(e, j, &ps[k])
	}
}
