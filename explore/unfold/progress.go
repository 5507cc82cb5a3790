package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Calls in which no goroutine can be left blocked, found without the solver. A goroutine stays
// blocked at a lock only if the holder is blocked in another call, or has ended; at a WaitGroup
// only if a goroutine is blocked that would still call Done, or the sum is not zero when all have
// ended. This is an argument by ranks: from the set of all calls that can block, repeatedly remove
// a call whose helpers are not blocked by a call of the set. Calls that are removed never stay
// blocked. Most programs lock and unlock, and wait for their goroutines, and need no solver.

// A hold is an object that a goroutine keeps others from using, for writing or for reading.
type hold struct {
	obj     transition.Object
	reading bool
}

// A progress has facts about all goroutines' conditions of the net.
type progress struct {
	s    *Strategy
	list []heldBy
	of   []int32 // by condition of a goroutine: its holds, as index in list
	// by hold: the calls in which its holder can be blocked; 0: the holder can have ended
	block map[hold]map[net.Value]bool
	// objects that a goroutine released without holding them, or that were held from the start
	given map[transition.Object]bool
	conds map[net.Place][]net.Cond   // of goroutines
	room  map[transition.Object]bool // by channel: the result of roomy
}

// A heldBy is a hold with its multiplicity, in a list of the holds of one goroutine.
type heldBy struct {
	hold
	times int32
	next  int32 // 0: end of the list
}

// neverLeft returns the calls among calls in which no goroutine can be left blocked.
func (s *Strategy) neverLeft(calls []net.Value) (never []net.Value) {
	p := s.holds()
	ways := map[net.Value]map[net.Value]bool{} // by call: the calls in which its helpers can be blocked
	for _, k := range calls {
		if w, ok := p.blockers(k); ok {
			ways[k] = w
		}
	}
	for again := true; again; {
		s.limit.Check()
		again = false
		for _, k := range calls {
			if w, ok := ways[k]; ok && !slices.Contains(never, k) && !p.anyLeft(w, never) {
				never, again = append(never, k), true
			}
		}
	}
	return never
}

// holds returns the facts about the net as it is.
func (s *Strategy) holds() *progress {
	p := &progress{s: s, list: make([]heldBy, 1), of: make([]int32, s.net.Conds()),
		block: map[hold]map[net.Value]bool{}, given: map[transition.Object]bool{},
		conds: map[net.Place][]net.Cond{}, room: map[transition.Object]bool{}}
	p.readHolds()
	return p
}

// anyLeft reports whether a goroutine may be left in one of the calls ways, if none is left in a
// call of never.
func (p *progress) anyLeft(ways map[net.Value]bool, never []net.Value) bool {
	for k := range ways {
		if !slices.Contains(never, k) {
			return true
		}
	}
	return false
}

// blockers returns the calls in which the goroutines that would enable v may be blocked, 0 if they
// may have ended. known is false if that is not known.
func (p *progress) blockers(v net.Value) (ways map[net.Value]bool, known bool) {
	c := &p.s.calls.list[v]
	p.s.limit.Check()
	for _, x := range p.s.calls.sides[v] { // a select is blocked only if each of its cases is
		if w, ok := p.blockersOf(x); ok && (!known || len(w) < len(ways)) {
			ways, known = w, true
		}
	}
	if known {
		return ways, true
	}
	if c.obj == noObject || c.cases != "" {
		return nil, false
	}
	h := hold{obj: c.obj}
	switch kind := p.s.tab.Kind(c.obj); {
	case c.op == trace.OpWGWait:
		return p.pending(c.obj)
	case kind == trace.ObjRWMutex && c.op == trace.OpLock: // it has arrived and waits for readers
		h.reading = true
	case kind == trace.ObjRWMutex, kind == trace.ObjMutex, kind == trace.ObjOnce:
	default:
		return nil, false
	}
	return p.block[h], !p.given[c.obj]
}

// blockersOf is blockers for one side of a channel.
func (p *progress) blockersOf(x side) (ways map[net.Value]bool, known bool) {
	o := &p.s.objects[x.obj]
	semaphore := !p.given[x.obj] && o.before == 0 // values older than the execution need no receiver
	switch {
	case o.cap == 0 || o.timer:
		return nil, false
	case x.send && p.roomy(x.obj):
		return nil, true
	case semaphore && x.send: // the sender is also the receiver
		return p.block[hold{obj: x.obj}], true
	}
	return nil, semaphore // its own value is there
}

// readHolds computes what goroutines hold, and the calls of goroutines that hold something.
func (p *progress) readHolds() {
	s, n := p.s, p.s.net
	for c := range net.Cond(n.Conds()) {
		s.limit.Check()
		if by := n.By(c); by == net.None {
			if o := s.ownerOf(c); o != nil && n.Value(c) == 1 && (o.kind == trace.ObjMutex ||
				o.kind == trace.ObjRWMutex || o.kind == trace.ObjOnce) {
				p.given[s.objectOf[n.Place(c)]] = true
			}
		}
		if k := n.Place(c); !s.isGoroutine(k) || s.isClock(k) {
			continue
		}
		p.conds[n.Place(c)] = append(p.conds[n.Place(c)], c)
		if own, up := p.own(c); own != nil {
			p.of[c] = p.after(own, n.By(c), p.of[up])
		} else if up != net.None {
			p.of[c] = p.of[up]
		}
		for _, x := range s.sidesAt(c) {
			if !x.send && !p.holds(p.of[c], hold{obj: x.obj}) {
				p.given[x.obj] = true
			}
		}
		if v, waits := p.stays(c); waits {
			for i := p.of[c]; i > 0; i = p.list[i].next {
				add(p.block, p.list[i].hold, v)
			}
		}
	}
}

