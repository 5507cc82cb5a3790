package order

import "heddle/trace"

// A buffer is a channel with a buffer: its number of values, and which value each receive gets.
type buffer struct {
	*counter
	closes []int
	sends  []int32
	recvs  []int32 // receives that get a value
	opaque bool    // any receive may get any value: all values are equal

	// pairs: one goroutine sends all values and one receives them, so the i-th receive gets the
	// i-th value, and the i-th send waits for the receive that makes room for it.
	pairs  bool
	size   int
	number map[int]int  // of pairs and turns, by event: its index in sends or recvs
	paired map[int]bool // events whose pair, or turn, was added
	turns  bool         // see findTurns
}

// newBuffer makes the model of a channel with room for n values.
func newBuffer(p *Problem, n int, events []int32) *buffer {
	b := &buffer{counter: newCounter(Capacity)}
	b.opaque = true
	for _, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		if e >= p.m.done {
			continue
		}
		switch {
		case ev.Op == trace.OpSend && ev.Arg >= 0:
			b.change(e, 1)
			b.hi[e] = n - 1
			b.sends = append(b.sends, i)
			b.opaque = b.opaque && p.sameValue(e, int(b.sends[0]))
		case ev.Op == trace.OpRecv && ev.Arg > 0:
			b.change(e, -1)
			b.recvs = append(b.recvs, i)
			b.opaque = b.opaque && ev.Partner >= 0
		case ev.Op == trace.OpRecv:
			b.hi[e] = 0
		case ev.Op == trace.OpClose && ev.Arg >= 0:
			b.closes = append(b.closes, e)
		case ev.Op == trace.OpLen:
			b.lo[e], b.hi[e], b.looks[e] = int(ev.Arg), int(ev.Arg), true
		}
	}
	b.start(events)
	b.polls(p, n, events)
	b.findPairs(p, n)
	b.findTurns(p, n)
	return b
}

func (b *buffer) findPairs(p *Problem, room int) {
	if b.init != 0 || !p.oneGoroutine(b.sends) || !p.oneGoroutine(b.recvs) {
		return
	}
	b.pairs, b.size = true, room
	b.number, b.paired = make(map[int]int), make(map[int]bool)
	for _, list := range [][]int32{b.sends, b.recvs} {
		for i, e := range list {
			b.number[int(e)] = i
		}
	}
}

// oneGoroutine reports whether all events are of one goroutine.
func (p *Problem) oneGoroutine(events []int32) bool {
	for _, e := range events {
		if p.m.events[e].G != p.m.events[events[0]].G {
			return false
		}
	}
	return true
}

// pair returns the event that e waits for, of pairs; -1: none.
func (b *buffer) pair(e int) int {
	i, ok := b.number[e]
	switch {
	case !ok:
	case b.delta[e] < 0 && i < len(b.sends):
		return int(b.sends[i])
	case b.delta[e] > 0 && i >= b.size && i-b.size < len(b.recvs):
		return int(b.recvs[i-b.size])
	}
	return -1
}

// addPair adds that what e waits for comes before it, and returns that; -1: nothing.
func (b *buffer) addPair(p *Problem, e int) int {
	o := b.pair(e)
	if o >= 0 && !b.paired[e] {
		b.paired[e] = true
		p.add(p.names.tag(b.kind, e), not(p.kept(e)), p.before(o, e))
	}
	return o
}

// checkPairs adds the pairs that an order breaks.
func (b *buffer) checkPairs(p *Problem, events []int32) {
	for _, i := range events {
		if o := b.pair(int(i)); o >= 0 && !b.paired[int(i)] {
			if v := p.at[p.m.node[o]]; v < 0 || v >= p.at[p.m.node[i]] {
				b.addPair(p, int(i))
			}
		}
	}
}

// polls constrains selects that took their default: the channel was empty for a receive, full for a
// send.
func (b *buffer) polls(p *Problem, n int, events []int32) {
	count := b.init
	for _, i := range events {
		e := int(i)
		if ev := &p.m.events[e]; ev.Op == trace.OpSelect && e < p.m.done {
			switch count {
			case 0:
				b.hi[e] = 0
			case n:
				b.lo[e] = n
			}
		}
		count += b.delta[e]
	}
}

func (b *buffer) check(p *Problem, events []int32) {
	checkClosed(p, b.closes, events)
	if b.pairs {
		added := p.added
		if b.checkPairs(p, events); p.added > added {
			return
		}
	}
	if b.turns {
		added := p.added
		if b.checkTurns(p, events); p.added > added {
			return
		}
	}
	if p.tight {
		if added := p.added; b.checkStrict(p, events) || p.added > added {
			return
		}
	}
	if added := p.added; !b.opaque {
		b.checkFIFO(p, events)
		if p.added > added {
			return
		}
	}
	var counted []int32
	for _, i := range events {
		if p.m.events[i].Op != trace.OpLen || p.isNeeded(int(i)) {
			counted = append(counted, i)
		}
	}
	b.counter.check(p, counted)
}

