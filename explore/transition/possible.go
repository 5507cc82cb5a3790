package transition

import "heddle/trace"

// A Cut is a part of a path: its transitions up to From, and of the rest what
// does not happen after any of those left out. A cut is an execution that
// could have been, broken off in the middle.
type Cut struct {
	From int

	// Blocker is, where May was false, a transition that has to be left out for
	// the claim to be possible; -1 if that would not help.
	Blocker int

	p  *Path
	in []bool // of the transitions from From on
}

// begin makes c all that comes before from, and of the rest what does not happen after from.
func (c *Cut) begin(p *Path, from int) {
	c.p, c.From, c.Blocker = p, from, -1
	for len(c.in) < p.n-from {
		c.in = append(c.in, false)
	}
	c.in = c.in[:p.n-from]
	proc, seq := int(p.steps[from].Proc), p.rows[from].seq
	for k := range c.in {
		c.in[k] = p.clocks[(from+k)*p.stride+proc] < seq
	}
}

// Exclude leaves out i, and what happens after it.
func (c *Cut) Exclude(i int) {
	proc, seq := int(c.p.steps[i].Proc), c.p.rows[i].seq
	for k := i - c.From; k < len(c.in); k++ {
		if c.p.clocks[(c.From+k)*c.p.stride+proc] >= seq {
			c.in[k] = false
		}
	}
}

// Has reports whether transition i, not before From, is in c.
func (c *Cut) Has(i int) bool { return c.in[i-c.From] }

// has is Has for any transition, and -1.
func (c *Cut) has(i int) bool { return i < c.From || c.in[i-c.From] }

// block notes that i has to be left out, and returns false.
func (c *Cut) block(i int) bool {
	c.Blocker = -1
	if i >= c.From {
		c.Blocker = i
	}
	return false
}

// last returns the last transition in c that used obj with the given mode, -1 if there is none.
func (c *Cut) last(obj Object, m Mode) int {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode != m {
			k = int(us[k].run)
			continue
		}
		if c.has(int(us[k].at)) {
			return int(us[k].at)
		}
	}
	return -1
}

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
		at, locked := c.locked(x.Obj)
		switch x.Op {
		case trace.OpLock:
			ok = !locked || c.block(at)
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
			ok = n == 0 || c.block(c.excess(x.Obj))
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
		if x.Op == trace.OpAcquire {
			ok = c.count(x.Obj) > 0 || c.block(c.last(x.Obj, Write))
		}
	case kind == trace.ObjChan:
		if x.Mode == poll && x.Op != trace.OpAwait {
			return c.empty(a, x.Obj, x.Op == trace.OpSend)
		}
		ok = c.foreseeChan(a, x)
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

// locked reports whether a mutex is locked at the end of c, and where it was taken, -1 if that was before the execution.
func (c *Cut) locked(obj Object) (at int, locked bool) {
	if at = c.last(obj, Write); at >= 0 {
		return at, c.p.steps[at].Op != trace.OpUnlock
	}
	return -1, c.p.Tab.Init(obj) != 0
}

func (c *Cut) foreseeRW(x *Access) bool {
	readers, wants, at := 0, -1, -1
	locked := c.p.Tab.Init(x.Obj) != 0 // taken at; -1: before the execution
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
			wants = int(u.at)
		case trace.OpLock:
			locked, at, wants = true, int(u.at), -1
		case trace.OpTryLock:
			if u.Arg > 0 {
				locked, at = true, int(u.at)
			}
		case trace.OpUnlock:
			locked, at = false, -1
		}
	}
	switch x.Op {
	case trace.OpLock:
		return !locked && readers == 0 || c.block(-1)
	case trace.OpArrive, trace.OpRLock:
		return !locked && wants < 0 || c.block(max(at, wants))
	case trace.OpTryLock:
		x.Arg = number(!locked && wants < 0 && readers == 0)
	case trace.OpTryRLock:
		x.Arg = number(!locked && wants < 0)
	case trace.OpUnlock:
		x.Arg = -number(!locked)
	case trace.OpRUnlock:
		if x.Arg = -number(readers <= 0); x.Arg < 0 {
			c.p.Tab.order(x.Obj)
		}
	}
	return true
}

