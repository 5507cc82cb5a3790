package places

import "errors"

// An Explorer tests a program by unfolding it (Fig. 8).
type Explorer struct {
	// Choose returns the index of the next target among n possible extensions; nil: the one found
	// last.
	Choose func(n int) int
	// Free returns the next of the enabled threads once a target is reached; nil: the first.
	Free func(able []int) int
	// Solve finds inputs for path constraints; nil: among -8 to 8.
	Solve Solver
	// Guess returns an input without a constraint; nil: 0.
	Guess func() int64
	// Bound bounds the length of an execution; 0: none.
	Bound int
	// Several lets an execution cover as many possible extensions beside its target as are
	// concurrent with it (section 4.6).
	Several bool
	// Each, if not nil, is called with every execution.
	Each func(*Execution)

	p          *Program
	net        *Net
	extensions []event
	waiting    [][]cond // by lock: thread conditions that wait for it, without a known event
	lastLock   []event  // by lock, in the execution being read
	stats      Stats
	deadlocks  [][]cond
	known      map[string]bool
	finals     [][]cond // by lock: conditions of threads that ended while holding it

	mark  []uint32 // of visit, by condition
	epoch uint32
}

// Stats are the costs of a search.
type Stats struct {
	Tests      int // executions
	Events     int // of the net
	Cut        int // extensions that no inputs reach
	Infeasible int // deadlocks that no inputs reach
	Deadlocks  int
	Bounded    bool // the bound was hit: the net depends on the order of targets
}

// errUnforeseen: an execution performed an event that was no possible extension.
var errUnforeseen = errors.New("places: an execution performed an event that was no possible extension")

// New returns an explorer of p.
func New(p *Program) *Explorer {
	x := &Explorer{p: p, net: newNet(p), waiting: make([][]cond, p.Locks), lastLock: make([]event, p.Locks),
		finals: make([][]cond, p.Locks), known: map[string]bool{}}
	return x
}

// Net returns the unfolding.
func (x *Explorer) Net() *Net { return x.net }

// Seed adds an execution that something else made (section 4.6).
func (x *Explorer) Seed(e *Execution) error { return x.read(e) }

// Run explores until no possible extension is left.
func (x *Explorer) Run() (Stats, error) {
	if x.Solve == nil {
		x.Solve = Among(-8, 8)
	}
	if x.Free == nil {
		x.Free = func([]int) int { return 0 }
	}
	if x.net.shown == 0 {
		if err := x.execute(nil, Inputs{}); err != nil {
			return x.stats, err
		}
	}
	for len(x.extensions) > 0 {
		target := x.take()
		if x.net.events[target].shown {
			continue
		}
		past := x.net.past(target)
		if x.Several {
			past = x.alongside(past)
		}
		in, ok := x.Solve(x.net.constraints(past))
		if !ok && x.Several {
			past = x.net.past(target)
			in, ok = x.Solve(x.net.constraints(past))
		}
		if !ok {
			x.stats.Cut++
			continue
		}
		if x.Bound > 0 && len(past) > x.Bound {
			x.stats.Bounded = true
			continue
		}
		if err := x.execute(x.net.path(past), in); err != nil {
			return x.stats, err
		}
		if !x.net.events[target].shown {
			return x.stats, errors.New("places: a target was not reached")
		}
	}
	x.stats.Events, x.stats.Deadlocks = x.net.shown, len(x.deadlocks)
	return x.stats, nil
}

// take removes the next target from the possible extensions.
func (x *Explorer) take() event {
	k := len(x.extensions) - 1
	i := k
	if x.Choose != nil {
		i = x.Choose(len(x.extensions))
	}
	e := x.extensions[i]
	x.extensions[i] = x.extensions[k]
	x.extensions = x.extensions[:k]
	return e
}

// alongside returns past, which the cut holds, with further extensions that can be covered as well.
func (x *Explorer) alongside(past []event) []event {
	c := &x.net.cut
	for _, e := range x.extensions {
		if k := len(c.log); !x.net.events[e].shown && !c.addEvent(e) {
			c.undo(k)
		}
	}
	past = append(past[:0], c.log...)
	sortEvents(past)
	return past
}

// constraints returns the path constraint of events.
func (n *Net) constraints(es []event) (cs []Constraint) {
	for _, e := range es {
		if op := &n.events[e].op; op.Kind == Branch {
			cs = append(cs, Constraint{op.If, op.Taken})
		}
	}
	return cs
}

// path returns the threads of events.
func (n *Net) path(es []event) (threads []int) {
	for _, e := range es {
		threads = append(threads, n.events[e].op.Thread)
	}
	return threads
}

func (x *Explorer) execute(path []int, in Inputs) error {
	if x.Guess != nil {
		for i := range x.p.Threads {
			for k := range 4 {
				if _, ok := in[Input{i, k}]; !ok {
					in[Input{i, k}] = x.Guess()
				}
			}
		}
	}
	e, ok := x.p.Run(path, in, x.Bound, x.Free)
	if !ok {
		return errors.New("places: the path to a target could not be followed")
	}
	x.stats.Tests++
	x.stats.Bounded = x.stats.Bounded || e.Bounded
	if x.Each != nil {
		x.Each(e)
	}
	return x.read(e)
}

// read adds an execution to the net (Fig. 8, lines 7 to 15).
func (x *Explorer) read(e *Execution) error {
	n := x.net
	next := x.nexts(e)
	marking := append([]cond(nil), n.initial...)
	for l := range x.lastLock {
		x.lastLock[l] = none
	}
	if n.shown == 0 {
		x.first(e, next, marking)
	}
	var pre []cond
	for i := range e.Operations {
		op := &e.Operations[i]
		var ok bool
		if pre, ok = n.preset(pre[:0], op, marking); !ok {
			return errUnforeseen
		}
		f := n.find(op, pre) // CorrespondingEvent
		if f == none {
			return errUnforeseen
		}
		fresh := !n.events[f].shown
		if fresh {
			n.show(f, op, next[len(x.p.Threads)+i])
		}
		if op.Kind == Lock {
			x.lastLock[op.Object] = f
		}
		n.fire(f, marking)
		if fresh {
			x.extend(f, marking)
			x.deadlocked(n.events[f].post[0])
		}
	}
	return nil
}

// first adds the first operation of each thread.
func (x *Explorer) first(e *Execution, next []*Operation, marking []cond) {
	for i := range x.p.Threads {
		x.net.conds[x.net.initial[i]].next = next[i]
	}
	for i := range x.p.Threads {
		x.fromThread(x.net.initial[i], marking)
	}
}

// nexts returns the first operation of each thread, and then, for each operation of an execution,
// the next one of its thread.
func (x *Explorer) nexts(e *Execution) []*Operation {
	k := len(x.p.Threads)
	next := make([]*Operation, k+len(e.Operations))
	last := make([]int, k)
	for i := range last {
		last[i] = i
	}
	for i := range e.Operations {
		op := &e.Operations[i]
		c := *op
		next[last[op.Thread]] = &c
		last[op.Thread] = k + i
	}
	for i, op := range e.Next {
		next[last[i]] = op
	}
	return next
}

// visit clears the marks of visited conditions.
func (x *Explorer) visit() {
	x.epoch++
	for len(x.mark) < len(x.net.conds) {
		x.mark = append(x.mark, 0)
	}
}

func (x *Explorer) visited(c cond) bool {
	if x.mark[c] == x.epoch {
		return true
	}
	x.mark[c] = x.epoch
	return false
}
