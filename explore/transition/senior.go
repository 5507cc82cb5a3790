package transition

import (
	"heddle/model"
	"heddle/trace"
)

// The order of arrival at a channel. A goroutine that waits at one side of a channel is not
// overtaken by one that is known to have arrived later: it is that one's senior. It is known if
// time passed in between (the senior's operation is of an earlier era), or if arriving is a
// transition there because a goroutine polls the channel.
//
// At a channel with a buffer every announced operation is in line. Over an unbuffered channel a
// select is in line only while none of its cases is ready; an operation that passes it over depends
// on those cases (mode Seen). A senior that communicates elsewhere leaves the line, which is an
// access too (mode Left).

// senior reports whether o is known to have arrived at a side of obj before q.
func (p *Path) senior(o, q *Operation, obj Object, send bool) bool {
	if o.Poll {
		return false
	}
	if o.era != q.era {
		return o.era < q.era
	}
	return o.Announced < q.Announced && p.arrives(o.Announced, obj, send) && p.arrives(q.Announced, obj, send)
}

// arrives reports whether transition i is an arrival at that side of obj.
func (p *Path) arrives(i int, obj Object, send bool) bool {
	if i < 0 || p.steps[i].Op != trace.OpArrive {
		return false
	}
	as := p.steps[i].Accesses
	for k := range as {
		if a := &as[k]; a.Obj == obj && a.Mode == model.Arrived && (trace.Op(a.Arg) == trace.OpSend) == send {
			return true
		}
	}
	return false
}

// checkSeniors orders the communications over channels where an operation waited while time passed
// and another operation arrived at the same side later without having to.
func (p *Path) checkSeniors() {
	if p.barrier < 0 {
		return
	}
	for i := range p.offers {
		f := &p.offers[i]
		o := &p.ops[f.op]
		if row := &p.Tab.objects[f.obj]; row.Ordered || o.Poll || !p.outlasts(o) || row.Cap > 0 && o.n == 1 {
			continue
		}
		for k := range p.offers {
			g := &p.offers[k]
			q := &p.ops[g.op]
			if g.obj == f.obj && g.send == f.send && o.era < q.era &&
				(o.Done == p.n || !p.reaches(o.Done, int32(q.Announced))) {
				p.Tab.order(f.obj)
			}
		}
	}
}

// outlasts reports whether time passed while o waited.
func (p *Path) outlasts(o *Operation) bool {
	if o.Done == p.n {
		return int(p.barrier) > o.era
	}
	return int(p.rows[o.Done].barrier) > o.era
}

// leave adds accesses to the newest transition for the sides of channels that its goroutine g
// leaves, where it may have been a senior. prev is the transition of g before.
func (p *Path) leave(t *trace.Trace, g Proc, prev int32) {
	if g == NoProc {
		return
	}
	s, step := &p.steps[p.n-1], int32(-1)
	if prev >= 0 {
		step = p.rows[prev].step
		for _, a := range p.steps[prev].Accesses {
			if a.Mode == model.Arrived && !s.accesses(a.Obj) {
				p.accessAs(a.Obj, model.Left, trace.OpArrive, a.Arg)
			}
		}
	}
	if p.barrier < 0 || prev >= 0 && p.rows[prev].barrier == p.barrier {
		return
	}
	os := offersAt(t, step)
	for i := range os {
		o := &os[i]
		if o.Case < 0 || o.Poll || p.Tab.procOfGID(o.G) != g {
			continue
		}
		if obj := p.Tab.object(t, o.Obj, 0); p.Tab.objects[obj].Ordered && !s.accesses(obj) {
			p.accessAs(obj, model.Left, trace.OpArrive, side(o.Send))
		}
	}
}

// side is the Arg of an arrival at a side of a channel, and of leaving it.
func side(send bool) int32 {
	if send {
		return int32(trace.OpSend)
	}
	return int32(trace.OpRecv)
}

// Leave adds accesses to as for the sides of channels, other than those in as, that o leaves when
// it is performed after barrier, where it may have been a senior.
func (p *Path) Leave(as []Access, o *Operation, barrier int) []Access {
	if i := o.Announced; i >= 0 && p.steps[i].Op == trace.OpArrive {
		for _, a := range p.steps[i].Accesses {
			if a.Mode == model.Arrived {
				as = leaving(as, a.Obj, a.Arg)
			}
		}
	}
	if o.Poll || barrier <= o.era {
		return as
	}
	for k := o.first; k < o.first+o.n; k++ {
		if f := &p.offers[k]; p.Tab.objects[f.obj].Ordered {
			as = leaving(as, f.obj, side(f.send))
		}
	}
	return as
}

func leaving(as []Access, obj Object, side int32) []Access {
	for i := range as {
		if as[i].Obj == obj && as[i].Mode != model.Seen {
			return as
		}
	}
	return append(as, Access{obj, model.Left, trace.OpArrive, side})
}

// leaveAll adds the accesses for what c leaves when it is performed after barrier.
func (p *Path) leaveAll(as *[]Access, c *Candidate, barrier int32) {
	for _, k := range c.ops {
		if k >= 0 {
			*as = p.Leave(*as, &p.ops[k], int(barrier))
		}
	}
}

// seniors calls f with the operations that c, a meeting over an unbuffered channel, would overtake
// or pass over, wherever they are. It stops and returns false when f does. An operation with both
// sides is not in the way of its own partner.
func (p *Path) seniors(c *Candidate, f func(o *Operation) bool) bool {
	if c.With == NoProc || !p.Tab.objects[c.Accesses[0].Obj].Ordered {
		return true
	}
	obj, send := c.Accesses[0].Obj, c.Accesses[0].Op == trace.OpSend
	for k, mine := range c.ops {
		for i := range p.offers {
			l := &p.offers[i]
			if l.obj != obj || l.send != (send == (k == 0)) || mine < 0 || l.op == mine {
				continue
			}
			o := &p.ops[l.op]
			if o.Proc != c.Proc && o.Proc != c.With && p.senior(o, &p.ops[mine], obj, l.send) && !f(o) {
				return false
			}
		}
	}
	return true
}

// mayMeet reports whether c's goroutines have no senior at their channel.
func (prefix *Prefix) mayMeet(c *Candidate) bool {
	return prefix.p.seniors(c, func(o *Operation) bool {
		return !prefix.Pending(o) || !prefix.waits(o) || prefix.block(o.Announced)
	})
}

// pass sets the accesses of c for what it leaves and for the operations that it passes over at the
// end of prefix, where c is enabled.
func (prefix *Prefix) pass(c *Candidate) {
	p := prefix.p
	n := 0
	for _, a := range c.Accesses {
		if a.Mode != model.Seen && a.Mode != model.Left {
			c.Accesses[n] = a
			n++
		}
	}
	c.Accesses = c.Accesses[:n]
	p.leaveAll(&c.Accesses, c, p.rows[prefix.From].barrier)
	p.seniors(c, func(o *Operation) bool {
		if prefix.Pending(o) {
			p.seeCases(&c.Accesses, o)
		}
		return true
	})
}
