package unfold

import (
	"encoding/binary"
	"maps"
	"slices"

	"heddle/explore/unfold/net"
)

// An epoch is the part of the net from one jump of the clock to the next. At a jump all events of
// earlier epochs have happened and none of a later one. So questions about ends are asked per
// epoch: the formulas are small, and an epoch that has not changed is not asked again.
type epoch struct {
	begin  net.Cond       // the clock's condition; None if the epoch is the whole net
	events []net.Event    // in order of addition; the whole net includes the jumps
	marked []net.Cond     // at its beginning
	cuts   map[string]cut // the ends of which something is known
	asked  int            // number of events + 1 when all ends were last searched
}

// A cut says what is known of an end, as a cut of the net.
type cut uint8

const (
	found     cut = iota + 1 // a timer may fire
	timerless                // no timer can fire
	jumped                   // a timer fired in an execution
	ended                    // an execution ended there
)

// each calls f with the conditions that can be marked at the epoch's ends.
func (ep *epoch) each(n *net.Net, f func(net.Cond)) {
	for _, c := range ep.marked {
		f(c)
	}
	for _, e := range ep.events {
		first, k := n.Given(e)
		for c := first; c < first+net.Cond(k); c++ {
			f(c)
		}
	}
}

// whole returns the whole net as one epoch.
func (s *Strategy) whole() *epoch {
	if s.rest != nil && s.rest.epoch.begin == net.None && s.rest.events == s.net.Len() {
		return s.rest.epoch
	}
	ep := &epoch{begin: net.None}
	for e := range net.Event(s.net.Len()) {
		ep.events = append(ep.events, e)
	}
	for c := range net.Cond(s.net.Conds()) {
		if s.net.By(c) == net.None {
			ep.marked = append(ep.marked, c)
		}
	}
	return ep
}

// epochs returns all epochs in the order in which they began.
func (s *Strategy) epochs() (all []*epoch) {
	if !s.clock.used {
		return []*epoch{s.whole()}
	}
	for e := net.Event(len(s.clock.epochOf)); int(e) < s.net.Len() && !s.clock.blurred; e++ {
		s.limit.Check()
		y := s.epochOf(e)
		s.clock.epochOf = append(s.clock.epochOf, y)
		if ep := s.epochAt(y); !s.isJump(e) {
			ep.events = append(ep.events, e)
			s.clock.blurred = s.clock.blurred || s.isBlurred(e, y)
		}
	}
	if s.clock.blurred {
		return []*epoch{s.whole()}
	}
	for _, ep := range s.clock.epochs {
		if ep.asked != len(ep.events)+1 {
			ep.marked = s.markedAfter(ep.begin)
		}
		all = append(all, ep)
	}
	slices.SortFunc(all, func(a, b *epoch) int { return int(a.begin - b.begin) })
	return all
}

// epochAt returns the epoch that begins with the clock's condition y.
func (s *Strategy) epochAt(y net.Cond) *epoch {
	ep := s.clock.epochs[y]
	if ep == nil {
		ep = &epoch{begin: y, cuts: map[string]cut{}}
		s.clock.epochs[y] = ep
	}
	return ep
}

// cutsBy returns what is known of the cuts in the epoch of end.
func (s *Strategy) cutsBy(end []net.Cond) map[string]cut {
	i := slices.IndexFunc(end, func(c net.Cond) bool { return s.isClock(s.net.Place(c)) })
	return s.epochAt(end[i]).cuts
}

// cutsOf returns the cuts of an epoch for which so holds, in a fixed order.
func (ep *epoch) cutsOf(so func(cut) bool) (cuts [][]net.Cond) {
	for _, key := range slices.Sorted(maps.Keys(ep.cuts)) {
		if so(ep.cuts[key]) {
			cuts = append(cuts, cutOfKey(key))
		}
	}
	return cuts
}

// isJump reports whether e is a jump of the clock.
func (s *Strategy) isJump(e net.Event) bool { return s.isClock(s.net.Place(s.net.Arcs(e)[0].Cond())) }

// epochOf returns the last condition of the clock that e happens after.
func (s *Strategy) epochOf(e net.Event) net.Cond {
	n, last := s.net, s.net.Root(s.now())
	for _, a := range n.Arcs(e) {
		y, by := a.Cond(), n.By(a.Cond())
		switch {
		case n.Place(y) == s.now():
		case by == net.None:
			continue
		case s.isJump(by):
			y, _ = n.Given(by)
		default:
			y = s.clock.epochOf[by]
		}
		if n.Depth(y) > n.Depth(last) {
			last = y
		}
	}
	return last
}

// isBlurred reports whether e happened after a jump of the clock that need not precede it, since e
// takes and reads nothing that the jump led to. Then the net has no epochs. No such event is known:
// no goroutine is enabled when the clock jumps.
func (s *Strategy) isBlurred(e net.Event, epoch net.Cond) bool {
	t, k := s.net.Given(e)
	y, ok := s.clock.since[t]
	return k > 0 && ok && y != epoch
}

// markedAfter returns the marked conditions of all places right after the clock got condition y.
func (s *Strategy) markedAfter(y net.Cond) (marked []net.Cond) {
	s.limit.Check()
	in := s.find
	in.Begin()
	in.AddCond(y)
	for k := range net.Place(s.net.Places()) {
		if x := in.Last(k); x != net.None && in.Marked(x) {
			marked = append(marked, x)
		}
	}
	return marked
}

// cutKey encodes a cut, and cutOfKey decodes it.
func cutKey(cut []net.Cond) string {
	b := make([]byte, 0, 4*len(cut))
	for _, c := range cut {
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	return string(b)
}

func cutOfKey(key string) (cut []net.Cond) {
	for b := []byte(key); len(b) > 0; b = b[4:] {
		cut = append(cut, net.Cond(binary.LittleEndian.Uint32(b)))
	}
	return cut
}
