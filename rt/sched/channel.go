package sched

import (
	"runtime"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
	"heddle/trace/remains"
)

// The model of channels. An attempt to send or receive is one step: it
// completes if it can, otherwise the goroutine has arrived and waits in the
// channel's queue, first come first served, which is what the Go runtime does.
// Since arriving is a step, a goroutine that polls (select with default, len) may
// come before it.
//
// Buffered values are in the native channel all the time; values that go from
// goroutine to goroutine are moved by the one that completes the operation,
// straight into the other's slot.
//
// Channels that are older than the execution (package-level ones) may be used
// by goroutines outside control: for them the native channel is the truth and
// the model only knows which goroutines wait.

// chanState is the part of a channel's model that needs memory of its own.
type chanState struct {
	sendq, recvq queue
	cells        []cell // of the buffer, as many as were used
	head, tail   int    // the cells that are received from and sent to next

	// Of exhaustive executions: the goroutines that offer, and since when the oldest of them does
	// (its G.since).
	senders, receivers []*G
	sending, receiving uint32

	sends   marks
	closing marked
}

// A marked operation is one that has to be in order with others by what its goroutine knows.
type marked struct {
	epoch trace.Epoch
	site  trace.Site
}

// marks are the operations of one kind on an object that no later one stands for.
type marks []marked

// doing is what g does at site now.
func (g *G) doing(site trace.Site) marked {
	g.touched = g.now.C()
	return marked{g.now, site}
}

// again adds what g does at site, and reports true, if the only one is of the same chain. It is
// inlined.
func (ms marks) again(g *G, site trace.Site) bool {
	if len(ms) != 1 || ms[0].epoch.Chain() != g.chain {
		return false
	}
	ms[0] = g.doing(site)
	return true
}

// add adds what g does at site, which stands for those that g knows of.
func (ms *marks) add(g *G, site trace.Site) {
	m := g.doing(site)
	for i := range *ms {
		if g.clock.Covers((*ms)[i].epoch) {
			(*ms)[i] = m
			return
		}
	}
	if len(*ms) < maxUnordered {
		*ms = append(*ms, m)
	}
}

// unordered returns one that g does not know of, if there is one.
func (ms marks) unordered(g *G) (m marked, ok bool) {
	for _, m := range ms {
		if !g.clock.Covers(m.epoch) {
			return m, true
		}
	}
	return m, false
}

// A cell is a place in a channel's buffer: what the last goroutine that used it knew, and
// the send of the message in it. The k-th send happens before the k-th receive,
// and that before the send k+cap completes, which is the next to use the cell.
type cell struct {
	clock trace.Vector
	ev    int32
}

// A waiter is a goroutine that arrived at a channel.
type waiter struct {
	g    *G
	seq  uint32 // g.waitSeq of the wait; another value: it was served elsewhere
	slot slot
	idx  int // case of a select, -1 otherwise
	ev   int32
}

// A slot is where a waiter's value is or goes. On a stack it is kept as the
// distance from the stack's upper end: the stack may still grow, and so move,
// before its goroutine is suspended.
type slot struct {
	at uintptr // address, or distance
	gp uintptr // the g whose stack it is on, 0: not on a stack
}

func slotAt(p unsafe.Pointer) slot {
	if lo, hi := stackBounds(); uintptr(p) >= lo && uintptr(p) < hi {
		return slot{hi - uintptr(p), getg()}
	}
	return slot{uintptr(p), 0}
}

func (s slot) pointer() unsafe.Pointer {
	at := s.at
	if s.gp != 0 {
		at = stackHi(s.gp) - s.at
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&at))
}

type queue struct {
	w    []waiter
	head int
}

// push adds g, which is about to wait.
func (q *queue) push(g *G, at slot, idx int, ev int32) {
	n := len(q.w)
	if n == cap(q.w) {
		q.w = append(q.w, waiter{})
	}
	q.w = q.w[:n+1]
	w := &q.w[n] // filled in place: the compiler would copy a literal
	w.g, w.seq, w.slot, w.idx, w.ev = g, g.waitSeq, at, idx, ev
}

// first returns the waiter that has waited longest, dropping stale ones.
func (q *queue) first() *waiter {
	for q.head < len(q.w) {
		w := &q.w[q.head]
		if w.g.state() == gParked && w.g.waitSeq == w.seq {
			return w
		}
		q.head++
	}
	q.w, q.head = q.w[:0], 0
	return nil
}

func (q *queue) pop() { q.head++ }

