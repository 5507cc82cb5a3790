package transition

import (
	"heddle/model"
	"heddle/trace"
)

// A Candidate is a reversal candidate: a transition that may come earlier than it did, or come at
// all. It was executed, or it is a leftover, another case of a select, or another partner of a
// communication.
type Candidate struct {
	Transition
	Announced [2]int // the transitions at whose ends its operations were announced; -1
	Turns     [2]int // the transitions of elders that its operations wait for, -1; Len(): for ever
	Instead   [2]int // the transitions that performed its operations otherwise; Len() if none
	Done      int    // the transition that is the candidate; Len() if not executed

	ops [2]int32 // its operations if they are communications; -1
	all []Access // its possible accesses, wherever it comes

	want     uint64 // as in row
	compares bool
}

// Executed makes c the candidate for the j-th transition.
func (p *Path) Executed(c *Candidate, j int) {
	c.Transition.Set(&p.steps[j])
	c.Announced = [2]int{int(p.rows[j].prev), int(p.rows[j].prevWith)}
	c.Instead = [2]int{j, p.n}
	c.Done = j
	r := &p.rows[j]
	c.Turns = [2]int{int(r.turn[0]), int(r.turn[1])}
	c.ops, c.want, c.compares = [2]int32{r.op, r.opWith}, r.want, r.compares
	p.complete(c)
}

// Leftover makes c the candidate for the k-th operation of Left.
func (p *Path) Leftover(c *Candidate, k int) {
	c.Transition.Set(&p.left[k])
	c.Announced = [2]int{p.Previous(c.Proc), -1}
	c.Turns = [2]int{p.Awaited(c.Proc, NoProc, c.Announced[0]), -1}
	c.Instead = [2]int{p.n, p.n}
	c.Done = p.n
	c.ops, c.compares = [2]int32{-1, -1}, false
	p.complete(c)
}

// complete sets c.all, the possible accesses of c at any place. They include accesses to the
// channels that its goroutines leave, those of the goroutines that it passes over and, as two
// selects need not meet, the channels of their other cases.
func (p *Path) complete(c *Candidate) {
	c.all = append(c.all[:0], c.Accesses...)
	for i := range c.Accesses {
		if a := &c.Accesses[i]; a.Mode == model.SendClosed && p.Tab.objects[a.Obj].Cap > 0 {
			c.all = append(c.all, Access{a.Obj, model.Send, a.Op, 0}) // its access before the close
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
			if q := &p.ops[p.offers[i].op]; q.n > 1 && !q.Poll && q.Proc != o.Proc &&
				p.faces(o, &p.offers[i]) {
				p.seeCases(&c.all, q)
			}
		}
	}
}

// choosy reports whether o and q, which can meet over an unbuffered channel, meet only if one of
// them has no other case that is ready.
func (p *Path) choosy(o, q *Operation) bool { return (o.n > 1 || o.Poll) && q.n > 1 }

// faces reports whether o has a case on the other side of offer f, over an unbuffered channel.
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

// seeCases adds to as accesses for the channels of o: it matters which of its cases are ready.
func (p *Path) seeCases(as *[]Access, o *Operation) {
next:
	for k := o.first; k < o.first+o.n; k++ {
		obj := p.offers[k].obj
		for _, a := range *as {
			if a.Obj == obj && (a.Mode == model.Seen || a.Mode == model.Serve || a.Mode == model.Meet ||
				a.Mode == model.Poll) {
				continue next
			}
		}
		*as = append(*as, Access{obj, model.Seen, trace.OpSelect, -2})
	}
}

// announced reports whether i happens before an announcement of c's operations.
func (p *Path) announced(i int, c *Candidate) bool {
	for _, at := range c.Turns {
		if at == p.n || p.reaches(i, int32(at)) {
			return true
		}
	}
	return p.reaches(i, int32(c.Announced[0])) || p.reaches(i, int32(c.Announced[1]))
}

// Begin makes prefix the transitions of p except i, the transitions that performed c's operations,
// and all that happens after these.
func (p *Path) Begin(prefix *Prefix, c *Candidate, i int) {
	prefix.begin(p, i)
	for _, x := range c.Instead {
		if x < p.n && x != i {
			prefix.Exclude(x)
		}
	}
}

// A Rival is a transition that conflicts with a candidate and precedes it.
type Rival struct {
	At     int
	Covers bool // the next rivals at the same object happen before this one
}

