package transition

import (
	"heddle/model"
	"heddle/trace"
)

// A Cut is a part of a path: its transitions up to From, and of the rest what
// does not happen after any of those left out. A cut is an execution that
// could have been, broken off in the middle.
type Cut struct {
	From int

	// Blocker is, where May was false, a transition that has to be left out for
	// the claim to be possible; -1 if that would not help.
	Blocker int

	p  *Path
	in []bool // of the transitions from From on
}

// begin makes c all that comes before from, and of the rest what does not happen after from.
func (c *Cut) begin(p *Path, from int) {
	c.p, c.From, c.Blocker = p, from, -1
	for len(c.in) < p.n-from {
		c.in = append(c.in, false)
	}
	c.in = c.in[:p.n-from]
	proc, seq := int(p.steps[from].Proc), p.rows[from].seq
	for k := range c.in {
		c.in[k] = p.clocks[(from+k)*p.stride+proc] < seq
	}
}

// Exclude leaves out i, and what happens after it.
func (c *Cut) Exclude(i int) {
	proc, seq := int(c.p.steps[i].Proc), c.p.rows[i].seq
	for k := i - c.From; k < len(c.in); k++ {
		if c.p.clocks[(c.From+k)*c.p.stride+proc] >= seq {
			c.in[k] = false
		}
	}
}

// Has reports whether transition i, not before From, is in c.
func (c *Cut) Has(i int) bool { return c.in[i-c.From] }

// has is Has for any transition, and -1.
func (c *Cut) has(i int) bool { return i < c.From || c.in[i-c.From] }

// block notes that i has to be left out, and returns false.
func (c *Cut) block(i int) bool {
	c.Blocker = -1
	if i >= c.From {
		c.Blocker = i
	}
	return false
}

// last returns the last transition in c that used obj with the given mode, -1 if there is none.
func (c *Cut) last(obj Object, m model.Mode) int {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode != m {
			k = int(us[k].run)
			continue
		}
		if c.has(int(us[k].at)) {
			return int(us[k].at)
		}
	}
	return -1
}

// foreseeAll reports whether a, which has been announced at the end of c, can be
// done then, and sets the accesses of a to what they would be.
func (c *Cut) foreseeAll(a *Claim) bool {
	for i := range a.Accesses {
		if !c.foresee(a, &a.Accesses[i]) {
			return false
		}
	}
	return true
}

// foresee is foreseeAll for one access.
func (c *Cut) foresee(a *Claim, x *Access) bool {
	switch {
	case x.Mode == model.Left || x.Mode == model.Seen:
		return true
	case a.Op == trace.OpAtomicCAS:
		x.Mode = c.foreseeCompare(a, x.Obj)
		return true
	case x.Mode == model.Poll && x.Op != trace.OpAwait:
		return c.empty(a, x.Obj, x.Op == trace.OpSend)
	}
	def, o := c.p.Tab.Model(x.Obj)
	s := c.state(x.Obj)
	r, outcome, next := def.Step(o, s, x.Op, x.Arg)
	switch {
	case r == nil:
		return c.block(c.blocker(x.Obj, s, x.Op))
	case o.Kind == trace.ObjChan && !c.foreseeChan(a, x, r):
		return false
	case next[0] < 0 && o.Kind == trace.ObjWaitGroup, r.Panics && x.Op == trace.OpRUnlock:
		c.p.Tab.order(x.Obj)
	}
	x.Arg = outcome
	if m, seen := def.Mode(o, x.Op, outcome); seen {
		x.Mode = m
	}
	return true
}

// state is what the operations in c leave at obj.
func (c *Cut) state(obj Object) (s model.State) {
	def, o := c.p.Tab.Model(obj)
	us := c.p.used(obj)
	from := 0
	s = def.Start(o)
	if o.Kind == trace.ObjChan && o.Cap == 0 { // nothing but a close changes it
		if at := c.last(obj, model.Close); at >= 0 {
			s = def.After(o, s, trace.OpClose, 0)
		}
		return s
	}
	if def.Settles() {
		for k := len(us) - 1; k >= 0; k-- {
			if !c.has(int(us[k].at)) {
				continue
			}
			if settled, ok := def.Settled(o, us[k].Op, us[k].Arg); ok {
				s, from = settled, k+1
				break
			}
		}
	}
	for k := from; k < len(us); k++ {
		if u := &us[k]; c.has(int(u.at)) {
			s = def.After(o, s, u.Op, u.Arg)
		}
	}
	return s
}