// oneCase is first, for the waiter that is about to be served: of a select that waits with
// several cases on the channel any may be the one, as in the Go runtime.
func (s *Sched) oneCase(q *queue) *waiter {
	w := q.first()
	if w == nil {
		return nil
	}
	n := 1
	for q.head+n < len(q.w) && q.w[q.head+n].g == w.g && q.w[q.head+n].seq == w.seq {
		n++
	}
	i := 0
	if s.cur != s.timerG {
		i = s.choice(n)
	}
	if s.over { // the schedule did not fit at the choice
		s.reschedule(s.cur)
	}
	return &q.w[q.head+i]
}

func (c *chanState) reset() {
	c.sendq.w, c.sendq.head = c.sendq.w[:0], 0
	c.recvq.w, c.recvq.head = c.recvq.w[:0], 0
	c.empty()
	c.senders, c.receivers = c.senders[:0], c.receivers[:0]
	c.sends, c.closing = c.sends[:0], marked{}
}

// empty forgets what is in the buffer.
func (c *chanState) empty() { c.cells, c.head, c.tail = c.cells[:0], 0, 0 }

// put returns the cell for the next message, of the capacity's; take that of the oldest.
func (c *chanState) put(capacity int) *cell {
	i := c.tail
	if i == len(c.cells) {
		c.addCell()
	}
	if c.tail++; c.tail >= capacity {
		c.tail = 0
	}
	return &c.cells[i]
}

func (c *chanState) take(capacity int) *cell {
	i := c.head
	if c.head++; c.head >= capacity {
		c.head = 0
	}
	return &c.cells[i]
}

func (c *chanState) addCell() {
	if len(c.cells) == cap(c.cells) {
		c.cells = append(c.cells, cell{})
		return
	}
	c.cells = c.cells[:len(c.cells)+1]
	x := &c.cells[len(c.cells)-1]
	x.clock.Reset()
}

// channel returns the model of the channel at p.
func (s *Sched) channel(p unsafe.Pointer, capacity int, site trace.Site) *object {
	o, fresh := s.object(p, trace.ObjChan, site)
	if fresh || o.cap < 0 {
		row := &s.t.Objects[o.id]
		row.Number, row.Flat = chanempty(p), chanflat(p)
	}
	if fresh {
		o.cap = capacity
		if o.ch == nil {
			o.ch = new(chanState)
		}
	}
	return o
}

// madeChan announces a channel made in this execution.
func (s *Sched) madeChan(p unsafe.Pointer, site trace.Site) {
	o, _ := s.object(p, trace.ObjChan, site)
	if o.ch == nil {
		o.ch = new(chanState)
	}
	o.cap = -1 // set at first use
	o.known = true
}

// setCap is told at every use what cap returns. That stays, but for the channels
// of timers, which have a buffer of one and say that they have none.
func (o *object) setCap(capacity int) {
	if o.cap < 0 {
		o.cap = capacity
	}
}

// chanOp is a send or a receive outside a select: it is tried until it
// completes or a partner completes it.
func chanOp(send bool, p unsafe.Pointer, capacity int, slot unsafe.Pointer,
	st hook.Site) (hook.Act, unsafe.Pointer) {
	s := S
	if s.exhaustive() {
		return s.offerOp(send, p, capacity, slot, trace.Site(st))
	}
	g := s.enter()
	op, site := trace.OpRecv, trace.Site(st)
	if send {
		op = trace.OpSend
	}
	if s.ending.on {
		s.unwinding()
	}
	if p == nil {
		s.forever(g, op, site)
	}
	o := s.channel(p, capacity, site)
	o.setCap(capacity)
	if send && (o.ch.closing.site != 0 || !o.ch.sends.again(g, site)) {
		s.sending(g, o, site)
	}
	for {
		if !g.repeat && s.offer(g, op, o, site) {
			s.reschedule(g)
		}
		g.repeat = false
		var act hook.Act
		var peer unsafe.Pointer
		var ok bool
		q := &o.ch.sendq
		if send {
			act, peer, ok = s.trySend(g, o, site)
		} else {
			act, peer, ok = s.tryRecv(g, o, site)
			q = &o.ch.recvq
			if act == hook.ActClosed {
				s.idleRead(g, o)
			}
		}
		if ok {
			s.leave()
			return act, peer
		}
		ev := s.event(g, trace.OpArrive, o, int64(op), site)
		q.push(g, slotAt(slot), -1, ev)
		s.announce(g, op, o, site)
		s.unready(g, gParked)
		s.reschedule(g)
		if !g.repeat {
			act := g.act
			s.leave()
			return act, nil
		}
	}
}

