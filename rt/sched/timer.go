package sched

import (
	"time"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
	"heddle/trace/remains"
)

// Virtual time. Timers fire when nobody else can go on (the clock jumps to the
// next deadline), or, with Schedule.Free, at any moment once their turn by
// deadline has come: the pseudo goroutine "timers" (GID 1) is then one of those
// who can be chosen. Not so in executions that go by real time: a time-out that
// comes before the network could answer says nothing.

type timer struct {
	when, period int64
	seq          uint32
	pos          int   // index in the heap, -1 when not active
	started      int32 // Sched.rests then, or when it last ticked
	d            int64 // how long it was to run
	f            func(any, uintptr, int64)
	arg          any
	ch           *object
	sleeper      *G
	clock        trace.Clock
	site         trace.Site
	by           trace.GID // who armed it
	origin       []uintptr // the stack there, if the execution records
	library      bool      // the standard library armed it for itself; known in free time
}

func (s *Sched) resetTimers() {
	clear(s.timers)
	s.firing = nil
	s.timers = s.timers[:0]
	s.tseq, s.realTimers, s.ranOut = 0, false, false
	s.lateWake, s.fired = 0, -never
	s.early = s.early[:0]
	s.ticks.reset()
	s.cutOff = false
	s.rests = 0
}

// maxLateWakes bounds how often timers fire after the test is over: what is
// still served by timers then is neither blocked nor a leak.
const maxLateWakes = 100

// SleepOverflow is what a deadline that does not fit becomes.
const never = 1<<63 - 1

func (s *Sched) vnow() int64 {
	if !s.here() || s.unwind {
		return s.now
	}
	if hook.Real && !hook.Frozen {
		s.now++ // where the clock is ahead of the real one it would stand still
		return s.realTime()
	}
	if s.unsettled {
		s.enter() // writes before and after this count as two
		s.leave()
	}
	g := s.cur
	if g.nows++; g.steps != g.nowStep {
		g.nowStep = g.steps
		g.nows += nowsPerStep - 1
	}
	s.looked()
	step := s.takes(g)
	if s.exhaustive() {
		if step > 0 {
			s.enter()
			s.sleepOn(g, step, 0)
			s.leave()
		}
		return s.now + s.lookedAt(g)
	}
	if step > 0 && g.nows > spinNows && len(s.ready) > 1 {
		// A loop that polls until its time is over: what it waits for is up to those who can go on, and for them no time passes.
		s.enter()
		s.sleepOn(g, step, 0)
		s.leave()
		return s.now
	}
	if step > 0 {
		if len(s.timers) > 0 && s.now+step > s.timers[0].when {
			step = max(0, s.timers[0].when-s.now)
		}
		s.now += step
		if len(s.timers) > 0 && s.timers[0].when <= s.now {
			hg := s.enter()
			s.announce(hg, trace.OpNow, nil, 0)
			s.fireTimer(s.timers[0])
			s.reschedule(hg)
			s.leave()
		}
	} else if !hook.Frozen {
		s.nlooks++
		s.now += lookTime(s.nlooks) - lookTime(s.nlooks-1)
	}
	return s.now
}

// takes is how far the clock moves because of what g did since it looked last: nothing but that, or much work. It does not move
// for a timer's function, which looks once whenever it fires: within it no other timer may fire.
func (s *Sched) takes(g *G) int64 {
	switch step := s.owed; {
	case g == s.timerG:
		return 0
	case g.nows > spinNows:
		return spinStep(g)
	case hook.Frozen:
		return 0
	default:
		s.owed = 0
		return step
	}
}

// lookedAt is what is added to the time in exhaustive executions, so that two looks at the clock differ and later ones
// see a later time: how many moments led to this one. Equivalent executions have the same.
func (s *Sched) lookedAt(g *G) int64 {
	if !s.race || hook.Frozen {
		return 0
	}
	s.tick(g)
	g.ahead = lookTime(int64(g.clock[moments]))
	return g.ahead
}

// lookTime is what the first n looks at the clock take together. Two looks differ, as they do in reality, and programs count on it. The first ones take a
// microsecond each, which is what lies between two in a program that does something in between; were it so for later ones, a
// thousand would not be over within a millisecond, which programs count on too.
func lookTime(n int64) int64 { return n + min(n, longLooks)*(longLook-1) }

const (
	longLooks = 256
	longLook  = 1000 // ns
)