// blocker returns the last transition in c without which op, which must wait at obj in state s, might not have to; -1 if there is none.
func (c *Cut) blocker(obj Object, s model.State, op trace.Op) int {
	def, o := c.p.Tab.Model(obj)
	if o.Kind == trace.ObjWaitGroup {
		return c.excess(obj) // Adds commute, so any may be the last
	}
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if u := &us[k]; c.has(int(u.at)) && def.Blames(o, s, op, u.Op, u.Arg) {
			return int(u.at)
		}
	}
	return -1
}

// foreseeChan is foresee for a channel operation other than a poll, to which r applies: whether it is that of a communication with
// a partner or without, as a is, and whether it is a's turn.
func (c *Cut) foreseeChan(a *Claim, x *Access, r *model.Rule) bool {
	switch {
	case r.Mode == model.SendClosed || r.Mode == model.RecvClosed:
		return a.With == NoProc || c.block(c.last(x.Obj, model.Close))
	case r.Mode == model.Send || r.Mode == model.Recv:
		return a.With != NoProc || c.first(a, x.Obj, r.Mode == model.Send)
	case r.Meets:
		return a.With != NoProc || c.block(-1)
	}
	return true
}

// alone returns the rule by which a side of a channel could go on without a partner at the end of c; blocked is true if it could not.
func (c *Cut) alone(obj Object, send bool) (r *model.Rule, blocked bool) {
	def, o := c.p.Tab.Model(obj)
	op := trace.OpRecv
	if send {
		op = trace.OpSend
	}
	r, _, _ = def.Step(o, c.state(obj), op, 0)
	return r, r == nil || r.Meets
}

// facing returns the mode of the operations that let a side of a channel with a buffer go on.
func facing(send bool) model.Mode {
	if send {
		return model.Recv
	}
	return model.Send
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// empty reports whether a poll finds nothing at a side of a channel at the end of c.
func (c *Cut) empty(a *Claim, obj Object, send bool) bool {
	if _, closed := model.Channel(c.state(obj)); closed {
		return c.block(c.last(obj, model.Close))
	}
	if c.p.Tab.objects[obj].Cap > 0 {
		if _, blocked := c.alone(obj, send); blocked {
			return true
		}
		c.block(c.last(obj, facing(send)))
		_, behind := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send)
		return behind
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send != send && o.Proc != a.Proc && c.Pending(o) && c.waits(o) {
			return c.block(o.Announced)
		}
	}
	return true
}

// Pending reports whether o is announced and not done at the end of c, and
// somebody who polls can see it.
func (c *Cut) Pending(o *Operation) bool {
	return !o.Poll && c.has(o.Announced) && (o.Done == c.p.n || !c.has(o.Done))
}

// first reports whether nobody waits at a's side of a channel with a buffer, at
// the end of c, who is known to have arrived there before: time passed since.
func (c *Cut) first(a *Claim, obj Object, send bool) bool {
	if at, ok := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send); ok {
		return c.block(at)
	}
	return true
}

// era returns the last barrier before what was announced at the end of i.
func (p *Path) era(i int) int {
	if i < 0 {
		return -1
	}
	if p.steps[i].Alone() {
		return i
	}
	return int(p.rows[i].barrier)
}

// older returns where somebody who waits at a side of a channel announced that, before the era of g's operation.
func (c *Cut) older(era int, g Proc, obj Object, send bool) (at int, ok bool) {
	if c.p.barrier < 0 {
		return -1, false
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send == send && o.Proc != g && o.era < era && c.Pending(o) {
			return o.Announced, true
		}
	}
	return -1, false
}
