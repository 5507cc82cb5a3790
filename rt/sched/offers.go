package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/rt/sched/siteset"
	"heddle/trace"
)

// Channels of exhaustive executions. A goroutine announces its cases and waits
// until one of them can be done; none queues. Over an unbuffered channel the
// sender makes the step, for both; a select with default does what it can
// in its own step. A goroutine that arrived later by happens-before, which here can only be
// because the clock jumped in between, does not overtake.

// An offerBook is what can be communicated over channels, and by which goroutines.
type offerBook struct {
	// sides of unbuffered channels at which arriving is a step, see SetPolled
	polled    siteset.Set
	newPolled []trace.Site // sides that this execution polled and that are not in polled
	// the schedule is a clip's: it says which goroutines meet, and where arriving is a step
	clip bool
	// a lock was tried, or was so in another execution: see loan.go
	triesLocks bool
	// the clock was used, or was so in another execution: see doze.go
	readsClock bool
	// the part of the execution between two barriers: moments at which no goroutine could go on
	era      uint32
	arrivals uint32    // at sides in polled
	round    uint64    // see refreshOffers
	ways     []meeting // see meetings
}

// reset begins an execution, of a clip or not.
func (b *offerBook) reset(clip bool) {
	b.newPolled, b.clip, b.era, b.arrivals = b.newPolled[:0], clip, 0, 0
	b.triesLocks, b.readsClock = b.polled.Has(locksTried), b.polled.Has(ClockRead)
}

// An offer is one case of a channel operation that a goroutine announced.
type offer struct {
	o    *object
	slot slot
	send bool
	at   int16 // index + 1 in the select, 0 outside one
}

// A meeting is a way to go on: one of g's offers, with another one's if it takes a partner.
type meeting struct {
	mine   int
	peer   *G
	theirs int
}

// offerOp is a send or a receive outside a select.
func (s *Sched) offerOp(send bool, p unsafe.Pointer, capacity int, to unsafe.Pointer,
	site trace.Site) (hook.Act, unsafe.Pointer) {
	g := s.enter()
	op := trace.OpRecv
	if send {
		op = trace.OpSend
	}
	if s.ending.on {
		s.unwinding()
	}
	if p == nil {
		s.forever(g, op, site)
	}
	o := s.offered(p, capacity, site)
	if send {
		s.sending(g, o, site)
	}
	g.offers = append(g.offers[:0], offer{o: o, slot: slotAt(to), send: send})
	_, act, peer := s.communicate(g, op, site, false)
	s.leave()
	return act, peer
}

// offerSelect is a select.
func (s *Sched) offerSelect(cs []hook.Case, def bool, site trace.Site) (int, hook.Act, unsafe.Pointer) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	g.offers = g.offers[:0]
	for i := range cs {
		if c := &cs[i]; c.Ch != nil {
			o := s.offered(c.Ch, c.Cap, site)
			g.offers = append(g.offers, offer{o, slotAt(c.Slot), c.Send, int16(i + 1)})
			if c.Send {
				s.sending(g, o, site)
			}
		}
	}
	if len(g.offers) == 0 && !def {
		s.forever(g, trace.OpSelect, site)
	}
	i, act, peer := s.communicate(g, trace.OpSelect, site, def)
	s.leave()
	return i, act, peer
}

// offered returns the model of a channel, its state taken from the native one
// if that is older than the execution.
func (s *Sched) offered(p unsafe.Pointer, capacity int, site trace.Site) *object {
	o := s.channel(p, capacity, site)
	o.setCap(capacity)
	s.takeOver(o)
	return o
}

// takeOver takes the state of a channel that is older than the execution from the native one.
func (s *Sched) takeOver(o *object) {
	if o.known || s.outsiders() > 0 {
		return
	}
	n, closed, _, _ := chanstate(o.ref)
	o.setCap(cap(anyChan(o.ref)))
	o.known, o.older, o.closed = true, true, closed
	o.cap = max(o.cap, n) // more than it says in that of a timer
	s.t.Objects[o.id].Init = trace.ChanState(n, closed)
	o.ch.empty()
	for o.n = 0; o.n < n; o.n++ {
		o.ch.put(o.cap).ev = -1
	}
}

