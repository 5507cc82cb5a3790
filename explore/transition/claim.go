package transition

import (
	"heddle/model"
	"heddle/trace"
)

// A Claim is a transition that might have come earlier than it did, or at all:
// one that was done, an operation that was left over, another case of a select,
// another partner of a communication.
type Claim struct {
	Transition
	Announced [2]int // its operations were announced at the ends of these, -1
	Instead   [2]int // what was done with its operations otherwise, Len() if nothing
	Done      int    // where it was done, Len() if nowhere

	ops [2]int32 // its operations, if communications; -1
	all []Access // what it may access, wherever it comes

	want     uint64 // see row
	compares bool
}

// Executed makes c the claim of the j-th transition.
func (p *Path) Executed(c *Claim, j int) {
	c.Transition.Set(&p.steps[j])
	c.Announced = [2]int{int(p.rows[j].prev), int(p.rows[j].prevWith)}
	c.Instead = [2]int{j, p.n}
	c.Done = j
	r := &p.rows[j]
	c.ops, c.want, c.compares = [2]int32{r.op, r.opWith}, r.want, r.compares
	p.complete(c)
}

// Leftover makes c the claim of the k-th operation of Left.
func (p *Path) Leftover(c *Claim, k int) {
	c.Transition.Set(&p.left[k])
	c.Announced = [2]int{p.Previous(c.Proc), -1}
	c.Instead = [2]int{p.n, p.n}
	c.Done = p.n
	c.ops, c.compares = [2]int32{-1, -1}, false
	p.complete(c)
}

// complete lists what c may access, in whatever place: whom it leaves or passes
// over, and, since two selects need not meet, their other cases.
func (p *Path) complete(c *Claim) {
	c.all = append(c.all[:0], c.Accesses...)
	for i := range c.Accesses {
		if a := &c.Accesses[i]; a.Mode == model.SendClosed && p.Tab.objects[a.Obj].Cap > 0 {
			c.all = append(c.all, Access{a.Obj, model.Send, a.Op, 0}) // what it does before the close
		}
	}
	if c.ops[0] < 0 {
		return
	}
	p.leaveAll(&c.all, c, p.barrier)
	p.seniors(c, func(o *Operation) bool {
		p.seeCases(&c.all, o)
		return true
	})
	o := &p.ops[c.ops[0]]
	switch {
	case c.Op != trace.OpSelect:
	case c.ops[1] >= 0 && p.choosy(o, &p.ops[c.ops[1]]):
		if !o.Poll {
			p.seeCases(&c.all, o)
		}
		p.seeCases(&c.all, &p.ops[c.ops[1]])
	case o.Poll && c.With == NoProc:
		for i := range p.offers {
			if q := &p.ops[p.offers[i].op]; q.n > 1 && !q.Poll && q.Proc != o.Proc && p.faces(o, &p.offers[i]) {
				p.seeCases(&c.all, q)
			}
		}
	}
}

// choosy reports whether o and q, who can meet over an unbuffered channel, do
// only if one of them has no other case that can be done.
func (p *Path) choosy(o, q *Operation) bool { return (o.n > 1 || o.Poll) && q.n > 1 }

// faces reports whether o has the other side of an offer over an unbuffered channel.
func (p *Path) faces(o *Operation, f *offer) bool {
	if p.Tab.objects[f.obj].Cap > 0 {
		return false
	}
	for k := o.first; k < o.first+o.n; k++ {
		if l := &p.offers[k]; l.obj == f.obj && l.send != f.send {
			return true
		}
	}
	return false
}

// seeCases adds to as that it matters which cases of o can be done.
func (p *Path) seeCases(as *[]Access, o *Operation) {
next:
	for k := o.first; k < o.first+o.n; k++ {
		obj := p.offers[k].obj
		for _, a := range *as {
			if a.Obj == obj && (a.Mode == model.Seen || a.Mode == model.Serve || a.Mode == model.Meet || a.Mode == model.Poll) {
				continue next
			}
		}
		*as = append(*as, Access{obj, model.Seen, trace.OpSelect, -2})
	}
}

// announced reports whether i happens before c was announced.
func (p *Path) announced(i int, c *Claim) bool {
	return p.reaches(i, int32(c.Announced[0])) || p.reaches(i, int32(c.Announced[1]))
}

// Begin makes cut the part of p that is left when i, and what happens after it,
// is taken out, and so is what c's operations did instead.
func (p *Path) Begin(cut *Cut, c *Claim, i int) {
	cut.begin(p, i)
	for _, x := range c.Instead {
		if x < p.n && x != i {
			cut.Exclude(x)
		}
	}
}

// A Rival is a transition that conflicts with a claim and came before it.
type Rival struct {
	At     int
	Object int  // the how manieth of the claim's objects it is about
	Covers bool // the rivals that follow, of this object, happen before it
}

