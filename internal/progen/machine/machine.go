// Package machine executes the programs of package progen under rt/sched, calling the hooks that
// the rewritten Go text of the program would call. It needs no compiler, so a test can make many
// thousand executions a second.
package machine

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"heddle/internal/progen"
	"heddle/rt/hook"
	"heddle/rt/policy"
	"heddle/rt/sched"
	"heddle/trace"
)

// A Machine executes one program. A process has one scheduler, so only one Machine may run at a
// time.
type Machine struct {
	// Policy chooses after the prefix of a schedule; nil: the one that the schedule names.
	Policy policy.Policy
	// OneShot makes a polling loop try once, and block for good if that fails. So the number of
	// interleavings is finite even if the scheduler does not know such loops. An outcome whose
	// loop could continue in the end does not count.
	OneShot bool
	// Sync makes accesses to plain variables no scheduling points; races on them are still
	// detected.
	Sync bool
	// Free lets Exhaust cover free time.
	Free bool
	// Values records what memory accesses read and write.
	Values bool
	// Flow records data flow, as code rewritten for it would: see flow.go.
	Flow bool
	// Twins records which goroutines are interchangeable. Outcomes then do not tell which of the
	// goroutines did what that one go statement started with one value.
	Twins bool
	// Inputs are the inputs of the program.
	Inputs []int
	// Exprs records values as expressions over inputs: see inputs.go.
	Exprs bool
	// Patience is how many iterations of a polling loop may fail before they are announced as such,
	// so that the goroutine may wait at the end of the next ones.
	Patience int
	// Local, if not nil, is called with each local state that a goroutine reaches: its registers,
	// and its next statement, 0 at the end.
	Local func(name string, regs [progen.Registers]int, at int)

	p       *progen.Program
	vars    []int
	maps    []map[int]int
	atomics []int64
	mutexes []mutex
	rws     []rwMutex
	chans   []chan int
	slots   []chan struct{} // in their place, if the program has such
	conds   []object
	groups  []group
	onces   []once
	timers  []*timer
	alive   int64 // loaded before a panic

	polled  []trace.Site // sides of unbuffered channels that are polled, see sched.SetPolled
	root    *frame
	trace   *trace.Trace
	started []*timer // by AfterFunc, time.After and NewTimer; they live until the end of the execution
	first   policy.Policy
}

// The objects have the sizes of Go's, since rt/sched resets the native ones.
type (
	object [24]byte
	mutex  struct {
		object
		held bool
	}
	rwMutex struct{ object }
	group   struct {
		object
		n int
	}
	once struct {
		object
		done bool
	}
	timer struct {
		object
		c chan int
	}
)

// A frame is a goroutine, or a call of a function by Once. Frames form a tree, which later
// executions reuse.
type frame struct {
	name  string
	role  string // in place of the name, if Machine.Twins
	used  bool   // in this execution
	ended bool
	polls *progen.Stmt // the loop that gave up, see OneShot
	// it is in a polling loop, in an iteration beyond those that Patience lets be events
	patient bool
	at      int // the current statement
	panics  string
	regs    [progen.Registers]int
	from    [progen.Registers]trace.Label // labels of the registers
	kids    []*frame
	nkids   int
}

// New returns a machine for p.
func New(p *progen.Program) *Machine {
	first, _ := policy.New("first", 0)
	return &Machine{
		p: p, root: &frame{name: "main"}, first: first,
		vars: make([]int, p.Vars), maps: make([]map[int]int, p.Maps),
		atomics: make([]int64, p.Atomics), mutexes: make([]mutex, p.Mutexes),
		rws:   make([]rwMutex, p.RWs),
		chans: make([]chan int, len(p.Chans)), slots: make([]chan struct{}, len(p.Chans)),
		conds:  make([]object, len(p.Conds)),
		groups: make([]group, p.Groups),
		onces:  make([]once, p.Onces), timers: make([]*timer, len(p.Timers)),
	}
}

// maxSteps bounds an execution. Programs of package progen have far fewer steps.
const maxSteps = 500000

// Execute runs the program once. Every access to a plain variable is a scheduling point unless
// Sync is set. The next call overwrites the trace.
func (m *Machine) Execute(_ context.Context, s *trace.Schedule) (*trace.Trace, error) {
	pol := m.Policy
	if pol == nil {
		pol = m.first
		if s.Policy != "" && s.Policy != "first" {
			var err error
			if pol, err = policy.New(s.Policy, s.Depth); err != nil {
				return nil, err
			}
		}
	}
	// A machine's objects are older than its executions, and stay where they are.
	defer func(is func(uintptr) bool) { sched.Static = is }(sched.Static)
	sched.Static = func(uintptr) bool { return true }
	pol.Begin(s.Seed)
	collect()
	m.reset()
	sched.S.SetPolled(m.polled)
	visible := sched.VisibleAll
	if m.Sync {
		visible = sched.VisibleSync
	}
	m.trace = sched.S.Run(m.main,
		sched.Options{Schedule: s, Policy: pol, Steps: maxSteps, Race: true, Visible: visible, Plain: m.Sync,
			Values: m.Values, PastDeadlock: true, Twins: m.Twins, Flow: m.Flow || m.Exprs, Exprs: m.Exprs})
	hook.On, hook.Frozen = false, false
	switch m.trace.Verdict {
	case trace.Bounded, trace.Crowded, trace.Aborted:
		return m.trace, fmt.Errorf("machine: %v after %d steps", m.trace.Verdict, len(m.trace.Steps))
	case trace.Diverged:
		return m.trace, fmt.Errorf("machine: the schedule does not fit: %+v", *sched.S.Diverged())
	}
	return m.trace, nil
}

