// Package sched runs a program under test one goroutine at a time and decides
// at every visible operation which one goes on. It holds the models of Go's
// synchronisation (one file each), fills the function variables of rt/hook,
// and leaves a trace behind.
//
// There is one scheduler in a process, since the program under test reaches it
// through the package-level hooks. The scheduler is not a goroutine: it is the
// code that the goroutine which announces an operation runs before it either
// goes on or hands over to another (see switchTo). Every goroutine under test
// is a coroutine, so a switch costs one coroswitch.
//
// It is compiled into the program under test. Between enter and leave the
// hooks are off (hook.Cur is 0), so standard library code called from here is
// not under control; the hot path calls none.
package sched

import (
	"time"
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched/addrs"
	"heddle/rt/sched/alloclog"
	"heddle/rt/sched/filenames"
	"heddle/rt/splitmix"
	"heddle/rt/wire"
	"heddle/trace"
)

// Options are what one execution needs beside its schedule.
type Options struct {
	Schedule *trace.Schedule
	Policy   policy.Policy // what chooses after the prefix; its Begin was called
	Steps    int           // step bound; 0 is DefaultSteps
	Longest  time.Duration // time bound; 0: none
	Until    time.Time     // when it is to end whatever it is at; zero: never
	Full     func() bool   // reports whether the memory bound is reached; nil: there is none
	Race     bool          // detect data races
	Known    Races         // of which no more is to be told than that they are there
	Visible  VisibleMode
	Record   bool // keep values and the stacks of all events
	Values   bool // keep the values of memory accesses that are steps
	Real     bool // go by real time, see outside.go
	Flow     bool // record data flow, where the program is built for it
	Exprs    bool // of it expressions over inputs, where the program is built for them; with Flow
	Few      bool // with Exprs: see flow.Few
	Plain    bool // record memory accesses that are no steps, of exhaustive executions
	Hushed   bool // with Plain: those of quiet packages too
	Stacks   bool // keep the stacks of events, see eventstacks.go; with Record
	Twins    bool // record which goroutines are interchangeable, trace.Trace.Twins
	Vouched  bool // with Twins: by their arguments alone

	// Debug, if not nil, tells a debugger where the execution is; with Record.
	Debug *wire.DebugView

	// Program says that main is a program, which ends with it (see exit.go), and not a test.
	Program bool

	// PastDeadlock lets an execution go on after a lock cycle that is known to be a deadlock.
	PastDeadlock bool

	// BeforeUnwind is called when the execution is over and goroutines are left that will be
	// unwound.
	BeforeUnwind func()
}

// DefaultSteps bounds an execution where nothing else is said.
const DefaultSteps = 2_000_000

// A gstate says why a goroutine is where it is.
type gstate uint8

const (
	gReady    gstate = iota // in Sched.ready: its pending operation is enabled
	gBlocked                // its pending operation is not enabled (locks, WaitGroup, Once)
	gParked                 // arrived at a channel, Cond or timer and waits there for a partner
	gYielded                // ready again as soon as another one made a step
	gSpinning               // waits until something it read is written
	gIdle                   // waits until all others are blocked
	// waits until something its loop read is written (exhaustive executions)
	gAwaits
	gOutside // waits for what is outside control, see outside.go
	gDone
	gMany // gReady or gBlocked, as Sched.ready says: one of many that wait for an object, see crowd.go
)

