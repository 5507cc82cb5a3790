package unfold

import (
	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// An object has one to three places. Their first conditions are the state before the execution. The
// values of their conditions depend on the kind:
//
//	mutex       state: 0 unlocked, 1 locked
//	atomic      state: the value
//	once        state: 0 not called, 1 running, 2 done
//	semaphore   state: the count
//	cond        state: the last operation and its goroutine (see queue)
//	others      state: 0; each write gives a condition
//	WaitGroup   beside: the delta of each Add; with state, the count, if the order of Adds matters
//	RWMutex     state: see rw; beside: +1 for each RLock, -1 for each RUnlock
//	channel     state: 0 open, 1 closed; with a buffer: sent, received: a condition for each value
//	            without a buffer and polled: line: a condition for each arrival
//	            of a timer: state: the number of values in its buffer
//	timer       state: 1 running, until it is stopped
type object struct {
	known          bool
	begun          bool // an execution has accessed it
	state          net.Place
	sent, received net.Place
	beside         net.Place
	line           net.Place // of an unbuffered channel that is polled: the arrivals
	cap            int
	before         int           // values in the buffer before the execution
	finals         []net.Cond    // of goroutines that ended while they held the mutex
	waiting        []net.Cond    // goroutines at a call about beside, or at a receive without partner
	senders        []net.Cond    // goroutines at a send without partner
	tokens         []net.Cond    // all conditions of beside
	given          net.List      // the same, searchable by configuration
	kind           trace.ObjKind // of the object
	ordered        bool
	timer          bool // a timer's channel
}

// procPlace returns the place of a goroutine.
func (s *Strategy) procPlace(p transition.Proc) net.Place {
	for len(s.procs) <= int(p) {
		s.procs = append(s.procs, net.None)
	}
	if s.procs[p] == net.None {
		k := s.net.NewPlace()
		s.procs[p] = k
		for len(s.procOf) <= int(k) {
			s.procOf = append(s.procOf, transition.NoProc)
		}
		s.procOf[k] = p
	}
	return s.procs[p]
}

// object returns the places of an object.
func (s *Strategy) object(obj transition.Object) *object {
	for len(s.objects) <= int(obj) {
		s.objects = append(s.objects, object{})
	}
	o := &s.objects[obj]
	if o.known {
		return o
	}
	*o = object{known: true, sent: net.None, received: net.None, beside: net.None, line: net.None,
		kind: s.tab.Kind(obj), ordered: s.tab.Ordered(obj)}
	mark := func(v net.Value) net.Place {
		c := s.newPlaceOf(obj)
		s.net.Mark(c, v)
		return c
	}
	if o.kind == trace.ObjTimer { // the event that starts it gives the first condition
		o.state = s.newPlaceOf(obj)
		return o
	}
	o.state = mark(0)
	begins := func(v net.Value) { s.net.SetValue(s.net.Root(o.state), v) }
	switch o.kind {
	case trace.ObjAtomic, trace.ObjMutex:
		begins(net.Value(s.tab.Init(obj)))
	case trace.ObjChan:
		n, closed := trace.OfChanState(s.tab.Init(obj))
		if o.before = n; closed {
			begins(1)
		}
		o.cap, o.timer = max(s.tab.Cap(obj), s.caps[obj]), s.timerChans[obj]
		if o.timer {
			o.cap = 1
			begins(net.Value(n))
		} else if o.cap > 0 {
			o.sent, o.received = mark(0), mark(0)
		}
	case trace.ObjWaitGroup, trace.ObjRWMutex:
		if !o.ordered {
			o.beside = mark(0)
		}
		begins(net.Value(s.tab.Init(obj))) // 0 for a WaitGroup whose order of Adds does not matter
	}
	return o
}

// newPlaceOf returns a place of an object that has no condition yet.
func (s *Strategy) newPlaceOf(obj transition.Object) net.Place {
	c := s.net.NewPlace()
	for len(s.objectOf) <= int(c) {
		s.objectOf = append(s.objectOf, noObject)
	}
	s.objectOf[c] = obj
	return c
}

// begins sets the value of an object's first condition from its first access in an execution.
func (s *Strategy) begins(o *object, a *transition.Access) {
	root := s.net.Root(o.state)
	if root == net.None {
		s.net.Mark(o.state, 1) // a timer that is older than the execution
		return
	}
	switch {
	case o.kind == trace.ObjOnce && a.Op == trace.OpOnce && a.Arg == 0:
		s.net.SetValue(root, 2) // done before the execution
	case o.kind == trace.ObjSemaphore && a.Op == trace.OpAcquire:
		s.net.SetValue(root, net.Value(a.Arg)+1)
	case o.kind == trace.ObjSemaphore && a.Op == trace.OpRelease:
		s.net.SetValue(root, net.Value(a.Arg)-1)
	}
}

// use returns what an operation does to the place of an object that has only state. ok is false if
// the operation is blocked in that state.
func (s *Strategy) use(c *call, o *object, in *net.Config) (u net.Use, ok bool) {
	x := in.Last(o.state)
	v := s.net.Value(x)
	switch c.op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange:
		return net.Reads, true
	case trace.OpLock:
		if o.kind != trace.ObjRWMutex {
			return net.Takes, v == 0
		}
	case trace.OpTryLock:
		if v != 0 {
			return net.Reads, true
		}
	case trace.OpOnce:
		if v == 2 {
			return net.Reads, true
		}
		return net.Takes, v == 0
	case trace.OpAcquire:
		return net.Takes, v > 0
	case trace.OpAtomicCAS:
		if c.compares && uint64(v) != c.want {
			return net.Reads, true
		}
	case trace.OpSignal, trace.OpBroadcast:
		if len(s.queue(x, nil)) == 0 {
			return net.Reads, true
		}
	case trace.OpWGWait:
		return net.Reads, v == 0
	}
	if o.kind == trace.ObjRWMutex {
		return useRW(c.op, v)
	}
	return net.Takes, true
}

