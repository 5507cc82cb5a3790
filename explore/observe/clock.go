package observe

import (
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// Free time. A timer is a goroutine here: what starts the timer starts it, and all that it does is
// to fire (transition.Table.TellTimers). The clock is an item. Its queue has the timers that run,
// in the order in which they fire; only the first can. Its cell has the time: the deadline of the
// timer that fired last. A goroutine that sleeps waits until its timer is not in the queue any
// more.

// A timing is what a step does to a timer: it starts it, or stops it.
type timing struct {
	timer transition.Proc
	stop  bool
	d     int64 // its deadline when it is started, counted from the clock
}

// An alarm is a timer of the execution that is read.
type alarm struct {
	timer   transition.Proc
	armed   trace.Armed
	object  int32 // the item of the timer, -1: a goroutine sleeps
	channel int32 // the item of its channel, -1: it has none
	chanObj transition.Object
}

// never is a deadline that never comes.
const never = 1 << 59

// tellTime makes the program one in free time.
func (p *program) tellTime() {
	p.free = true
	p.clock = p.object(p.tab.Clock())
	p.now = p.word(p.clock, objectCell)
}

// firings returns the item that a timer changes when it fires, and the goroutine looks at that
// sleeps until then.
func (p *program) firings(timer transition.Proc) int32 {
	return p.allocation(itemKey{obj: p.tab.Clock(), n: fires, block: uint64(timer)})
}

// lasting returns the item that stands for the order of timers that run for d: of two with equal
// deadlines the one that was started first fires first.
func (p *program) lasting(d int64) int32 {
	return p.allocation(itemKey{obj: p.tab.Clock(), n: lasts, block: uint64(d)})
}

// alarmOf returns the timer that an event started.
func (l *lesson) alarmOf(event int32) *alarm {
	timer := l.p.tab.Timer(l.t, event)
	if a, ok := l.alarms[timer]; ok {
		return a
	}
	e := &l.t.Events[event]
	a := &alarm{timer: timer, armed: trace.ArmedOf(e.Arg), object: -1, channel: -1,
		chanObj: -1}
	if event > 0 && !a.armed.Sleep {
		// the event before says of which timer, or the one before that which timer is reset
		b := &l.t.Events[event-1]
		switch kind := l.t.Objects[b.Obj].Kind; {
		case b.Obj == 0 || b.G != e.G:
		case kind == trace.ObjTimer:
			a.object = l.p.object(l.p.tab.ObjectOf(l.t, b.Obj))
		case kind == trace.ObjChan && event > 1:
			if c := &l.t.Events[event-2]; c.Op == trace.OpTimerStop && c.G == e.G && c.Partner >= 0 {
				a.object = l.alarmOf(c.Partner).object
			}
		}
	}
	if e.Val > 0 {
		a.chanObj = l.p.tab.ObjectOf(l.t, trace.ObjID(e.Val))
		a.channel = l.p.object(a.chanObj)
	}
	l.alarms[timer] = a
	return a
}

// firedIn returns the timer that fires in transition j, at an event of it; nil: it is no such
// transition.
func (l *lesson) firedIn(j, event int) *alarm {
	if l.path.At(j).Proc != transition.Timers {
		return nil
	}
	e := &l.t.Events[event]
	if e.Op != trace.OpTimerFire || e.Partner < 0 {
		return nil
	}
	return l.alarmOf(e.Partner)
}

// actor returns the goroutine whose step transition j is; the name of a timer that fires, at an
// event of it.
func (l *lesson) actor(j, event int) transition.Proc {
	if a := l.firedIn(j, event); a != nil {
		return a.timer
	}
	return l.path.At(j).Proc
}

// timing adds what an event of a step does to the clock. It reports whether the event is about it.
func (l *lesson) timing(ev int) bool {
	e := &l.t.Events[ev]
	if e.Op == trace.OpSleep {
		return true
	}
	if e.Obj == 0 {
		return false
	}
	kind := l.t.Objects[e.Obj].Kind
	g := &l.seg
	switch {
	case kind == trace.ObjTimer:
		return true
	case kind == trace.ObjChan && (e.Op == trace.OpTimerStop || e.Op == trace.OpTimerStart):
		return true // the event of the clock follows
	case kind != trace.ObjClock:
		return false
	}
	clock, now := l.p.clock, l.p.now
	g.reach.reads.add(clock)
	switch e.Op {
	case trace.OpNow:
		l.read(now)
	case trace.OpTimerStart:
		a := l.alarmOf(int32(ev))
		g.reach.add(l.p.lasting(a.armed.D), !a.armed.Sleep)
		l.sets(a)
		g.starts = append(g.starts, a.timer)
		g.timings = append(g.timings, timing{timer: a.timer, d: a.armed.D})
	case trace.OpTimerStop:
		a := l.alarmOf(e.Partner)
		if a.object >= 0 {
			l.read(l.p.word(a.object, objectCell))
		}
		l.sets(a)
		g.timings = append(g.timings, timing{timer: a.timer, stop: true})
	}
	return true
}

// fire reads the step in which a timer fires. What it does follows from what was started, but for
// the goroutine that a function of time.AfterFunc is.
func (l *lesson) fire(j int, a *alarm) (reason string) {
	rest := l.path.At(j).Barrier
	last := l.lastEvent(j)
	l.sets(a)
	first, begins := l.seg, l.from
	together := 0
	if rest {
		together = l.s.fireTogether()
	}
	for ; l.from < last; l.from++ {
		i := l.from
		switch e := &l.t.Events[i]; e.Op {
		case trace.OpTimerFire:
			again := a.armed.Ticks && l.from > begins
			if !rest || e.Partner < 0 || l.alarmOf(e.Partner) == a && !again {
				continue
			}
			if len(l.along)+1 == together { // at a later moment
				l.setAside(&first)
				l.seg = first
				return ""
			}
			a = l.alarmOf(e.Partner)
			l.setAside(&first)
			l.along = append(l.along, along{timer: a.timer})
			l.seg = segment{}
			l.turn++
			l.sets(a)
		case trace.OpResume:
		case trace.OpGo:
			l.seg.starts = append(l.seg.starts, l.p.tab.ProcOf(trace.GID(e.Arg)))
		case trace.OpSend, trace.OpRecv, trace.OpSelect: // the last where there is no room
			if a.channel < 0 {
				return "it does not know what a timer does: " + e.Op.String()
			}
		default:
			return "it does not know what a timer does: " + e.Op.String()
		}
	}
	l.setAside(&first)
	l.seg = first
	return ""
}

// An along is a timer that fires in the step of another one: both have one deadline, and are never
// early.
type along struct {
	timer transition.Proc
	seg   segment
}

// setAside puts the segment that was read where it belongs: to the last of the timers that fire in
// a step, or to first if that is the only one.
func (l *lesson) setAside(first *segment) {
	if n := len(l.along); n > 0 {
		l.along[n-1].seg = l.seg
	} else {
		*first = l.seg
	}
}

// sets adds to a segment that a timer is started, stopped or fires: its cell is another one.
func (l *lesson) sets(a *alarm) {
	if a.object >= 0 {
		l.write(l.p.word(a.object, objectCell), false)
	}
}

// announceTimer fills in the pending operation of a timer that was started, in its first node.
func (l *lesson) announceTimer(at int32, a *alarm) (reason string) {
	op := pending{class: firing, op: trace.OpTimerFire, obj: -1, item: -1, still: a.armed.Still,
		sleep: a.armed.Sleep}
	if a.armed.Ticks {
		op.every = a.armed.D
	}
	if a.channel >= 0 {
		op.cases = []offer{{obj: a.chanObj, item: a.channel, send: true,
			gives: l.p.allocation(itemKey{obj: a.chanObj, n: giving})}}
	}
	n := l.p.node(at)
	if n.known {
		if !n.op.equal(&op) {
			return "a goroutine that observed the same started another timer"
		}
		return ""
	}
	n.op, n.known = op, true
	n.next.writes.add(l.p.clock)
	n.next.writes.add(l.p.firings(a.timer))
	for _, c := range op.cases {
		n.next.writes.add(c.item)
		n.next.adds.add(c.gives)
	}
	next := n.next
	l.p.grow(at, &next, l.old)
	if a.armed.Sleep || a.channel >= 0 { // nothing about it is for an execution to show
		seg := l.seg
		l.seg = segment{}
		l.turn++
		l.sets(a)
		_, reason = l.edge(at, 0, 0, 0, &l.seg)
		l.seg = seg
		l.s.resize()
		if op.every > 0 { // it will do the same again
			l.p.node(at).edges[0].to = at
			return reason
		}
		to := l.p.node(l.p.node(at).edges[0].to)
		to.op, to.known = pending{obj: -1}, true
	}
	return reason
}

// sleepsOn returns the timer of the goroutine whose step was read, if it sleeps after it; else
// NoProc.
func (l *lesson) sleepsOn() transition.Proc {
	if n := len(l.seg.timings); n > 0 && !l.seg.timings[n-1].stop {
		if a := l.alarms[l.seg.timings[n-1].timer]; a.armed.Sleep {
			return a.timer
		}
	}
	return transition.NoProc
}

// clockIn reports whether transition j is about the clock.
func (l *lesson) clockIn(j int) bool {
	clock := l.p.tab.Clock()
	for _, a := range l.path.At(j).Accesses {
		if a.Obj == clock {
			return true
		}
	}
	return false
}

// timedOperation returns the operation about the clock that proc performs in transition j.
func (l *lesson) timedOperation(j int, proc transition.Proc) (op pending, reason string) {
	op = pending{class: clocked, op: l.path.At(j).Op, obj: -1, item: -1}
	last := l.lastEvent(j)
	for i := l.path.Event(j); i < last; i++ {
		e := &l.t.Events[i]
		if e.Op != trace.OpTimerStop && e.Op != trace.OpTimerStart || e.Obj == 0 ||
			l.t.Objects[e.Obj].Kind != trace.ObjChan {
			continue
		}
		if op.obj >= 0 {
			return op, "it does not know steps that stop several timers"
		}
		op.obj = l.p.tab.ObjectOf(l.t, e.Obj)
	}
	return op, ""
}

// clocks fills in the step of an operation about the clock. One that stops a timer takes the value
// out of its channel.
func (s *state) clocks(x *step, op *pending) {
	if op.obj < 0 || len(s.queues[op.item]) == 0 {
		return
	}
	def, o := s.p.model(op.item)
	x.item, x.outcome, x.queue = op.item, 1, -1
	x.next = def.After(o, s.count(op.item), trace.OpRecv, 1)
}

// fires reports whether a timer is the next to fire, and may.
func (s *state) fires(timer transition.Proc, op *pending) bool {
	q := s.queues[s.p.clock]
	return !op.still && len(q) > 0 && q[0] == int32(timer)
}

// atRest returns the step that is possible because no goroutine can go on: of one that waits for
// that, or of the timer that fires, where that is one which is never early. known is false if it is
// not known what happens.
func (s *state) atRest() (x step, ok, known bool) {
	var q []int32
	if s.p.free {
		q = s.queues[s.p.clock]
	}
	idler := s.idler()
	idles := idler != transition.NoProc && (len(q) == 0 || s.due[q[0]] > s.time())
	if !idles && (len(q) == 0 || s.due[q[0]] >= never || s.ticksForNone(q)) {
		return x, false, true
	}
	hushes := map[int32]bool{}
	for _, n := range s.at {
		if op := &s.p.node(n).op; op.class == hushed {
			if hushes[op.item] { // which of them comes first is not known
				return x, false, false
			}
			hushes[op.item] = true
		}
	}
	if idles {
		return step{proc: idler, with: transition.NoProc, item: -1, outcome: s.alive()}, true, true
	}
	return step{proc: transition.Proc(q[0]), with: transition.NoProc, item: -1}, true, true
}

// ticksForNone reports whether the timers that run, with tickers among them, let no goroutine go on
// however often they fire: then an execution ends. While main goes on they send to channels at
// which no goroutine receives; when it is over all others have ended.
func (s *state) ticksForNone(q []int32) bool {
	ticks, over := false, s.local[transition.Main].op.class == ended
	for _, t := range q {
		op := &s.local[t].op
		if ticks = ticks || op.every > 0; s.due[t] >= never && !over {
			continue
		}
		if over && op.every == 0 || !over && (len(op.cases) == 0 || s.received(op.cases[0].item)) {
			return false
		}
	}
	return ticks && (!over || s.alive() == 0)
}

// received reports whether a goroutine waits at a channel to receive.
func (s *state) received(item int32) bool {
	for proc, n := range s.local {
		if s.at[proc] != 0 && n.op.class == comm &&
			slices.ContainsFunc(n.op.cases, func(c offer) bool { return !c.send && c.item == item }) {
			return true
		}
	}
	return false
}

// ticksOn reports whether a ticker runs when main is over. When such an execution ends depends on
// what the goroutines that are left wait for.
func (s *state) ticksOn() bool {
	return s.p.free && s.local[transition.Main].op.class == ended &&
		slices.ContainsFunc(s.queues[s.p.clock], func(t int32) bool { return s.local[t].op.every > 0 })
}

// mostRests bounds the timers that fire one after the other while no goroutine makes a step.
const mostRests = 256

// ticks reports whether so many have fired at the end of the path: that may have no end.
func (x *search) ticks() bool {
	n := 0
	for n < mostRests && n < len(x.path) && x.p.tab.IsTimer(x.path[len(x.path)-1-n].proc) {
		n++
	}
	return n == mostRests
}

// wakes reports whether a goroutine that sleeps may go on.
func (s *state) wakes(op *pending) bool {
	return !slices.Contains(s.queues[s.p.clock], int32(op.timer))
}

// time returns what the clock shows.
func (s *state) time() int64 {
	return int64(s.p.values[s.seen[s.p.now]])
}

// fireTogether returns how many timers at the head of the queue fire in a step of the first: if
// that wakes a goroutine that sleeps, those behind it with the same deadline do too; and so do all
// that are never early.
func (s *state) fireTogether() (n int) {
	q := s.queues[s.p.clock]
	op := &s.p.node(s.at[q[0]]).op
	for n = 1; n < len(q) && s.due[q[n]] == s.due[q[0]]; n++ {
		next := &s.p.node(s.at[q[n]]).op
		if op.still != next.still || !op.still && !(op.sleep && next.sleep) {
			break
		}
	}
	return n
}

// along returns the timers that fire in a step of the one which is first in the queue.
func (s *state) along(x *step) []int32 {
	if s.local[x.proc].op.class != firing {
		return nil
	}
	return s.queues[s.p.clock][1:s.fireTogether()]
}

// fire takes the timers out of the queue that fire in a step of the first. The clock moves, and
// each timer sends the time to its channel if there is room.
func (s *state) fire(timer transition.Proc) {
	clock, now := s.p.clock, s.p.now
	if s.local[timer].op.still { // no goroutine can go on
		s.rankAll()
	}
	q, n, due := s.queues[clock], s.fireTogether(), s.due[timer]
	s.queued(clock, q[n:])
	for _, t := range q[:n] {
		if every := s.local[t].op.every; every > 0 {
			s.runs(transition.Proc(t), s.due[t]+every)
		}
	}
	if due > s.time() {
		s.trail = append(s.trail, change{what: ofSeen, i: now, old: s.seen[now]})
		s.set(now, s.p.number(uint64(due)))
	}
	s.sendTime(timer)
	for _, other := range q[1:n] {
		s.sendTime(transition.Proc(other))
		s.follow(transition.Proc(other), &s.local[other].edges[0])
	}
}

// sendTime is what a timer that fires does to its channel.
func (s *state) sendTime(timer transition.Proc) {
	op := &s.local[timer].op
	for i := range op.cases {
		c := &op.cases[i]
		def, o := s.p.model(c.item)
		if model.Alone(o, s.count(c.item), true) == nil {
			continue
		}
		s.trail = append(s.trail, change{what: ofCounts, i: c.item, count: s.counts[c.item]})
		s.counts[c.item] = def.After(o, s.counts[c.item], trace.OpSend, 0)
		b := binary.AppendVarint(nil, int64(s.at[timer]))
		v := s.p.together(binary.AppendVarint(b, s.time()))
		old := s.queues[c.item]
		s.queued(c.item, append(old[:len(old):len(old)], v))
	}
}

// setTimers starts and stops the timers of an edge: those that it starts have their first nodes.
func (s *state) setTimers(e *edge) {
	clock := s.p.clock
	for _, x := range e.timings {
		q := slices.Clone(s.queues[clock])
		if x.stop {
			k := slices.Index(q, int32(x.timer))
			if k < 0 {
				continue
			}
			s.queued(clock, slices.Delete(q, k, k+1))
			s.trail = append(s.trail, change{what: ofAt, i: int32(x.timer), old: s.at[x.timer]})
			s.move(x.timer, 0)
			continue
		}
		s.runs(x.timer, s.time()+x.d)
	}
}

// runs makes a timer one that runs, with a deadline.
func (s *state) runs(timer transition.Proc, due int64) {
	for len(s.due) <= int(timer) {
		s.due = append(s.due, 0)
	}
	old := s.due[timer]
	s.trail = append(s.trail, change{what: ofDue, i: int32(timer),
		count: model.State{int32(old >> 32), int32(uint32(old))}})
	s.due[timer] = due
	q := slices.Clone(s.queues[s.p.clock])
	k := len(q)
	for k > 0 && s.due[q[k-1]] > due {
		k--
	}
	s.queued(s.p.clock, slices.Insert(q, k, int32(timer)))
}
