package observe

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// What an execution has in common with the one that was read before. The search goes depth first,
// so most executions share a long way with the one before. These transitions are compared, and
// taken in the state, and not read again.

// A lastRead is the execution that was read last.
type lastRead struct {
	t     trace.Trace // copies of what is compared
	taken []taken     // by transition, as far as they can be taken again
	kin   int         // what was known of kin
}

// A taken is a transition as a step of the state, from these nodes.
type taken struct {
	x        step
	at, with int32
	plain    int // how many accesses of the trace come up to its end
}

// keepStep notes the step that transition j is. Where time passes it is not taken again.
func (l *lesson) keepStep(j int, x *step, at [2]int32) {
	if tr := l.path.At(j); j == len(l.last.taken) && !tr.Barrier && tr.Proc != transition.Timers {
		l.last.taken = append(l.last.taken, taken{*x, at[0], at[1], l.plain})
	}
}

// remember keeps what the next execution is compared with. Many tests have one execution, and long
// ones would need much memory.
func (l *lesson) remember() {
	c, t := &l.last.t, l.t
	if l.p.turn < 2 || len(t.Events)+len(t.Plain) > mostCompared {
		l.last.taken = l.last.taken[:0]
		return
	}
	c.Goroutines, c.Objects = append(c.Goroutines[:0], t.Goroutines...), append(c.Objects[:0], t.Objects...)
	c.Steps, c.Events = append(c.Steps[:0], t.Steps...), append(c.Events[:0], t.Events...)
	c.Offers, c.Plain = append(c.Offers[:0], t.Offers...), append(c.Plain[:0], t.Plain...)
	c.Updates, c.Sent = append(c.Updates[:0], t.Updates...), append(c.Sent[:0], t.Sent...)
	l.last.kin = l.p.kin.settled
}

// mostCompared bounds the events and accesses of an execution that is kept to compare the next one.
var mostCompared = 1 << 14

// common returns how many of the first transitions are those of the execution that was read last.
func (l *lesson) common() (n int) {
	if l.last.kin != l.p.kin.settled {
		return 0
	}
	c := comparison{a: l.t, b: &l.last.t}
	for c.goroutines < min(len(c.a.Goroutines), len(c.b.Goroutines)) &&
		c.a.Goroutines[c.goroutines] == c.b.Goroutines[c.goroutines] {
		c.goroutines++
	}
	c.plain = l.plain
	for n < min(len(l.last.taken), l.path.Len()) && !l.path.At(n).Barrier && l.path.Step(n) == n &&
		c.same(n, l.path.Event(n), l.lastEvent(n), l.last.taken[n].plain) {
		n++
	}
	return n
}

// A comparison goes through two executions.
type comparison struct {
	a, b       *trace.Trace
	goroutines int // so many are the same

	offers, plain, updates, sent int // what was compared
}

// same reports whether a step is the same in both: its events, from first up to last, all that goes
// with them, and its accesses, up to plain.
func (c *comparison) same(step, first, last, plain int) bool {
	if step >= len(c.b.Steps) || c.a.Steps[step] != c.b.Steps[step] || last > len(c.b.Events) {
		return false
	}
	for i := first; i < last; i++ {
		if !c.sameEvent(i) {
			return false
		}
	}
	if last < len(c.b.Events) && int(c.b.Events[last].Step) <= step {
		return false
	}
	for ; c.plain < plain; c.plain++ {
		if c.plain >= len(c.a.Plain) || !samePlain(&c.a.Plain[c.plain], &c.b.Plain[c.plain]) {
			return false
		}
	}
	if plain < len(c.a.Plain) && int(c.a.Plain[plain].Step) <= step {
		return false
	}
	a, b := c.a, c.b
	offered := func(x *trace.Offer) bool { return int(x.Step) <= step }
	k := c.offers
	if !sameUpTo(&c.offers, a.Offers, b.Offers, offered) {
		return false
	}
	for ; k < c.offers; k++ {
		if id := a.Offers[k].Obj; !sameObject(&a.Objects[id], &b.Objects[id]) {
			return false
		}
	}
	return sameUpTo(&c.updates, a.Updates, b.Updates,
		func(x *trace.Updated) bool { return int(x.Event) < last }) &&
		sameUpTo(&c.sent, a.Sent, b.Sent, func(x *trace.Sent) bool { return int(x.Event) < last })
}

