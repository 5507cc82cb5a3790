package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Possible extensions (section 4.2). Every new one involves the condition that was added last: a
// goroutine's, an object's, or one beside an object. Each kind of operation needs conditions of
// certain places (section 5). Those concurrent with the goroutine's condition are found along the
// branches of a place, from the condition in the goroutine's own past on: what lies between two
// concurrent conditions is concurrent too (Lemma 2, Theorems 1 and 2). A goroutine that can use a
// new condition of an object was concurrent with the condition before it.

// The functions named from... expect in s.find the past of what was added last, or nothing.

// fromGoroutine adds the extensions by the goroutine at t.
func (s *Strategy) fromGoroutine(t net.Cond) {
	c, sides := s.callAt(t)
	if c == nil {
		return
	}
	if s.late() {
		return
	}
	in := s.find
	if k := s.onlyNeeds(c, sides); k != net.None { // the usual case, in one walk
		s.at(t)
		in.Versions(k, func(x net.Cond) {
			s.net.Wait(x, t)
			s.operation(c, t, in, s.foresee)
		})
		return
	}
	places := s.needs(t, c, sides)
	s.at(t)
	if c.mail > 0 {
		b := &s.quiet.boxes[c.mail-1]
		b.waiting = append(b.waiting, t)
		s.fromReceiver(t, c)
		return
	}
	for _, x := range sides {
		if o := s.object(x.obj); o.cap > 0 || c.poll {
			continue
		} else if x.send {
			o.senders = append(o.senders, t)
		} else {
			o.waiting = append(o.waiting, t)
		}
	}
	if len(sides) == 0 && s.counts(c) && asksAside(c) {
		o := s.object(c.obj)
		o.waiting = append(o.waiting, t)
	}
	for _, place := range places {
		in.Versions(place, func(x net.Cond) { s.net.Wait(x, t) })
	}
	s.expand(t, c, sides)
}

// onlyNeeds returns the place of an object whose state alone decides an operation; None if more
// does.
func (s *Strategy) onlyNeeds(c *call, sides []side) net.Place {
	if len(sides) > 0 || c.poll || c.sleeps || c.obj == noObject || c.op == trace.OpAwait ||
		c.op == trace.OpLen {
		return net.None
	}
	if o := s.object(c.obj); o.beside == net.None {
		return o.state
	}
	return net.None
}

// counts reports whether c is on an object with conditions beside it.
func (s *Strategy) counts(c *call) bool {
	return c.obj != noObject && s.object(c.obj).beside != net.None
}

// needs returns the places whose conditions decide the operation of the goroutine at t.
func (s *Strategy) needs(t net.Cond, c *call, sides []side) (places []net.Place) {
	if c.sleeps {
		return append(places, s.now())
	}
	add := func(k net.Place) {
		if k != net.None && !slices.Contains(places, k) {
			places = append(places, k)
		}
	}
	for _, x := range sides {
		o := s.object(x.obj)
		add(o.state)
		add(o.sent)
		add(o.received)
		if c.poll && o.cap == 0 {
			add(s.line(o))
		}
	}
	if c.op == trace.OpArrive && c.obj == noObject {
		for _, obj := range s.calls.objs[s.net.Value(t)] {
			add(s.line(s.object(obj)))
		}
	}
	if c.op == trace.OpAwait {
		for _, l := range s.lookedAt(t) {
			add(l.place)
		}
	}
	if len(sides) > 0 || c.obj == noObject {
		return places
	}
	o := s.object(c.obj)
	switch {
	case o.kind == trace.ObjWaitGroup && o.beside != net.None, o.kind == trace.ObjRWMutex &&
		o.beside != net.None && c.op == trace.OpRUnlock:
	default:
		add(o.state)
		if c.op == trace.OpLen {
			add(o.sent)
			add(o.received)
		}
	}
	return places
}

// fromObject adds the extensions that take or read x, the new condition of an object.
func (s *Strategy) fromObject(x net.Cond) {
	in := s.find
	in.Grow()
	if !in.AddCond(x) {
		return
	}
	again := !s.isGoroutine(s.net.Place(x)) || s.isClock(s.net.Place(x))
	in.Waiting(s.net.Up(x), func(t net.Cond) {
		m := in.Mark()
		if in.AddCond(t) && in.Keep(t) {
			if again {
				s.net.Wait(x, t)
			}
			c, sides := s.callAt(t)
			s.expand(t, c, sides)
		}
		in.Undo(m)
	})
}

