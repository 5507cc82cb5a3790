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

	"heddle/detect"
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/splitmix"
	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
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
	Plain    bool // record memory accesses that are no steps, of exhaustive executions
	Twins    bool // record which goroutines are alike, trace.Trace.Twins

	// Program says that main is a program, which ends with it (see exit.go), and not a test.
	Program bool

	// PastDeadlock lets an execution go on after a lock cycle that is known to be a deadlock.
	PastDeadlock bool

	// BeforeUnwind is called when the execution is over and goroutines are left that will be unwound.
	BeforeUnwind func()
}

// DefaultSteps bounds an execution where nothing else is said.
const DefaultSteps = 2_000_000

// VisibleMode says which memory accesses are scheduling points.
type VisibleMode uint8

const (
	VisibleSync VisibleMode = iota // none
	VisibleAuto                    // those at sites given to SetVisible
	VisibleAll
)

// A gstate says why a goroutine is where it is.
type gstate uint8

const (
	gReady    gstate = iota // in Sched.ready: its pending operation is enabled
	gBlocked                // its pending operation is not enabled (locks, WaitGroup, Once)
	gParked                 // arrived at a channel, Cond or timer and waits there for a partner
	gYielded                // ready again as soon as somebody else made a step
	gSpinning               // waits until something it read is written
	gIdle                   // waits until everybody else is blocked
	gAwaits                 // waits until something its loop read is written (exhaustive executions)
	gOutside                // waits for somebody outside control, see outside.go
	gDone
)

