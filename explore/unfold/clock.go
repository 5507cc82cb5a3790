package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/explore/why"
	"heddle/trace"
)

// Virtual time. The clock jumps when no goroutine is enabled. So a jump happens after all events
// before it, and all later events happen after the jump: its event takes the clock's condition and
// reads the conditions of all goroutines. It wakes the sleeping goroutines, sends to the channels
// of timers and starts functions. The clock is the place of the pseudo goroutine "timers".
//
// Jumps are no possible extensions. Which configurations enable no goroutine is a question to the
// whole net (jumpsLeft), asked when there is no other target.
type clock struct {
	used  bool // there are timers, or goroutines that sleep
	fired map[net.Cond][]trace.Site
	woken map[net.Cond][]transition.Proc
	since map[net.Cond]net.Cond   // by goroutine's condition that happens after a jump: the clock's condition
	armed map[net.Cond]trace.Site // by condition of a running timer: where it was started or reset

	jumps [][]net.Cond // cuts at which a timer may fire, not shown by an execution

	epochs  map[net.Cond]*epoch // by the clock's condition at their beginning
	epochOf []net.Cond          // by event: the beginning of its epoch
	blurred bool                // see isBlurred
}

func newClock() clock {
	return clock{since: map[net.Cond]net.Cond{}, fired: map[net.Cond][]trace.Site{},
		woken: map[net.Cond][]transition.Proc{}, armed: map[net.Cond]trace.Site{},
		epochs: map[net.Cond]*epoch{}}
}

// beginClock marks the clock's first condition.
func (s *Strategy) beginClock() {
	s.net.Mark(s.procPlace(transition.Timers),
		s.calls.number(call{proc: transition.Timers, obj: noObject, op: trace.OpTimerFire}, nil))
}

// now returns the clock's place.
func (s *Strategy) now() net.Place { return s.procs[transition.Timers] }

// isClock reports whether a place is the clock's.
func (s *Strategy) isClock(k net.Place) bool { return k == s.now() }

// startsTimer reports whether access a of transition x starts a timer that x has made.
func (s *Strategy) startsTimer(x *transition.Transition, a *transition.Access) bool {
	if x.Op == trace.OpTimerStop && a.Obj == x.Accesses[0].Obj {
		return false
	}
	return a.Op == trace.OpTimerStart && s.tab.Kind(a.Obj) == trace.ObjTimer
}

// unableJump returns what there is no construction for in the jump i; "" if there is a
// construction.
func (s *Strategy) unableJump(i int) string {
	for _, a := range s.path.At(i).Accesses {
		if s.tab.Kind(a.Obj) != trace.ObjChan || a.Op != trace.OpSend {
			return "an operation of the timers: " + a.Op.String()
		}
	}
	return ""
}

// learnTimers reports whether transitions from an index on show that a channel belongs to a timer,
// where that was not known.
func (s *Strategy) learnTimers(from int) (changed bool) {
	for i := from; i < s.path.Len(); i++ {
		x := s.path.At(i)
		for _, a := range x.Accesses {
			if (x.Barrier || x.Op == trace.OpTimerStop) && s.tab.Kind(a.Obj) == trace.ObjChan &&
				!s.timerChans[a.Obj] {
				s.timerChans[a.Obj] = true
				changed = changed || int(a.Obj) < len(s.objects) && s.objects[a.Obj].known
			}
		}
	}
	return changed
}

