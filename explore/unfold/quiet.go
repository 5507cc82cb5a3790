package unfold

import (
	"maps"
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Quiet receives. t.Run, and the standard library's caller of a fuzz target, receive from a channel
// of package testing until another goroutine is over. Such operations are no scheduling points
// (they are quiet); only a receive that blocks makes a step. A message is a condition that the step
// of its send gives. The receive is an event after it: in a step of its own, or in the step of the
// operation before if the message is there already.
//
// The construction covers channels with one sender and one receiver, and channels that are only
// closed. There is none for other channels that are used quietly.

// A message is the n-th of a channel.
type message struct {
	obj transition.Object
	n   int
}

// A mailbox is a message as a place of the net.
type mailbox struct {
	place   net.Place
	sent    []net.Cond
	waiting []net.Cond // conditions of goroutines whose next operation receives it
}

// quiet is what a Strategy knows of quiet receives.
type quiet struct {
	boxes []mailbox
	of    map[message]int             // index in boxes
	ofBox map[net.Place]int           // the same
	gives map[int]message             // by event of the execution that is read: the message it sends
	takes map[int]message             // by event: the message it receives
	left  map[transition.Proc]message // by goroutine: the message that it was left waiting for
}

func newQuiet() quiet {
	return quiet{of: map[message]int{}, ofBox: map[net.Place]int{}, gives: map[int]message{},
		takes: map[int]message{}, left: map[transition.Proc]message{}}
}

// mail returns the number of a message's mailbox, from 1 on.
func (s *Strategy) mail(m message) int32 {
	q := &s.quiet
	i, ok := q.of[m]
	if !ok {
		i = len(q.boxes)
		place := s.net.NewPlace()
		q.of[m], q.ofBox[place] = i, i
		q.boxes = append(q.boxes, mailbox{place: place})
	}
	return int32(i) + 1
}

// mailboxOf returns the mailbox that y is a condition of, nil if there is none.
func (s *Strategy) mailboxOf(y net.Cond) *mailbox {
	if len(s.quiet.boxes) == 0 {
		return nil
	}
	if i, ok := s.quiet.ofBox[s.net.Place(y)]; ok {
		return &s.quiet.boxes[i]
	}
	return nil
}

// A channel has the quiet operations of an execution on one channel.
type channel struct {
	obj                transition.Object
	senders, receivers []trace.GID
	sent               int
	received           map[trace.GID]int
	closed, unbuffered bool
}

// note adds an operation.
func (c *channel) note(e *trace.Event) {
	switch e.Op {
	case trace.OpSend:
		c.sent++
		if !slices.Contains(c.senders, e.G) {
			c.senders = append(c.senders, e.G)
		}
	case trace.OpRecv:
		if !slices.Contains(c.receivers, e.G) {
			c.receivers = append(c.receivers, e.G)
		}
		c.received[e.G]++
	case trace.OpClose:
		c.closed = true
	}
}

// known reports whether there is a construction for the channel.
func (c *channel) known() bool {
	if c.closed {
		return c.sent == 0
	}
	return !c.unbuffered && len(c.senders) <= 1 && len(c.receivers) <= 1
}

// learnQuiet reads which messages are sent and received quietly. It reports whether a channel
// turned out to have no construction.
func (s *Strategy) learnQuiet(t *trace.Trace) (changed bool) {
	q := &s.quiet
	clear(q.gives)
	clear(q.takes)
	clear(q.left)
	var chans map[trace.ObjID]*channel
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Quiet || e.Obj == 0 || t.Objects[e.Obj].Kind != trace.ObjChan {
			continue
		}
		c := chans[e.Obj]
		if c == nil {
			if chans == nil {
				chans = map[trace.ObjID]*channel{}
			}
			c = &channel{obj: s.tab.ObjectOf(t, e.Obj), received: map[trace.GID]int{},
				unbuffered: t.Objects[e.Obj].Cap == 0}
			chans[e.Obj] = c
		}
		switch m := (message{c.obj, c.sent}); e.Op {
		case trace.OpSend, trace.OpClose:
			q.gives[i] = m
		case trace.OpRecv:
			if m.n = c.received[e.G]; m.n == 0 || !c.closed { // the close was awaited before
				q.takes[i] = m
			}
		}
		c.note(e)
	}
	for _, c := range chans {
		if !c.known() && !s.crowded[c.obj] {
			_, used := q.of[message{c.obj, 0}]
			s.crowded[c.obj], changed = true, changed || used
		}
	}
	for i := range t.Left {
		if l := &t.Left[i]; l.Op == trace.OpRecv && l.Site.Quiet() && l.Obj != 0 {
			m := message{obj: s.tab.ObjectOf(t, l.Obj)}
			if c := chans[l.Obj]; c != nil {
				m.n = c.received[l.G]
			}
			q.left[s.tab.ProcOf(l.G)] = m
		}
	}
	for _, of := range []map[int]message{q.gives, q.takes} {
		maps.DeleteFunc(of, func(_ int, m message) bool { return s.crowded[m.obj] })
	}
	maps.DeleteFunc(q.left, func(_ transition.Proc, m message) bool { return s.crowded[m.obj] })
	return changed
}