// communicate announces g's offers, waits until one is done, and returns its case.
func (s *Sched) communicate(g *G, op trace.Op, site trace.Site, def bool) (int, hook.Act, unsafe.Pointer) {
	var first *object
	if len(g.offers) > 0 {
		first = g.offers[0].o
	}
	site = s.place(site)
	g.quiet = site.Quiet() || g == s.timerG
	g.arrival, g.since = 0, s.offers.era
	if !def && !g.quiet {
		s.arrive(g, site)
	}
	s.announce(g, op, first, site)
	g.served, g.polls = false, def
	ready := def
	s.noteOffers(g, def)
	if !def {
		s.putForward(g)
		ready = s.offers.canMeet(g)
	}
	if !ready {
		s.unready(g, gParked)
	}
	s.replay.follow = nil
	if !ready || !g.quiet {
		s.reschedule(g)
	}
	follow := s.replay.following()
	if g.served {
		return g.chosen, g.act, nil
	}
	m, ok := s.pickMeeting(g, follow, def)
	if !def {
		s.retract(g)
	}
	if !ok { // nothing ready: default
		s.event(g, trace.OpSelect, first, -1, site)
		for i := range g.offers {
			f := &g.offers[i]
			s.looksAt(g, f.o)
			s.sawBusy(g, f, site)
		}
		s.idleRead(g, first)
		return -1, 0, nil
	}
	i, act, peer := s.do(g, m, site)
	if act == hook.ActClosed {
		s.idleRead(g, first)
	}
	return i, act, peer
}

// arrive makes arriving a step of its own where one of g's sides is polled.
func (s *Sched) arrive(g *G, site trace.Site) {
	var first *object
	for i := len(g.offers) - 1; i >= 0; i-- {
		if s.polledSide(g, &g.offers[i]) {
			first = g.offers[i].o
		}
	}
	if first == nil {
		return
	}
	s.point(g, trace.OpArrive, first, site)
	for i := range g.offers {
		if f := &g.offers[i]; s.polledSide(g, f) {
			op := trace.OpRecv
			if f.send {
				op = trace.OpSend
			}
			s.event(g, trace.OpArrive, f.o, int64(op), site)
		}
	}
	s.offers.arrivals++
	g.arrival = s.offers.arrivals
}

// polledSide reports whether arriving with f is a step of g. A clip tells by its steps.
func (s *Sched) polledSide(g *G, f *offer) bool {
	if f.o.cap != 0 {
		return false
	}
	if !s.offers.clip {
		return s.offers.polled.Has(side(f.o, f.send))
	}
	op, _ := s.replay.next(&s.t.Trace, g.id, true)
	return op == trace.OpArrive
}

// side names the senders or receivers of a channel for SetPolled.
func side(o *object, senders bool) trace.Site {
	x := o.site << 1
	if senders {
		x |= 1
	}
	return x
}

// noteOffers records what g announces.
func (s *Sched) noteOffers(g *G, poll bool) {
	if g.quiet {
		return
	}
	for i := range g.offers {
		f := &g.offers[i]
		s.t.Offers = append(s.t.Offers, trace.Offer{G: g.id, Step: int32(len(s.t.Steps)) - 1, Case: f.at,
			Send: f.send, Poll: poll, Obj: f.o.id})
	}
}

// list returns the goroutines that offer the same side of f's channel, and since when the oldest of
// them does.
func (f *offer) list() (list *[]*G, oldest *uint32) {
	if f.send {
		return &f.o.ch.senders, &f.o.ch.sending
	}
	return &f.o.ch.receivers, &f.o.ch.receiving
}

// offering returns the goroutines that offer to send to (or receive from) o.
func (o *object) offering(send bool) []*G {
	if send {
		return o.ch.senders
	}
	return o.ch.receivers
}

// putForward puts g on the lists of its channels.
func (s *Sched) putForward(g *G) {
	for i := range g.offers {
		list, oldest := g.offers[i].list()
		if len(*list) == 0 || g.since < *oldest {
			*oldest = g.since
		}
		*list = append(*list, g)
	}
	s.refreshAll(g)
}

// retract takes g off the lists of its channels.
func (s *Sched) retract(g *G) {
	for i := range g.offers {
		list, oldest := g.offers[i].list()
		if *list = without(*list, g); g.since == *oldest {
			*oldest = ^uint32(0)
			for _, h := range *list {
				*oldest = min(*oldest, h.since)
			}
		}
	}
	s.refreshAll(g)
}