// collectEvery is the number of executions between two garbage collections.
const collectEvery = 5000

var executions int

// collect collects garbage periodically, and never during an execution: rt/sched has addresses of
// values on stacks, and a collection may shrink and so move a stack. Stacks of idle goroutines are
// released before.
func collect() {
	if executions%collectEvery == 0 {
		debug.SetGCPercent(-1)
		sched.S.Close()
		runtime.GC()
	}
	executions++
}

func (m *Machine) reset() {
	clear(m.vars)
	for i, mp := range m.maps {
		if mp == nil {
			m.maps[i] = map[int]int{}
		}
		clear(mp)
	}
	clear(m.atomics)
	clear(m.mutexes)
	clear(m.rws)
	clear(m.conds)
	clear(m.groups)
	clear(m.onces)
	clear(m.timers)
	clear(m.started)
	m.started = m.started[:0]
	for i, n := range m.p.Chans {
		if m.p.Older == nil || m.chans[i] == nil {
			m.chans[i], m.slots[i] = make(chan int, n), make(chan struct{}, n)
		}
	}
	if m.p.Older != nil {
		m.older(m.p.Older)
	}
	m.root.reset()
}

func (f *frame) reset() {
	f.used, f.ended, f.patient, f.polls, f.at, f.panics, f.nkids = false, false, false, nil, 0, "", 0
	f.regs, f.from = [progen.Registers]int{}, [progen.Registers]trace.Label{}
	for _, k := range f.kids {
		k.reset()
	}
}

// kid returns the frame of the next goroutine or call that f starts.
func (f *frame) kid(mark string) *frame {
	if f.nkids == len(f.kids) {
		f.kids = append(f.kids, &frame{name: f.name + "/" + mark + strconv.Itoa(f.nkids+1)})
	}
	k := f.kids[f.nkids]
	k.role = f.role + "/" + mark
	f.nkids++
	return k
}

// site returns the position of a statement: an instrumented site, or a program counter for calls
// to sync.
func site(id int) hook.Site {
	return uint64(trace.NewSite(progenHash, id, trace.KindInt, false))
}

// mapSite is site for an access to a map.
func mapSite(id int) hook.Site {
	return uint64(trace.NewSite(progenHash, id, trace.KindPointer, false))
}

var progenHash = trace.PackageHash("progen")

func pc(id int) uintptr { return uintptr(0x1000 + id) }

// firstObject is the offset of the site numbers of declarations.
const firstObject = 10000

// main declares the objects, as the Go text does, and runs the body.
func (m *Machine) main() {
	if m.p.Bubble {
		hook.Bubble(true)
	}
	id := firstObject
	place := func() hook.Site { id++; return site(id) }
	for i := range m.vars {
		hook.Var(&m.vars[i], place())
	}
	for i := range m.maps {
		hook.MadeMap(m.maps[i], place())
	}
	for i := range m.atomics {
		hook.Var(&m.atomics[i], place())
	}
	older := m.p.Older != nil
	for i := range m.mutexes {
		if at := place(); !older {
			hook.Var(&m.mutexes[i].object, at)
		}
	}
	for i := range m.rws {
		if at := place(); !older {
			hook.Var(&m.rws[i].object, at)
		}
	}
	for i := range m.chans {
		switch at := place(); {
		case older:
		case m.p.Slots:
			hook.MadeChan(m.slots[i], at)
		default:
			hook.MadeChan(m.chans[i], at)
		}
	}
	for i := range m.conds {
		hook.Var(&m.conds[i], place())
	}
	for i := range m.groups {
		if at := place(); !older {
			hook.Var(&m.groups[i].object, at)
		}
	}
	for i := range m.onces {
		hook.Var(&m.onces[i].object, place())
	}
	hook.Var(&m.alive, place())
	for i, d := range m.p.Timers {
		id++
		m.timers[i] = m.newTimer(d, m.every(d), id)
	}
	m.run(m.root, m.p.Body)
}

// run executes a goroutine or a call by Once.
func (m *Machine) run(f *frame, body []*progen.Stmt) {
	f.used = true
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); ok {
				r = e.Error()
			}
			f.panics = fmt.Sprint(r)
			panic(r)
		}
	}()
	m.block(f, body)
	m.local(f, 0)
	f.ended = true
}