// exactly is a deadline that g has counted from the time as it saw it just now, counted from the clock.
func (g *G) exactly(when int64) int64 {
	if when != never {
		when -= g.ahead
	}
	return when
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
	if s.unwind {
		s.inert()
		s.leave()
		return
	}
	site := s.place(trace.PCSite(pc))
	g.nows = 0
	if d <= 0 {
		s.point(g, trace.OpSleep, nil, site)
		s.leave()
		return
	}
	s.event(g, trace.OpSleep, nil, d, site)
	s.sleepOn(g, d, site)
	s.leave()
}

// sleepOn suspends g for d; site is 0 where g only looks at the clock, see timer.looks.
func (s *Sched) sleepOn(g *G, d int64, site trace.Site) {
	s.startTimer(&timer{when: addTime(s.now, d), pos: -1, sleeper: g, site: site, by: g.id})
	s.announce(g, trace.OpSleep, nil, site)
	s.park(g)
}

func addTime(a, d int64) int64 {
	if a > 0 && d > never-a {
		return never
	}
	return a + d
}

func (s *Sched) timerStart(p unsafe.Pointer, when, period int64, f func(any, uintptr, int64), arg any, ch unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := s.place(trace.PCSite(pc))
	o, _ := s.object(p, trace.ObjTimer, site)
	when = g.exactly(when)
	t := &timer{when: when, period: period, pos: -1, f: f, arg: arg, site: site}
	if ch != nil {
		t.ch = s.channel(ch, 1, site)
		t.ch.known = true
		t.ch.cap = 1
	}
	o.timer = t
	s.event(g, trace.OpTimerStart, o, when-s.now, site)
	s.arm(g, t)
	s.leave()
}

func (s *Sched) arm(g *G, t *timer) {
	if s.race {
		t.clock = t.clock.Join(g.clock)
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
	s.leave()
	return active, true
}

func (s *Sched) timerReset(p unsafe.Pointer, when, period int64, pc uintptr) (active, ours bool) {
	g, t, o, ours := s.knownTimer(p, pc)
	if t == nil {
		return false, ours
	}
	active = s.stopTimer(t)
	when = g.exactly(when)
	t.when, t.period = when, period
	s.event(g, trace.OpTimerStart, o, when-s.now, trace.PCSite(pc))
	s.arm(g, t)
	s.leave()
	return active, true
}

// knownTimer is the beginning of stopping or resetting the timer at p: the hook was entered, and it is g's turn. t is nil
// where there is nothing to be done, and ours false if that is because the model does not know the timer.
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
	s.point(g, trace.OpTimerStop, o, site)
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
		s.removeTimer(t)
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
	if len(s.timers) == 0 || len(s.fails) > 0 { // whoever crashed could have gone on, and ended the program
		return false
	}
	s.rests++
	if s.rests%restsPerLook == 0 && s.expire() {
		return false // timers that let nobody make a step are bounded by time too
	}
	if s.confirmed() || s.recognised() {
		return false
	}
	if s.mainOver {
		if s.lateWake == 0 {
			s.restsAtEnd = s.rests
		}
		if s.lateWake >= maxLateWakes || hook.Real || s.onlyPeriodic() && !s.blocked() {
			return false
		}
		s.lateWake++
	}
	t := s.timers[0]
	if t.when == never || s.wakeNone() {
		return false
	}
	s.fired = t.when
	if hook.Real && !hook.Frozen {
		if ready, due := s.pollUntil(t.when); ready || !due {
			return ready
		}
	}
	if t.when > s.now {
		s.now = t.when
		if !hook.Frozen {
			// Whoever waits is woken a little later, as in reality: a sleep as
			// long as a time-out that began a moment after it outlasts it.
			s.now += wakeLatency
		}
	}
	if s.endless(t) {
		return false
	}
	if s.exhaustive() {
		s.fireDue(t.when)
	} else {
		s.fireTimer(t)
	}
	return true
}

// sameDue reports whether a timer is due at the same moment as the last one that fired. In a bubble of testing/synctest what waits
// for that moment goes on before all count as blocked.
func (s *Sched) sameDue() bool {
	return !hook.Real && len(s.timers) > 0 && s.timers[0].when == s.fired && len(s.fails) == 0
}

// Time that flows. Goroutines that keep each other busy, such as one that asks
// another for its state until that has changed, would keep the clock, and the
// ticker that would change it, from moving for ever. Where the clock has hardly
// moved for flowAfter steps it moves by flowBy every flowEvery steps, about as
// fast as in reality, and timers fire when their time has come.
const (
	flowAfter = 20_000
	flowEvery = 1_000
	lookEvery = 200 // before that: there are steps that take long, among a thousand goroutines at one channel
	flowBy    = 1_000_000
)

