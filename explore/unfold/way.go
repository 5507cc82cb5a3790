package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/model"
	"heddle/trace"
)

// The net constructions: the arcs of the event of an operation, after the events of a
// configuration. docs/design/unfold.md draws them.

// A way is the arcs and the label with which an operation can be performed.
type way struct {
	label int32
	arcs  []net.Arc
}

// label distinguishes the ways of a communication by the indices of the two cases.
func label(at, theirs int16) int32 { return int32(at)<<16 | int32(theirs) }

// first returns the first arcs of an event of the goroutine at t.
func (s *Strategy) first(t net.Cond) []net.Arc {
	return append(s.arcs[:0], net.To(t, net.Takes))
}

// operation calls f with the way in which c, which is no communication, is performed after in,
// unless it is blocked.
func (s *Strategy) operation(c *call, t net.Cond, in *net.Config, f func(way)) {
	arcs := s.first(t)
	defer func() { s.arcs = arcs }()
	switch {
	case c.choices > 0:
		for i := range c.choices {
			f(way{i, arcs})
		}
		return
	case c.op == trace.OpBranch:
		f(way{notTaken, arcs})
		f(way{taken, arcs})
		return
	// there is no construction for Conds inside the standard library
	case c.op == trace.OpCondWake && c.obj != noObject:
		o := s.object(c.obj)
		by := s.woken(c.proc, in.Last(o.state))
		if by == net.None {
			return
		}
		arcs = append(arcs, net.To(by, net.Follows))
	case c.op == trace.OpAwait:
		s.await(t, in, arcs, f)
		return
	case c.mail > 0:
		y := in.Last(s.quiet.boxes[c.mail-1].place)
		if y == net.None {
			return
		}
		arcs = append(arcs, net.To(y, net.Follows))
	case s.varies(c):
		x := in.Last(s.object(c.obj).state)
		f(way{notTaken, append(arcs, net.To(x, net.Reads))})
		f(way{taken, append(arcs, net.To(x, net.Takes))})
		return
	case c.sleeps:
		x := in.Last(s.now())
		if !s.wakes(x, t, c.proc) {
			return
		}
		arcs = append(arcs, net.To(x, net.Follows))
	case c.op == trace.OpArrive && c.obj == noObject:
		for _, obj := range s.calls.objs[s.net.Value(t)] {
			arcs = append(arcs, net.To(in.Last(s.line(s.object(obj))), net.Takes))
		}
	case c.obj == noObject:
	default:
		o := s.object(c.obj)
		var ok bool
		switch {
		case o.kind == trace.ObjChan:
			arcs, ok = s.channel(c, o, in, arcs)
		case o.beside != net.None && o.kind == trace.ObjWaitGroup:
			arcs, ok = s.waitGroup(c, o, in, arcs)
		case o.beside != net.None:
			arcs, ok = s.rwMutex(c, o, in, arcs)
		default:
			var u net.Use
			if u, ok = s.use(c, o, in); ok {
				arcs = append(arcs, net.To(in.Last(o.state), u))
			}
		}
		if !ok {
			return
		}
	}
	f(way{0, arcs})
}

// channel adds the arcs of Close, Len, and Stop or Reset of a channel's timer.
func (s *Strategy) channel(c *call, o *object, in *net.Config, arcs []net.Arc) ([]net.Arc, bool) {
	switch {
	case o.timer && c.op == trace.OpTimerStop:
		return append(arcs, net.To(in.Last(o.state), net.Takes)), true
	case o.timer && c.op == trace.OpLen:
		return append(arcs, net.To(in.Last(o.state), net.Reads)), true
	case c.op == trace.OpClose:
		return append(arcs, net.To(in.Last(o.state), net.Takes)), true
	}
	if o.cap > 0 {
		arcs = append(arcs, net.To(in.Last(o.sent), net.Reads), net.To(in.Last(o.received), net.Reads))
	}
	return arcs, true
}

// waitGroup adds the arcs of an operation on a WaitGroup. An Add gives a condition beside the
// group, whatever its order. A Wait follows Adds with sum zero and precedes all others.
func (s *Strategy) waitGroup(c *call, o *object, in *net.Config, arcs []net.Arc) ([]net.Arc, bool) {
	if c.op != trace.OpWGWait {
		return arcs, true
	}
	if s.merges() { // of an execution: fromJoin has the extensions
		return s.waited(arcs[0].Cond(), c.obj)
	}
	sum, k := s.balance(o, in)
	if sum != 0 {
		return arcs, false
	}
	return s.followAll(append(arcs, net.To(s.net.Root(o.beside), net.Watches)), k), true
}

// balance returns the sum of the conditions beside an object after in, and the conditions.
func (s *Strategy) balance(o *object, in *net.Config) (sum net.Value, tokens []net.Cond) {
	in.Aside(o.beside, func(x net.Cond) {
		sum += s.net.Value(x)
		tokens = append(tokens, x)
	})
	slices.Sort(tokens)
	return sum, tokens
}

func (s *Strategy) followAll(arcs []net.Arc, cs []net.Cond) []net.Arc {
	for _, x := range cs {
		arcs = append(arcs, net.To(x, net.Follows))
	}
	return arcs
}