// fromAside adds the extensions after x, a new condition beside an object, of the goroutines in
// waiting.
func (s *Strategy) fromAside(x net.Cond, waiting []net.Cond) {
	in := s.find
	in.Grow()
	if !in.AddCond(x) {
		return
	}
	for _, t := range waiting {
		m := in.Mark()
		if in.AddCond(t) && in.Keep(t) {
			c, sides := s.callAt(t)
			s.expand(t, c, sides)
		}
		in.Undo(m)
	}
}

// expand adds the extensions of the goroutine at t after everything that can happen together with
// s.find, which includes t.
func (s *Strategy) expand(t net.Cond, c *call, sides []side) {
	if s.late() {
		return
	}
	if s.joinsAt(c) {
		s.fromJoin(t, c)
		return
	}
	in := s.find
	for _, x := range sides {
		s.eachOf(s.placesOf(x), func() {
			s.eachStand(t, s.seniors(t, x), x.obj, func() { s.alone(t, x, in, s.foresee) })
		})
		if s.object(x.obj).cap == 0 {
			s.partners(t, c, x)
		}
	}
	if c.poll {
		s.eachOf(s.needs(t, c, sides), func() {
			s.eachFacing(t, sides, func() { s.byDefault(t, sides, in, s.foresee) })
		})
	}
	if len(sides) > 0 {
		return
	}
	do := func() { s.operation(c, t, in, s.foresee) }
	if s.counts(c) {
		s.eachOf(s.needs(t, c, sides), func() { s.eachAside(c, s.object(c.obj), do) })
		return
	}
	s.eachOf(s.needs(t, c, sides), do)
}

// eachOf calls f for every combination of conditions of the places that can happen together.
func (s *Strategy) eachOf(places []net.Place, f func()) {
	for len(places) > 0 && places[0] == net.None {
		places = places[1:]
	}
	if len(places) == 0 {
		f()
		return
	}
	s.find.Versions(places[0], func(net.Cond) { s.eachOf(places[1:], f) })
}

// partners adds the meetings of a case with the goroutines at the other side of its channel.
func (s *Strategy) partners(t net.Cond, c *call, x side) {
	in := s.find
	o := s.object(x.obj)
	others := o.senders
	if x.send {
		others = o.waiting
	}
	for i := 0; i < len(others); i++ {
		u := others[i]
		m := in.Mark()
		if u != t && in.AddCond(u) && in.Keep(u) {
			d, sides := s.callAt(u)
			for _, y := range sides {
				if y.obj == x.obj && y.send != x.send && d.proc != c.proc {
					s.meetings(t, u, x, y)
				}
			}
		}
		in.Undo(m)
	}
}

// meetings adds the meetings of a case of the goroutine at t with one of the goroutine at u.
func (s *Strategy) meetings(t, u net.Cond, x, y side) {
	in := s.find
	c, _ := s.callAt(t)
	d, _ := s.callAt(u)
	a, b, v, w := t, u, x, y // the poll makes the step, or else the sender
	if !c.poll && (d.poll || !x.send) {
		a, b, v, w = u, t, y, x
	}
	places := []net.Place{s.object(x.obj).state}
	if s.choosy(a, b) {
		places = append(append(places, s.others(a, x.obj)...), s.others(b, x.obj)...)
	}
	stand := append(s.seniors(a, v), s.seniors(b, w)...)
	s.eachNoted(t, places, func() {
		s.eachStand(t, stand, x.obj, func() { s.meeting(a, b, v, w, in, s.foresee) })
	})
}

// eachFacing calls f for every combination of conditions of the partners that a poll at t may find.
func (s *Strategy) eachFacing(t net.Cond, sides []side, f func()) {
	if len(sides) == 0 {
		f()
		return
	}
	x := sides[0]
	rest := func() { s.eachFacing(t, sides[1:], f) }
	if o := s.object(x.obj); o.cap == 0 {
		s.eachStand(t, s.facing(t, s.find.Last(s.line(o)), x), x.obj, rest)
		return
	}
	rest()
}

