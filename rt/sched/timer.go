package sched

import (
	"time"
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/trace"
	"heddle/trace/remains"
)

// Timers. They fire when no goroutine can go on (the clock jumps to the next
// deadline), or, with Schedule.Free, at any moment once their turn by
// deadline has come: the pseudo goroutine "timers" (GID 1) is then one of those
// that can be chosen. Not so in executions that go by real time: a time-out that
// comes before the network could answer says nothing.

// maxLateWakes bounds how often timers fire after the test is over: what is
// still served by timers then is neither blocked nor a leak.
const maxLateWakes = 100

func (s *Sched) vnow() int64 {
	v := &s.vtime
	if !s.here() || s.ending.on {
		return v.now
	}
	if hook.Real && !hook.Frozen {
		v.now++ // where the clock is ahead of the real one it would stand still
		s.cur.flow.Now = 0
		return s.realTime()
	}
	if hook.Unsettled {
		s.enter() // writes before and after this count as two
		s.leave()
	}
	g := s.cur
	if g.nows++; g.steps != g.nowStep {
		g.nowStep = g.steps
		g.nows += nowsPerStep - 1
	}
	if s.work.looked() {
		s.beat()
	}
	s.twinLooks()
	step := s.takes(g)
	if s.freely() {
		s.looksFreely(g)
	}
	if s.exhaustive() {
		if step > 0 {
			s.enter()
			s.sleepOn(g, flow.Moment{At: step}, 0)
			s.leave()
		}
		return s.lookedAs(g, v.now+s.lookedAt(g))
	}
	if step > 0 && g.nows > spinNows && s.ready.Len() > 1 {
		// A loop that polls until its time is over: what it waits for is up to
		// those that can go on, and for them no time passes.
		s.enter()
		s.sleepOn(g, flow.Moment{At: step}, 0)
		s.leave()
		return s.lookedAs(g, v.now)
	}
	if step > 0 {
		s.moveBy(step)
		if s.timersDue(s.clockNow()) {
			hg := s.enter()
			s.announce(hg, trace.OpNow, nil, 0)
			s.fireTimer(s.timers.heap[0])
			s.reschedule(hg)
			s.leave()
		}
	} else if !hook.Frozen {
		v.look()
	}
	return s.lookedAs(g, v.now)
}

// moveBy moves the clock, no further than to where a timer is due.
func (s *Sched) moveBy(step int64) {
	now := s.clockNow()
	to := after(now, step)
	if s.timersDue(to) {
		t := s.first()
		if s.before(t.due(), now, t.site) {
			return
		}
		to = t.due()
	}
	s.clockAt(to)
}

// takes is how far the clock moves because of what g did since it looked last: nothing but that, or
// much work. It does not move for a timer's function, which looks once whenever it fires: within it
// no other timer may fire.
func (s *Sched) takes(g *G) int64 {
	switch {
	case g == s.timerG:
		return 0
	case g.nows > spinNows:
		return spinStep(g)
	case hook.Frozen:
		return 0
	}
	if s.exhaustive() {
		return g.work.takes()
	}
	return s.work.takes()
}

// lookedAt is what is added to the time in exhaustive executions, so that two looks at the clock
// differ and later ones see a later time: how many moments led to this one. Equivalent executions
// have the same.
func (s *Sched) lookedAt(g *G) int64 {
	if !s.det.on || hook.Frozen {
		return 0
	}
	s.tick(g)
	g.ahead = lookTime(int64(g.clock.At(moments)))
	return g.ahead
}

// spinStep is how far the clock moves for g, which does nothing but look at it: further every time.
func spinStep(g *G) int64 { return int64(1000) << min((g.nows-spinNows)/(4*nowsPerStep), 20) }

// spinNows is how often a goroutine may ask for the time without changing
// anything before the clock moves: a thousand times is no polling loop yet, and
// tests count on that taking less than a millisecond. Between looks a polling
// loop mostly does something else, such as to yield; then fewer are enough.
const (
	spinNows    = 4096
	nowsPerStep = 64
)