// roomy reports whether a channel's buffer has room for all values that goroutines send.
func (p *progress) roomy(obj transition.Object) bool {
	room, ok := p.room[obj]
	if !ok {
		room = p.s.objects[obj].before+p.mostSent(obj) <= p.s.objects[obj].cap
		p.room[obj] = room
	}
	return room
}

// mostSent bounds the number of values that goroutines send to a channel: the sum over the
// goroutines.
func (p *progress) mostSent(obj transition.Object) (most int) {
	sends := make([]int32, p.s.net.Conds()) // by condition of a goroutine: sends up to it
	for _, cs := range p.conds {
		here := int32(0)
		p.s.limit.Check()
		for _, c := range cs {
			if up := p.s.net.Up(c); up != net.None {
				sends[c] = sends[up]
			}
			if slices.ContainsFunc(p.s.sidesAt(c), func(x side) bool { return x.send && x.obj == obj }) {
				sends[c]++
			}
			here = max(here, sends[c])
		}
		most += int(here)
	}
	return most
}

func add[K comparable](m map[K]map[net.Value]bool, k K, v net.Value) {
	if m[k] == nil {
		m[k] = map[net.Value]bool{}
	}
	m[k][v] = true
}

// stays reports whether a goroutine may be at c at an end, and in which call; 0 if it has ended.
func (p *progress) stays(c net.Cond) (net.Value, bool) {
	v := p.s.net.Value(c)
	if v <= 0 {
		return v, v == 0
	}
	k := &p.s.calls.list[v]
	return v, k.sleeps || waits(k)
}

// own returns the call by which a goroutine got from up to c, if that was its own operation. up is
// None if c is its first condition.
func (p *progress) own(c net.Cond) (k *call, up net.Cond) {
	if up = p.s.net.Up(c); up == net.None || p.s.net.Arcs(p.s.net.By(c))[0].Cond() != up {
		return nil, up
	}
	k, _ = p.s.callAt(up)
	return k, up
}

// after returns the holds after event e performs k, given holds i.
func (p *progress) after(k *call, e net.Event, i int32) int32 {
	if k.cases != "" {
		return p.afterPassing(e, i)
	}
	if k.obj == noObject {
		return i
	}
	h, kind := hold{obj: k.obj}, p.s.tab.Kind(k.obj)
	switch k.op {
	case trace.OpLock:
		if kind == trace.ObjMutex {
			return p.with(h, i)
		}
	case trace.OpArrive:
		if kind == trace.ObjRWMutex {
			return p.with(h, i)
		}
	case trace.OpTryLock, trace.OpOnce:
		if p.changes(e, k.obj) {
			return p.with(h, i)
		}
	case trace.OpUnlock, trace.OpOnceDone:
		return p.without(h, i)
	case trace.OpRLock, trace.OpTryRLock:
		if h.reading = true; k.op == trace.OpRLock || p.changes(e, k.obj) {
			return p.with(h, i)
		}
	case trace.OpRUnlock:
		h.reading = true
		return p.without(h, i)
	}
	return i
}

// afterPassing is after for an event that puts a value into a buffer, or takes one out.
func (p *progress) afterPassing(e net.Event, i int32) int32 {
	for _, a := range p.s.net.Arcs(e) {
		o := p.s.ownerOf(a.Cond())
		if a.Use() != net.Takes || o == nil || o.kind != trace.ObjChan {
			continue
		}
		switch k := p.s.net.Place(a.Cond()); k {
		case o.sent:
			i = p.with(hold{obj: p.s.objectOf[k]}, i)
		case o.received:
			i = p.without(hold{obj: p.s.objectOf[k]}, i)
		}
	}
	return i
}

// changes reports whether e does more to an object than read it.
func (p *progress) changes(e net.Event, obj transition.Object) bool {
	o := &p.s.objects[obj]
	return slices.ContainsFunc(p.s.net.Arcs(e), func(a net.Arc) bool {
		return p.s.net.Place(a.Cond()) == o.state && a.Use() != net.Reads && a.Use() != net.Follows
	})
}

// with returns list i with one more h.
func (p *progress) with(h hold, i int32) int32 { return p.count(h, i, 1) }

// without returns list i with one h less. If there is none it records that h was given away.
func (p *progress) without(h hold, i int32) int32 {
	if !p.holds(i, h) {
		p.given[h.obj] = true
		return i
	}
	return p.count(h, i, -1)
}

// count returns list i with times more of h.
func (p *progress) count(h hold, i, times int32) int32 {
	l := heldBy{hold: h}
	switch {
	case i == 0:
	case p.list[i].hold == h:
		l = p.list[i]
	default:
		l = p.list[i]
		l.next = p.count(h, l.next, times)
		return p.put(l)
	}
	if l.times += times; l.times == 0 {
		return l.next
	}
	return p.put(l)
}

func (p *progress) put(l heldBy) int32 {
	p.list = append(p.list, l)
	return int32(len(p.list) - 1)
}

func (p *progress) holds(i int32, h hold) bool {
	for ; i > 0; i = p.list[i].next {
		if p.list[i].hold == h {
			return true
		}
	}
	return false
}