func without(gs []*G, g *G) []*G {
	for i, h := range gs {
		if h == g {
			return append(gs[:i], gs[i+1:]...)
		}
	}
	return gs
}

// refreshOffers asks again which goroutines can go on, after o has changed.
func (s *Sched) refreshOffers(o *object) {
	s.offers.round++
	s.refreshBoth(o)
}

// refreshAll is refreshOffers for the channels of all of g's cases.
func (s *Sched) refreshAll(g *G) {
	s.offers.round++
	for i := range g.offers {
		s.refreshBoth(g.offers[i].o)
	}
}

// refreshBoth asks the goroutines that offer to communicate over o, and those that may meet one of
// them elsewhere, or pass it over: whether it waits may have changed with o. In one round each is
// asked once.
func (s *Sched) refreshBoth(o *object) {
	s.refreshSide(o, o.ch.senders)
	s.refreshSide(o, o.ch.receivers)
}

func (s *Sched) refreshSide(o *object, list []*G) {
	for _, h := range list {
		s.refreshMeeter(h)
		if h.served || h.beyond == s.offers.round {
			continue
		}
		h.beyond = s.offers.round
		for i := range h.offers {
			if f := &h.offers[i]; f.o.cap == 0 && f.o != o { // those of o are asked in any case
				for _, g := range f.o.ch.senders {
					s.refreshMeeter(g)
				}
			}
		}
	}
}

func (s *Sched) refreshMeeter(h *G) {
	if h.served || h.asked == s.offers.round {
		return
	}
	h.asked = s.offers.round
	if s.offers.canMeet(h) {
		if h.state() == gParked {
			s.insert(h)
		}
	} else if h.state() == gReady && h != s.cur {
		s.unready(h, gParked)
	}
}

// canMeet reports whether one of g's offers can be done in a step of g.
func (b *offerBook) canMeet(g *G) bool {
	for i := range g.offers {
		f := &g.offers[i]
		if b.alone(g, f) {
			return true
		}
		if f.send && f.o.cap == 0 {
			for _, h := range f.o.ch.receivers {
				if h != g && b.mayMeet(g, h, f.o, true, false) {
					return true
				}
			}
		}
	}
	return false
}

// alone reports whether f can be done without a partner.
func (b *offerBook) alone(g *G, f *offer) bool {
	o := f.o
	switch {
	case o.closed && (f.send || o.n == 0):
		return true
	case !o.known:
		n, closed, receivers, senders := chanstate(o.ref)
		return closed || f.send && (receivers || n < o.cap) || !f.send && (senders || n > 0)
	case f.send:
		return o.n < o.cap && !overtakes(g, o.ch.senders)
	}
	return o.n > 0 && !overtakes(g, o.ch.receivers)
}

// overtakes reports whether a goroutine in list, of a channel with a buffer, arrived before g.
func overtakes(g *G, list []*G) bool {
	for _, h := range list {
		if h != g && h.since < g.since {
			return true
		}
	}
	return false
}

// A communication over an unbuffered channel needs a goroutine that waits there. A
// select waits only while none of its cases can be done alone, so two selects
// do not meet while both have such a case (a value in a buffer, say, or a
// channel that was closed).

// waits reports whether g, which has announced its offers, may be waiting: none can be done alone.
func (b *offerBook) waits(g *G) bool {
	if len(g.offers) == 1 {
		return true // or it would not be asked
	}
	for i := range g.offers {
		if b.alone(g, &g.offers[i]) {
			return false
		}
	}
	return true
}

// mayMeet reports whether g, which sends or receives, and h, which does the other,
// may communicate over an unbuffered channel. poll: g does not wait.
func (b *offerBook) mayMeet(g, h *G, o *object, send, poll bool) bool {
	if b.passes(g, o, send, h) || b.passes(h, o, !send, g) {
		return false
	}
	return b.waits(h) || !poll && b.waits(g)
}