// Rivals returns the transitions that conflict with c, came before it and do
// not happen before it was announced; of each object the latest first. The
// slice is overwritten by the next call.
func (p *Path) Rivals(c *Claim) []Rival {
	p.rivals = p.rivals[:0]
	n := 0
	for i := range c.all {
		a := &c.all[i]
		p.addRivals(c, a.Obj, a.Mode, n)
		n++
		for _, o := range p.Tab.objects[a.Obj].overlaps {
			p.addRivals(c, o, a.Mode, n)
			n++
		}
	}
	return p.rivals
}

func (p *Path) addRivals(c *Claim, obj Object, m model.Mode, n int) {
	us := p.usedBefore(obj, c.Done)
	for k := len(us) - 1; k >= 0; k-- {
		u := &us[k]
		if !model.Conflict(m, u.Mode) {
			k = int(u.run)
			continue
		}
		if p.announced(int(u.at), c) {
			if model.Covers(m, u.Mode) {
				return
			}
			continue
		}
		if p.steps[u.at].Barrier {
			continue
		}
		p.rivals = append(p.rivals, Rival{int(u.at), n, model.Covers(m, u.Mode)})
	}
}

// Alternatives calls f for every claim that an operation was announced for
// whose outcome was another, or none: cases of selects and their default,
// partners of communications over unbuffered channels.
func (p *Path) Alternatives(c *Claim, f func(*Claim)) {
	for i := range p.ops {
		o := &p.ops[i]
		for k := o.first; k < o.first+o.n; k++ {
			p.single(c, o, &p.offers[k], f)
			if p.offers[k].send || o.Poll {
				p.partners(c, o, &p.offers[k], f)
			}
		}
		if o.Poll {
			p.byDefault(c, o, f)
		}
	}
}

// begin makes c a claim of o without accesses.
func (p *Path) beginClaim(c *Claim, o *Operation, at int16) {
	c.Transition = Transition{Proc: o.Proc, With: NoProc, Case: at, Choice: -1, Op: o.Op, Accesses: c.Accesses[:0], Starts: c.Starts[:0]}
	c.Announced = [2]int{o.Announced, -1}
	c.Instead = [2]int{o.Done, p.n}
	c.Done = o.Done
	c.ops = [2]int32{p.offers[o.first].op, -1}
}

// claim adds the access of an offer to c.
func (p *Path) claim(c *Claim, f *offer, arg int32) {
	op := trace.OpRecv
	if f.send {
		op = trace.OpSend
	}
	if m, ok := p.Tab.mode(f.obj, op, arg); ok {
		c.Accesses = append(c.Accesses, Access{f.obj, m, op, arg})
	}
}

// single is the claim of a case that needs no partner: of a channel with a
// buffer, or of one that is closed.
func (p *Path) single(c *Claim, o *Operation, k *offer, f func(*Claim)) {
	unbuffered := p.Tab.objects[k.obj].Cap == 0
	if o.Done < p.n && p.steps[o.Done].Proc == o.Proc && p.steps[o.Done].Case == k.at && (p.steps[o.Done].With == NoProc && !p.isDefault(o) || !unbuffered) {
		return // it was done
	}
	p.beginClaim(c, o, k.at)
	arg := int32(1)
	if k.send {
		arg = 0
	}
	if unbuffered {
		arg = -number(k.send)
	}
	p.claim(c, k, arg)
	p.complete(c)
	f(c)
}

// isDefault reports whether the select o went on with its default.
func (p *Path) isDefault(o *Operation) bool {
	return o.Poll && o.Done < p.n && p.steps[o.Done].Case == 0
}

// byDefault is the claim of o's default.
func (p *Path) byDefault(c *Claim, o *Operation, f func(*Claim)) {
	if p.isDefault(o) || o.Done == p.n {
		return
	}
	p.beginClaim(c, o, 0)
	for k := o.first; k < o.first+o.n; k++ {
		op := trace.OpRecv
		if p.offers[k].send {
			op = trace.OpSend
		}
		c.Accesses = append(c.Accesses, Access{p.offers[k].obj, model.Poll, op, model.NotReady})
	}
	p.complete(c)
	f(c)
}

// partners claims the communications of k with everybody who might have met it.
func (p *Path) partners(c *Claim, o *Operation, k *offer, f func(*Claim)) {
	if p.Tab.objects[k.obj].Cap > 0 {
		return
	}
	for i := range p.offers {
		l := &p.offers[i]
		q := &p.ops[l.op]
		if l.obj != k.obj || l.send == k.send || q.Proc == o.Proc || q.Poll || p.met(o, k, q, l) || p.apart(o, q) {
			continue
		}
		p.beginClaim(c, o, k.at)
		c.With, c.WithCase = q.Proc, l.at
		c.Announced[1], c.Instead[1], c.ops[1] = q.Announced, q.Done, l.op
		c.Done = min(o.Done, q.Done)
		arg := int32(1)
		if k.send {
			arg = 0
		}
		p.claim(c, k, arg)
		p.complete(c)
		f(c)
	}
}

// met reports whether o and q met, by these cases.
func (p *Path) met(o *Operation, k *offer, q *Operation, l *offer) bool {
	if o.Done != q.Done || o.Done == p.n {
		return false
	}
	s := &p.steps[o.Done]
	return s.Proc == o.Proc && s.Case == k.at && s.WithCase == l.at
}