func (s *Sched) sleep(d int64, pc uintptr) {
	g := s.enter()
	if s.ending.on {
		s.inert()
		s.leave()
		return
	}
	site := s.place(trace.PCSite(pc))
	g.nows = 0
	span := s.labelled(d, &g.flow.Span, site)
	if !s.before(flow.Moment{}, span, site) {
		s.point(g, trace.OpSleep, nil, site)
		s.leave()
		return
	}
	if s.dozes(g, span) {
		s.giveWay(g, site, false)
		s.leave()
		return
	}
	g.spoil()
	s.timePoint(g, trace.OpSleep, site)
	s.event(g, trace.OpSleep, nil, d, site)
	s.sleepOn(g, span, site)
	s.leave()
}

// sleepOn suspends g for d; site is 0 where g only looks at the clock, see timer.looks.
func (s *Sched) sleepOn(g *G, d flow.Moment, site trace.Site) {
	due := s.spanned(d, site)
	s.startTimer(&timer{when: due.At, label: due.L, pos: -1, sleeper: g, site: site, by: g.id})
	s.announce(g, trace.OpSleep, nil, site)
	s.park(g)
}

func (s *Sched) timerStart(p unsafe.Pointer, when, period int64, f func(any, uintptr, int64), arg any,
	ch unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := s.place(trace.PCSite(pc))
	o, _ := s.object(p, trace.ObjTimer, site)
	due, every := s.labelled(when, &g.flow.Span, site), s.labelled(period, &g.flow.Every, site)
	s.timePoint(g, trace.OpTimerStart, site)
	due = s.counted(g, due)
	when = due.At
	t := &timer{when: when, label: due.L, period: period, every: every.L, pos: -1, f: f, arg: arg, site: site}
	if ch != nil {
		t.ch = s.channel(ch, 1, site)
		t.ch.known = true
		t.ch.cap = 1
	}
	o.timer = t
	s.event(g, trace.OpTimerStart, o, when-s.vtime.now, site)
	s.arm(g, t)
	s.leave()
}

// counted returns when a timer is due of which g has said when, counted from the time as it saw it.
func (s *Sched) counted(g *G, due flow.Moment) flow.Moment {
	if due.At == never {
		return due
	}
	due = after(due, -g.ahead)
	if s.freely() {
		moved := s.passed(g)
		due = flow.Moment{At: addTime(due.At, moved.At), L: due.Plus(moved).L}
	}
	return due
}

func (s *Sched) arm(g *G, t *timer) {
	if s.det.on {
		t.clock.Join(&g.clock)
		s.tick(g)
	}
	t.by = g.id
	s.startTimer(t)
}

func (s *Sched) timerStop(p unsafe.Pointer, pc uintptr) (active, ours bool) {
	g, t, o, ours := s.knownTimer(p, pc)
	if t == nil {
		return false, ours
	}
	active = s.stopTimer(t)
	s.event(g, trace.OpTimerStop, o, 0, trace.PCSite(pc))
	s.disarmed(g, t, false)
	s.leave()
	return active, true
}

func (s *Sched) timerReset(p unsafe.Pointer, when, period int64, pc uintptr) (active, ours bool) {
	due := s.labelled(when, &s.cur.flow.Span, trace.PCSite(pc))
	every := s.labelled(period, &s.cur.flow.Every, trace.PCSite(pc))
	g, t, o, ours := s.knownTimer(p, pc)
	if t == nil {
		return false, ours
	}
	active = s.stopTimer(t)
	s.disarmed(g, t, true)
	due = s.counted(g, due)
	when = due.At
	t.when, t.label, t.period, t.every = when, due.L, period, every.L
	s.event(g, trace.OpTimerStart, o, when-s.vtime.now, trace.PCSite(pc))
	s.arm(g, t)
	s.leave()
	return active, true
}

