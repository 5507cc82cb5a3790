package order

import "heddle/trace"

// Over a channel with one receiver, all of whose values differ, the values that the receiver needs
// fix the order of the sends, whichever goroutines send: if the i-th receive needs its value, the
// first i sends come in the order of the trace, each after the receive that made room for it, and
// all other sends come later. These are facts for one receive each, so a long channel takes a few
// rounds, where its counts alone leave open which of the senders comes next. (An earlier receive of
// the same goroutine needs its value too, since the i-th comes after it.)

// findTurns notes whether that holds. Where the trace lacks a part of what was received it does
// not.
func (b *buffer) findTurns(p *Problem, room int) {
	if p.opt.Dependent != nil || p.opt.Exact != nil { // an earlier receive may not need its value
		return
	}
	if b.pairs || b.init != 0 || len(b.recvs) == 0 || len(b.recvs) > len(b.sends) ||
		!p.oneGoroutine(b.recvs) {
		return
	}
	for i, r := range b.recvs {
		if p.m.events[r].Partner != b.sends[i] {
			return
		}
	}
	values := make(map[string]bool)
	for _, s := range b.sends {
		v := p.text(int(s))
		if v != "" && values[v] {
			return
		}
		values[v] = true
	}
	b.turns, b.size = true, room
	b.number, b.paired = make(map[int]int), make(map[int]bool)
	for i, e := range b.recvs {
		b.number[int(e)] = i
	}
}

// addTurn adds what follows if receive e needs its value.
func (b *buffer) addTurn(p *Problem, e int) {
	if b.paired[e] {
		return
	}
	b.paired[e] = true
	i := b.number[e]
	s, tag, need := int(b.sends[i]), p.names.tag(FIFO, e), not(p.needed(e))
	p.add(tag, need, p.before(s, e))
	if i > 0 {
		p.add(tag, need, p.before(int(b.sends[i-1]), s))
	}
	if i >= b.size {
		p.add(tag, need, p.before(int(b.recvs[i-b.size]), s))
	}
}

// checkTurns adds what an order breaks.
func (b *buffer) checkTurns(p *Problem, events []int32) {
	last := -1 // the last receive that needs its value
	for _, i := range events {
		e := int(i)
		k, ok := b.number[e]
		if !ok || !p.isNeeded(e) {
			continue
		}
		last = max(last, k)
		at := p.at[p.m.node[b.sends[k]]]
		if at < 0 || at >= p.at[p.m.node[e]] || k > 0 && p.at[p.m.node[b.sends[k-1]]] >= at ||
			k >= b.size && p.at[p.m.node[b.recvs[k-b.size]]] >= at {
			b.addTurn(p, e)
		}
	}
	if last < 0 {
		return
	}
	e, s := int(b.recvs[last]), int(b.sends[last])
	tag, at := p.names.tag(FIFO, e), p.at[p.m.node[s]]
	for _, later := range b.sends[last+1:] {
		if v := p.at[p.m.node[later]]; v >= 0 && v < at {
			p.add(tag, not(p.needed(e)), not(p.kept(int(later))), p.before(s, int(later)))
		}
	}
	b.checkRoom(p, events)
}

// checkRoom adds, where more is sent than received and than there is room for, that so much more is
// received.
func (b *buffer) checkRoom(p *Problem, events []int32) {
	sends, recvs := 0, 0
	latest := make(map[trace.GID]int) // by goroutine: its last send that is done
	for _, i := range events {
		switch e := int(i); {
		case b.delta[e] > 0:
			sends++
			latest[p.m.events[e].G] = e
		case b.delta[e] < 0:
			recvs++
		}
	}
	b.addRooms(p, sends, recvs, latest)
}

// mostRooms bounds the clauses that addRooms adds.
const mostRooms = 1000

// addRooms adds that there is room for the sends up to latest, and, for what that takes, that there
// is room for the sends which precede it: each receive that makes room needs those before its own.
func (b *buffer) addRooms(p *Problem, sends, recvs int, latest map[trace.GID]int) {
	seen := 0
	for range mostRooms {
		n := sends - b.size - 1
		if n < recvs || b.addRoom(p, sends, latest) < 0 {
			return
		}
		for recvs = n + 1; seen < n; seen++ {
			e := int(b.sends[seen])
			g := p.m.events[e].G
			if l, ok := latest[g]; !ok || e > l {
				latest[g] = e
				sends++
			}
		}
	}
}

// addRoom adds that, if latest are done, and with them so many sends, there is room for these. It
// returns the receive that is done then, or -1 if there is none in the trace.
func (b *buffer) addRoom(p *Problem, sends int, latest map[trace.GID]int) (recv int) {
	recv = -1
	var lits []lit
	for _, s := range sorted(latest) {
		lits = append(lits, not(p.kept(s)))
	}
	if n := sends - b.size - 1; n < len(b.recvs) {
		recv = int(b.recvs[n])
		lits = append(lits, p.kept(recv))
	}
	p.add(p.names.tag(b.kind, int(b.sends[0])), lits...)
	return recv
}

// foreseeRoom is addRoom for the sends that must precede the goal, as far as that is known: it
// returns a receive that must precede it too, or -1.
func (b *buffer) foreseeRoom(p *Problem) int {
	sends := 0
	latest := make(map[trace.GID]int)
	for _, i := range b.sends {
		if e := int(i); p.seen[p.m.node[e]] {
			sends++
			latest[p.m.events[e].G] = e
		}
	}
	n := sends - b.size - 1
	if n < 0 || n < len(b.recvs) && p.seen[p.m.node[b.recvs[n]]] {
		return -1
	}
	return b.addRoom(p, sends, latest)
}