// Rivals calls f with the transitions that conflict with c, precede it, and do not happen before
// the announcement of c; for each object the latest first. f returns whether the next ones at the
// same object may be left out.
func (p *Path) Rivals(c *Candidate, f func(Rival) (enough bool)) {
	for i := range c.all {
		a := &c.all[i]
		if a.Op != trace.OpWGWait || !p.settles(c, a.Obj) {
			p.rivals(c, a.Obj, a.Mode, f)
		}
		for _, o := range p.Tab.objects[a.Obj].overlaps {
			p.rivals(c, o, a.Mode, f)
		}
	}
}

// rivals is Rivals for an access to obj with mode m.
func (p *Path) rivals(c *Candidate, obj Object, m model.Mode, f func(Rival) bool) {
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
		if f(Rival{int(u.at), model.Covers(m, u.Mode)}) {
			return
		}
	}
}

// Alternatives calls f with every candidate that was announced and not executed: other cases of
// selects, their defaults, other partners over unbuffered channels. All calls share c. It ends when
// late, asked before each operation, returns true.
func (p *Path) Alternatives(c *Candidate, late func() bool, f func(*Candidate)) {
	p.market.fill(p)
	for i := range p.ops {
		if late() {
			return
		}
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

// beginCandidate makes c a candidate of o without accesses.
func (p *Path) beginCandidate(c *Candidate, o *Operation, at int16) {
	c.Transition = Transition{Proc: o.Proc, With: NoProc, Case: at, Choice: -1, Op: o.Op,
		Accesses: c.Accesses[:0], Starts: c.Starts[:0]}
	c.Announced = [2]int{o.Announced, -1}
	c.Turns = [2]int{p.Awaited(o.Proc, NoProc, o.Announced), -1}
	c.Instead = [2]int{o.Done, p.n}
	c.Done = o.Done
	c.ops = [2]int32{p.offers[o.first].op, -1}
}

// addOffer adds the access of an offer to c.
func (p *Path) addOffer(c *Candidate, f *offer, arg int32) {
	op := trace.OpRecv
	if f.send {
		op = trace.OpSend
	}
	if m, ok := p.Tab.mode(f.obj, op, arg); ok {
		c.Accesses = append(c.Accesses, Access{f.obj, m, op, arg})
	}
}

// single calls f with the candidate for a case that needs no partner: its channel has a buffer or
// is closed.
func (p *Path) single(c *Candidate, o *Operation, k *offer, f func(*Candidate)) {
	unbuffered := p.Tab.objects[k.obj].Cap == 0
	if o.Done < p.n && p.steps[o.Done].Proc == o.Proc && p.steps[o.Done].Case == k.at &&
		(p.steps[o.Done].With == NoProc && !p.isDefault(o) || !unbuffered) {
		return // it was executed
	}
	p.beginCandidate(c, o, k.at)
	arg := int32(1)
	if k.send {
		arg = 0
	}
	if unbuffered {
		arg = -number(k.send)
	}
	p.addOffer(c, k, arg)
	p.complete(c)
	f(c)
}

// isDefault reports whether the select o took its default.
func (p *Path) isDefault(o *Operation) bool {
	return o.Poll && o.Done < p.n && p.steps[o.Done].Case == 0
}

// byDefault calls f with the candidate for o's default.
func (p *Path) byDefault(c *Candidate, o *Operation, f func(*Candidate)) {
	if p.isDefault(o) || o.Done == p.n {
		return
	}
	p.beginCandidate(c, o, 0)
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

// partners calls f with the candidates for communications of case k with all possible partners.
func (p *Path) partners(c *Candidate, o *Operation, k *offer, f func(*Candidate)) {
	if p.Tab.objects[k.obj].Cap > 0 {
		return
	}
	for _, i := range p.market.facing(p, o, k) {
		l := &p.offers[i]
		q := &p.ops[l.op]
		if q.Proc == o.Proc || q.Poll || p.met(o, k, q, l) || p.apart(o, q) {
			continue
		}
		p.beginCandidate(c, o, k.at)
		c.With, c.WithCase = q.Proc, l.at
		c.Announced[1], c.Instead[1], c.ops[1] = q.Announced, q.Done, l.op
		c.Turns = [2]int{p.Awaited(o.Proc, q.Proc, o.Announced), p.Awaited(q.Proc, o.Proc, q.Announced)}
		c.Done = min(o.Done, q.Done)
		arg := int32(1)
		if k.send {
			arg = 0
		}
		p.addOffer(c, k, arg)
		p.complete(c)
		f(c)
	}
}

// met reports whether o and q met with these cases.
func (p *Path) met(o *Operation, k *offer, q *Operation, l *offer) bool {
	if o.Done != q.Done || o.Done == p.n {
		return false
	}
	s := &p.steps[o.Done]
	return s.Proc == o.Proc && s.Case == k.at && s.WithCase == l.at
}

// apart reports whether one of o and q was announced after the other was done.
func (p *Path) apart(o, q *Operation) bool {
	return o.Done < p.n && p.reaches(o.Done, int32(q.Announced)) ||
		q.Done < p.n && p.reaches(q.Done, int32(o.Announced))
}

// May reports whether c is enabled at the end of prefix, and sets the accesses that it has there.
// If it is not, prefix.Blocker says what to exclude.
//
// Two selects meet only if one of them waits. If Either(c), other selects which one: the partner,
// or if true the goroutine that makes the step.
func (prefix *Prefix) May(c *Candidate, other bool) bool {
	prefix.Blocker = -1
	for _, a := range c.Announced {
		if !prefix.has(a) {
			return false
		}
	}
	for _, at := range c.Turns {
		if at == prefix.p.n || !prefix.has(at) {
			return false
		}
	}
	switch c.Op {
	case trace.OpAwait:
		return prefix.awaited(c)
	case trace.OpTimerFire:
		return prefix.mayFire(c)
	}
	if c.With != NoProc && !prefix.mayMeet(c) || !prefix.foreseeAll(c) {
		return false
	}
	if c.ops[0] < 0 {
		return true
	}
	prefix.pass(c)
	return c.Op != trace.OpSelect || prefix.maySelect(c, other)
}

// Either reports whether c is a meeting of two selects of which either may be the one that waits.
func (p *Path) Either(c *Candidate) bool {
	return c.Op == trace.OpSelect && c.ops[0] >= 0 && c.ops[1] >= 0 && !p.ops[c.ops[0]].Poll &&
		p.choosy(&p.ops[c.ops[0]], &p.ops[c.ops[1]])
}

// maySelect completes May for a select: where two selects meet, one of them waits. It adds the
// accesses on which that depends.
func (prefix *Prefix) maySelect(c *Candidate, other bool) bool {
	p := prefix.p
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
			return prefix.waits(o)
		}
		return prefix.waits(q)
	}
	if c.Case == 0 && o.Poll {
		for i := range p.offers {
			if q := &p.ops[p.offers[i].op]; q.n > 1 && q.Proc != o.Proc && p.faces(o, &p.offers[i]) &&
				prefix.Pending(q) {
				p.seeCases(&c.Accesses, q)
			}
		}
	}
	return true
}

// waits reports whether the pending operation o waits: none of its cases is ready without a
// partner.
func (prefix *Prefix) waits(o *Operation) bool {
	if o.n == 1 && !o.Poll {
		return true
	}
	for k := o.first; k < o.first+o.n; k++ {
		f := &prefix.p.offers[k]
		r := prefix.alone(f.obj, f.send)
		switch {
		case r == nil:
		case r.Mode == model.SendClosed || r.Mode == model.RecvClosed:
			return prefix.block(prefix.last(f.obj, model.Close))
		default:
			if _, behind := prefix.older(o.era, o.Proc, f.obj, f.send); !behind {
				return prefix.block(prefix.last(f.obj, facing(f.send)))
			}
		}
	}
	return true
}

// awaited reports whether an object that c's loop read has changed since the first read in the
// iteration that ends.
func (prefix *Prefix) awaited(c *Candidate) bool {
	p := prefix.p
	for i := range c.Accesses {
		a := &c.Accesses[i]
		first := p.FirstLook(c.Proc, a, c.Done)
		if prefix.changed(c, a.Obj, a.Mode, first) {
			return true
		}
		for _, o := range p.Tab.objects[a.Obj].overlaps {
			if prefix.changed(c, o, a.Mode, first) {
				return true
			}
		}
	}
	return false
}

// changed reports whether another goroutine accessed obj, in conflict with m, after transition
// first and before c.
func (prefix *Prefix) changed(c *Candidate, obj Object, m model.Mode, first int) bool {
	p := prefix.p
	us := p.usedBefore(obj, c.Done)
	for k := len(us) - 1; k >= 0 && int(us[k].at) > first; k-- {
		u := &us[k]
		if p.steps[u.at].Proc != c.Proc && model.Conflict(m, u.Mode) && prefix.has(int(u.at)) {
			return true
		}
	}
	return false
}

// FirstLook returns the transition in which an iteration of g's polling loop first read the object
// of a, an OpAwait. The iteration ends before transition end. -1 if it did not read the object.
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