// passTime is called after n steps: at the step bound, and when it is time for the clock to flow. The time bound is looked at there too.
func (s *Sched) passTime(n int) {
	if n >= s.opt.Steps {
		s.stop(trace.Bounded)
		return
	}
	if s.expire() {
		return
	}
	if n < flowAfter && s.beats <= workAfter {
		s.pause = min(s.opt.Steps, n+lookEvery, flowAfter)
		return
	}
	s.pause = min(s.opt.Steps, n+flowEvery)
	switch {
	case s.exhaustive() || hook.Frozen:
		return
	case hook.Real:
		if s.outsiders() > 0 { // a loop that waits for one of them would keep him off the processor
			time.Sleep(pollEvery)
		}
		s.realTime()
		s.lookOutside()
	case s.owed > 0:
		s.now += s.owed
		s.owed = 0
	case s.now-s.flowed >= flowBy:
		s.flowed = s.now
		s.pause = min(s.opt.Steps, n+flowAfter)
		return
	default:
		s.now += flowBy
		// The next look finds that it has not moved by itself.
		s.flowed = s.now
	}
	s.firePast((n > longRun || s.beats > workAfter) && s.othersReady())
}

// firePast fires the timers whose time has come, each once. What they do may take time, as to look at the real clock does: what is
// due then waits for the next turn, or a ticker that is always due would never end it.
func (s *Sched) firePast(late bool) {
	for now := s.now; !s.over && len(s.timers) > 0 && s.timers[0].when <= now; {
		s.ranOut = s.ranOut || late && s.timers[0].sleeper == nil
		s.fireTimer(s.timers[0])
	}
}

// longRun is after how many steps an execution is so long that a time-out may come since heddle is slower than the program.
const longRun = 100_000

// othersReady reports whether somebody beside the running goroutine could go on and do more than look.
func (s *Sched) othersReady() bool {
	for _, id := range s.ready {
		if g := s.gs[id]; g != s.cur && g.idle == 0 {
			return true
		}
	}
	return false
}

// wakeLatency is how much later than its deadline a timer fires in virtual time: more than some looks at the clock take.
const wakeLatency = 50_000

// restsPerLook is how often the clock is asked between two looks at the time that the execution takes.
const restsPerLook = 1000

// blocked reports whether somebody waits for more than the clock: when main is
// over, whoever has a ticker may still let him go on.
func (s *Sched) blocked() bool {
	for _, g := range s.gs[:s.ngs] {
		if g.state == gBlocked || g.state == gParked && s.pend[g.id].Op != trace.OpSleep && !s.ServedByTimer(g.id) {
			return true
		}
	}
	return false
}

// wakeNone reports whether the timers that run let no goroutine go on, however often they fire: they send to channels at which none waits, and
// every goroutine waits for another.
func (s *Sched) wakeNone() bool {
	for _, t := range s.timers {
		if t.when == never {
			continue
		}
		if o := t.ch; o == nil || t.sleeper != nil || o.ch.recvq.first() != nil || len(o.ch.receivers) > 0 {
			return false
		}
	}
	if s.mainOver || hook.Real || s.spinners > 0 || s.idleTurn > 0 || s.awaiting > 0 || s.foreign() {
		return false
	}
	for _, g := range s.gs[:s.ngs] {
		if g.state != gDone && g.state != gBlocked && g.state != gParked {
			return false
		}
	}
	return true
}

// onlyPeriodic reports whether all that the timers do is to repeat themselves, as each has shown since main was over: what it serves may end
// at its next tick. An exhaustive execution does not wait for that.
func (s *Sched) onlyPeriodic() bool {
	for _, t := range s.timers {
		if t.period == 0 || !s.exhaustive() && t.started <= s.restsAtEnd {
			return false
		}
	}
	return true
}

