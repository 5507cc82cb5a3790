package reach

import (
	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// Extensions of communications. A port in the paper has one receiver. A channel has many, a select
// sends as well as receives, and a poll may take its default.

// openAlone is open for a case that needs no partner: the buffer has room or a value, or the
// channel is closed.
func (f *finder) openAlone() {
	c, obj, send := f.shape.call, f.shape.obj, f.shape.send
	op := trace.OpRecv
	if send {
		op = trace.OpSend
	}
	cap := f.Tab.Cap(obj)
	f.like.Accesses = f.notes(append(f.like.Accesses, transition.Access{Obj: obj, Op: op}), c, -1, send, nil)
	leaves := f.conflicts(f.like.Accesses[1:])
	f.collect(func(other transition.Object, a *transition.Access) bool {
		return other == obj && (cap > 0 || a.Mode == model.Close) || leaves(other, a)
	}, f.like.Accesses)
	f.decide = func(h set) bool {
		if !f.closed(obj, h) && f.overtakes(c, -1, obj, send, h) {
			return false
		}
		r := f.alone(obj, send, h)
		if r == nil {
			return false
		}
		f.like.Accesses = f.like.Accesses[:0]
		a, ok := f.Tab.Access(obj, op, r.Arg)
		if ok {
			f.like.Accesses = f.notes(append(f.like.Accesses, a), c, -1, send, h)
		}
		return ok
	}
}

// joinBuffer adds to own the buffer events that precede the extension: the send of the received
// value, the receive that made room.
func (f *finder) joinBuffer(own, h set) {
	if len(f.like.Accesses) == 0 || f.like.With != transition.NoProc {
		return
	}
	a := &f.like.Accesses[0]
	if f.Tab.Kind(a.Obj) != trace.ObjChan || f.Tab.Cap(a.Obj) == 0 {
		return
	}
	before, _ := trace.OfChanState(f.Tab.Init(a.Obj))
	var want model.Mode
	var k int
	switch {
	case a.Mode == model.Send:
		want, k = model.Recv, before+f.number(a.Obj, model.Send, h)-f.Tab.Cap(a.Obj)
	case a.Mode == model.Recv:
		want, k = model.Send, f.number(a.Obj, model.Recv, h)-before
	default:
		return
	}
	f.each(a.Obj, h, func(at int, b *transition.Access) {
		if b.Mode == want {
			if k == 0 {
				own.join(f.before(at))
			}
			k--
		}
	})
}

// number returns how many accesses to obj with that mode are in h.
func (f *finder) number(obj transition.Object, m model.Mode, h set) (n int) {
	f.each(obj, h, func(_ int, a *transition.Access) {
		if a.Mode == m {
			n++
		}
	})
	return n
}

// openMeeting is open for two calls that meet over an unbuffered channel.
func (f *finder) openMeeting() {
	c, d, obj, send := f.shape.call, f.shape.with, f.shape.obj, f.shape.send
	op := trace.OpRecv
	if send {
		op = trace.OpSend
	}
	a, _ := f.Tab.Access(obj, op, 1)
	f.like.Accesses = f.notes(append(f.like.Accesses[:0], a), c, d, send, nil)
	f.collect(f.conflicts(f.like.Accesses), f.like.Accesses)
	o, q := &f.Operations()[f.calls[c].comm], &f.Operations()[f.calls[d].comm]
	f.decide = func(h set) bool {
		if f.Choosy(o, q) && !f.idle(d, h) && (o.Poll || !f.idle(c, h)) {
			return false
		}
		if f.closed(obj, h) || f.overtakes(c, d, obj, send, h) || f.overtakes(d, c, obj, !send, h) {
			return false
		}
		f.like.Accesses = f.notes(append(f.like.Accesses[:0], a), c, d, send, h)
		return true
	}
}

// notes adds to as the accesses on which a communication depends beside its channel, for the first
// access in as and the calls c and d (-1: none), after the events of h: the other cases of two
// selects, the cases of operations that it passes over, and the sides of channels that it leaves.
// If h is nil it adds all accesses that are possible.
func (f *finder) notes(as []transition.Access, c, d int32, send bool, h set) []transition.Access {
	obj, ops := as[0].Obj, f.Operations()
	o := &ops[f.calls[c].comm]
	barrier := f.lastBarrier(h)
	if d < 0 {
		return f.Leave(as, o, barrier)
	}
	q := &ops[f.calls[d].comm]
	if f.Choosy(o, q) {
		if !o.Poll {
			as = f.SeeCases(as, o)
		}
		as = f.SeeCases(as, q)
	}
	see := func(i int32) bool {
		if p := &ops[f.calls[i].comm]; h == nil || f.pending(p, h) {
			as = f.SeeCases(as, p)
		}
		return false
	}
	f.seniors(c, d, obj, send, see)
	f.seniors(d, c, obj, !send, see)
	return f.Leave(f.Leave(as, o, barrier), q, barrier)
}

// lastBarrier returns the last barrier in h, or the last of all if h is nil; -1 if there is none.
func (f *finder) lastBarrier(h set) int {
	i := f.BarrierBefore(f.Len())
	for h != nil && i >= 0 && !h.has(i) {
		i = f.BarrierBefore(i)
	}
	return i
}

// conflicts returns a function that reports whether an access conflicts with one of as.
func (f *finder) conflicts(as []transition.Access) func(transition.Object, *transition.Access) bool {
	return func(_ transition.Object, b *transition.Access) bool {
		for i := range as {
			if f.Tab.Conflict(&as[i], b) {
				return true
			}
		}
		return false
	}
}

// idle reports whether a call waits after the events of h: none of its cases is ready without a
// partner. Two selects meet only if one of them is idle.
func (f *finder) idle(c int32, h set) bool {
	o := &f.Operations()[f.calls[c].comm]
	if o.Single() {
		return true
	}
	found := false
	f.Cases(o, func(obj transition.Object, _ int16, send bool) {
		found = found || f.ready(c, obj, send, h)
	})
	return !found
}

// ready reports whether a case of c is ready without a partner after the events of h.
func (f *finder) ready(c int32, obj transition.Object, send bool, h set) bool {
	r := f.alone(obj, send, h)
	return r != nil && (r.Mode == model.SendClosed || r.Mode == model.RecvClosed ||
		!f.overtakes(c, -1, obj, send, h))
}

// overtakes reports whether, after the events of h, a senior of c waits on c's side of the channel.
func (f *finder) overtakes(c, partner int32, obj transition.Object, send bool, h set) bool {
	return f.seniors(c, partner, obj, send, func(i int32) bool { return f.waits(i, obj, send, h) })
}

// seniors reports whether is returns true for a call that is known to have arrived at its side of a
// channel before c. A partner with cases on both sides does not count.
func (f *finder) seniors(c, partner int32, obj transition.Object, send bool, is func(i int32) bool) bool {
	ops := f.Operations()
	mine := &ops[f.calls[c].comm]
	if !f.Tab.Ordered(obj) && mine.Era() < 0 {
		return false
	}
	for i := range f.calls {
		if int32(i) == c || int32(i) == partner || f.calls[i].comm < 0 {
			continue
		}
		if o := &ops[f.calls[i].comm]; f.Senior(o, mine, obj, send) && f.offers(o, obj, send) &&
			is(int32(i)) {
			return true
		}
	}
	return false
}

// offers reports whether o has a case that sends to obj (or receives from it).
func (f *finder) offers(o *transition.Operation, obj transition.Object, send bool) bool {
	found := false
	f.Cases(o, func(other transition.Object, _ int16, sends bool) {
		found = found ||
			other == obj && sends == send
	})
	return found
}

// waits reports whether a call waits to send to obj (or receive from it) after the events of h. At
// a channel with a buffer every offer is in line; over an unbuffered channel only an idle call is.
func (f *finder) waits(c int32, obj transition.Object, send bool, h set) bool {
	d := &f.calls[c]
	if d.comm < 0 || !d.past.within(h) || d.done >= 0 && h.has(d.done) {
		return false
	}
	o := &f.Operations()[d.comm]
	return !o.Poll && f.offers(o, obj, send) && (f.Tab.Cap(obj) > 0 || f.idle(c, h))
}

// openDefault is open for a poll that finds no case ready.
func (f *finder) openDefault() {
	c := f.shape.call
	o := &f.Operations()[f.calls[c].comm]
	type side struct {
		obj  transition.Object
		send bool
	}
	var sides []side
	var as []transition.Access
	f.Cases(o, func(obj transition.Object, _ int16, send bool) {
		sides = append(sides, side{obj, send})
		as = append(as, transition.PollOf(obj))
	})
	all := append([]transition.Access(nil), as...)
	f.Facing(o, func(q *transition.Operation) { all = f.SeeCases(all, q) })
	f.like.Accesses = append(f.like.Accesses[:0], all...)
	f.collect(f.conflicts(all), all)
	f.decide = func(h set) bool {
		for _, s := range sides {
			if f.ready(c, s.obj, s.send, h) || f.Tab.Cap(s.obj) == 0 && f.anyWaits(s.obj, !s.send, h) {
				return false
			}
		}
		f.like.Accesses = append(f.like.Accesses[:0], as...)
		f.Facing(o, func(q *transition.Operation) {
			if f.pending(q, h) {
				f.like.Accesses = f.SeeCases(f.like.Accesses, q)
			}
		})
		return true
	}
}

// pending reports whether o is announced and not performed after the events of h.
func (f *finder) pending(o *transition.Operation, h set) bool {
	return (o.Announced < 0 || h.has(o.Announced)) && (o.Done == f.sequence.n || !h.has(o.Done))
}

func (f *finder) anyWaits(obj transition.Object, send bool, h set) bool {
	for i := range f.calls {
		if f.waits(int32(i), obj, send, h) {
			return true
		}
	}
	return false
}