// sum is the counter of a WaitGroup at the end of c. It may be negative: an Add that makes it so panics, and has changed it.
func (c *Cut) sum(obj Object) int {
	n := int(c.p.Tab.Init(obj))
	for _, u := range c.p.used(obj) {
		if u.Op == trace.OpWGAdd && c.has(int(u.at)) {
			n += int(u.Arg)
		}
	}
	return n
}

func (c *Cut) foreseeOnce(x *Access) bool {
	if at := c.last(x.Obj, Write); at >= 0 {
		if c.p.steps[at].Op == trace.OpOnceDone {
			x.Arg = 0
			return true
		}
		return x.Op == trace.OpOnceDone || c.block(at)
	}
	if us := c.p.used(x.Obj); x.Op == trace.OpOnce {
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
	n, closed = trace.OfChanState(c.p.Tab.Init(obj))
	if c.p.Tab.objects[obj].cap == 0 {
		return n, closed || c.last(obj, closing) >= 0
	}
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
func (c *Cut) foreseeChan(a *Claim, x *Access) bool {
	n, closed := c.buffer(x.Obj)
	room := n < int(c.p.Tab.objects[x.Obj].cap)
	switch x.Op {
	case trace.OpSend:
		x.Arg = 0
		switch {
		case closed:
			x.Arg = -1
			return a.With == NoProc || c.block(c.last(x.Obj, closing))
		case a.With != NoProc:
			return true
		case !room:
			return c.block(c.last(x.Obj, send))
		}
		return c.first(a, x.Obj, true)
	case trace.OpRecv:
		x.Arg = 1
		switch {
		case n == 0 && closed:
			x.Arg = 0
			return a.With == NoProc || c.block(c.last(x.Obj, closing))
		case a.With != NoProc:
			return true
		case n <= 0:
			return c.block(c.last(x.Obj, recv))
		}
		return c.first(a, x.Obj, false)
	case trace.OpClose:
		x.Arg = -number(closed)
	}
	return true
}

// empty reports whether a poll finds nothing at a side of a channel at the end of c.
func (c *Cut) empty(a *Claim, obj Object, send bool) bool {
	n, closed := c.buffer(obj)
	if closed {
		return c.block(c.last(obj, closing))
	}
	if limit := int(c.p.Tab.objects[obj].cap); limit > 0 {
		if c.busy(obj, send, n, limit) {
			return true
		}
		_, behind := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send)
		return behind
	}
	for i := range c.p.offers {
		f := &c.p.offers[i]
		if o := &c.p.ops[f.op]; f.obj == obj && f.send != send && o.Proc != a.Proc && c.Pending(o) && c.waits(o) {
			return c.block(o.Announced)
		}
	}
	return true
}

// busy reports whether a side of a channel that holds n of limit values can do nothing.
func (c *Cut) busy(obj Object, sends bool, n, limit int) bool {
	switch {
	case sends && n < limit:
		return c.block(c.last(obj, recv))
	case !sends && n > 0:
		return c.block(c.last(obj, send))
	}
	return true
}

// Pending reports whether o is announced and not done at the end of c, and
// somebody who polls can see it.
func (c *Cut) Pending(o *Operation) bool {
	return !o.Poll && c.has(o.Announced) && (o.Done == c.p.n || !c.has(o.Done))
}

// first reports whether nobody waits at a's side of a channel with a buffer, at
// the end of c, who is known to have arrived there before: time passed since.
func (c *Cut) first(a *Claim, obj Object, send bool) bool {
	if at, ok := c.older(c.p.era(a.Announced[0]), a.Proc, obj, send); ok {
		return c.block(at)
	}
	return true
}

// era returns the last barrier before what was announced at the end of i.
func (p *Path) era(i int) int {
	if i < 0 {
		return -1
	}
	if p.steps[i].Alone() {
		return i
	}
	return int(p.rows[i].barrier)
}

// older returns where somebody who waits at a side of a channel announced that, before the era of g's operation.
func (c *Cut) older(era int, g Proc, obj Object, send bool) (at int, ok bool) {
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