// awaitsMail returns the call of p, which receives a message or waits for it.
func (s *Strategy) awaitsMail(p transition.Proc, m message, site trace.Site) net.Value {
	return s.calls.number(call{proc: p, obj: noObject, op: trace.OpRecv, mail: s.mail(m), site: site}, nil)
}

// receiving reports whether y is the condition of a goroutine whose next operation is a quiet
// receive.
func (s *Strategy) receiving(y net.Cond) bool {
	if len(s.quiet.boxes) == 0 || !s.isGoroutine(s.net.Place(y)) {
		return false
	}
	c, _ := s.callAt(y)
	return c != nil && c.mail > 0
}

// receives returns the message that p receives in transition k, or is left waiting for (-1).
func (s *Strategy) receives(p transition.Proc, k int) (m message, ok bool) {
	if k < 0 {
		m, ok = s.quiet.left[p]
		return m, ok
	}
	if x := s.path.At(k); x.Op != trace.OpRecv || x.Proc != p || len(x.Accesses) > 0 ||
		len(s.quiet.takes) == 0 {
		return m, false
	}
	for i := s.path.Event(k); i < len(s.read.trace.Events); i++ {
		if s.read.trace.Events[i].Op == trace.OpRecv {
			m, ok = s.quiet.takes[i]
			return m, ok
		}
	}
	return m, false
}

// sendMail adds what event e, piece p of transition j, sends.
func (s *Strategy) sendMail(e net.Event, j int, p *piece) {
	t := s.read.trace
	for i := s.path.Event(j); len(s.quiet.gives) > 0 && i < len(t.Events) &&
		int(t.Events[i].Step) <= s.path.Step(j); i++ {
		if m, ok := s.quiet.gives[i]; ok && p.holds(i) {
			b := &s.quiet.boxes[s.mail(m)-1]
			b.sent = append(b.sent, s.net.Give(e, b.place, net.None, 1))
		}
	}
}

// fromReceiver adds the extensions in which the goroutine at t receives. t is in s.find.
func (s *Strategy) fromReceiver(t net.Cond, c *call) {
	in := s.find
	for _, y := range s.quiet.boxes[c.mail-1].sent {
		m := in.Mark()
		if in.AddCond(y) && in.Keep(t) {
			s.operation(c, t, in, s.foresee)
		}
		in.Undo(m)
	}
}

// atOnce returns the event in which the goroutine at y receives within the step before: the
// schedule sends the message earlier. None if it does not.
func (s *Strategy) atOnce(in *net.Config, y net.Cond) net.Event {
	if !s.receiving(y) {
		return net.None
	}
	c, _ := s.callAt(y)
	x := in.Last(s.quiet.boxes[c.mail-1].place)
	if x == net.None || !slices.Contains(s.planned, s.net.By(x)) {
		return net.None
	}
	return s.net.Find(0, []net.Arc{net.To(y, net.Takes), net.To(x, net.Follows)})
}
