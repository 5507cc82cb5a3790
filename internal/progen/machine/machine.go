// Package machine executes the programs of package progen under rt/sched,
// calling the hooks that the rewritten Go text of the program would call. It
// needs no compiler, so many thousand executions a second are made in a test.
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

// A Machine executes one program. There is one scheduler in a process, so only one Machine may be running.
type Machine struct {
	// Policy chooses after the prefix of a schedule; nil: the one that the schedule names.
	Policy policy.Policy
	// OneShot makes a loop that polls try once and block for good if that fails: where the scheduler does not know such
	// loops the number of interleavings stays finite. An outcome whose loop could go on after all is none.
	OneShot bool
	// Sync makes accesses to plain variables no scheduling points; races on them are still told.
	Sync bool
	// Values records what memory accesses read and write.
	Values bool
	// Flow records data flow, as code rewritten for it would: see flow.go.
	Flow bool
	// Inputs are those of the program.
	Inputs []int
	// Exprs records what values are in terms of inputs: see inputs.go.
	Exprs bool
	// Local, if not nil, is called with the local states that goroutines reach: what they have in their
	// registers, and the statement that they do next, 0 at the end.
	Local func(name string, regs [progen.Registers]int, at int)

	p       *progen.Program
	vars    []int
	atomics []int64
	mutexes []mutex
	rws     []rwMutex
	chans   []chan int
	conds   []object
	groups  []group
	onces   []once
	timers  []*timer
	alive   int64 // loaded before a panic

	polled  []trace.Site // sides of unbuffered channels on which somebody polls, see sched.SetPolled
	root    *frame
	trace   *trace.Trace
	started []*timer // by AfterFunc, time.After and NewTimer; they live as long as the execution
	first   policy.Policy
}

// The objects have the sizes of Go's, since rt/sched puts the native ones back.
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

// A frame is a goroutine, or a call of a function by Once. Frames are a tree, which is used again by later executions.
type frame struct {
	name   string
	used   bool // in this execution
	ended  bool
	polls  *progen.Stmt // the loop in which it gave up, see OneShot
	at     int          // the statement that it is in
	panics string
	regs   [progen.Registers]int
	from   [progen.Registers]trace.Label // what the registers were computed from
	kids   []*frame
	nkids  int
}

// New returns a machine for p.
func New(p *progen.Program) *Machine {
	first, _ := policy.New("first", 0)
	return &Machine{
		p: p, root: &frame{name: "main"}, first: first,
		vars: make([]int, p.Vars), atomics: make([]int64, p.Atomics), mutexes: make([]mutex, p.Mutexes), rws: make([]rwMutex, p.RWs),
		chans: make([]chan int, len(p.Chans)), conds: make([]object, len(p.Conds)), groups: make([]group, p.Groups),
		onces: make([]once, p.Onces), timers: make([]*timer, len(p.Timers)),
	}
}

// maxSteps bounds an execution; programs of package progen stay far below.
const maxSteps = 5000

// Execute runs the program once, every access to a plain variable a
// scheduling point unless Sync is set. The trace is overwritten by the next call.
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
	pol.Begin(s.Seed)
	collect()
	m.reset()
	sched.S.SetPolled(m.polled)
	visible := sched.VisibleAll
	if m.Sync {
		visible = sched.VisibleSync
	}
	m.trace = sched.S.Run(m.main, sched.Options{Schedule: s, Policy: pol, Steps: maxSteps, Race: true, Visible: visible, Plain: m.Sync, Values: m.Values, PastDeadlock: true, Flow: m.Flow || m.Exprs, Exprs: m.Exprs})
	hook.On = false
	switch m.trace.Verdict {
	case trace.Bounded, trace.Crowded, trace.Aborted:
		return m.trace, fmt.Errorf("machine: %v after %d steps", m.trace.Verdict, len(m.trace.Steps))
	case trace.Diverged:
		return m.trace, fmt.Errorf("machine: the schedule does not fit: %+v", *sched.S.Diverged())
	}
	return m.trace, nil
}

// collectEvery is after how many executions memory is collected.
const collectEvery = 5000

var executions int

// collect collects memory now and then, and never while a program is executed:
// rt/sched keeps addresses of values on stacks, which a collection may shrink
// and so move. The stacks of those who are at rest are given back before.
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
			m.chans[i] = make(chan int, n)
		}
	}
	if m.p.Older != nil {
		m.older(m.p.Older)
	}
	m.root.reset()
}

func (f *frame) reset() {
	f.used, f.ended, f.polls, f.at, f.panics, f.nkids = false, false, nil, 0, "", 0
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
	f.nkids++
	return f.kids[f.nkids-1]
}

// site is where a statement stands: an instrumented site, or a program counter for calls to sync.
func site(id int) hook.Site {
	return uint64(trace.NewSite(progenHash, id, trace.KindInt, false))
}

var progenHash = trace.PackageHash("progen")

func pc(id int) uintptr { return uintptr(0x1000 + id) }

// firstObject is below the numbers of the places where objects are declared.
const firstObject = 10000

// main declares the objects, as the Go text does, and runs the body.
func (m *Machine) main() {
	id := firstObject
	place := func() hook.Site { id++; return site(id) }
	for i := range m.vars {
		hook.Var(&m.vars[i], place())
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
		if at := place(); !older {
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
		m.timers[i] = m.newTimer(d, id)
	}
	m.run(m.root, m.p.Body)
}

// run is a goroutine, or a call by Once.
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
		m.Local(f.name, f.known(), at)
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
		kid := f.kid("")
		hook.Go(site(s.ID), func() { m.run(kid, s.Body) })
	case progen.If:
		m.branch(f, s)
		if f.regs[s.Reg] == s.Val {
			m.block(f, s.Body)
		} else {
			m.block(f, s.Else)
		}
	case progen.Repeat:
		for range s.Val {
			m.block(f, s.Body)
		}
	case progen.Take:
		f.regs[s.Reg] = m.Inputs[s.Obj] + f.value(s)
	case progen.Draw:
		f.regs[s.Reg] = hook.Draw(s.Val, pc(s.ID))
	case progen.Yield:
		hook.Yield(pc(s.ID))
	case progen.Panic:
		m.atomic(&m.alive, hook.AtomicLoad, s.ID, func(*int64) bool { return false })
		panic("p" + strconv.Itoa(s.ID))
	case progen.Read:
		f.regs[s.Reg] = *hook.R(&m.vars[s.Obj], site(s.ID))
	case progen.Write:
		hook.P(&m.vars[s.Obj], site(s.ID)).Set(f.value(s))
	case progen.Load, progen.Store, progen.Add, progen.CAS, progen.SpinLoad, progen.SpinCAS, progen.Peek, progen.Fetch, progen.Reread:
		m.doAtomic(f, s)
	case progen.Lock, progen.Unlock, progen.TryLock, progen.SpinLock, progen.RWLock, progen.RWUnlock, progen.RWTry, progen.RLock, progen.RUnlock, progen.RTry:
		m.doLock(f, s)
	case progen.Send, progen.Recv, progen.Close, progen.Len, progen.Range, progen.Select:
		m.doChan(f, s)
	case progen.Sleep, progen.After, progen.Stop, progen.Reset, progen.Fired:
		m.doTime(f, s)
	default:
		m.doSync(f, s)
	}
}
