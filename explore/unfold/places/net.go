package places

// A cond is a condition of the net, an event number one of its events; none is neither.
type (
	cond  int32
	event int32
)

const none = -1

// A condition is a place of the program's Petri net at one point of its
// history: a thread's location, a thread's copy of a variable, or a free lock.
type condition struct {
	place    int32
	producer event   // none: marked initially
	post     []event // events with it in their presets, possible extensions included

	// Of a thread's location.
	next *Operation // the thread's next operation; nil if it has ended
	held []event    // the lock events whose locks it holds
}

// A node is an event of the net, or a possible extension: an event that no execution has shown yet.
type node struct {
	op    Operation
	pre   []cond // first the thread's; then variables or the lock, in order of places
	post  []cond // the same places; a lock event has no lock here, its unlock has
	shown bool

	releases   event   // of an unlock: the lock event
	releasedBy []event // of a lock event: the unlocks that were shown
}

// A Net is the unfolding of a program, as far as executions have shown it.
type Net struct {
	p       *Program
	conds   []condition
	events  []node
	initial []cond // by place; of threads, variables, locks
	shown   int
	cut     cut
}

// Places: of thread i, i's copy of variable v, lock l.
func (n *Net) threadPlace(i int) int32  { return int32(i) }
func (n *Net) copyPlace(v, i int) int32 { return int32(len(n.p.Threads)*(1+v) + i) }
func (n *Net) lockPlace(l int) int32    { return int32(len(n.p.Threads)*(1+n.p.Vars) + l) }

// newNet returns the initial unfolding: the initial marking of the Petri net.
func newNet(p *Program) *Net {
	n := &Net{p: p}
	n.cut.n = n
	for place := range len(p.Threads)*(1+p.Vars) + p.Locks {
		n.initial = append(n.initial, n.newCond(int32(place), none))
	}
	return n
}

// Events returns how many events executions have shown.
func (n *Net) Events() int { return n.shown }

func (n *Net) newCond(place int32, by event) cond {
	n.conds = append(n.conds, condition{place: place, producer: by})
	return cond(len(n.conds) - 1)
}

// at returns the condition of cs that is of a place, none if there is none.
func (n *Net) at(cs []cond, place int32) cond {
	for _, c := range cs {
		if n.conds[c].place == place {
			return c
		}
	}
	return none
}

// preset appends to to what an operation of a thread takes from a marking, by
// place (Fig. 5). ok is false if its lock is not there.
func (n *Net) preset(to []cond, op *Operation, marking []cond) (pre []cond, ok bool) {
	pre = append(to, marking[n.threadPlace(op.Thread)])
	switch op.Kind {
	case Read:
		pre = append(pre, marking[n.copyPlace(op.Object, op.Thread)])
	case Write:
		for i := range n.p.Threads {
			pre = append(pre, marking[n.copyPlace(op.Object, i)])
		}
	case Lock:
		c := marking[n.lockPlace(op.Object)]
		if c == none {
			return pre, false
		}
		pre = append(pre, c)
	}
	return pre, true
}

// find returns the event of op with this preset, none if it is not known.
func (n *Net) find(op *Operation, pre []cond) event {
	for _, e := range n.conds[pre[0]].post {
		x := &n.events[e]
		if x.op.Taken != op.Taken || len(x.pre) != len(pre) {
			continue
		}
		same := true
		for i := range pre {
			same = same && pre[i] == x.pre[i]
		}
		if same {
			return e
		}
	}
	return none
}

// foresee adds a possible extension: the next operation of pre's thread, for a branch with an
// outcome. It returns none if it was known.
func (n *Net) foresee(pre []cond, taken bool) event {
	op := *n.conds[pre[0]].next
	op.Taken = taken
	if n.find(&op, pre) != none {
		return none
	}
	e := event(len(n.events))
	n.events = append(n.events, node{op: op, pre: append([]cond(nil), pre...), releases: none})
	for _, c := range pre {
		n.conds[c].post = append(n.conds[c].post, e)
	}
	return e
}

// show adds the postset of a possible extension that an execution has shown. next is the next
// operation of its thread then.
func (n *Net) show(e event, op *Operation, next *Operation) {
	x := &n.events[e]
	x.shown, x.op = true, *op
	n.shown++
	t := &n.conds[x.pre[0]]
	held := t.held
	switch op.Kind {
	case Lock:
		held = append(held[:len(held):len(held)], e)
	case Unlock:
		held = n.release(held, e)
	}
	for _, c := range x.pre {
		if n.conds[c].place != n.lockPlace(op.Object) || op.Kind != Lock {
			x.post = append(x.post, n.newCond(n.conds[c].place, e))
		}
	}
	if op.Kind == Unlock {
		x.post = append(x.post, n.newCond(n.lockPlace(op.Object), e))
	}
	n.conds[x.post[0]].next, n.conds[x.post[0]].held = next, held
}

// release notes which lock event of held the unlock e undoes, and returns the others.
func (n *Net) release(held []event, e event) []event {
	var rest []event
	for _, l := range held {
		if n.events[l].op.Object == n.events[e].op.Object {
			n.events[e].releases = l
			n.events[l].releasedBy = append(n.events[l].releasedBy, e)
		} else {
			rest = append(rest, l)
		}
	}
	return rest
}

// fire changes a marking, by place, as e does.
func (n *Net) fire(e event, marking []cond) {
	x := &n.events[e]
	for _, c := range x.pre {
		marking[n.conds[c].place] = none
	}
	for _, c := range x.post {
		marking[n.conds[c].place] = c
	}
}

// past returns the causal past of events, themselves included, in order of addition: an order in
// which they can be fired (section 4.3).
func (n *Net) past(es ...event) []event {
	n.cut.begin()
	for _, e := range es {
		if !n.cut.addEvent(e) {
			panic("places: an event is in conflict with itself")
		}
	}
	past := append([]event(nil), n.cut.log...)
	sortEvents(past)
	return past
}