// knownTimer is the beginning of stopping or resetting the timer at p: the hook was entered, and it
// is g's turn. t is nil where there is nothing to be done, and ours false if that is because the
// model does not know the timer.
func (s *Sched) knownTimer(p unsafe.Pointer, pc uintptr) (g *G, t *timer, o *object, ours bool) {
	g = s.enter()
	if s.inert() {
		s.leave()
		return g, nil, nil, true
	}
	site := trace.PCSite(pc)
	o, fresh := s.object(p, trace.ObjTimer, site)
	if fresh || o.timer == nil {
		s.leave()
		return g, nil, nil, false
	}
	t, o = o.timer, s.timerObject(o)
	s.pointOrTime(g, trace.OpTimerStop, o, site)
	return g, t, o, true
}

// timerObject is what stopping or resetting a timer is about: in exhaustive
// executions its channel, if it has one, since what was not received is lost.
func (s *Sched) timerObject(o *object) *object {
	if s.exhaustive() && o.timer.ch != nil {
		return o.timer.ch
	}
	return o
}

// stopTimer takes t out of the heap. Since Go 1.23 a channel timer that fired
// but was not received yet counts as active, and its value is gone.
func (s *Sched) stopTimer(t *timer) bool {
	active := t.pos >= 0
	if active {
		s.timers.remove(t)
	}
	if o := t.ch; o != nil && o.n > 0 {
		o.n--
		o.ch.take(o.cap)
		chandrop(o.ref)
		s.refreshOffers(o)
		active = true
	}
	return active
}

// fireNext lets the clock jump to the next deadline. It reports whether a timer fired.
func (s *Sched) fireNext() bool {
	step := s.mayFireFreely()
	if len(s.timers.heap) == 0 || len(s.fails) > 0 && !step {
		// the one that crashed could have gone on, and ended the program
		return false
	}
	s.vtime.rests++
	if s.vtime.rests%restsPerLook == 0 && s.expire() {
		return false // timers that let no goroutine make a step are bounded by time too
	}
	if s.confirmed() || s.recognised() {
		return false
	}
	if s.mainOver {
		if s.lateWakes == 0 {
			s.vtime.restsAtEnd = s.vtime.rests
		}
		if s.lateWakes >= maxLateWakes || hook.Real || s.onlyPeriodic() && !s.blocked() {
			return false
		}
		s.lateWakes++
	}
	t := s.timers.heap[0]
	if t.when == never || !step && s.wakeNone() {
		return false
	}
	s.first()
	s.vtime.fired, s.spans.fired = t.when, t.due()
	if hook.Real && !hook.Frozen {
		if ready, due := s.pollUntil(t.when); ready || !due {
			return ready
		}
	}
	s.jump(t)
	if s.endless(t) {
		return false
	}
	switch {
	case step:
		return s.fireAtRest()
	case s.freely():
		s.fireStill(t.when)
	case s.exhaustive():
		s.fireDue(t.when)
	default:
		s.fireTimer(t)
	}
	return true
}

// sameDue reports whether a timer is due at the same moment as the last one that fired. In a bubble
// of testing/synctest what waits for that moment goes on before all count as blocked.
func (s *Sched) sameDue() bool {
	if hook.Real || len(s.timers.heap) == 0 || len(s.fails) > 0 {
		return false
	}
	t := s.first()
	s.inOrder(s.spans.fired, t.due(), t.site)
	return t.when == s.vtime.fired
}

// passTime is called after n steps: at the step bound, and when it is time for the clock to flow.
// The time bound is looked at there too.
func (s *Sched) passTime(n int) {
	v := &s.vtime
	if n >= s.opt.Steps {
		s.stop(trace.Bounded)
		return
	}
	if s.expire() {
		return
	}
	if n < flowAfter && !s.work.much() {
		v.pause = min(s.opt.Steps, n+lookEvery, flowAfter)
		return
	}
	v.pause = min(s.opt.Steps, n+flowEvery)
	hook.Polls = hook.Polls || !hook.Real && !s.det.lent.some // loops that poll may be why it is so long
	switch {
	case s.exhaustive() || hook.Frozen:
		return
	case hook.Real:
		if s.outsiders() > 0 { // a loop that waits for one of them would keep it off the processor
			time.Sleep(pollEvery)
		}
		s.realTime()
		s.lookOutside()
	case !s.flows():
		v.pause = min(s.opt.Steps, n+flowAfter)
		return
	}
	s.firePast((n > longRun || s.work.much()) && s.othersReady())
}