// checkClosed: sends, and polls that found the channel not ready, precede the close; operations
// that found it closed follow it.
func checkClosed(p *Problem, closes []int, events []int32) {
	if len(closes) == 0 {
		return
	}
	closed := false
	for _, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		switch {
		case ev.Op == trace.OpClose && ev.Arg >= 0:
			closed = true
		case closed && (ev.Op == trace.OpSend && ev.Arg >= 0 ||
			ev.Op == trace.OpSelect && pollsBefore(closes, e)):
			p.add(p.names.tag(Closed, e, closes[0]), not(p.kept(e)), p.before(e, closes[0]))
		case !closed && ev.Op == trace.OpRecv && ev.Arg <= 0:
			p.add(p.names.tag(Closed, closes[0], e), not(p.kept(e)), p.before(closes[0], e))
		}
	}
}

// pollsBefore reports whether e polled the channel before it was closed.
func pollsBefore(closes []int, e int) bool { return e < closes[0] }

// checkFIFO: a receive gets the value of the earliest send that is left.
func (b *buffer) checkFIFO(p *Problem, events []int32) {
	var queue []int // sends whose values are in the buffer
	older := b.init
	for k, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		switch {
		case ev.Op == trace.OpSend && ev.Arg >= 0:
			queue = append(queue, e)
		case ev.Op == trace.OpRecv && ev.Arg > 0:
			got := -1
			if older > 0 {
				older--
			} else if len(queue) > 0 {
				got, queue = queue[0], queue[1:]
			} else {
				return // empty: the counter constrains that
			}
			if got != int(ev.Partner) && (got < 0 || ev.Partner < 0 || !p.sameValue(got, int(ev.Partner))) &&
				p.isNeeded(e) {
				b.wrongValue(p, e, events[:k])
				return
			}
		}
	}
}

// wrongValue constrains e, which would get the value of another send than in the trace.
func (b *buffer) wrongValue(p *Problem, e int, before []int32) {
	s := int(p.m.events[e].Partner)
	tag, need := p.names.tag(FIFO, e), p.needed(e)
	if s < 0 || p.hasTwin(s, b.sends) {
		p.history(tag, need, e, before, b.events)
		return
	}
	var sends, recvs []int32 // before s; before e
	sent := false
	for _, i := range before {
		switch {
		case int(i) == s:
			sent = true
		case b.delta[int(i)] > 0 && !sent:
			sends = append(sends, i)
		case b.delta[int(i)] < 0:
			recvs = append(recvs, i)
		}
	}
	// As many receives precede e as sends precede s.
	p.add(tag, not(need), p.before(s, e))
	lits := []lit{not(need)}
	if n := b.init + len(sends); !sent {
		return
	} else if len(recvs) > n {
		lits = append(lits, p.anyLater(e, recvs, n+1)...)
		lits = append(lits, p.anyEarlier(s, b.sends, sends)...)
	} else {
		lits = append(lits, p.anyLater(s, sends, len(recvs)+1-b.init)...)
		lits = append(lits, p.anyEarlier(e, b.recvs, recvs)...)
	}
	p.add(tag, lits...)
}

// anyLater returns literals of which one must be true: one of n of the events before e follows it.
// It chooses the n that give the fewest literals.
func (p *Problem) anyLater(e int, before []int32, n int) (lits []lit) {
	last := make(map[trace.GID]int)
	var rest []int32
	for _, i := range before {
		if p.before(int(i), e) == yes {
			n--
		} else {
			rest = append(rest, i)
		}
	}
	for k := 0; k < len(rest) && n > 0; k++ {
		n--
		last[p.m.events[rest[k]].G] = int(rest[k])
	}
	for _, i := range sorted(last) {
		lits = append(lits, not(p.before(i, e)))
	}
	return lits
}

// anyEarlier returns literals of which one must be true: another event of all, beside those in
// before and e itself, precedes e. It takes the first of each goroutine.
func (p *Problem) anyEarlier(e int, all, before []int32) (lits []lit) {
	was := make(map[int32]bool, len(before))
	for _, i := range before {
		was[i] = true
	}
	first := make(map[trace.GID]bool)
	for _, i := range all {
		if g := p.m.events[i].G; !was[i] && int(i) != e && !first[g] {
			first[g] = true
			lits = append(lits, p.beforeEnd(e, int(i)))
		}
	}
	return lits
}

// history adds that e is impossible after exactly these events of its object in this order.
func (p *Problem) history(tag int, need lit, e int, before, all []int32) {
	lits := []lit{not(need)}
	was := make(map[int32]bool, len(before))
	for k, i := range before {
		was[i] = true
		if k+1 < len(before) {
			lits = append(lits, not(p.before(int(i), int(before[k+1]))))
		} else {
			lits = append(lits, not(p.beforeEnd(e, int(i))))
		}
	}
	for _, i := range all {
		if !was[i] && int(i) != e {
			lits = append(lits, p.beforeEnd(e, int(i)))
		}
	}
	p.add(tag, lits...)
}

// hasTwin reports whether another send has the value of s.
func (p *Problem) hasTwin(s int, sends []int32) bool {
	for _, i := range sends {
		if int(i) != s && p.sameValue(int(i), s) {
			return true
		}
	}
	return false
}