// after returns the state that transition j leaves, given state v.
func (s *Strategy) after(c *call, v net.Value, j int) net.Value {
	if c.obj != noObject && s.objects[c.obj].kind == trace.ObjRWMutex {
		return afterRW(c.op, v, s.objects[c.obj].beside != net.None)
	}
	switch c.op {
	case trace.OpLock, trace.OpTryLock, trace.OpClose:
		return 1
	case trace.OpTimerStop:
		if s.objects[c.obj].timer {
			return 0
		}
		return net.Value(c.delta)
	case trace.OpUnlock:
		return 0
	case trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS:
		return s.written(j)
	case trace.OpOnce:
		return 1
	case trace.OpOnceDone:
		return 2
	case trace.OpAcquire:
		return v - 1
	case trace.OpRelease:
		return v + 1
	case trace.OpCondWait:
		return net.Value(c.proc)<<8 | net.Value(c.op)
	case trace.OpSignal, trace.OpBroadcast:
		return net.Value(c.op)
	case trace.OpWGAdd:
		return v + net.Value(c.delta)
	}
	return 0
}

// written returns the value that transition j writes to an atomic.
func (s *Strategy) written(j int) net.Value {
	t := s.read.trace
	for i := s.path.Event(j); i < len(t.Events) && int(t.Events[i].Step) <= s.path.Step(j); i++ {
		if e := &t.Events[i]; !e.Quiet && (e.Op == trace.OpAtomicStore || e.Op == trace.OpAtomicRMW) {
			return e.Arg
		}
	}
	return 0
}

// queue returns the waiters of a Cond whose condition is x, in their order: the conditions that
// their Waits gave. It calls each, if not nil, with every Wait that was woken and its signal.
func (s *Strategy) queue(x net.Cond, each func(wait, by net.Cond)) (waits []net.Cond) {
	var history []net.Cond
	for ; s.net.Up(x) != net.None; x = s.net.Up(x) {
		history = append(history, x)
	}
	wake := func(k int, by net.Cond) {
		for _, w := range waits[:k] {
			if each != nil {
				each(w, by)
			}
		}
		waits = waits[k:]
	}
	for i := len(history) - 1; i >= 0; i-- {
		switch y := history[i]; trace.Op(s.net.Value(y) & 0xff) {
		case trace.OpCondWait:
			waits = append(waits, y)
		case trace.OpSignal:
			wake(1, y)
		case trace.OpBroadcast:
			wake(len(waits), y)
		}
	}
	return waits
}

// woken returns the condition that was given by the signal which woke goroutine p from its last
// Wait before x; None if p still waits.
func (s *Strategy) woken(p transition.Proc, x net.Cond) net.Cond {
	mine := net.Value(p)<<8 | net.Value(trace.OpCondWait)
	last := net.Cond(net.None)
	for _, w := range s.queue(x, func(wait, by net.Cond) {
		if s.net.Value(wait) == mine {
			last = by
		}
	}) {
		if s.net.Value(w) == mine {
			return net.None
		}
	}
	return last
}