// fireTimer does what t is for, as the pseudo goroutine "timers".
func (s *Sched) fireTimer(t *timer) {
	s.ranOut = s.ranOut || hook.Real && !hook.Frozen && t.sleeper == nil
	early := t.when - s.now
	if early > 0 {
		s.early = append(s.early, remains.Timer{Site: t.site, By: early, Origin: t.origin})
		s.now = t.when // whoever could have gone on before is late
	}
	t.started = s.rests
	if s.cycle != nil {
		s.cycle.fires.add(t)
	}
	if t.period > 0 {
		t.when = addTime(max(t.when, s.now-s.now%max(t.period, 1)), t.period)
		if t.when <= s.now {
			t.when = s.now + t.period
		}
		s.fixTimer(t)
	} else {
		s.removeTimer(t)
	}
	tg := s.timerG
	if s.race {
		c := tg.clock[tg.chain]
		tg.clock, tg.inLock = tg.clock.Copy(t.clock).Set(tg.chain, c+1), nil
	}
	s.event(tg, trace.OpTimerFire, nil, early, t.site)
	if g := t.sleeper; g != nil {
		s.wake(g, 0, 0)
		return
	}
	// f runs on the stack of whoever is in the scheduler, as "timers" and under control: its sends and go
	// statements are operations like any other, without choice.
	was := s.cur
	s.cur = tg
	s.win.reading++
	quiet := tg.quiet
	tg.quiet = true
	s.firing = t
	s.leave()
	t.f(t.arg, 0, 0)
	s.enter()
	s.firing = nil
	tg.quiet = quiet
	s.cur = was
	s.win.reading++
}

// mayFireEarly reports whether the next timer can be chosen like a goroutine,
// in free time. After one timer somebody else has a turn, or a policy that
// likes timers would fire a ticker for ever. In a bubble of testing/synctest none is ever early,
// nor are time-outs that the standard library chose: nobody is half a minute late with a connection.
func (s *Sched) mayFireEarly() bool {
	if !s.opt.Schedule.Free || hook.Real || hook.Frozen || len(s.timers) == 0 || s.timers[0].when == never || s.timers[0].looks() || s.timers[0].library || s.timers[0].when-s.now > earlyBy && !s.AnyTime || s.mainOver || len(s.early) >= maxEarly {
		return false
	}
	n := len(s.t.Steps)
	return n == 0 || s.t.Steps[n-1].G != s.timerG.id
}

// earlyBy is how much too early a timer fires at most, unless Sched.AnyTime: goroutines are slow, but not by the hour,
// and programs say "never" by long times.
const earlyBy = 60_000_000_000

// maxEarly bounds the timers that fire early in an execution. A function that
// sets its own timer again is a new goroutine every time: under a policy with
// priorities they could keep everybody else from going on until memory is out.
const maxEarly = 200

// withTimers returns the ready list with the pseudo goroutine "timers" at its end.
func (s *Sched) withTimers() []trace.GID {
	p := &s.pend[s.timerG.id]
	p.Op, p.Site, p.Seq = trace.OpTimerFire, s.timers[0].site, s.timers[0].seq|1<<31
	s.scratch = append(append(s.scratch[:0], s.ready...), s.timerG.id)
	return s.scratch
}

// fireEarly is the step of the pseudo goroutine "timers".
func (s *Sched) fireEarly() {
	*s.newStep() = trace.Step{G: s.timerG.id, Op: trace.OpTimerFire, Choice: -1, Default: s.fallback()}
	s.fireTimer(s.timers[0])
}

// The heap, ordered by deadline, then by order of starting.

func (s *Sched) startTimer(t *timer) {
	s.tseq++
	t.seq = s.tseq
	s.realTimers = s.realTimers || !hook.Frozen
	t.started, t.d = s.rests, t.when-s.now
	if s.opt.Record {
		t.origin = callers(2)
	}
	if s.opt.Schedule.Free {
		t.library = s.onBehalfOfLibrary()
	}
	if s.solo { // its firing lets somebody go on who need not know what was done since
		s.company()
	}
	t.pos = len(s.timers)
	s.timers = append(s.timers, t)
	s.up(t.pos)
}

func timerLess(a, b *timer) bool { return a.when < b.when || a.when == b.when && a.seq < b.seq }

func (s *Sched) swapTimers(i, j int) {
	h := s.timers
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}

func (s *Sched) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !timerLess(s.timers[i], s.timers[p]) {
			return
		}
		s.swapTimers(i, p)
		i = p
	}
}

func (s *Sched) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(s.timers) {
			return
		}
		if c+1 < len(s.timers) && timerLess(s.timers[c+1], s.timers[c]) {
			c++
		}
		if !timerLess(s.timers[c], s.timers[i]) {
			return
		}
		s.swapTimers(i, c)
		i = c
	}
}

func (s *Sched) fixTimer(t *timer) {
	s.tseq++
	t.seq = s.tseq
	s.up(t.pos)
	s.down(t.pos)
}

func (s *Sched) removeTimer(t *timer) {
	i := t.pos
	last := len(s.timers) - 1
	s.swapTimers(i, last)
	s.timers[last] = nil
	s.timers = s.timers[:last]
	t.pos = -1
	if i < last {
		s.up(i)
		s.down(i)
	}
}