// A G is a goroutine under test.
type G struct {
	id    trace.GID
	st    gstate // see state
	fn    func()
	w     *worker // whose stack it runs on
	clock trace.Vector
	chain trace.Chain    // its entry in clocks
	now   trace.Epoch    // its moment: its chain, and the entry of that in clock
	first trace.Epoch    // its first one
	held  []heldReceiver // whose calls wait for their arguments
	at    *object        // what the pending operation is about
	quiet bool           // the pending operation is no scheduling point

	work workload // if the execution is exhaustive, see there

	asks   *object // whose state the pending operation depends on, nil if it is always enabled
	asksAt int     // its index in asks.announced, or in asks.crowds if it is in gMany

	// inLock: all that g knows of others is in the clock of this mutex, as long
	// as that only grows (see acquireLock).
	inLock      *object
	inLockSince uint32
	// knows: all that g knows of others was known at this moment of another goroutine, which then
	// let its clock go; 0: that is not known (see chains.covers).
	knows trace.Epoch

	goPC     uintptr        // where it was started
	bubble   bool           // it belongs to a bubble of testing/synctest
	kin      kin            // if Options.Twins
	origin   []uintptr      // the stack there, if the execution records
	stack    int32          // of its pending operation, see eventstacks.go
	call     trace.Call     // the program's own call that led to pending, see noteCall
	uses     trace.Site     // where it uses a connection or pipe just now
	labels   unsafe.Pointer // of profiles, as the runtime keeps them
	children int32          // goroutines it has started
	allocs   int32          // allocations it has announced
	heads    heads          // of its loops, see head.go
	draws    bool           // it has drawn, from rng
	rng      splitmix.Stream

	// its clock when it last did what others must know of to be in order with it: accesses, calls
	// of Wait
	touched uint32
	filed   int // steps of the execution when it last announced that it uses a file

	// A parked goroutine's wait, and what a partner left there.
	waitSeq  uint32 // counts waits that are over: waiters with another seq are stale
	act      hook.Act
	chosen   int
	repeat   bool // the hook is called again for the same operation
	condMark bool
	ticket   bool  // waits at a Cond with a native ticket too
	steps    int32 // steps it has made

	// Exhaustive executions, see offers.go and exhaustive.go.
	offers  []offer
	polls   bool   // the announced operation is a select with default
	served  bool   // a partner completed the announced operation
	asked   uint64 // the round in which it was asked last whether it can go on, see refreshOffers
	beyond  uint64 // likewise those that it may meet
	since   uint32 // Sched.jumps when it was announced
	arrival uint32 // order of arrival where that is a step, 0 elsewhere
	crashed bool
	woken   int32 // index of the event that woke it from a Cond
	// what was known then to the one that did; others that signal later, before it goes on, tell it
	// nothing
	signal trace.Vector

	// Polling loops, see poll.go.
	iterations []iteration // under way, the innermost last
	spoilt     int         // of them, the first: they changed something
	looked     []look      // what the others looked at
	loans      []loan      // locks that the others have taken, see loan.go
	awaits     []look      // in gAwaits: what is to change
	kept       bool        // in gAwaits: goes on no more, see trace.Schedule.NoRetry

	// Spinning, see spin.go.
	idle      int32
	idleLimit int32
	looks     [16]trace.ObjID // objects it has looked at last
	lookAt    int
	nows      int32       // looks at the clock since it changed something
	ranges    int32       // over maps, see mapOrder
	nowStep   int32       // steps it had made at the last one
	arming    bool        // it has looked to start a timer
	armedAt   flow.Moment // where the clock stood then
	ahead     int64       // what the last one added to the clock, see lookedAt

	outside func() bool // what a goroutine in gOutside waits for
	flow    flow.G
	sends   int // the case of its select that it sends by

	outcome, outcomes int  // the last of a choice, and how often it came in a row, see fair
	others            bool // it could have gone on in another way since it changed something

	endStack []uintptr // where it was when the execution ended
	mark     int       // its state when the execution ended
	left     bool      // it had not ended then
	alive    bool      // and may go on after that, see reach.go
}

// Sched is the scheduler. What belongs together is in a part with its own state and reset, which
// knows nothing of the others: it gets what it needs handed.
type Sched struct {
	opt Options
	t   recorder // recorder.go

	gs     []*G // those behind its length are kept for later executions
	cur    *G   // the one that runs
	ready  policy.Ready
	pend   []trace.Pending // indexed by GID
	seq    uint32          // operations announced
	timerG *G              // what timers do, it does
	dg     G               // stands for the caller of Run
	coros  coroutines

	over     bool // no goroutine may go on: back to the driver
	ending   ending
	sites    visibility
	lazy     lazyValue // record.go
	objs     objects
	replay   replay
	turns    turns  // ready.go
	idle     idling // spin.go
	changing changing
	vtime    virtualTime
	spans    spans
	work     workload // vtime.go
	timers   timers
	ticks    ticks // endless.go
	draws    draws // choices.go
	texts    texts // text.go
	guide    guiding
	offers   offerBook // channels of exhaustive executions
	locks    lockGraph // cycle.go
	outside  outside
	findings // what the execution left
	lessons  // what earlier executions of the test taught
	allocs   alloclog.Log
	given    addrs.Table // see hook.AllocGiven
	files    filenames.Names
	reach    reach
	det      detector // of races
	stacks   eventStacks
	twins    twins
	pcs      pcTable // place.go
	valued   int     // accesses of Trace.Plain of which noteValues has filled in what is written

	// Format prints a recorded value; set by rt/drive.
	Format func(v any) string
	// Waiting, unless nil, is called where the execution is about to wait for what is outside
	// control.
	Waiting func()
	// AnyTime lets timers fire early by any amount of time in free time.
	AnyTime bool
	// Lose is how many packets of an execution may be lost.
	Lose int
}