// passes is overtakes for an unbuffered channel: of the goroutines that wait at g's side,
// one that is on both sides does not stand in its own partner's way.
func (b *offerBook) passes(g *G, o *object, send bool, partner *G) bool {
	oldest := o.ch.receiving
	if send {
		oldest = o.ch.sending
	}
	if g.since <= oldest && (g.arrival <= 1 || b.clip || !b.polled.Has(side(o, send))) {
		return false // as many as there may be, none is senior
	}
	for _, h := range o.offering(send) {
		if h == g || h == partner {
			continue
		}
		if b.senior(h, g, o, send) && b.waits(h) {
			return true
		}
	}
	return false
}

// senior reports whether h is known to have come to a side of o before g: time
// passed in between, or arriving there is a step. A clip says itself which goroutines meet.
func (b *offerBook) senior(h, g *G, o *object, send bool) bool {
	if h.since != g.since {
		return h.since < g.since
	}
	return h.arrival > 0 && h.arrival < g.arrival && !b.clip && b.polled.Has(side(o, send))
}

// sawOthers notes what a communication of g with h depends on beside the
// channel: which of their other cases could be done. Those of both, though that
// one waits is enough: what is noted must not depend on which it happened to be.
func (s *Sched) sawOthers(g, h *G, o *object, site trace.Site) {
	if len(g.offers) == 1 && !g.polls || len(h.offers) == 1 {
		return // it always can have waited
	}
	if !g.polls {
		s.sawCases(g, g, o, site)
	}
	s.sawCases(g, h, o, site)
}

// sawPassedOver notes that g's communication depends on why those do not wait that
// came to the side of o of by, which is g or its partner, before by.
func (s *Sched) sawPassedOver(g, by *G, o *object, send bool, partner *G, site trace.Site) {
	for _, h := range o.offering(send) {
		if h != by && h != partner && s.offers.senior(h, by, o, send) {
			s.sawCases(g, h, o, site)
		}
	}
}

// sawCases notes that g has seen which cases of h, beside those of o, can be done.
func (s *Sched) sawCases(g, h *G, o *object, site trace.Site) {
	for i := range h.offers {
		if p := h.offers[i].o; p != o {
			s.event(g, trace.OpSelect, p, CaseSeen, site)
		}
	}
}

// sawBusy notes that a poll of f depends on why those that offer the other side do not wait.
func (s *Sched) sawBusy(g *G, f *offer, site trace.Site) {
	others := f.o.ch.senders
	if f.send {
		others = f.o.ch.receivers
	}
	if f.o.cap != 0 {
		return
	}
	for _, h := range others {
		if !s.offers.waits(h) {
			s.sawCases(g, h, f.o, site)
		}
	}
}

// CaseSeen is the Arg of an OpSelect event about a channel: whether a goroutine's
// case of it could be done alone mattered.
const CaseSeen = -2

// meetings lists the ways in which g can go on in a step of its own.
func (b *offerBook) meetings(g *G, poll bool) []meeting {
	ms := b.ways[:0]
	for i := range g.offers {
		f := &g.offers[i]
		if b.alone(g, f) {
			ms = append(ms, meeting{i, nil, 0})
			continue
		}
		if f.o.cap != 0 || !f.send && !poll {
			continue
		}
		others := f.o.ch.senders
		if f.send {
			others = f.o.ch.receivers
		}
		for _, h := range others {
			if h == g || !b.mayMeet(g, h, f.o, f.send, poll) {
				continue
			}
			for j := range h.offers {
				if k := &h.offers[j]; k.o == f.o && k.send != f.send {
					ms = append(ms, meeting{i, h, j})
				}
			}
		}
	}
	b.ways = ms
	return ms
}

// pickMeeting takes one of the ways in which g can go on: the one that the
// schedule names, or the policy's. ok is false when there is none.
func (s *Sched) pickMeeting(g *G, follow *trace.Step, poll bool) (m meeting, ok bool) {
	ms := s.offers.meetings(g, poll)
	if poll {
		s.offers.notePolls(g)
	}
	c := -1
	if len(ms) > 1 {
		g.chose()
	}
	switch {
	case len(ms) == 0:
		if follow != nil && follow.Case != 0 && s.opt.Schedule.Strict {
			s.misfit(g)
		}
		return m, false
	case follow != nil && int(follow.Choice) < len(ms) && follow.Choice >= 0 && follow.With == 0:
		c = int(follow.Choice)
	case follow != nil && (follow.With != 0 || follow.Case != 0):
		for i := range ms {
			if with, at, theirs := names(g, ms[i]); with == follow.With && at == follow.Case &&
				theirs == follow.WithCase {
				c = i
			}
		}
		if c < 0 && s.opt.Schedule.Strict {
			s.misfit(g)
		}
	case len(ms) > 1 && s.replay.over() && !g.quiet:
		c = g.fair(s.opt.Policy.Outcome(len(ms)), len(ms))
	}
	m = ms[max(c, 0)]
	if !g.quiet {
		st := &s.t.Steps[len(s.t.Steps)-1]
		st.With, st.Case, st.WithCase = names(g, m)
		if len(ms) > 1 {
			st.Choice = int32(max(c, 0))
		}
	}
	return m, true
}

