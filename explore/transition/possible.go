package transition

import "heddle/trace"

// A Cut is a part of a path: its transitions up to From, and of the rest what
// does not happen after any of the excluded ones. A cut is an execution that
// could have been, left off in the middle.
type Cut struct {
	p     *Path
	From  int
	until []int
}

// Cut returns a cut from which nothing is excluded, in c's memory.
func (p *Path) Cut(c *Cut, from int) {
	c.p, c.From, c.until = p, from, c.until[:0]
}

// Exclude leaves out i, and what happens after it.
func (c *Cut) Exclude(i int) { c.until = append(c.until, i) }

// Excluded returns what was excluded.
func (c *Cut) Excluded() []int { return c.until }

// Restore takes the exclusions back that came after the first n.
func (c *Cut) Restore(n int) { c.until = c.until[:n] }

// Has reports whether transition i is in c.
func (c *Cut) Has(i int) bool {
	for _, x := range c.until {
		if x <= i && c.p.Before(x, i) {
			return false
		}
	}
	return true
}

// has is Has for i that may be -1, or a transition before From.
func (c *Cut) has(i int) bool { return i < c.From || c.Has(i) }

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
	tab := c.p.Tab
	kind := tab.objects[x.Obj].kind
	ok := true
	switch {
	case x.Mode == left || x.Mode == seen:
		return true
	case a.Op == trace.OpAtomicCAS:
		x.Mode = c.foreseeCompare(a, x.Obj)
		return true
	case kind == trace.ObjMutex:
		locked := c.locked(x.Obj)
		switch x.Op {
		case trace.OpLock:
			ok = !locked
		case trace.OpTryLock:
			x.Arg = number(!locked)
		case trace.OpUnlock:
			x.Arg = -number(!locked)
		}
	case kind == trace.ObjRWMutex:
		ok = c.foreseeRW(x)
	case kind == trace.ObjWaitGroup:
		n := c.sum(x.Obj)
		switch {
		case x.Op == trace.OpWGWait:
			ok = n == 0
		case n+int(x.Arg) < 0:
			tab.order(x.Obj)
		}
	case kind == trace.ObjOnce:
		ok = c.foreseeOnce(x)
	case kind == trace.ObjCond:
		if x.Op == trace.OpSignal || x.Op == trace.OpBroadcast {
			x.Arg = c.waiters(x.Obj)
		}
	case kind == trace.ObjSemaphore:
		n := c.count(x.Obj)
		if x.Op == trace.OpAcquire {
			ok = n > 0
		}
	case kind == trace.ObjChan:
		if x.Mode == poll && x.Op != trace.OpAwait {
			return !c.ready(&a.Transition, x.Obj, x.Op == trace.OpSend)
		}
		ok = c.foreseeChan(&a.Transition, x)
	}
	if !ok {
		return false
	}
	if m, known := tab.mode(kind, x.Obj, x.Op, x.Arg); known {
		x.Mode = m
	}
	return true
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// locked reports whether a mutex is locked at the end of c.
func (c *Cut) locked(obj Object) bool {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode == Write && c.has(int(us[k].at)) {
			return us[k].Op != trace.OpUnlock
		}
	}
	return false
}

func (c *Cut) foreseeRW(x *Access) bool {
	readers, locked, wants := 0, false, NoProc
	for _, u := range c.p.used(x.Obj) {
		if !c.has(int(u.at)) {
			continue
		}
		switch u.Op {
		case trace.OpRLock:
			readers++
		case trace.OpTryRLock:
			readers += int(u.Arg)
		case trace.OpRUnlock:
			if u.Arg >= 0 {
				readers--
			}
		case trace.OpArrive:
			wants = c.p.steps[u.at].Proc
		case trace.OpLock:
			locked, wants = true, NoProc
		case trace.OpTryLock:
			locked = locked || u.Arg > 0
		case trace.OpUnlock:
			locked = false
		}
	}
	switch x.Op {
	case trace.OpLock:
		return !locked && readers == 0
	case trace.OpArrive, trace.OpRLock:
		return !locked && wants == NoProc
	case trace.OpTryLock:
		x.Arg = number(!locked && wants == NoProc && readers == 0)
	case trace.OpTryRLock:
		x.Arg = number(!locked && wants == NoProc)
	case trace.OpUnlock:
		x.Arg = -number(!locked)
	case trace.OpRUnlock:
		if x.Arg = -number(readers <= 0); x.Arg < 0 {
			c.p.Tab.order(x.Obj)
		}
	}
	return true
}