// S is the scheduler of this process.
var S = &Sched{t: recorder{counts: new(wire.CrashCounts)}}

// enter begins a hook: the hooks are off until leave.
func (s *Sched) enter() *G {
	hook.Cur = 0
	if hook.Unsettled {
		s.settle()
	}
	return s.cur
}

// settle does what was put off until the running goroutine enters the scheduler again.
func (s *Sched) settle() {
	hook.Unsettled = false
	hook.WatchWrites = true
	s.endWindow()
	if hook.Shallow != hook.Unwritten {
		s.cur.heads.wrote(hook.Shallow)
		hook.Shallow = hook.Unwritten
	}
	if s.lazy.p != nil {
		s.takeValue()
	}
}

// leave ends a hook: the running goroutine is under control again.
func (s *Sched) leave() { hook.Cur = getg() }

// reset makes s ready for a new execution, part by part.
func (s *Sched) reset(opt Options) {
	s.opt = opt
	if s.opt.Steps == 0 {
		s.opt.Steps = DefaultSteps
	}
	s.gs, s.pend, s.seq = s.gs[:0], s.pend[:0], 0
	s.ready.Clear()
	s.over, s.ending = false, ending{}
	s.t.reset()
	s.valued = 0
	s.findings.reset()
	s.objs.reset()
	s.allocs.Reset(s.exhaustive())
	s.given.Empty()
	s.files.Reset()
	s.det.reset(opt.Race)
	s.lazy = lazyValue{}
	s.vtime.reset(&s.opt)
	s.spans.reset()
	s.work.reset()
	s.timers.reset()
	s.ticks.reset()
	s.replay.reset(opt.Schedule)
	s.turns.reset()
	s.idle = idling{}
	s.draws.reset(opt.Schedule.Seed)
	s.texts.reset()
	s.guide.named = 0
	s.offers.reset(s.replay.ofClip())
	s.stacks = eventStacks{}
	s.locks.reset()
	s.outside.reset(s.outsiders())
	s.twins.reset(opt.Twins && !opt.Vouched)
	hook.WantArgs = opt.Twins
	hook.Rec, hook.Real, hook.Measured, hook.Children = opt.Record, opt.Real, false, false
	hook.Common, hook.OwnNames = false, hook.OwnNames[:0]
	hook.Polls = s.exhaustive()
	hook.Snap = !s.sites.none(opt.Visible)
}

// Run runs main as the goroutine "main" of one execution and returns its
// trace, which the next Run overwrites. It is called by a goroutine outside
// control. What was found is in Failure, Races and the trace's verdict.
func (s *Sched) Run(main func(), opt Options) *trace.Trace {
	hook.Execution++
	hook.Live = hook.Execution
	mine(true)
	s.reset(opt)
	install()
	if s.heed(); s.needless() {
		s.ignore()
	}
	s.det.only = opt.Race && !opt.Record && !opt.Plain && !s.twins.on && s.sites.none(opt.Visible)
	s.resetFlow()
	s.changing.begin(s.opt.Plain && !s.opt.Flow && s.exhaustive())
	s.dg = G{}
	s.dg.id, s.dg.w = trace.NoG, &s.coros.driver
	s.coros.driver.gp = getg()
	g := s.newG(trace.NoG, 0, main, 0)
	s.timerG = s.newG(trace.NoG, 1, nil, 0)
	s.det.chains.begin(g, new(trace.Vector))
	s.det.chains.begin(s.timerG, new(trace.Vector))
	s.timerG.st = gDone
	s.setReady(g, trace.OpStart, nil, 0)
	s.cur = &s.dg
	hook.Cur = 0
	hook.On = true
	if next := s.choose(); next != &s.dg { // a guide may end it before it begins
		s.switchTo(next)
	}
	// No goroutine can go on, or the execution was stopped.
	s.pause(wire.PauseEnd)
	s.outside.born = s.outsiders() > s.outside.strangers
	if opt.Exprs {
		flow.Settle()
	}
	s.finish()
	hook.Between() // what they touch between executions is noted too
	hook.Cur = 0
	s.t.Verdict = s.verdict
	return &s.t.Trace
}