// sameUpTo reports whether two lists are the same from n on as far as elements are within, which it
// adds to n.
func sameUpTo[T comparable](n *int, a, b []T, within func(*T) bool) bool {
	for {
		more, others := *n < len(a) && within(&a[*n]), *n < len(b) && within(&b[*n])
		if !more || !others {
			return more == others
		}
		if a[*n] != b[*n] {
			return false
		}
		*n++
	}
}

// sameEvent reports whether event i is the same. Which receive gets what is sent may come later.
func (c *comparison) sameEvent(i int) bool {
	e, f := c.a.Events[i], c.b.Events[i]
	if e.Op == trace.OpSend {
		e.Partner, f.Partner = 0, 0
	}
	if e != f || int(e.G) >= c.goroutines || e.Op == trace.OpGo && int(e.Arg) >= c.goroutines {
		return false
	}
	if e.Obj == 0 {
		return true
	}
	o := &c.a.Objects[e.Obj]
	if nameless(o) && (o.Kind == trace.ObjAtomic || o.Kind == trace.ObjMemory) {
		return false // it is looked at anew in each execution
	}
	return sameObject(o, &c.b.Objects[e.Obj])
}

// nameless reports whether memory has no name on which two executions agree.
func nameless(o *trace.Object) bool { return o.G == trace.NoG && !o.Static }

// sameObject reports whether two objects are the same, but for addresses that may be others.
func sameObject(o, p *trace.Object) bool {
	a, b := *o, *p
	if a.G != trace.NoG {
		a.Addr, b.Addr = 0, 0
	}
	return a == b
}

func samePlain(x, y *trace.Plain) bool {
	a, b := *x, *y
	a.Mem, b.Mem = trace.Object{}, trace.Object{}
	if nameless(&x.Mem) {
		return a == b && nameless(&y.Mem)
	}
	return a == b && sameObject(&x.Mem, &y.Mem)
}

// again takes transition j, which is as in the execution before. ok: the state allows it, in the
// nodes of then.
func (l *lesson) again(j int) (ok bool, reason string) {
	k := &l.last.taken[j]
	x, s := k.x, l.s
	s.resize()
	switch {
	case s.at[x.proc] != k.at || !s.reads(x.edge),
		x.with != transition.NoProc &&
			(s.at[x.with] != k.with || !s.reads(x.withEdge) || s.meets(&x) != x.message),
		x.queue < 0 && s.queues[x.item][0] != x.message:
		return false, ""
	}
	for ; l.plain < k.plain; l.plain++ {
		if a := &l.t.Plain[l.plain]; nameless(&a.Mem) && !l.p.nameless(l.p.tab.ProcOf(a.G), a) {
			return true, "memory whose allocation is unknown"
		}
	}
	last := l.lastEvent(j)
	for l.head < len(l.t.Heads) && int(l.t.Heads[l.head].Step) <= l.path.Step(j) {
		l.head++
	}
	for l.sent < len(l.t.Sent) && int(l.t.Sent[l.sent].Event) < last {
		l.sent++
	}
	s.take(&x)
	l.pos[x.proc]++
	if x.with != transition.NoProc {
		l.pos[x.with]++
	}
	return true, ""
}

// startShared takes the first transitions that are as before, and checks what all goroutines have
// announced then. It returns how many there are.
func (l *lesson) startShared(n int) (j int, reason string) {
	for ; j < n; j++ {
		switch ok, reason := l.again(j); {
		case reason != "":
			return j, reason
		case !ok:
			n = j
		}
		if n == j {
			break
		}
	}
	l.last.taken = l.last.taken[:j]
	if j == 0 {
		return 0, ""
	}
	for proc, at := range l.s.at {
		if at == 0 || l.p.tab.IsTimer(transition.Proc(proc)) || l.s.local[proc].op.class == asleep {
			continue
		}
		if reason := l.announce(at, transition.Proc(proc)); reason != "" {
			return j, reason
		}
	}
	return j, ""
}

// readsAnew is the first event, and the first access, of what is read anew after n transitions that
// are as before.
func (l *lesson) readsAnew(n int) (event, plain int) {
	if n == 0 {
		return 0, 0
	}
	return l.lastEvent(n - 1), l.last.taken[n-1].plain
}