// addJump adds the event of transition j, a jump of the clock.
func (s *Strategy) addJump(j int) {
	n, x := s.net, s.path.At(j)
	clock := s.now()
	s.run.Grow()
	arcs := []net.Arc{net.To(s.run.Last(clock), net.Takes)}
	for _, k := range s.procs {
		if k == net.None || k == clock {
			continue
		}
		if t := s.run.Last(k); t != net.None {
			arcs = append(arcs, net.To(t, net.Reads))
		}
	}
	for _, a := range x.Accesses {
		o := s.object(a.Obj)
		s.run.Grow()
		arcs = append(arcs, net.To(s.run.Last(o.state), net.Takes))
	}
	e := n.Find(0, arcs)
	if e == net.None {
		e = n.Foresee(0, arcs, net.None)
	}
	s.follow(e)
	fresh := !n.Shown(e)
	if fresh {
		end := s.cutOf(s.run)
		s.cutsBy(end)[cutKey(end)], s.rest = jumped, nil
		n.Show(e)
		y := n.Give(e, clock, arcs[0].Cond(), n.Value(arcs[0].Cond()))
		s.clock.fired[y], s.clock.woken[y] = s.firedIn(j), s.wokenIn(j)
		for _, a := range arcs[1:] {
			if a.Use() == net.Takes {
				n.Give(e, n.Place(a.Cond()), a.Cond(), 1) // the timer's channel holds a value
			}
		}
		for _, p := range x.Starts {
			s.clock.since[n.Give(e, s.procPlace(p), net.None, s.next(p, j))] = y
		}
	}
	s.run.Grow()
	if !s.run.Add(e) {
		panic("unfold: a jump of the clock that cannot happen")
	}
	if fresh {
		s.extend(e)
	}
}

// unnoticed reports whether all goroutines have ended before transition j, and only jumps follow
// that start no goroutine. Whether an execution has such jumps is chance.
func (s *Strategy) unnoticed(j int) bool {
	for _, t := range s.cutOf(s.run) {
		if !s.isClock(s.net.Place(t)) && s.net.Value(t) != 0 {
			return false
		}
	}
	for i := j; i < s.path.Len(); i++ {
		if x := s.path.At(i); !x.Barrier || len(x.Starts) > 0 {
			return false
		}
	}
	return true
}

// timed records the jump of the clock that t happens after, if there is one.
func (s *Strategy) timed(t net.Cond) {
	if now := s.run.Last(s.now()); s.net.By(now) != net.None {
		s.clock.since[t] = now
	}
}

// firedIn returns where the timers that fired in transition j were started.
func (s *Strategy) firedIn(j int) (sites []trace.Site) {
	t := s.read.trace
	for i := s.path.Event(j); i < len(t.Events) && int(t.Events[i].Step) <= s.path.Step(j); i++ {
		switch e := &t.Events[i]; e.Op {
		case trace.OpTimerFire:
			sites = append(sites, e.Site)
		case trace.OpSend:
			s.sends[sites[len(sites)-1]] = true
		}
	}
	return sites
}

// wokenIn returns the goroutines that slept until transition j, a jump. They continue before the
// next jump.
func (s *Strategy) wokenIn(j int) (woken []transition.Proc) {
	for i := j + 1; i < s.path.Len() && !s.path.At(i).Barrier; i++ {
		p := s.path.At(i).Proc
		if int(p) >= len(s.procs) || s.procs[p] == net.None || slices.Contains(woken, p) {
			continue
		}
		if t := s.run.Last(s.procs[p]); t != net.None {
			if c, _ := s.callAt(t); c != nil && c.sleeps {
				woken = append(woken, p)
			}
		}
	}
	return woken
}

// wakes reports whether the jump that gave the clock's condition x woke goroutine p from a sleep at
// t.
func (s *Strategy) wakes(x, t net.Cond, p transition.Proc) bool {
	by := s.net.By(x)
	return by != net.None && slices.Contains(s.clock.woken[x], p) && slices.Contains(s.net.Arcs(by),
		net.To(t, net.Reads))
}

// startTimers adds the timers that event e, piece p of transition j, makes, and the one that it
// starts or stops.
func (s *Strategy) startTimers(e net.Event, j int, p *piece) {
	x, t := s.path.At(j), s.read.trace
	i := s.path.Event(j)
	for k := range x.Accesses {
		a := &x.Accesses[k]
		if a.Op != trace.OpTimerStart {
			continue
		}
		for t.Events[i].Op != trace.OpTimerStart || t.Events[i].Quiet {
			i++
		}
		at := i
		i++
		if s.tab.Kind(a.Obj) != trace.ObjTimer || !p.holds(at) {
			continue
		}
		s.clock.used = true
		y := net.Cond(net.None)
		if s.startsTimer(x, a) {
			y = s.net.Give(e, s.object(a.Obj).state, net.None, 1)
		} else if first, n := s.net.Given(e); true {
			for y = first; y < first+net.Cond(n) && s.net.Place(y) != s.object(a.Obj).state; y++ {
			}
		}
		s.clock.armed[y] = t.Events[at].Site
	}
}

