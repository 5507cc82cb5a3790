package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// outcome says whether op can be done on obj when exactly the events of h have
// happened, and with which outcome, as the models of rt/sched have it. delta
// is the outcome of operations for which it is always the same.
func (q *sequence) outcome(op trace.Op, obj transition.Object, delta int32, h set) (arg int32, ok bool) {
	switch q.Tab.Kind(obj) {
	case trace.ObjMutex:
		return q.mutex(op, obj, h)
	case trace.ObjRWMutex:
		return q.rwmutex(op, obj, delta, h)
	case trace.ObjOnce:
		return q.once(op, obj, h)
	case trace.ObjSemaphore:
		return q.semaphore(op, obj, h)
	case trace.ObjWaitGroup:
		return delta, op != trace.OpWGWait || q.count(obj, h) == 0
	case trace.ObjCond:
		if op == trace.OpSignal || op == trace.OpBroadcast {
			return q.waiters(obj, h), true
		}
	}
	return delta, true
}

// each calls f with every access to obj within h, in order.
func (q *sequence) each(obj transition.Object, h set, f func(at int, a *transition.Access)) {
	q.Uses(obj, func(at int, a *transition.Access) {
		if h.has(at) {
			f(at, a)
		}
	})
}

func (q *sequence) mutex(op trace.Op, obj transition.Object, h set) (int32, bool) {
	locked := q.Tab.Init(obj) != 0
	q.each(obj, h, func(_ int, a *transition.Access) {
		switch {
		case a.Op == trace.OpLock, a.Op == trace.OpTryLock && a.Arg != 0:
			locked = true
		case a.Op == trace.OpUnlock:
			locked = false
		}
	})
	switch {
	case op == trace.OpLock:
		return 1, !locked
	case op == trace.OpTryLock && !locked:
		return 1, true
	case op == trace.OpUnlock && !locked:
		return -1, true
	}
	return 0, true
}

func (q *sequence) rwmutex(op trace.Op, obj transition.Object, delta int32, h set) (int32, bool) {
	locked, wanted, readers := q.Tab.Init(obj) != 0, false, 0
	q.each(obj, h, func(_ int, a *transition.Access) {
		switch a.Op {
		case trace.OpArrive:
			wanted = true
		case trace.OpLock:
			locked, wanted = true, false
		case trace.OpUnlock:
			locked = false
		case trace.OpTryLock:
			locked = locked || a.Arg != 0
		case trace.OpRLock:
			readers++
		case trace.OpTryRLock:
			if a.Arg != 0 {
				readers++
			}
		case trace.OpRUnlock:
			if a.Arg >= 0 { // otherwise it panicked
				readers--
			}
		}
	})
	free := !locked && !wanted
	switch op {
	case trace.OpArrive, trace.OpRLock:
		return delta, free
	case trace.OpLock:
		return 1, wanted && readers == 0
	case trace.OpTryLock:
		free = free && readers == 0
	case trace.OpTryRLock:
	case trace.OpUnlock:
		return -number(!locked), true
	case trace.OpRUnlock:
		return -number(readers <= 0), true
	default:
		return delta, true
	}
	if free {
		return 1, true
	}
	return 0, true
}

func (q *sequence) once(op trace.Op, obj transition.Object, h set) (int32, bool) {
	running, done := false, false
	q.each(obj, h, func(_ int, a *transition.Access) {
		switch {
		case a.Op == trace.OpOnceDone:
			running, done = false, true
		case a.Arg == 1:
			running = true
		default:
			done = true // before the execution
		}
	})
	if op != trace.OpOnce {
		return 0, true
	}
	if done {
		return 0, !running
	}
	return 1, !running
}

func (q *sequence) semaphore(op trace.Op, obj transition.Object, h set) (int32, bool) {
	count, first := int32(0), true
	q.Uses(obj, func(at int, a *transition.Access) {
		d := int32(1)
		if a.Op == trace.OpAcquire {
			d = -1
		}
		if first {
			count, first = a.Arg-d, false
		}
		if h.has(at) {
			count += d
		}
	})
	if op == trace.OpAcquire {
		return count - 1, count > 0
	}
	return count + 1, true
}

// count is a WaitGroup's counter.
func (q *sequence) count(obj transition.Object, h set) int {
	n := int(q.Tab.Init(obj))
	q.each(obj, h, func(_ int, a *transition.Access) {
		if a.Op == trace.OpWGAdd {
			n += int(a.Arg)
		}
	})
	return n
}

// waiters is how many wait for a Cond.
func (q *sequence) waiters(obj transition.Object, h set) (n int32) {
	q.each(obj, h, func(_ int, a *transition.Access) {
		switch a.Op {
		case trace.OpCondWait:
			n++
		case trace.OpSignal:
			n = max(0, n-1)
		case trace.OpBroadcast:
			n = 0
		}
	})
	return n
}

// A channel is the state of one.
type channel struct {
	before         int // values that it held before the execution
	n              int
	sent, received int
	closed         bool
}

func (q *sequence) channel(obj transition.Object, h set) (c channel) {
	c.before, c.closed = trace.OfChanState(q.Tab.Init(obj))
	c.n = c.before
	buffered := q.Tab.Cap(obj) > 0
	q.each(obj, h, func(_ int, a *transition.Access) {
		switch a.Op {
		case trace.OpSend:
			if buffered && a.Arg >= 0 {
				c.n++
				c.sent++
			}
		case trace.OpRecv:
			if buffered && a.Arg > 0 {
				c.n--
				c.received++
			}
		case trace.OpClose:
			c.closed = true
		case trace.OpTimerStop, trace.OpTimerStart:
			c.n = 0
		}
	})
	return c
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