// sum is the counter of a WaitGroup at the end of c. An Add that would make it
// negative panics instead.
func (c *Cut) sum(obj Object) (n int) {
	for _, u := range c.p.used(obj) {
		if u.Op == trace.OpWGAdd && n+int(u.Arg) >= 0 && c.has(int(u.at)) {
			n += int(u.Arg)
		}
	}
	return n
}

func (c *Cut) foreseeOnce(x *Access) bool {
	us := c.p.used(x.Obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode == Write && c.has(int(us[k].at)) {
			if us[k].Op == trace.OpOnceDone {
				x.Arg = 0
				return true
			}
			return x.Op == trace.OpOnceDone
		}
	}
	if x.Op == trace.OpOnce {
		x.Arg = number(len(us) == 0 || us[0].Arg == 1) // done before the execution began, or not
	}
	return true
}

// waiters returns how many goroutines wait at a Cond at the end of c.
func (c *Cut) waiters(obj Object) (n int32) {
	for _, u := range c.p.used(obj) {
		if !c.has(int(u.at)) {
			continue
		}
		switch u.Op {
		case trace.OpCondWait:
			n++
		case trace.OpSignal:
			n = max(0, n-1)
		case trace.OpBroadcast:
			n = 0
		}
	}
	return n
}

// count is the count of a semaphore at the end of c.
func (c *Cut) count(obj Object) int32 {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if c.has(int(us[k].at)) {
			return us[k].Arg
		}
	}
	if len(us) == 0 {
		return 1 // nobody else ever used it
	}
	if us[0].Op == trace.OpRelease {
		return us[0].Arg - 1
	}
	return us[0].Arg + 1
}

// buffer returns how many values a channel holds at the end of c, and whether it is closed.
func (c *Cut) buffer(obj Object) (n int, closed bool) {
	for _, u := range c.p.used(obj) {
		if !c.has(int(u.at)) {
			continue
		}
		switch u.Mode {
		case send:
			n++
		case recv:
			n--
		case closing:
			closed = true
		case Write: // a timer stopped: its value is gone
			n = 0
		}
	}
	return n, closed
}

// foreseeChan is foresee for a channel operation other than a poll.
func (c *Cut) foreseeChan(a *Transition, x *Access) bool {
	n, closed := c.buffer(x.Obj)
	o := &c.p.Tab.objects[x.Obj]
	switch x.Op {
	case trace.OpSend:
		x.Arg = 0
		if closed {
			x.Arg = -1
			return a.With == NoProc
		}
		return a.With != NoProc || n < int(o.cap) && !c.overtakes(a.Proc, x.Obj, true)
	case trace.OpRecv:
		x.Arg = 1
		if n == 0 && closed {
			x.Arg = 0
			return a.With == NoProc
		}
		return a.With != NoProc || n > 0 && !c.overtakes(a.Proc, x.Obj, false)
	case trace.OpClose:
		x.Arg = -number(closed)
	}
	return true
}

// ready reports whether a poll of a's goroutine would find something at the end of c.
func (c *Cut) ready(a *Transition, obj Object, send bool) bool {
	n, closed := c.buffer(obj)
	if closed {
		return true
	}
	if limit := int(c.p.Tab.objects[obj].cap); limit > 0 {
		return send && n < limit || !send && n > 0
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send != send && o.Proc != a.Proc && c.Pending(o) && c.waits(o) {
			return true
		}
	}
	return false
}

// Pending reports whether o is announced and not done at the end of c, and
// somebody who polls can see it.
func (c *Cut) Pending(o *Operation) bool {
	return !o.Poll && c.has(o.Announced) && (o.Done == c.p.n || !c.has(o.Done))
}

// overtakes reports whether somebody waits at a side of a channel, at the end
// of c, who is known to have arrived there before g: time passed since.
func (c *Cut) overtakes(g Proc, obj Object, send bool) bool {
	if c.p.barrier < 0 {
		return false
	}
	era := -1
	for i := range c.p.ops {
		if o := &c.p.ops[i]; o.Proc == g && c.Pending(o) {
			era = o.era
		}
	}
	return c.older(era, g, obj, send)
}

func (c *Cut) older(era int, g Proc, obj Object, send bool) bool {
	if c.p.barrier < 0 {
		return false
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send == send && o.Proc != g && o.era < era && c.Pending(o) {
			return true
		}
	}
	return false
}
