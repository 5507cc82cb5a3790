package transition

import (
	"heddle/model"
	"heddle/trace"
)

// Free time: timers that fire are transitions of Timers. Which timer is next, and when the others
// are due, depends on the order of what was done to the clock: a fire conflicts with everything
// that has to do with it (mode Timed), all else commutes. Of two timers with equal deadlines the
// one that was started first fires first. So starts with equal durations conflict, unless all that
// both timers do is to wake goroutines: these fire in one transition.

// A timing is what a transition did to the clock. See package trace on the events.
type timing struct {
	at    int32
	op    trace.Op
	timer int32 // the event that started the timer
	trace.Armed
	channel Object // of the timer that is started, noObject if it has none
}

// noObject is the channel of a timer that has none.
const noObject Object = -1

// clockKey is the key of the clock. Its address differs from process to process.
var clockKey = objectKey{by: NoProc, kind: trace.ObjClock}

// readTiming adds what an event did to the clock to the newest transition.
func (p *Path) readTiming(t *trace.Trace, ev int) {
	e := &t.Events[ev]
	m := timing{at: int32(p.n - 1), op: e.Op, timer: e.Partner, channel: noObject}
	switch e.Op {
	case trace.OpNow:
		p.accessOnce(model.Timed, e.Op)
		return
	case trace.OpTimerStart:
		m.timer, m.Armed = int32(ev), trace.ArmedOf(e.Arg)
		if e.Val > 0 {
			m.channel = p.Tab.object(t, trace.ObjID(e.Val), 0)
			p.Tab.objects[m.channel].Cap = 1 // also before a communication tells
		}
		p.accessOnce(model.Timed, e.Op)
		mode := model.Write
		if m.Sleep {
			mode = model.Read
		}
		p.accessAs(p.Tab.duration(m.D), mode, e.Op, 0)
	case trace.OpTimerStop:
		p.accessOnce(model.Timed, e.Op)
	case trace.OpTimerFire:
		p.accessOnce(model.Fire, e.Op)
	}
	p.timings = append(p.timings, m)
}

// accessOnce adds an access to the clock, unless the newest transition has it.
func (p *Path) accessOnce(m model.Mode, op trace.Op) {
	clock := p.Tab.intern(clockKey)
	for _, a := range p.steps[p.n-1].Accesses {
		if a.Obj == clock && a.Mode == m {
			return
		}
	}
	p.accessAs(clock, m, op, 0)
}

// duration returns the object that stands for the order of timers that run for d.
func (tab *Table) duration(d int64) Object {
	k := clockKey
	k.n, k.addr = 1, uintptr(d)
	return tab.intern(k)
}

// forgetTimings removes the timings of all but the first keep transitions.
func (p *Path) forgetTimings(keep int) {
	n := len(p.timings)
	for n > 0 && int(p.timings[n-1].at) >= keep {
		n--
	}
	p.timings = p.timings[:n]
}

// Unfired makes c the candidate for a timer that fires in the place of barrier j, or after all
// others, with j = Len(); ok is false in a path without timers that can be transitions. All of them
// may have been stopped: one may fire before it is. At a barrier those fire that are never early.
func (p *Path) Unfired(c *Candidate, j int) (ok bool) {
	if len(p.timings) == 0 {
		return false
	}
	previous := p.Previous(Timers)
	if j < p.n {
		previous = int(p.rows[j].prev)
	}
	clock := p.Tab.intern(clockKey)
	c.Transition = Transition{Proc: Timers, With: NoProc, Choice: -1, Op: trace.OpTimerFire,
		Accesses: append(c.Accesses[:0], Access{clock, model.Fire, trace.OpTimerFire, 0}),
		Starts:   c.Starts[:0]}
	c.Announced = [2]int{previous, -1}
	c.Turns, c.Instead = [2]int{-1, -1}, [2]int{j, p.n}
	c.Done, c.ops, c.compares = j, [2]int32{-1, -1}, false
	p.complete(c)
	return true
}

// mayFire is May for a timer that fires: the next one at the end of prefix. That may be another one
// than in the path.
func (prefix *Prefix) mayFire(c *Candidate) bool {
	p := prefix.p
	next, stopped := prefix.nextTimer()
	switch {
	case next == nil:
		return prefix.block(stopped)
	case next.Still:
		return prefix.block(int(next.at))
	}
	if c.Done < p.n {
		done := &p.steps[c.Done]
		if p.firedBy(c.Done) == next.timer {
			c.Accesses = append(c.Accesses[:0], done.Accesses...)
			c.Starts = append(c.Starts[:0], done.Starts...)
			return true
		}
	}
	clock := p.Tab.intern(clockKey)
	c.Accesses = append(c.Accesses[:0], Access{clock, model.Fire, trace.OpTimerFire, 0})
	if c.Starts = c.Starts[:0]; next.channel != noObject {
		c.Accesses = append(c.Accesses, Access{next.channel, model.Write, trace.OpSend, 0})
	}
	return true
}

// firedBy returns the first timer that fires in transition j, -1 if none does.
func (p *Path) firedBy(j int) int32 {
	for i := range p.timings {
		if m := &p.timings[i]; int(m.at) == j && m.op == trace.OpTimerFire {
			return m.timer
		}
	}
	return -1
}

// A running timer has a deadline.
type running struct {
	*timing
	when int64
}

// nextTimer returns the timer that fires next at the end of prefix, nil if none runs, and the last
// transition in it that stopped one, -1 if none did.
func (prefix *Prefix) nextTimer() (next *timing, stopped int) {
	var now int64
	var run []running // in order of starting
	stopped = -1
	for i := range prefix.p.timings {
		m := &prefix.p.timings[i]
		if !prefix.has(int(m.at)) {
			continue
		}
		if m.op == trace.OpTimerStart {
			run = append(run, running{m, now + m.D})
			continue
		}
		if m.op == trace.OpTimerStop {
			stopped = int(m.at)
		}
		for k := range run {
			if run[k].timer != m.timer {
				continue
			}
			if m.op == trace.OpTimerFire {
				now = max(now, run[k].when)
			}
			run = append(run[:k], run[k+1:]...)
			break
		}
	}
	var when int64
	for k := range run {
		if next == nil || run[k].when < when {
			next, when = run[k].timing, run[k].when
		}
	}
	return next, stopped
}
