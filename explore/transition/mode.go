package transition

import "heddle/trace"

// A Mode is what an access does to its object, as far as others can notice.
// Modes of different kinds of objects never meet.
type Mode uint8

const (
	// Read and Write are the modes of memory, atomics, sync.Map, and of all
	// objects whose operations are totally ordered: a mutex's Lock and Unlock
	// are writes, a TryLock that fails is a read.
	Read Mode = iota
	Write

	// RWMutex. Readers commute unless one may unlock what is not locked; so do a writer who arrives and a reader who
	// leaves, since the writer takes the lock in a step of its own.
	rLock
	rUnlock
	arrive
	tryFailed
	tryRFailed

	// WaitGroup. Add commutes with Add unless the counter may become negative.
	wgAdd
	wgWait

	// Channels. meet is a communication over an unbuffered channel.
	send
	sendClosed
	recv
	recvClosed
	closing
	length
	poll    // default was taken: no case was ready
	meet    // over a channel that nobody polls
	arrived // at an unbuffered channel that is polled
	serve   // as meet, over a channel that somebody polls
	left    // who had come there before others took another case of its select
	seen    // whether a case of it could be done without a partner mattered

	modes
)

// conflicts[m][n] says whether the order of two accesses with modes m and n
// matters. stops[m][n] says that who looks back from an access with mode m, for
// what it comes after, need not look beyond one with mode n.
var conflicts, stops = conflictTables()

func conflictTables() (c, s [modes][modes]bool) {
	set := func(m Mode, ns ...Mode) {
		for _, n := range ns {
			c[m][n], c[n][m] = true, true
		}
	}
	for n := range modes {
		set(Write, n)
	}
	set(rLock, arrive, tryFailed)
	set(rUnlock, tryFailed)
	set(arrive, arrive, tryFailed, tryRFailed)
	set(wgAdd, wgWait)
	set(send, send, length, poll, closing)
	set(sendClosed, closing)
	set(recv, recv, recvClosed, length, poll)
	set(recvClosed, closing)
	set(closing, closing, poll, meet, serve)
	set(poll, arrived, serve)
	set(arrived, arrived)
	set(serve, serve)
	set(left, poll, serve, send, recv)
	set(seen, send, recv, closing)
	for m := range modes {
		for n := range modes {
			s[m][n] = c[m][n]
			for k := range modes {
				if c[m][k] && !c[n][k] {
					s[m][n] = false
				}
			}
		}
	}
	return c, s
}

// mode returns the mode of an access. ok is false if nobody can notice it.
func (tab *Table) mode(kind trace.ObjKind, obj Object, op trace.Op, arg int32) (m Mode, ok bool) {
	switch op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange:
		return Read, true
	case trace.OpCondWake, trace.OpTimerFire, trace.OpSelect:
		return 0, false
	case trace.OpAwait:
		switch kind {
		case trace.ObjRWMutex:
			return tryFailed, true
		case trace.ObjChan:
			return poll, true
		}
		return Read, true
	}
	switch kind {
	case trace.ObjChan:
		return tab.chanMode(obj, op, arg)
	case trace.ObjRWMutex:
		m = rwMode(op, arg)
		if tab.objects[obj].ordered && (m == rLock || m == rUnlock) {
			m = Write
		}
		return m, true
	case trace.ObjWaitGroup:
		switch {
		case op == trace.OpWGWait:
			return wgWait, true
		case arg == 0:
			return 0, false
		case tab.objects[obj].ordered:
			return Write, true
		}
		return wgAdd, true
	}
	switch op {
	case trace.OpTryLock, trace.OpOnce, trace.OpSignal, trace.OpBroadcast:
		if arg == 0 { // not taken, done already, nobody waits
			return Read, true
		}
	}
	return Write, true
}

func (tab *Table) chanMode(obj Object, op trace.Op, arg int32) (Mode, bool) {
	o := &tab.objects[obj]
	switch op {
	case trace.OpSend:
		switch {
		case arg < 0:
			return sendClosed, true
		case o.cap > 0:
			return send, true
		}
	case trace.OpRecv:
		switch {
		case arg == 0:
			return recvClosed, true
		case o.cap > 0:
			return recv, true
		}
	case trace.OpClose:
		return closing, true
	case trace.OpLen:
		return length, true // whether there is a buffer need not be known yet
	case trace.OpArrive:
		return arrived, true
	default: // a timer's Stop and Reset take the value out
		return Write, true
	}
	if o.ordered {
		return serve, true
	}
	return meet, true
}

func rwMode(op trace.Op, arg int32) Mode {
	switch op {
	case trace.OpRLock:
		return rLock
	case trace.OpRUnlock:
		if arg < 0 {
			return Write
		}
		return rUnlock
	case trace.OpArrive:
		return arrive
	case trace.OpTryLock:
		if arg == 0 {
			return tryFailed
		}
	case trace.OpTryRLock:
		if arg == 0 {
			return tryRFailed
		}
		return rLock
	}
	return Write
}