func (m *Machine) block(f *frame, body []*progen.Stmt) {
	for _, s := range body {
		f.at = s.ID
		m.local(f, s.ID)
		if m.Exprs {
			m.express(f, s)
		} else if m.Flow {
			m.follow(f, s)
		} else {
			m.do(f, s)
		}
	}
}

func (m *Machine) local(f *frame, at int) {
	if m.Local != nil {
		m.Local(m.nameOf(f), f.known(), at)
	}
}

func (f *frame) value(s *progen.Stmt) int {
	if s.Src < 0 {
		return s.Val
	}
	return f.regs[s.Src] + s.Val
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// do executes one statement.
func (m *Machine) do(f *frame, s *progen.Stmt) {
	switch s.Op {
	case progen.Go:
		kid, v := f.kid(""), 0
		if s.Val2 > 0 {
			v = f.value(s)
		}
		kid.role += strconv.Itoa(s.ID) + ":" + strconv.Itoa(v)
		hook.GoArgs(site(s.ID), func() {
			kid.regs[0] = v
			m.run(kid, s.Body)
		}, func() []interface{} { return []interface{}{v} })
	case progen.If:
		m.branch(f, s)
		if f.regs[s.Reg] == s.Val {
			m.block(f, s.Body)
		} else {
			m.block(f, s.Else)
		}
	case progen.Repeat:
		turns := hook.Begins(0)
		for range s.Val {
			m.block(f, s.Body)
			f.forget(s)
			turns = f.turn(turns, uint64(turns))
		}
	case progen.Work:
		for turns := f.begin(); ; turns = f.turn(turns, 0) {
			m.block(f, []*progen.Stmt{{Op: progen.Recv, ID: s.ID, Obj: s.Obj, Reg: s.Reg}})
			m.branch(f, &progen.Stmt{ID: s.ID, Reg: s.Reg, Val: -1})
			if f.regs[s.Reg] == -1 {
				break
			}
			m.block(f, s.Body)
			f.forget(s)
		}
	case progen.Poll:
		m.poll(f, s)
	case progen.PollHeld:
		m.pollHeld(f, s)
	case progen.Take:
		f.regs[s.Reg] = m.Inputs[s.Obj] + f.value(s)
	case progen.Draw:
		f.regs[s.Reg] = hook.Draw(s.Val, pc(s.ID))
	case progen.Yield:
		hook.Yield(pc(s.ID))
	case progen.Idle:
		hook.Idle(pc(s.ID))
	case progen.Panic:
		m.atomic(&m.alive, hook.AtomicLoad, s.ID, func(*int64) bool { return false })
		panic("p" + strconv.Itoa(s.ID))
	case progen.Read:
		f.regs[s.Reg] = *hook.R(&m.vars[s.Obj], site(s.ID))
	case progen.Write:
		hook.Spoil()
		hook.P(&m.vars[s.Obj], site(s.ID)).Set(f.value(s))
	case progen.Raise, progen.Flag:
		m.raise(s)
	case progen.MapPut, progen.MapGet, progen.MapDrop, progen.MapLen, progen.MapClear,
		progen.MapGrow:
		m.doMap(f, s)
	case progen.Count, progen.Mark, progen.Load, progen.Store, progen.Add, progen.CAS, progen.SpinLoad,
		progen.SpinCAS, progen.Peek, progen.Fetch, progen.Reread:
		m.doAtomic(f, s)
	case progen.Lock, progen.Unlock, progen.TryLock, progen.SpinLock, progen.RWLock, progen.RWUnlock,
		progen.RWTry, progen.RLock, progen.RUnlock, progen.RTry:
		m.doLock(f, s)
	case progen.Send, progen.Recv, progen.Close, progen.Len, progen.Range, progen.Select:
		m.doChan(f, s)
	case progen.Sleep, progen.After, progen.Stop, progen.Reset, progen.Fired, progen.Clock:
		m.doTime(f, s)
	default:
		m.doSync(f, s)
	}
}

// forget ends an iteration of a Repeat, or Work.
func (f *frame) forget(s *progen.Stmt) {
	for r := range f.regs {
		if s.Forgets(r) {
			f.regs[r] = 0
		}
	}
}

// begin begins a loop that goes by no number, and does the same in each iteration.
func (f *frame) begin() hook.Turns {
	if !hook.Heads {
		return 0
	}
	return hook.Begins(f.alive(0))
}

// turn ends an iteration of a loop: the registers live on, and a number that the loop goes by.
func (f *frame) turn(t hook.Turns, number uint64) hook.Turns {
	if !hook.Heads {
		return t
	}
	return hook.Head(t, f.alive(number))
}

// alive is the digest of what lives on in a loop.
func (f *frame) alive(number uint64) uint64 {
	digest := hook.HI(hook.Alive, number)
	for _, v := range f.regs {
		digest = hook.HI(digest, v)
	}
	return digest
}