// alone calls f with the way to perform a case without a partner: the buffer has room, or a value,
// or the channel is closed.
func (s *Strategy) alone(t net.Cond, x side, in *net.Config, f func(way)) {
	o := s.object(x.obj)
	open := in.Last(o.state)
	closed := s.net.Value(open) == 1
	arcs := s.first(t)
	defer func() { s.arcs = arcs }()
	if o.timer {
		if v := s.net.Value(open); !x.send && v > 0 {
			var ok bool
			if arcs, ok = s.behind(append(arcs, net.To(open, net.Takes)), s.seniors(t, x), in); ok {
				f(way{label(x.at, 0), arcs})
			}
		}
		return
	}
	if o.cap == 0 || closed && x.send {
		if closed {
			arcs = append(arcs, net.To(open, net.Reads))
			f(way{label(x.at, 0), arcs})
		}
		return
	}
	sent, received := in.Last(o.sent), in.Last(o.received)
	k := s.filled(o, sent, received)
	switch {
	case x.send && k < o.cap:
		arcs = append(arcs, net.To(open, net.Reads), net.To(sent, net.Takes))
		if d := o.before + s.net.Depth(sent) - o.cap + 1; d > 0 {
			arcs = append(arcs, net.To(s.net.Ancestor(received, d), net.Follows))
		}
	case !x.send && k > 0:
		arcs = append(arcs, net.To(received, net.Takes))
		if d := s.net.Depth(received) - o.before + 1; d > 0 {
			arcs = append(arcs, net.To(s.net.Ancestor(sent, d), net.Follows))
		}
	case !x.send && closed:
		arcs = append(arcs, net.To(open, net.Reads), net.To(sent, net.Reads), net.To(received, net.Reads))
	default:
		return
	}
	if arcs[len(arcs)-1] != net.To(received, net.Reads) { // not closed and empty
		var ok bool
		if arcs, ok = s.behind(arcs, s.seniors(t, x), in); !ok {
			return
		}
	}
	f(way{label(x.at, 0), arcs})
}

// filled returns the number of values in the buffer of o.
func (s *Strategy) filled(o *object, sent, received net.Cond) int {
	return o.before + s.net.Depth(sent) - s.net.Depth(received)
}

// meeting calls f with the way in which a case of the goroutine at t, which makes the step, meets a
// case of the goroutine at u, over an open channel without a buffer. If both are selects, one of
// them must be blocked.
func (s *Strategy) meeting(t, u net.Cond, x, y side, in *net.Config, f func(way)) {
	open := in.Last(s.object(x.obj).state)
	if s.net.Value(open) == 1 {
		return
	}
	c, _ := s.callAt(t)
	choosy := s.choosy(t, u)
	if choosy && !s.waitsThere(u, in) && (c.poll || !s.waitsThere(t, in)) {
		return
	}
	arcs, ok := s.passing([]net.Arc{net.To(t, net.Takes), net.To(u, net.Takes), net.To(open, net.Reads)},
		s.seniors(t, x), u, x.obj, in)
	if ok {
		arcs, ok = s.passing(arcs, s.seniors(u, y), t, x.obj, in)
	}
	if !ok {
		return
	}
	if choosy {
		if arcs = s.seeing(arcs, u, x.obj, in); !c.poll {
			arcs = s.seeing(arcs, t, x.obj, in)
		}
	}
	f(way{label(x.at, y.at), arcs})
}

// choosy reports whether the goroutines at t, which makes the step, and u can meet only if one of
// them is blocked.
func (s *Strategy) choosy(t, u net.Cond) bool {
	c, sides := s.callAt(t)
	return (c.poll || len(sides) > 1) && len(s.sidesAt(u)) > 1
}

// byDefault calls f with the way in which a select takes its default: no case is ready.
func (s *Strategy) byDefault(t net.Cond, sides []side, in *net.Config, f func(way)) {
	arcs := s.first(t)
	defer func() { s.arcs = arcs }()
	add := func(c net.Cond) { arcs = once(arcs, net.To(c, net.Reads)) }
	for _, x := range sides {
		o := s.object(x.obj)
		open := in.Last(o.state)
		if s.net.Value(open) == 1 && !o.timer {
			return
		}
		add(open)
		if o.timer {
			if !x.send && s.net.Value(open) > 0 {
				return
			}
			continue
		}
		if o.cap == 0 {
			q := in.Last(s.line(o))
			add(q)
			var ok bool
			if arcs, ok = s.passing(arcs, s.facing(t, q, x), net.None, x.obj, in); !ok {
				return
			}
			continue
		}
		sent, received := in.Last(o.sent), in.Last(o.received)
		if k := s.filled(o, sent, received); x.send && k < o.cap || !x.send && k > 0 {
			return
		}
		add(sent)
		add(received)
	}
	f(way{0, arcs})
}

// like reports whether transition x performed c in the way with label l.
func (s *Strategy) like(l int32, c *call, x *transition.Transition) bool {
	switch {
	case c.choices > 0:
		return l == x.Choice
	case s.varies(c):
		return (l == taken) == (x.Accesses[0].Mode == model.Write)
	}
	return l == label(x.Case, x.WithCase)
}
