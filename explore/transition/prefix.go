package transition

import (
	"sort"

	"heddle/model"
	"heddle/trace"
)

// A Prefix is a causally closed part of a path: its transitions before From, and of the rest those
// that neither are excluded nor happen after an excluded one. Some execution begins with it.
type Prefix struct {
	From int

	// Blocker is set where May returned false: a transition whose exclusion may enable the
	// candidate, -1 if there is none.
	Blocker int

	p   *Path
	out []int  // what is excluded, with all that happens after it
	in  []bool // by transition, from From on; empty while out says it
	ks  []int32
}

// fewOut is up to how many exclusions are looked at for each transition that is asked for.
const fewOut = 4

// begin makes c all transitions before from, and of the rest those that do not happen after from.
func (c *Prefix) begin(p *Path, from int) {
	c.p, c.From, c.Blocker = p, from, -1
	c.in, c.out = c.in[:0], append(c.out[:0], from)
}

// Cut makes prefix those transitions that are among the first n[g] of each goroutine g that takes
// part in them. They are causally closed.
func (p *Path) Cut(prefix *Prefix, n []int32) {
	prefix.p, prefix.From, prefix.Blocker = p, 0, -1
	prefix.in = prefix.in[:0]
	for i := range p.n {
		prefix.in = append(prefix.in, int32(p.rows[i].seq) <= n[p.steps[i].Proc])
	}
}

// Exclude removes i, and all that happens after it.
func (c *Prefix) Exclude(i int) {
	if len(c.in) == 0 {
		if c.out = append(c.out, i); len(c.out) > fewOut {
			for k := c.From; k < c.p.n; k++ {
				c.in = append(c.in, true)
			}
			for _, i := range c.out {
				c.drop(i)
			}
		}
		return
	}
	c.drop(i)
}

// drop is Exclude for c.in.
func (c *Prefix) drop(i int) {
	proc, seq := c.p.steps[i].Proc, c.p.rows[i].seq
	for k := i - c.From; k < len(c.in); k++ {
		if c.p.clocks.at(c.From+k, proc) >= seq {
			c.in[k] = false
		}
	}
}

// Has reports whether transition i is in c. i is at least From.
func (c *Prefix) Has(i int) bool {
	if len(c.in) > 0 {
		return c.in[i-c.From]
	}
	for _, x := range c.out {
		if x <= i && c.p.Before(x, i) {
			return false
		}
	}
	return true
}

// Append appends the transitions of c from the from-th on to ts.
func (c *Prefix) Append(ts []*Transition, from int) []*Transition {
	p := c.p
	if len(c.in) > 0 {
		for k := from; k < p.n; k++ {
			if c.in[k-c.From] {
				ts = append(ts, &p.steps[k])
			}
		}
		return ts
	}
	c.ks = c.Indices(c.ks[:0], from)
	for _, k := range c.ks {
		ts = append(ts, &p.steps[k])
	}
	return ts
}

// Whole returns the first transition after From that is excluded by itself, Len() of the path if
// none is: before it c has all that does not happen after From. ok is false if that is not known.
func (c *Prefix) Whole() (first int, ok bool) {
	first = c.p.n
	if len(c.in) > 0 {
		return first, false
	}
	for _, x := range c.out {
		if x != c.From {
			first = min(first, x)
		}
	}
	return first, true
}

// Besides sets few to what is excluded by itself after From, filled up with -1. ok is false if that
// is more, or not known.
func (c *Prefix) Besides(few []int32) (ok bool) {
	n := 0
	for _, x := range c.out {
		if x == c.From {
			continue
		}
		if x < c.From || n == len(few) {
			return false
		}
		few[n] = int32(x)
		n++
	}
	for i := n; i < len(few); i++ {
		few[i] = -1
	}
	return len(c.in) == 0
}

// Indices appends the transitions of c from the from-th on to ks, by index. Whole must be ok.
func (c *Prefix) Indices(ks []int32, from int) []int32 {
	p := c.p
	var few [fewOut]excluded
	for i, x := range c.out {
		few[i] = excluded{x, p.steps[x].Proc, p.rows[x].seq}
	}
	out := few[:len(c.out)]
next:
	for k, end := from, c.end(from); k < end; k++ {
		for i := range out {
			if x := &out[i]; x.at <= k && p.clocks.at(k, x.proc) >= x.seq {
				continue next
			}
		}
		ks = append(ks, int32(k))
	}
	return ks
}

// end returns a transition from the from-th on such that all from there on are excluded, Len() of
// the path where finding one would take as long as looking at them.
func (c *Prefix) end(from int) int {
	p := c.p
	if p.n-from < 16*len(p.last) {
		return p.n
	}
	return p.until(from, p.n, func(k int) bool { return !c.Has(k) })
}