// apart reports whether one of o and q was announced after the other was done.
func (p *Path) apart(o, q *Operation) bool {
	return o.Done < p.n && p.reaches(o.Done, int32(q.Announced)) || q.Done < p.n && p.reaches(q.Done, int32(o.Announced))
}

// May reports whether c can be done at the end of cut, and sets the accesses it
// would have then. If it cannot, see cut.Blocker.
//
// Two selects meet only if one of them waits: the partner, or, if other is true
// and it may be either, the one who makes the step.
func (cut *Cut) May(c *Claim, other bool) bool {
	cut.Blocker = -1
	for _, a := range c.Announced {
		if !cut.has(a) {
			return false
		}
	}
	if c.Op == trace.OpAwait {
		return cut.awaited(c)
	}
	if c.With != NoProc && !cut.mayMeet(c) || !cut.foreseeAll(c) {
		return false
	}
	if c.ops[0] < 0 {
		return true
	}
	cut.pass(c)
	return c.Op != trace.OpSelect || cut.maySelect(c, other)
}

// Either reports whether c is a meeting of two selects, either of which may be the one who waits.
func (p *Path) Either(c *Claim) bool {
	return c.Op == trace.OpSelect && c.ops[0] >= 0 && c.ops[1] >= 0 && !p.ops[c.ops[0]].Poll && p.choosy(&p.ops[c.ops[0]], &p.ops[c.ops[1]])
}

// maySelect is what May asks beside of a select: that somebody waits where two
// meet; and notes what it depends on.
func (cut *Cut) maySelect(c *Claim, other bool) bool {
	p := cut.p
	o := &p.ops[c.ops[0]]
	if c.ops[1] >= 0 {
		q := &p.ops[c.ops[1]]
		if !p.choosy(o, q) {
			return true
		}
		if !o.Poll {
			p.seeCases(&c.Accesses, o)
		}
		p.seeCases(&c.Accesses, q)
		if other {
			return cut.waits(o)
		}
		return cut.waits(q)
	}
	if c.Case == 0 && o.Poll {
		for i := range p.offers {
			if q := &p.ops[p.offers[i].op]; q.n > 1 && q.Proc != o.Proc && p.faces(o, &p.offers[i]) && cut.Pending(q) {
				p.seeCases(&c.Accesses, q)
			}
		}
	}
	return true
}

// waits reports whether o, which is pending, may be waiting: none of its cases can be done alone.
func (cut *Cut) waits(o *Operation) bool {
	if o.n == 1 && !o.Poll {
		return true
	}
	for k := o.first; k < o.first+o.n; k++ {
		f := &cut.p.offers[k]
		r, blocked := cut.alone(f.obj, f.send)
		switch {
		case blocked:
		case r.Mode == model.SendClosed || r.Mode == model.RecvClosed:
			return cut.block(cut.last(f.obj, model.Close))
		default:
			if _, behind := cut.older(o.era, o.Proc, f.obj, f.send); !behind {
				return cut.block(cut.last(f.obj, facing(f.send)))
			}
		}
	}
	return true
}

// awaited reports whether something that c's loop read was changed since it first did, in the iteration that ends.
func (cut *Cut) awaited(c *Claim) bool {
	p := cut.p
	for i := range c.Accesses {
		a := &c.Accesses[i]
		first := p.FirstLook(c.Proc, a, c.Done)
		if cut.changed(c, a.Obj, a.Mode, first) {
			return true
		}
		for _, o := range p.Tab.objects[a.Obj].overlaps {
			if cut.changed(c, o, a.Mode, first) {
				return true
			}
		}
	}
	return false
}

// changed reports whether somebody else did to obj what conflicts with m, after the transition first and before c.
func (cut *Cut) changed(c *Claim, obj Object, m model.Mode, first int) bool {
	p := cut.p
	us := p.usedBefore(obj, c.Done)
	for k := len(us) - 1; k >= 0 && int(us[k].at) > first; k-- {
		u := &us[k]
		if p.steps[u.at].Proc != c.Proc && model.Conflict(m, u.Mode) && cut.has(int(u.at)) {
			return true
		}
	}
	return false
}

// FirstLook returns the transition in which an iteration of g's polling loop
// first looked at what a, an OpAwait, is about: the iteration ends before the transition end. -1 if it did not.
func (p *Path) FirstLook(g Proc, a *Access, end int) int {
	first := -1
	for n := a.Arg; n > 0; n-- {
		look := p.lastLook(g, a.Obj, end)
		for _, o := range p.Tab.objects[a.Obj].overlaps {
			look = max(look, p.lastLook(g, o, end))
		}
		if look < 0 {
			break
		}
		first, end = look, look
	}
	return first
}

// lastLook returns the last transition before end in which g read obj, -1 if there is none.
func (p *Path) lastLook(g Proc, obj Object, end int) int {
	us := p.usedBefore(obj, end)
	for k := len(us) - 1; k >= 0; k-- {
		if u := &us[k]; p.steps[u.at].Proc == g && u.Op != trace.OpAwait {
			return int(u.at)
		}
	}
	return -1
}