// flows lets time pass. How much is not followed.
func (s *Sched) flows() bool {
	flow.LoseTime(s.clockNow(), 0)
	s.spans.from = flow.Moment{}
	return s.vtime.flow(&s.work)
}

// expire ends the execution if it has taken as long as it may, or as much memory, and reports
// whether it has. What an execution does never depends on either, only whether it goes on; a
// schedule that is executed again may come less far.
func (s *Sched) expire() bool {
	switch {
	case s.opt.Longest > 0 && time.Since(s.vtime.begun) >= s.opt.Longest,
		!s.opt.Until.IsZero() && time.Now().After(s.opt.Until):
		s.stop(trace.Expired)
	case s.opt.Full != nil && s.opt.Full():
		s.stop(trace.Filled)
	default:
		return false
	}
	return true
}

// firePast fires the timers whose time has come, each once. What they do may take time, as to look
// at the real clock does: what is due then waits for the next turn, or a ticker that is always due
// would never end it.
func (s *Sched) firePast(late bool) {
	for now := s.clockNow(); !s.over && s.timersDue(now); {
		s.ranOut = s.ranOut || late && s.timers.heap[0].sleeper == nil
		s.fireTimer(s.timers.heap[0])
	}
}

// longRun is after how many steps an execution is so long that a time-out may come since heddle is
// slower than the program.
const longRun = 100_000

// othersReady reports whether a goroutine beside the running one could go on and do more than
// look.
func (s *Sched) othersReady() bool {
	for id := s.ready.First(); id != trace.NoG; id = s.ready.Next(id) {
		if g := s.gs[id]; g != s.cur && g.idle == 0 {
			return true
		}
	}
	return false
}

// restsPerLook is how often the clock is asked between two looks at the time that the execution
// takes.
const restsPerLook = 1000

// blocked reports whether a goroutine waits for more than the clock: when main is
// over, one that has a ticker may still let it go on.
func (s *Sched) blocked() bool {
	for _, g := range s.gs {
		if g.state() == gBlocked || g.state() == gParked && s.pend[g.id].Op != trace.OpSleep &&
			!s.ServedByTimer(g.id) {
			return true
		}
	}
	return false
}

// wakeNone reports whether the timers that run let no goroutine go on, however often they fire:
// they send to channels at which none waits, and every goroutine waits for another.
func (s *Sched) wakeNone() bool {
	for _, t := range s.timers.heap {
		if t.when == never {
			continue
		}
		if o := t.ch; o == nil || t.sleeper != nil || o.ch.recvq.first() != nil || len(o.ch.receivers) > 0 {
			return false
		}
	}
	if s.mainOver || hook.Real || s.idle.spinners > 0 || s.idle.yielded > 0 || s.idle.awaiting > 0 ||
		s.foreign() {
		return false
	}
	for _, g := range s.gs {
		if g.state() != gDone && g.state() != gBlocked && g.state() != gParked {
			return false
		}
	}
	return true
}

// onlyPeriodic reports whether all that the timers do is to repeat themselves, as each has shown
// since main was over: what it serves may end at its next tick. An exhaustive execution does not
// wait for that.
func (s *Sched) onlyPeriodic() bool {
	for _, t := range s.timers.heap {
		if t.period == 0 || !s.exhaustive() && t.started <= s.vtime.restsAtEnd {
			return false
		}
	}
	return true
}