// jumpsLeft returns a cut that enables nothing but a jump of the clock, and that no execution has
// shown; nil if there is none.
func (s *Strategy) jumpsLeft() []net.Cond {
	if !s.clock.used {
		return nil
	}
	if len(s.clock.jumps) == 0 {
		s.findJumps()
	}
	for len(s.clock.jumps) > 0 {
		goal := s.clock.jumps[len(s.clock.jumps)-1]
		s.clock.jumps = s.clock.jumps[:len(s.clock.jumps)-1]
		if k := s.cutsBy(goal)[cutKey(goal)]; k != jumped && k != ended {
			return goal
		}
	}
	return nil
}

// findJumps looks for the ends of the net after which a timer may fire.
func (s *Strategy) findJumps() {
	for _, ep := range s.epochs() {
		if ep.asked == len(ep.events)+1 {
			continue
		}
		if len(ep.events) > tooMany {
			s.incomplete(why.With(why.Limit, "too large a net to look for jumps of the clock in"))
			return
		}
		if s.findJumpsIn(ep); len(s.clock.jumps) >= maxJumps || s.late() {
			return
		}
		ep.asked = len(ep.events) + 1
	}
}

// findJumpsIn does so for an epoch that has changed.
func (s *Strategy) findJumpsIn(ep *epoch) {
	r := s.ends(ep)
	fresh := r.solver.NewVar().Pos()
	for _, end := range ep.cutsOf(func(k cut) bool { return k != jumped }) {
		r.solver.Add(0, s.notAt(end, fresh.Not())...)
	}
	enough := false
	take := func(end []net.Cond) bool {
		key := cutKey(end)
		switch known := s.cutsBy(end); {
		case known[key] != 0: // where the epoch is the whole net
		case s.mayJump(end):
			known[key] = found
			s.clock.jumps = append(s.clock.jumps, end)
		default:
			known[key] = timerless
		}
		enough = len(s.clock.jumps) >= maxJumps || s.late()
		return !enough
	}
	ep.each(s.net, func(c net.Cond) {
		if !enough && s.notices(c) {
			s.eachEnd(fresh, take, s.markedAt(c))
		}
	})
}

// maxJumps bounds the cuts that one search looks for.
const maxJumps = 1000

// notices reports whether c is the condition of a goroutine that time may enable, or of a function
// that a timer starts.
func (s *Strategy) notices(c net.Cond) bool {
	k := s.net.Place(c)
	switch {
	case s.isClock(k):
		return false
	case s.isGoroutine(k):
		return s.net.Value(c) > 0
	}
	o := s.ownerOf(c)
	return o != nil && o.kind == trace.ObjTimer && s.net.Value(c) == 1 && !s.sends[s.clock.armed[c]]
}

// mayJump reports whether a timer may still run at an end; its events are in s.find.
func (s *Strategy) mayJump(end []net.Cond) bool {
	runs := map[trace.Site]int{}
	waits := false
	for _, t := range end {
		if c, _ := s.callAt(t); c != nil && !s.isClock(s.net.Place(t)) {
			waits = true
			if c.sleeps {
				return true
			}
		}
	}
	for _, e := range s.find.Events() {
		s.limit.Check()
		first, k := s.net.Given(e)
		for y := first; y < first+net.Cond(k); y++ {
			if o := s.ownerOf(y); o != nil && o.kind == trace.ObjTimer && s.net.Value(y) == 1 &&
				s.find.Marked(y) {
				runs[s.clock.armed[y]]++
			}
			for _, x := range s.clock.fired[y] {
				runs[x]--
			}
		}
	}
	for x, k := range runs {
		if k > 0 && (waits || !s.sends[x]) {
			return true
		}
	}
	// The timer of a channel that was reset, or a ticker, is not counted: a goroutine that waits
	// may wait for it.
	return waits && len(runs) > 0
}

// noteEnd records the cut at which an execution ended.
func (s *Strategy) noteEnd() {
	if s.clock.used {
		end := s.cutOf(s.run)
		s.cutsBy(end)[cutKey(end)] = ended
	}
}