// A G is a goroutine under test.
type G struct {
	id    trace.GID
	state gstate
	fn    func()
	w     *worker // whose stack it runs on
	clock trace.Clock
	chain trace.Chain    // its entry in clocks
	held  []heldReceiver // whose calls wait for their arguments
	at    *object        // what the pending operation is about
	quiet bool           // the pending operation is no scheduling point

	asks   *object // whose state the pending operation depends on, nil if it is always enabled
	asksAt int     // its index in asks.announced

	// inLock: all that g knows of others is in the clock of this mutex, as long
	// as that only grows (see acquireLock).
	inLock      *object
	inLockSince uint32

	goPC     uintptr        // where it was started
	args     []any          // of its go statement, if asked for
	origin   []uintptr      // the stack there, if the execution records
	uses     trace.Site     // where it uses a connection or pipe just now
	labels   unsafe.Pointer // of profiles, as the runtime keeps them
	children int32          // goroutines it has started
	allocs   int32          // allocations it has announced

	touched uint32 // its clock when it last did what others must know of to be in order with it: accesses, calls of Wait
	filed   int    // steps of the execution when it last announced that it uses a file

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
	beyond  uint64 // likewise those whom it may meet
	since   uint32 // Sched.jumps when it was announced
	arrival uint32 // order of arrival where that is a step, 0 elsewhere
	crashed bool
	woken   int32       // index of the event that woke it from a Cond
	signal  trace.Clock // what was known then to who did; others who signal later, before it goes on, tell it nothing

	// Polling loops, see poll.go.
	iterations []iteration // under way, the innermost last
	spoilt     int         // of them, the first: they changed something
	looked     []look      // what the others looked at
	awaits     []look      // in gAwaits: what is to change

	// Spinning, see spin.go.
	idle      int32
	idleLimit int32
	looks     [16]trace.ObjID // objects it has looked at last
	lookAt    int
	nows      int32 // looks at the clock since it changed something
	nowStep   int32 // steps it had made at the last one
	ahead     int64 // what the last one added to the clock, see lookedAt

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

// Sched is the scheduler and the state of the running execution.
type Sched struct {
	opt Options
	t   trace.Trace

	gs    []*G
	ngs   int
	cur   *G
	ready []trace.GID     // ascending
	pend  []trace.Pending // indexed by GID
	seq   uint32
	prev  trace.GID // who made the last step

	driver   worker
	dg       G
	free     []*worker
	verdict  trace.Verdict
	exited   bool // the program came to its end
	over     bool // nobody may go on: back to the driver
	mainOver bool
	unwind   bool
	unwound  int
	stacks   bool

	objs    []*object
	nobj    int
	tab     objTable
	allocs  []alloc
	runs    []int // see sortAllocs
	made    madeAt
	spare   []alloc // for sorting
	dropped bool    // the allocation log is full

	race     bool
	shadow   detect.Shadow
	lent     lent // to code that is not rewritten
	unseen   []trace.Unseen
	races    []remains.Race
	fails    []*remains.Failure
	accessed map[accessor][]uintptr // of an execution that records: stacks of accesses at watched sites
	win      windowed

	now        int64
	untilBeat  int32    // see work.go
	beats      int      // of this execution
	owed       int64    // time that its work has taken and that has not passed yet
	timers     []*timer // heap by (when, seq)
	firing     *timer   // whose function runs
	tseq       uint32
	realTimers bool // a timer was started outside of the bubbles of testing/synctest
	ranOut     bool // a timer that is no sleep fired by real time, or in a very long execution while others could go on
	timerG     *G
	lateWake   int   // timers fired after the test was over
	fired      int64 // when the last timer was due that fired because all were blocked
	ticks      ticks
	pause      int       // after how many steps the clock is looked at again, or the execution is bounded
	begun      time.Time // of the running execution, if there is a time bound
	nlooks     int64     // at the clock, that moved it by themselves
	flowed     int64     // the clock when it was looked at last
	rests      int32     // how often nobody was ready and the clock was asked
	restsAtEnd int32     // rests when main was over
	cutOff     bool      // the execution timed out since main waits for what nothing that goes on can reach
	reach      reach
	excused    map[uint64]int // situations of the test in which nothing was stuck, see situation
	early      []remains.Timer
	scratch    []trace.GID
	byName     map[string]trace.GID // of goroutines, for schedules that name them
	named      int

	k           int       // position in the prefix
	run         int       // steps in a row by prev
	stops       int       // how often prev could not go on
	served      trace.GID // who has had the last turn, see fairFrom
	idleTurn    int
	idleRounds  int
	progress    uint32 // counts events that changed something
	idleAt      uint32 // progress at the last round of idlers
	rng         splitmix.Stream
	drawn       int // draws of this execution that were choices
	Lose, lost  int // how many packets of an execution may be lost, and were
	lazyVal     lazyValue
	solo        bool      // nobody else can go on, see solo.go
	untilSolo   uint32    // accesses to be told until that is asked again
	unsettled   bool      // settle has something to do
	sawForeign  bool      // somebody outside control took part
	outsideWait []uintptr // the stack of who first waited for the kernel
	born        bool      // goroutines outside control were started in this execution
	strangers   int       // of them when it began
	vain        int       // short polls in vain, over all executions
	workers     int       // coroutines alive
	gc          uint32    // collections before the race detector began afresh
	gcBefore    uint32    // collections before this execution
	still       bool      // what is done now changes nothing
	spinners    int
	waiters     int // goroutines in gOutside
	chains      chains
	ioClock     trace.Clock // released by writing files

	cycle       *lockCycle             // the first of the running execution
	unstopped   []uintptr              // see Unstopped
	files       files                  // what it did to names
	filesBefore bool                   // names do not tell files apart, by what was done before or between executions
	knownCycles map[uint64]remains.End // of earlier executions, see cycle.go
	learnt      bool                   // one became known in the running execution
	knownWaits  map[trace.Pending]bool // of main, in executions that timed out before
	handedOver  bool                   // a lock was released by another goroutine than its owner
	visited     []*G                   // by pathTo

	// Exhaustive executions.
	jumps      uint32 // of the clock, and other moments at which nobody could go on
	round      uint64 // see refreshOffers
	arrivals   uint32
	awaiting   int         // goroutines in gAwaits
	follow     *trace.Step // what the step just chosen follows, nil after the prefix
	wants      trace.Step
	guideWays  []trace.Way // see guided
	chansNamed int         // see nameChannels
	ways       []meeting
	polled     siteSet
	newPolled  []trace.Site

	diverged *Divergence
	strayed  int // steps made that are not the prefix's, see trace.Schedule.Rejoin
	visible  siteSet
	watched  siteSet
	pcs      pcTable

	// Format prints a recorded value; set by rt/drive.
	Format    func(v any) string
	log       Log
	counts    *wire.CrashCounts // of log, or nobody's
	longSteps []trace.Step      // of an execution that the log had no room for

	// Waiting, unless nil, is called where the execution is about to wait for what is outside control.
	Waiting func()
	// AnyTime lets timers fire early by any amount of time in free time.
	AnyTime bool
}

// A Log is memory that outlives a process that dies. The goroutines and steps
// of the running execution are kept in it as long as it has room.
type Log interface {
	// Goroutines and Steps return the memory, of at least n if there is that
	// much: always the same, with more behind it.
	Goroutines(n int) []trace.Goroutine
	Steps(n int) []trace.Step
	Counts() *wire.CrashCounts
}

// S is the scheduler of this process.
var S = &Sched{counts: new(wire.CrashCounts)}

// A Divergence says where a schedule did not fit.
type Divergence struct {
	Step     int // index in the schedule
	Want     trace.Step
	Got      trace.Pending // what the goroutine was about to do
	GotOK    bool          // the goroutine existed
	Enabled  bool
	NoChoice bool // a choice was expected and none was asked for, or the other way round
}

// enter begins a hook: the hooks are off until leave.
func (s *Sched) enter() *G {
	hook.Cur = 0
	if s.unsettled {
		s.settle()
	}
	return s.cur
}

// settle does what was put off until the running goroutine enters the scheduler again.
func (s *Sched) settle() {
	s.unsettled = false
	s.endWindow()
	if s.lazyVal.p != nil {
		s.takeValue()
	}
}

// leave ends a hook: the running goroutine is under control again.
func (s *Sched) leave() { hook.Cur = getg() }

// reset makes s ready for a new execution.
func (s *Sched) reset(opt Options) {
	s.opt = opt
	if s.opt.Steps == 0 {
		s.opt.Steps = DefaultSteps
	}
	t := &s.t
	t.Events, t.Values = t.Events[:0], t.Values[:0]
	s.resetSteps()
	t.Objects = t.Objects[:0]
	s.ngs, s.ready, s.pend = 0, s.ready[:0], s.pend[:0]
	s.seq, s.prev, s.run, s.stops, s.served = 0, trace.NoG, 0, 0, trace.NoG
	s.verdict, s.over, s.mainOver, s.unwind, s.unwound, s.exited = trace.Finished, false, false, false, 0, false
	s.resetObjects()
	s.allocs, s.runs, s.dropped = s.allocs[:0], s.runs[:0], false
	s.made.reset()
	s.race = opt.Race
	if s.race {
		s.shadow.Reset()
	}
	s.resetLent()
	s.resetWindow()
	s.untilSolo = SoloAfter
	clear(s.accessed)
	s.races, s.fails, s.diverged = s.races[:0], s.fails[:0], nil
	s.strayed = 0
	t.Plain = t.Plain[:0]
	t.Ways = t.Ways[:0]
	t.Offers, t.Left, t.Compares, t.Twins, t.Crashed, t.Spun = t.Offers[:0], t.Left[:0], t.Compares[:0], t.Twins[:0], t.Crashed[:0], false
	hook.WantArgs = opt.Twins
	s.jumps, s.arrivals, s.awaiting, s.follow, s.newPolled = 0, 0, 0, nil, s.newPolled[:0]
	s.now = 0
	s.resetTimers()
	s.resetWork()
	s.named, s.chansNamed = 0, 0
	clear(s.byName)
	s.pause, s.flowed = min(s.opt.Steps, lookEvery), 0
	if opt.Longest > 0 {
		s.begun = time.Now()
	}
	s.k, s.idleTurn, s.progress, s.sawForeign, s.born = 0, 0, 0, false, false
	s.outsideWait = nil
	s.strangers, s.gc = s.outsiders(), numgc()
	s.gcBefore = s.gc
	s.spinners, s.idleRounds, s.idleAt, s.waiters = 0, 0, 0, 0
	s.ioClock = s.ioClock[:0]
	s.cycle, s.learnt = nil, false
	s.files = files{}
	s.drawn, s.lost = 0, 0
	s.rng = splitmix.Stream(opt.Schedule.Seed*0x9e3779b97f4a7c15 + 0x1234567)
	s.lazyVal = lazyValue{}
	hook.Rec, hook.Real, hook.Measured, hook.Children = opt.Record, opt.Real, false, false
	hook.Polls = s.exhaustive()
	hook.Snap = opt.Visible == VisibleAll || opt.Visible == VisibleAuto && s.visible.n > 0
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
	s.resetFlow()
	s.dg = G{}
	s.dg.id, s.dg.w = trace.NoG, &s.driver
	s.driver.gp = getg()
	s.chains.reset()
	g := s.newG(trace.NoG, 0, main, 0)
	s.timerG = s.newG(trace.NoG, 1, nil, 0)
	s.chains.begin(g, nil)
	s.chains.begin(s.timerG, nil)
	s.timerG.state = gDone
	s.setReady(g, trace.OpStart, nil, 0)
	s.cur = &s.dg
	hook.Cur = 0
	hook.On = true
	if next := s.choose(); next != &s.dg { // a guide may end it before it begins
		s.switchTo(next)
	}
	// Nobody can go on, or somebody stopped the execution.
	s.born = s.outsiders() > s.strangers
	if opt.Exprs {
		flow.Settle()
	}
	s.finish()
	hook.On = hook.Strangers // what they touch between executions is noted too
	hook.Cur = 0
	s.t.Verdict = s.verdict
	return &s.t
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
	if s.unwind {
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
}

// await is point for an operation that may be disabled: enabled is asked again
// whenever o changes (see refresh).
func (s *Sched) await(g *G, op trace.Op, o *object, site trace.Site) {
	if s.unwind {
		s.unwinding()
	}
	site = s.place(site)
	g.quiet = site.Quiet()
	ok := o.enabled(op, g)
	if ok && g.quiet {
		return
	}
	s.announce(g, op, o, site)
	o.ask(g)
	if !ok {
		s.unready(g, gBlocked)
		s.closesCycle(g)
	}
	s.reschedule(g)
	o.withdraw(g)
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

// insert puts g into the ready list, in order of creation.
func (s *Sched) insert(g *G) {
	if g.state == gReady && len(s.ready) > 0 && s.inReady(g.id) {
		return
	}
	g.state = gReady
	if s.solo && g != s.cur {
		s.company()
	}
	i := len(s.ready)
	s.ready = append(s.ready, g.id)
	for i > 0 && s.ready[i-1] > g.id {
		s.ready[i] = s.ready[i-1]
		i--
	}
	s.ready[i] = g.id
}

func (s *Sched) inReady(id trace.GID) bool {
	lo, hi := 0, len(s.ready)
	for lo < hi {
		m := (lo + hi) / 2
		if s.ready[m] < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(s.ready) && s.ready[lo] == id
}

// unready takes g out of the ready list.
func (s *Sched) unready(g *G, why gstate) {
	if g.state == gReady {
		for i, id := range s.ready {
			if id == g.id {
				copy(s.ready[i:], s.ready[i+1:])
				s.ready = s.ready[:len(s.ready)-1]
				break
			}
		}
	}
	g.state = why
}

// reschedule chooses who goes on, and returns when that is g, the running goroutine.
func (s *Sched) reschedule(*G) { s.switchTo(nil) }