// point announces that g is about to do op on o and returns when g was chosen
// to do it. The operation is always enabled.
func (s *Sched) point(g *G, op trace.Op, o *object, site trace.Site) {
	if s.offer(g, op, o, site) {
		s.reschedule(g)
	}
}

// offer is the first half of point. It reports whether there is a choice to
// make: the caller must call reschedule, and saves a call on the way back.
func (s *Sched) offer(g *G, op trace.Op, o *object, site trace.Site) bool {
	if s.ending.on {
		s.unwinding()
	}
	if site.PC() != 0 {
		site = s.place(site)
	}
	if site.Quiet() || g == s.timerG {
		g.quiet = true
		return false
	}
	g.quiet = false
	s.announce(g, op, o, site)
	return true
}

func (s *Sched) announce(g *G, op trace.Op, o *object, site trace.Site) {
	s.seq++
	p := &s.pend[g.id]
	p.Op, p.Site, p.Seq, p.Obj = op, site, s.seq, 0
	if o != nil {
		p.Obj = o.id
	}
	g.at = o
	if s.opt.Record {
		s.noteAnnounced(g, site)
	}
}

// noteAnnounced is announce in an execution that records.
func (s *Sched) noteAnnounced(g *G, site trace.Site) {
	if s.opt.Stacks {
		s.announced(g)
	}
	s.noteCall(g, site)
}

// await is point for an operation that may be disabled: enabled is asked again
// whenever o changes (see refresh).
func (s *Sched) await(g *G, op trace.Op, o *object, site trace.Site) {
	if next := s.request(g, op, o, site); next != nil {
		s.switchTo(next)
		s.withdraw(g, o)
	}
}

// request is the first half of await. It returns the goroutine that goes on, nil if that is g: the
// caller must switch to it, and withdraw g then.
func (s *Sched) request(g *G, op trace.Op, o *object, site trace.Site) *G {
	if s.ending.on {
		s.unwinding()
	}
	site = s.place(site)
	g.quiet = site.Quiet()
	ok := o.enabled(op, g)
	if ok && g.quiet {
		return nil
	}
	s.announce(g, op, o, site)
	if !ok {
		s.unready(g, gBlocked)
		s.ask(g, o)
		if path := s.locks.closed(g, s.pend); path != nil && len(s.fails) == 0 {
			// unless a goroutine crashed: it could have unlocked, and ends the program first
			s.formed(path)
		}
	}
	next := s.choose()
	switch {
	case next != g:
		if ok { // else it asks already
			s.ask(g, o)
		}
		return next
	case !ok:
		s.withdraw(g, o)
	}
	return nil
}

// park suspends g, which has arrived somewhere and waits for a partner to call wake.
func (s *Sched) park(g *G) {
	s.unready(g, gParked)
	s.reschedule(g)
}

// wake lets a parked goroutine go on.
func (s *Sched) wake(g *G, act hook.Act, chosen int) {
	g.waitSeq++
	g.act, g.chosen = act, chosen
	s.setReady(g, trace.OpResume, nil, s.pend[g.id].Site)
}

func (s *Sched) setReady(g *G, op trace.Op, o *object, site trace.Site) {
	s.announce(g, op, o, site)
	s.insert(g)
}

// insert puts g into the ready list.
func (s *Sched) insert(g *G) {
	if g.state() == gReady && s.ready.Has(g.id) {
		return
	}
	s.uncrowd(g)
	g.st = gReady
	if s.det.solo && g != s.cur {
		s.company()
	}
	s.ready.Insert(g.id)
}

// unready takes g out of the ready list.
func (s *Sched) unready(g *G, why gstate) {
	if g.state() == gReady {
		s.ready.Remove(g.id)
	}
	s.uncrowd(g)
	g.st = why
}

// reschedule chooses the goroutine that goes on, and returns when that is g, the running goroutine.
func (s *Sched) reschedule(*G) { s.switchTo(nil) }