// names returns a meeting as a step records it.
func names(g *G, m meeting) (with int32, at, theirs int16) {
	if m.peer != nil {
		with, theirs = int32(m.peer.id)+1, m.peer.offers[m.theirs].at
	}
	return with, g.offers[m.mine].at, theirs
}

// misfit ends the execution at a step whose partner or case is not to be had.
func (s *Sched) misfit(g *G) {
	s.replay.k--
	s.diverge(s.replay.wanted(&s.t.Trace), true)
	s.reschedule(g)
}

// notePolls remembers which sides a poll looks at: arrival there is to be a step.
func (b *offerBook) notePolls(g *G) {
	if g.quiet {
		return
	}
	for i := range g.offers {
		f := &g.offers[i]
		if f.o.cap != 0 || f.o.closed {
			continue
		}
		x := side(f.o, !f.send)
		if b.polled.Has(x) {
			continue
		}
		known := false
		for _, y := range b.newPolled {
			known = known || x == y
		}
		if !known {
			b.newPolled = append(b.newPolled, x)
		}
	}
}

// do carries a meeting out.
func (s *Sched) do(g *G, m meeting, site trace.Site) (int, hook.Act, unsafe.Pointer) {
	f := &g.offers[m.mine]
	o, i := f.o, int(f.at)-1
	g.sends = i
	if m.peer != nil {
		return i, hook.ActPeer, s.rendezvous(g, m, site)
	}
	switch {
	case f.send && o.closed:
		s.event(g, trace.OpSend, o, -1, site)
		return i, hook.ActNative, nil
	case f.send:
		es, act := s.event(g, trace.OpSend, o, 0, site), hook.ActBuffer
		s.sent(es, o, f.slot)
		if o.known {
			s.fill(g, o, es)
			act = s.natively()
		} else {
			s.release(g, &o.clock)
		}
		s.refreshOffers(o)
		return i, act, nil
	case o.closed && o.n == 0:
		return i, s.recvClosed(g, o, site), nil
	}
	er, act := s.event(g, trace.OpRecv, o, 1, site), hook.ActBuffer
	if o.known {
		s.drain(g, o, er)
		act = s.natively()
	} else {
		s.acquire(g, &o.clock)
	}
	s.refreshOffers(o)
	return i, act, nil
}

// rendezvous completes an unbuffered communication of g with a goroutine that
// waits, and returns where the other's value is or goes.
func (s *Sched) rendezvous(g *G, m meeting, site trace.Site) unsafe.Pointer {
	h := m.peer
	op, theirs := trace.OpRecv, trace.OpSend
	if g.offers[m.mine].send {
		op, theirs = theirs, op
	}
	o := g.offers[m.mine].o
	h.sends = int(h.offers[m.theirs].at) - 1
	a := s.event(g, op, o, 0, site)
	b := s.event(h, theirs, o, 0, s.pend[h.id].Site)
	for _, e := range [...]int32{a, b} {
		if s.t.Events[e].Op == trace.OpRecv {
			s.t.Events[e].Arg = 1
		}
	}
	if op == trace.OpSend {
		s.sent(a, o, g.offers[m.mine].slot)
	} else {
		s.sent(b, o, h.offers[m.theirs].slot)
	}
	s.t.pair(a, b)
	s.meet(g, h)
	s.sawOthers(g, h, o, site)
	s.sawPassedOver(g, g, o, op == trace.OpSend, h, site)
	s.sawPassedOver(g, h, o, op != trace.OpSend, g, site)
	at := h.offers[m.theirs].slot.pointer()
	h.served = true
	s.retract(h)
	s.wake(h, hook.ActDone, int(h.offers[m.theirs].at)-1)
	return at
}