// trySend sends if that is possible now.
func (s *Sched) trySend(g *G, o *object, site trace.Site) (hook.Act, unsafe.Pointer, bool) {
	c := o.ch
	if o.closed {
		s.event(g, trace.OpSend, o, -1, site)
		return hook.ActNative, nil, true
	}
	if w := c.recvq.first(); w != nil && (o.cap == 0 || o.n == 0) {
		w = s.oneCase(&c.recvq)
		c.recvq.pop()
		es := s.event(g, trace.OpSend, o, 0, site)
		er := s.event(w.g, trace.OpRecv, o, 1, s.pend[w.g.id].Site)
		s.t.pair(es, er)
		s.meet(g, w.g)
		slot := w.slot.pointer()
		s.wake(w.g, hook.ActDone, w.idx)
		return hook.ActPeer, slot, true
	}
	if !o.known {
		n, closed, receivers, _ := chanstate(o.ref)
		if !closed && !receivers && n >= o.cap {
			return 0, nil, false
		}
		s.event(g, trace.OpSend, o, 0, site)
		s.release(g, &o.clock)
		s.retry(o, &c.recvq)
		return hook.ActBuffer, nil, true
	}
	if o.n < o.cap {
		es := s.event(g, trace.OpSend, o, 0, site)
		s.fill(g, o, es)
		return s.natively(), nil, true
	}
	return 0, nil, false
}

// natively is what is to be done to a channel's buffer that the model knows.
// After a collection finalizers may be running, which are not counted among the outsiders.
func (s *Sched) natively() hook.Act {
	if procs <= fewProcs && s.outside.strangers == 0 && s.outsiders() == 0 && !s.outside.collected() {
		return hook.ActOwn
	}
	return hook.ActBuffer
}

// fewProcs is up to how many processors counting goroutines is quicker than a lock.
const fewProcs = 8

var procs = runtime.GOMAXPROCS(0)

// meet orders two goroutines that complete an unbuffered communication: each then knows what the
// other knew.
func (s *Sched) meet(g, h *G) {
	if s.det.on {
		g.learn(&h.clock)
		h.learn(&g.clock)
		s.tick(g)
		s.tick(h)
	}
}

// fill puts a message into the model's buffer.
func (s *Sched) fill(g *G, o *object, ev int32) {
	o.n++
	x := o.ch.put(o.cap)
	x.ev = ev
	s.use(g, x)
}

// drain takes the oldest message out of the model's buffer.
func (s *Sched) drain(g *G, o *object, er int32) {
	o.n--
	x := o.ch.take(o.cap)
	if x.ev >= 0 && int(x.ev) < len(s.t.Events) {
		s.t.pair(er, x.ev)
	}
	s.use(g, x)
}

// use orders g behind the last goroutine that used a cell, and before the next.
func (s *Sched) use(g *G, x *cell) {
	if !s.det.on {
		return
	}
	if x.clock.Empty() {
		x.clock.Copy(&g.clock)
	} else {
		g.clock.Meet(&x.clock)
		g.inLock, g.knows = nil, 0
	}
	s.tick(g)
}

// tryRecv receives if that is possible now.
func (s *Sched) tryRecv(g *G, o *object, site trace.Site) (hook.Act, unsafe.Pointer, bool) {
	c := o.ch
	if !o.known {
		n, closed, _, senders := chanstate(o.ref)
		if n > 0 || closed || senders {
			s.event(g, trace.OpRecv, o, 1, site)
			s.acquire(g, &o.clock)
			s.retry(o, &c.sendq)
			return hook.ActBuffer, nil, true
		}
	} else if o.n > 0 {
		er := s.event(g, trace.OpRecv, o, 1, site)
		s.drain(g, o, er)
		if w := s.oneCase(&c.sendq); w != nil {
			c.sendq.pop()
			w.g.sends = w.idx
			es := s.event(w.g, trace.OpSend, o, 0, s.pend[w.g.id].Site)
			s.fill(w.g, o, es)
			slot := w.slot.pointer()
			s.wake(w.g, hook.ActDone, w.idx)
			return hook.ActRefill, slot, true
		}
		return s.natively(), nil, true
	}
	if w := s.oneCase(&c.sendq); w != nil {
		c.sendq.pop()
		er := s.event(g, trace.OpRecv, o, 1, site)
		w.g.sends = w.idx
		es := s.event(w.g, trace.OpSend, o, 0, s.pend[w.g.id].Site)
		s.t.pair(er, es)
		s.meet(g, w.g)
		slot := w.slot.pointer()
		s.wake(w.g, hook.ActDone, w.idx)
		return hook.ActPeer, slot, true
	}
	if o.closed {
		return s.recvClosed(g, o, site), nil, true
	}
	return 0, nil, false
}

