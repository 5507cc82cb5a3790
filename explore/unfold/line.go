package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Order of arrival at a channel (explore/transition/senior.go). A goroutine does not overtake its
// seniors: those that are known to have arrived earlier at the same side. They are known if time
// has passed in between, or if a goroutine polls the channel: then an arrival is an event, which
// takes the condition of the channel's line. The seniors are part of a goroutine's past, and its
// communication follows theirs. A select that waits at an unbuffered channel blocks its juniors
// only while none of its other cases is enabled without a partner: the conditions of their channels
// are read.

// line returns the place of the arrivals at an unbuffered channel.
func (s *Strategy) line(o *object) net.Place {
	if o.line == net.None {
		o.line = s.newPlaceOf(s.objectOf[o.state])
		s.net.Mark(o.line, 0)
		s.joins.lined = true
		s.run.Grow()
		s.find.Grow()
	}
	return o.line
}

// arriving returns the channels at which x, an OpArrive, arrives; nil if it arrives at something
// else.
func (s *Strategy) arriving(x *transition.Transition) (chans []transition.Object) {
	for i := range x.Accesses {
		if a := &x.Accesses[i]; a.Op == trace.OpArrive && s.tab.Kind(a.Obj) == trace.ObjChan &&
			!slices.Contains(chans, a.Obj) {
			chans = append(chans, a.Obj)
		}
	}
	return chans
}

// offers reports whether the goroutine at h waits at a side of a channel, if it waits.
func (s *Strategy) offers(h net.Cond, obj transition.Object, send bool) bool {
	c, sides := s.callAt(h)
	return c != nil && !c.poll && slices.ContainsFunc(sides, func(x side) bool {
		return x.obj == obj &&
			x.send == send
	})
}