// eachAside calls f for every set of conditions beside o that can precede c, if c depends on them.
func (s *Strategy) eachAside(c *call, o *object, f func()) {
	if !asksAside(c) {
		f()
		return
	}
	var list []net.Cond
	in := s.find
	in.Given(&o.given, func(x net.Cond) {
		if s.late() {
			return
		}
		m := in.Mark()
		if by := s.net.By(x); !in.Has(by) && in.Add(by) {
			list = append(list, x)
		}
		in.Undo(m)
	})
	s.sortByGoroutine(list)
	sum, _ := s.balance(o, in)
	e := eacher{s, list, s.least(list), c.op == trace.OpWGWait || c.op == trace.OpLock, f}
	e.from(0, sum)
}

// asksAside reports whether a call depends on the conditions beside its object.
func asksAside(c *call) bool {
	switch c.op {
	case trace.OpWGWait, trace.OpArrive, trace.OpLock, trace.OpTryLock:
		return true
	}
	return false
}

// An eacher enumerates the sets of some conditions beside an object.
type eacher struct {
	*Strategy
	list  []net.Cond
	least []net.Value // by index: how much the conditions from there on can lower a sum
	zero  bool        // enumerate only sets with sum 0
	f     func()
}

func (e *eacher) from(i int, sum net.Value) {
	if e.zero && sum+e.least[i] > 0 || e.late() {
		return
	}
	if i == len(e.list) {
		e.f()
		return
	}
	x := e.list[i]
	in := e.find
	m := in.Mark()
	by := e.net.By(x)
	if in.Has(by) {
		e.from(i+1, sum)
		return
	}
	before := in.Len()
	if in.Add(by) {
		more := net.Value(0)
		for _, y := range e.list { // its past may include others
			if g := e.net.By(y); in.Since(before, g) {
				more += e.net.Value(y)
			}
		}
		e.from(i+1, sum+more)
	}
	in.Undo(m)
	e.from(i+1, sum)
}

// goroutine returns the place of the goroutine that gave x.
func (s *Strategy) goroutine(x net.Cond) net.Place {
	return s.net.Place(s.net.Arcs(s.net.By(x))[0].Cond())
}

func (s *Strategy) sortByGoroutine(list []net.Cond) {
	slices.SortFunc(list, func(x, y net.Cond) int {
		if a, b := s.goroutine(x), s.goroutine(y); a != b {
			return int(a - b)
		}
		return int(x - y)
	})
}

// least returns, by index of a list sorted by goroutine, a bound on how much the conditions from
// there on can lower a sum. A goroutine can lower it once for each of its operations along one
// branch.
func (s *Strategy) least(list []net.Cond) []net.Value {
	least := make([]net.Value, len(list)+1)
	for i := len(list) - 1; i >= 0; {
		k := i
		lower := map[int]net.Value{} // by depth
		for ; k >= 0 && s.goroutine(list[k]) == s.goroutine(list[i]); k-- {
			d := s.net.Depth(s.net.Arcs(s.net.By(list[k]))[0].Cond())
			lower[d] = min(lower[d], s.net.Value(list[k]))
		}
		sum := least[i+1]
		for _, v := range lower {
			sum += v
		}
		for j := k + 1; j <= i; j++ {
			least[j] = sum
		}
		i = k
	}
	return least
}

// foresee adds a possible extension unless it is known.
func (s *Strategy) foresee(w way) {
	if s.net.Find(w.label, w.arcs) != net.None {
		return
	}
	e := s.net.Foresee(w.label, w.arcs, s.besideOf(w.arcs))
	if s.isJoined(e) && !s.possible(e) {
		s.joins.doubtful = append(s.joins.doubtful, e)
		return
	}
	s.hope(e)
}

// besideOf returns the place beside which an event with these arcs gives a condition, None if it
// gives none.
func (s *Strategy) besideOf(arcs []net.Arc) net.Place {
	if c, _ := s.callAt(arcs[0].Cond()); c.obj != noObject {
		if o := s.object(c.obj); s.aside(c, o, arcs) != 0 {
			return o.beside
		}
	}
	return net.None
}