// until returns a transition of those from from to end such that all from there on are gone. If
// one is gone, so are those of its goroutine that come later.
func (p *Path) until(from, end int, gone func(k int) bool) int {
	if !p.listed {
		p.list()
	}
	last := from
	for _, js := range p.turns {
		js = js[sort.Search(len(js), func(i int) bool { return int(js[i]) >= from }):]
		js = js[:sort.Search(len(js), func(i int) bool { return int(js[i]) >= end })]
		if k := sort.Search(len(js), func(i int) bool { return gone(int(js[i])) }); k > 0 {
			last = max(last, int(js[k-1])+1)
		}
	}
	return last
}

// list lists the transitions by goroutine.
func (p *Path) list() {
	for len(p.turns) < len(p.last) {
		p.turns = append(p.turns, nil)
	}
	for g := range p.turns {
		p.turns[g] = p.turns[g][:0]
	}
	for j := range p.n {
		g := p.steps[j].Proc
		p.turns[g] = append(p.turns[g], int32(j))
	}
	p.listed = true
}

// has is Has for any transition, and -1.
func (c *Prefix) has(i int) bool { return i < c.From || c.Has(i) }

// block sets Blocker to i, and returns false.
func (c *Prefix) block(i int) bool {
	c.Blocker = -1
	if i >= c.From {
		c.Blocker = i
	}
	return false
}

// last returns the last transition in c that accesses obj with mode m, -1 if there is none.
func (c *Prefix) last(obj Object, m model.Mode) int { return c.p.lastOf(obj, m, c.has) }

// foreseeAll reports whether a, which is pending at the end of c, is enabled there, and sets the
// accesses that it has there.
func (c *Prefix) foreseeAll(a *Candidate) bool {
	for i := range a.Accesses {
		if !c.foresee(a, &a.Accesses[i]) {
			return false
		}
	}
	return true
}

// foresee is foreseeAll for one access.
func (c *Prefix) foresee(a *Candidate, x *Access) bool {
	switch {
	case x.Mode == model.Left || x.Mode == model.Seen || c.p.Tab.objects[x.Obj].kind == trace.ObjClock:
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

// state returns the state of obj at the end of c.
func (c *Prefix) state(obj Object) model.State { return c.p.State(obj, c.has) }

// blocker returns the last transition in c whose exclusion may enable op, which is blocked at obj
// in state s; -1 if there is none.
func (c *Prefix) blocker(obj Object, s model.State, op trace.Op) int {
	def, o := c.p.Tab.Model(obj)
	if o.Kind == trace.ObjWaitGroup {
		return c.excess(obj) // Adds commute, so any of them may be the last
	}
	us := c.p.used(obj)
	for k := latest(us, len(us)-1, c.has); k >= 0; k = latest(us, k-1, c.has) {
		if u := &us[k]; def.Blames(o, s, op, u.Op, u.Arg) {
			return int(u.at)
		}
	}
	return -1
}

// foreseeChan is foresee for a channel operation that is no poll, where rule r applies. It reports
// whether r has a partner exactly if a has, and whether no senior waits.
func (c *Prefix) foreseeChan(a *Candidate, x *Access, r *model.Rule) bool {
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

// alone returns the rule by which one side of a channel is enabled without a partner at the end of
// c; nil if it is not.
func (c *Prefix) alone(obj Object, send bool) *model.Rule {
	_, o := c.p.Tab.Model(obj)
	return model.Alone(o, c.state(obj), send)
}

// facing returns the mode of operations that enable one side of a channel with a buffer.
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

// empty reports whether a poll of one side of a channel finds it not ready at the end of c.
func (c *Prefix) empty(a *Candidate, obj Object, send bool) bool {
	if _, closed := model.Channel(c.state(obj)); closed {
		return c.block(c.last(obj, model.Close))
	}
	if c.p.Tab.objects[obj].Cap > 0 {
		if c.alone(obj, send) == nil {
			return true
		}
		c.block(c.last(obj, facing(send)))
		_, behind := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send)
		return behind
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send != send && o.Proc != a.Proc && c.Pending(o) &&
			c.waits(o) {
			return c.block(o.Announced)
		}
	}
	return true
}

// Pending reports whether o is announced and not performed at the end of c, and visible to a
// goroutine that polls.
func (c *Prefix) Pending(o *Operation) bool {
	return !o.Poll && c.has(o.Announced) && (o.Done == c.p.n || !c.has(o.Done))
}

// first reports whether a has no senior at its side of a channel with a buffer, at the end of c: no
// goroutine has waited there since an earlier era.
func (c *Prefix) first(a *Candidate, obj Object, send bool) bool {
	if at, ok := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send); ok {
		return c.block(at)
	}
	return true
}

// era returns the last barrier before the announcement at the end of i.
func (p *Path) era(i int) int {
	if i < 0 {
		return -1
	}
	if p.steps[i].Alone() {
		return i
	}
	return int(p.rows[i].barrier)
}

// older returns where another goroutine announced an operation that waits at that side of a
// channel, in an era before era.
func (c *Prefix) older(era int, g Proc, obj Object, send bool) (at int, ok bool) {
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