// fireTimer does what t is for, as the pseudo goroutine "timers".
func (s *Sched) fireTimer(t *timer) {
	s.ranOut = s.ranOut || hook.Real && !hook.Frozen && t.sleeper == nil
	s.first()
	early := t.when - s.vtime.now
	if s.before(s.clockNow(), t.due(), t.site) {
		s.early = append(s.early, remains.Timer{Site: t.site, By: early, Origin: t.origin})
		s.clockAt(t.due()) // what could have gone on before is late
	}
	t.started = s.vtime.rests
	if s.locks.cycle != nil {
		s.locks.cycle.fires.add(t)
	}
	if t.period > 0 {
		s.nextTick(t)
		s.timers.restart(t)
	} else {
		s.timers.remove(t)
	}
	tg := s.timerG
	if s.det.on {
		tg.now++
		tg.clock.Copy(&t.clock)
		tg.clock.Set(tg.chain, tg.now.C())
		tg.inLock = nil
	}
	s.fired(t, early)
	if g := t.sleeper; g != nil {
		if s.freely() {
			s.event(g, trace.OpResume, nil, 0, t.site) // it makes its next step after this one
		}
		s.wake(g, 0, 0)
		return
	}
	// f runs on the stack of the goroutine that is in the scheduler, as "timers" and under control:
	// its sends and go statements are operations like any other, without choice.
	was := s.cur
	s.cur = tg
	if s.exhaustive() {
		was.work.instead(&tg.work)
	}
	endReads()
	quiet := tg.quiet
	tg.quiet = true
	s.timers.firing = t
	s.leave()
	t.f(t.arg, 0, 0)
	s.enter()
	s.timers.firing = nil
	tg.quiet = quiet
	s.cur = was
	if s.exhaustive() {
		tg.work.instead(&was.work)
	}
	endReads()
}

// mayFireEarly reports whether the next timer can be chosen like a goroutine, in free time. After
// one timer another goroutine has a turn, or a policy that likes timers would fire a ticker for
// ever. In a bubble of testing/synctest none is ever early, nor are time-outs that the standard
// library chose: no goroutine is half a minute late with a connection.
func (s *Sched) mayFireEarly() bool { return s.opt.Schedule.Free && s.fires() }

// fires is mayFireEarly in free time.
func (s *Sched) fires() bool {
	if s.exhaustive() {
		return s.mayFireFreely()
	}
	if hook.Real || hook.Frozen || len(s.timers.heap) == 0 ||
		s.timers.heap[0].when == never || s.timers.heap[0].looks() || s.timers.heap[0].library ||
		s.timers.heap[0].when-s.vtime.now > earlyBy && !s.AnyTime || s.mainOver || len(s.early) >= maxEarly {
		return false
	}
	n := len(s.t.Steps)
	return n == 0 || s.t.Steps[n-1].G != s.timerG.id
}

// earlyBy is how much too early a timer fires at most, unless Sched.AnyTime: goroutines are slow,
// but not by the hour, and programs say "never" by long times.
const earlyBy = 60_000_000_000

// killed is how long go test lets the tests of a package run: no goroutine is that late.
const killed = 10 * earlyBy

// maxEarly bounds the timers that fire early in an execution. A function that
// sets its own timer again is a new goroutine every time: under a policy with
// priorities they could keep all others from going on until memory is out.
const maxEarly = 200

// withTimers returns the goroutines that are ready, with the pseudo goroutine "timers" behind them.
func (s *Sched) withTimers() *policy.Ready {
	p := &s.pend[s.timerG.id]
	p.Op, p.Site, p.Seq = trace.OpTimerFire, s.timers.heap[0].site, s.timers.heap[0].seq|1<<31
	s.ready.Timers(s.timerG.id)
	return &s.ready
}

// fireEarly is the step of the pseudo goroutine "timers".
func (s *Sched) fireEarly() {
	if s.exhaustive() {
		s.fireStep(s.Fallback())
		return
	}
	*s.newStep() = trace.Step{G: s.timerG.id, Op: trace.OpTimerFire, Choice: -1, Default: s.Fallback()}
	s.fireTimer(s.timers.heap[0])
}

// startTimer starts t.
func (s *Sched) startTimer(t *timer) {
	t.bubble = s.cur.bubble
	s.startsTimer(t.bubble)
	t.started, t.d = s.vtime.rests, t.when-s.vtime.now
	if s.opt.Record {
		t.origin = callers(2)
	}
	if s.opt.Schedule.Free {
		t.library = s.pcs.onBehalfOfLibrary()
	}
	if s.det.solo { // its firing lets a goroutine go on that need not know what was done since
		s.company()
	}
	t.still, t.armed = true, -1
	if s.exhaustive() && s.opt.Schedule.Free {
		s.armed(t)
	}
	s.timers.start(t)
}