// seniors returns the conditions of the seniors of the goroutine at t, at side x.
func (s *Strategy) seniors(t net.Cond, x side) (list []net.Cond) {
	add := func(h net.Cond) {
		if s.net.Place(h) != s.net.Place(t) && s.offers(h, x.obj, x.send) && !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	if now, ok := s.clock.since[t]; ok {
		for _, a := range s.net.Arcs(s.net.By(now)) {
			if a.Use() == net.Reads {
				add(a.Cond())
			}
		}
	}
	if q := s.object(x.obj).line; q != net.None && s.net.By(t) != net.None {
		first, k := s.net.Given(s.net.By(t))
		for y := first; y < first+net.Cond(k); y++ {
			if s.net.Place(y) == q {
				s.arrivals(s.net.Up(y), add)
			}
		}
	}
	return list
}

// arrivals calls f with the condition that each goroutine's last arrival gave, up to condition q of
// a line.
func (s *Strategy) arrivals(q net.Cond, f func(h net.Cond)) {
	var seen []net.Place
	for ; s.net.Up(q) != net.None; q = s.net.Up(q) {
		h, _ := s.net.Given(s.net.By(q))
		if k := s.net.Place(h); !slices.Contains(seen, k) {
			seen = append(seen, k)
			f(h)
		}
	}
}

// facing returns the arrivals at the other side of x, up to q, of other goroutines than t's.
func (s *Strategy) facing(t, q net.Cond, x side) (list []net.Cond) {
	s.arrivals(q, func(h net.Cond) {
		if s.net.Place(h) != s.net.Place(t) && s.offers(h, x.obj, !x.send) {
			list = append(list, h)
		}
	})
	return list
}

// went returns the condition of the goroutine after its operation at h.
func (s *Strategy) went(h net.Cond, in *net.Config) net.Cond {
	first, k := s.net.Given(in.Taker(h))
	for y := first; y < first+net.Cond(k); y++ {
		if s.net.Up(y) == h {
			return y
		}
	}
	panic("unfold: an event that takes a goroutine's condition and gives none")
}

// behind adds arcs that say that the goroutines of list have left. It returns false if one has not.
func (s *Strategy) behind(arcs []net.Arc, list []net.Cond, in *net.Config) ([]net.Arc, bool) {
	for _, h := range list {
		if in.Marked(h) {
			return arcs, false
		}
		arcs = append(arcs, net.To(s.went(h, in), net.Follows))
	}
	return arcs, true
}

// passing adds arcs that say that no goroutine of list except partner waits at obj: it has left, or
// another of its cases is enabled without a partner. It returns false if one waits.
func (s *Strategy) passing(arcs []net.Arc, list []net.Cond, partner net.Cond, obj transition.Object,
	in *net.Config) ([]net.Arc, bool) {
	for _, h := range list {
		switch {
		case h == partner:
		case !in.Marked(h):
			arcs = once(arcs, net.To(s.went(h, in), net.Follows))
		case s.waitsThere(h, in):
			return arcs, false
		default:
			arcs = s.seeing(arcs, h, obj, in)
		}
	}
	return arcs, true
}

// waitsThere reports whether the goroutine at h, which communicates, may be blocked: no case is
// enabled without a partner.
func (s *Strategy) waitsThere(h net.Cond, in *net.Config) bool {
	sides := s.sidesAt(h)
	return len(sides) == 1 || !slices.ContainsFunc(sides, func(x side) bool { return s.ready(h, x, in) })
}

// ready reports whether a case of the goroutine at h is enabled without a partner.
func (s *Strategy) ready(h net.Cond, x side, in *net.Config) bool {
	ready, arcs := false, s.arcs
	s.arcs = nil // the caller is building arcs in it
	s.alone(h, x, in, func(way) { ready = true })
	s.arcs = arcs
	return ready
}

// seeing adds read arcs for what decides which cases of the goroutine at h, other than over obj,
// are enabled without a partner.
func (s *Strategy) seeing(arcs []net.Arc, h net.Cond, obj transition.Object, in *net.Config) []net.Arc {
	for _, k := range s.others(h, obj) {
		arcs = once(arcs, net.To(in.Last(k), net.Reads))
	}
	return arcs
}

// others returns the places that decide that.
func (s *Strategy) others(h net.Cond, obj transition.Object) (places []net.Place) {
	for _, x := range s.sidesAt(h) {
		if x.obj != obj {
			places = append(places, s.placesOf(x)...)
		}
	}
	return places
}

// placesOf returns the places of a case's channel.
func (s *Strategy) placesOf(x side) []net.Place {
	o := s.object(x.obj)
	return slices.DeleteFunc([]net.Place{o.state, o.sent, o.received},
		func(k net.Place) bool { return k == net.None })
}

func once(arcs []net.Arc, a net.Arc) []net.Arc {
	if slices.Contains(arcs, a) {
		return arcs
	}
	return append(arcs, a)
}

// eachStand calls f for every combination of conditions at which the goroutines of list can be, or
// have left, when more events than those in s.find happen. It registers t to be asked again when
// they change.
func (s *Strategy) eachStand(t net.Cond, list []net.Cond, obj transition.Object, f func()) {
	if len(list) == 0 {
		f()
		return
	}
	h := list[0]
	rest := func() { s.eachStand(t, list[1:], obj, f) }
	if !s.find.Marked(h) || s.net.Place(h) == s.net.Place(t) {
		rest()
		return
	}
	s.waitAt(h, t)
	s.eachNoted(t, s.others(h, obj), rest)
	s.find.Next(h, rest)
}

// eachNoted is eachOf for t. It registers t to be asked again when a place gets a new condition.
func (s *Strategy) eachNoted(t net.Cond, places []net.Place, f func()) {
	if len(places) == 0 {
		f()
		return
	}
	s.find.Versions(places[0], func(x net.Cond) {
		s.waitAt(x, t)
		s.eachNoted(t, places[1:], f)
	})
}

// waitAt registers once that t waits at x.
func (s *Strategy) waitAt(x, t net.Cond) {
	if k := [2]net.Cond{x, t}; !s.noted[k] {
		s.noted[k] = true
		s.net.Wait(x, t)
	}
}