// recvClosed receives from a closed channel without values, which changes nothing.
func (s *Sched) recvClosed(g *G, o *object, site trace.Site) hook.Act {
	s.idle.unchanged = true
	s.event(g, trace.OpRecv, o, 0, site)
	s.idle.unchanged = false
	if len(g.offers) != 1 {
		g.spoil() // what it goes on with was not looked at
	}
	s.acquire(g, &o.clock)
	return hook.ActClosed
}

// retry lets all in q try again: the native channel may have changed.
func (s *Sched) retry(o *object, q *queue) {
	for w := q.first(); w != nil; w = q.first() {
		q.pop()
		h := w.g
		h.waitSeq++
		h.repeat = true
		p := s.pend[h.id]
		s.setReady(h, p.Op, o, p.Site)
	}
}

func (s *Sched) chanPolled(p unsafe.Pointer, ok bool) {
	g := s.enter()
	if !ok && !s.ending.on {
		o := s.channel(p, -1, 0)
		if o.known {
			// A goroutine outside control uses a channel made under control: from
			// now on the native channel is the truth.
			o.known = false
		}
		g.repeat = true
	}
	s.leave()
}

func (s *Sched) chanClose(p unsafe.Pointer, st hook.Site) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.Site(st)
	if p == nil {
		s.leave()
		return true // panics
	}
	o := s.channel(p, -1, site)
	if s.exhaustive() {
		s.takeOver(o)
	}
	s.point(g, trace.OpClose, o, site)
	if o.closed {
		s.event(g, trace.OpClose, o, -1, site)
		s.leave()
		return true // panics
	}
	s.event(g, trace.OpClose, o, 0, site)
	o.closed = true
	s.closes(g, o, site)
	s.release(g, &o.clock)
	for w := s.oneCase(&o.ch.recvq); w != nil; w = s.oneCase(&o.ch.recvq) {
		o.ch.recvq.pop()
		s.event(w.g, trace.OpRecv, o, 0, s.pend[w.g.id].Site)
		s.acquire(w.g, &o.clock)
		s.wake(w.g, hook.ActClosed, w.idx)
	}
	for w := s.oneCase(&o.ch.sendq); w != nil; w = s.oneCase(&o.ch.sendq) {
		o.ch.sendq.pop()
		s.wake(w.g, hook.ActNative, w.idx)
	}
	s.refreshOffers(o)
	s.leave()
	return true
}

// A send that is in no order with the close of its channel may panic, and is a data race to
// the Go race detector, whichever comes first: a send reads the channel, and a close writes it. A
// send counts from when it is announced, whether it is done or not.

// sending is called when g announces a send, a case of a select or not: the runtime looks at the
// cases in any order.
func (s *Sched) sending(g *G, o *object, site trace.Site) {
	if !s.det.on || g == s.timerG {
		return
	}
	c := o.ch
	if c.closing.site != 0 && !g.clock.Covers(c.closing.epoch) {
		s.disorder(remains.MisuseClose, g, o, site, c.closing, true)
	}
	c.sends.add(g, site)
}

// closes is called when g has closed the channel o.
func (s *Sched) closes(g *G, o *object, site trace.Site) {
	if !s.det.on {
		return
	}
	if m, ok := o.ch.sends.unordered(g); ok {
		s.disorder(remains.MisuseClose, g, o, site, m, false)
	}
	o.ch.closing = g.doing(site)
}

func (s *Sched) chanLen(p unsafe.Pointer, st hook.Site) {
	g := s.enter()
	if !s.inert() {
		site := trace.Site(st)
		o := s.channel(p, -1, site)
		if s.exhaustive() {
			s.takeOver(o)
		}
		s.point(g, trace.OpLen, o, site)
		s.event(g, trace.OpLen, o, int64(o.n), site)
		s.looksAt(g, o)
		s.idleRead(g, o)
	}
	s.leave()
}

// forever is an operation on a nil channel, or select {}.
func (s *Sched) forever(g *G, op trace.Op, site trace.Site) {
	s.announce(g, op, nil, site)
	s.park(g)
	panic("heddle: a goroutine that waits for ever was woken")
}
