package transition

import (
	"errors"
	"sort"

	"heddle/explore/why"
	"heddle/model"
	"heddle/trace"
)

// A Path is an execution as a sequence of transitions, with vector clocks. Reading the next
// execution costs only what it does not share with the one before.
type Path struct {
	Tab *Table

	steps  []Transition // memory beyond n is reused
	rows   []row
	n      int
	clocks vectors // by transition, and in it by Proc; see Before
	bare   bool    // it has no clocks
	joins  []int32 // by transition, the newest last: see Joined

	last    []int32  // by Proc: its last transition, -1 if none
	starter []int32  // by Proc: the transition that started it, -1
	waker   []int32  // by Proc: the transition that last woke it from a modelled object, -1
	count   []uint32 // by Proc: how many transitions it took part in
	uses    [][]use  // by Object, in order of the execution
	chans   []chanOrder
	barrier int32       // the last barrier, -1
	keys    []objectKey // by ObjID, the objects of the last execution; memory has no size there

	early []Proc // goroutines started before the first step

	timings []timing // what was done to the clock, in free time

	offers []offer
	ops    []Operation
	open   []int32 // by Proc: its pending operation, -1
	left   []Transition

	firsts [][turns]int32 // by Proc: its first transitions, -1
	alike  []int32        // by Proc: how many of its first transitions are like its elder's
	calm   []int32        // by Proc: see trace.Trace.Calm
	strays []stray

	turns  [][]int32 // by Proc: its transitions as Proc, in order, if listed; see Prefix.end
	listed bool

	units   []int32 // see paired
	earlier []int32 // see take
	newest  []int32 // by Proc: see pair

	market market // see Alternatives
}

// noFirsts are those of a goroutine without transitions.
var noFirsts = func() (none [turns]int32) {
	for i := range none {
		none[i] = -1
	}
	return none
}()

// A row is what a Path records of a transition beside the transition itself.
type row struct {
	step     int32 // index in trace.Steps; for a barrier that of the step before
	event    int32 // index of the first event
	prev     int32 // the transition of Proc before this one, or the one that started Proc; -1
	prevWith int32 // the same for With
	ownPrev  int32 // as prev, but -1 for the transition that started Proc
	ownWith  int32
	seq      uint32 // how many transitions Proc took part in up to this one
	seqWith  uint32
	joins    int32    // index of the first in Path.joins
	barrier  int32    // the last barrier before this transition
	objects  int32    // the greatest ObjID so far
	turn     [2]int32 // see await: of Proc, and of With
	op       int32    // Proc's operation, if it is a communication; -1
	opWith   int32    // the same for With

	// Operations on atomics only.
	value    uint64 // the value after it
	want     uint64 // the old value of a CompareAndSwap
	compares bool   // want is known
}

// A use is an access in the history of an object.
type use struct {
	at    int32 // the transition
	run   int32 // index of the first use in the run of uses with equal mode that ends here
	chain int32 // index of the first use in the chain that ends here: each happens before the next
	Access
}

// chanOrder lists the sends and the receives over a channel with a buffer.
type chanOrder struct {
	sends, recvs []int32
}

// NewPath returns an empty path that uses tab for names.
func NewPath(tab *Table) *Path { return &Path{Tab: tab, barrier: -1} }

// NewBarePath returns an empty path without vector clocks: nothing is known of what happens before
// what. Its memory is not that of all steps times all goroutines.
func NewBarePath(tab *Table) *Path { return &Path{Tab: tab, barrier: -1, bare: true} }

// Bare reports whether p has no vector clocks.
func (p *Path) Bare() bool { return p.bare }

// Len returns the number of transitions, including barriers.
func (p *Path) Len() int { return p.n }

// At returns the i-th transition. It is valid until the next Read.
func (p *Path) At(i int) *Transition { return &p.steps[i] }

// Early returns the goroutines that were started before the first step.
func (p *Path) Early() []Proc { return p.early }

// Left returns the leftovers that are not communications, one transition per goroutine. See
// Operations for communications.
func (p *Path) Left() []Transition { return p.left }

// Before reports whether i happens before j, or is j. It needs i <= j.
func (p *Path) Before(i, j int) bool {
	return p.clocks.at(j, p.steps[i].Proc) >= p.rows[i].seq
}

// Procs returns the number of goroutines in the vector clocks.
func (p *Path) Procs() int { return len(p.last) }

// Knows returns how many transitions of g happen before j, or are j.
func (p *Path) Knows(j int, g Proc) int { return int(p.clocks.at(j, g)) }

// Joined returns transitions before j such that all others that happen before j happen before one
// of these. p must have clocks.
func (p *Path) Joined(j int) []int32 {
	end := len(p.joins)
	if j+1 < p.n {
		end = int(p.rows[j+1].joins)
	}
	return p.joins[p.rows[j].joins:end]
}

// Announced reports whether i happens before the announcement of j's operations. Then no order of
// independent transitions has j before i. It needs i <= j.
func (p *Path) Announced(i, j int) bool {
	r := &p.rows[j]
	return p.reaches(i, r.prev) || p.reaches(i, r.prevWith) || p.reaches(i, r.turn[0]) ||
		p.reaches(i, r.turn[1])
}

// reaches reports whether i happens before j, or is j. j may be -1.
func (p *Path) reaches(i int, j int32) bool { return int(j) >= i && p.Before(i, int(j)) }

// Previous returns the last transition of a goroutine, else the one that started it, else -1.
func (p *Path) Previous(g Proc) int {
	if g == NoProc || int(g) >= len(p.last) {
		return -1
	}
	if p.last[g] >= 0 {
		return int(max(p.last[g], p.waker[g]))
	}
	return int(p.starter[g])
}

var errPrefix error = why.Of(why.Strayed)

// ErrNames is the error for executions whose shared prefixes access different memory: nothing
// carries over from one to the other.
var ErrNames error = why.Of(why.Nameless)

// ErrClocks is the error for executions in which time passes where a path has no clocks.
var ErrClocks = errors.New("time passes: the path must have clocks")

// Read makes p the path of t, which shares its first keep transitions with the path before. It is
// an error if it does not.
func (p *Path) Read(t *trace.Trace, keep int) error {
	p.truncate(keep)
	p.listed = false
	p.Tab.ReadGoroutines(t)
	p.Tab.readTwins(t)
	if !p.sameObjects(t) {
		return ErrNames
	}
	p.resize()
	p.reserve(max(keep, len(t.Steps)))
	p.readCalm(t)
	i, ev := 0, 0
	if keep > 0 {
		r := &p.rows[keep-1]
		i, ev = int(r.step)+1, p.firstEvent(t, keep)
		if i > len(t.Steps) || ev > len(t.Events) {
			return errPrefix
		}
	} else {
		ev = p.readEarly(t)
	}
	for ; i < len(t.Steps); i++ {
		ev = p.readStep(t, i, ev)
	}
	if p.bare && p.barrier >= 0 {
		return ErrClocks
	}
	p.readOffers(t)
	p.checkSeniors()
	p.readLeft(t)
	p.readValues(t)
	p.checkCounters()
	for _, s := range p.strays {
		p.Tab.separate(s.g, s.k)
	}
	return nil
}

// sameObjects reports whether the objects of the kept transitions are the same in t. Objects that
// come later are not read yet.
func (p *Path) sameObjects(t *trace.Trace) bool {
	kept := 0
	if p.n > 0 {
		kept = int(p.rows[p.n-1].objects)
	}
	if kept > 0 && kept >= len(t.Objects) {
		return false
	}
	for len(p.keys) < len(t.Objects) {
		p.keys = append(p.keys, objectKey{})
	}
	for id := 1; id <= kept; id++ {
		if k := p.keys[id]; k != (objectKey{}) && k != p.Tab.keyOf(t, trace.ObjID(id), 0) {
			return false
		}
	}
	clear(p.keys[min(kept+1, len(p.keys)):])
	return true
}

// firstEvent returns the index of the first event after those of the first keep transitions.
func (p *Path) firstEvent(t *trace.Trace, keep int) int {
	r := &p.rows[keep-1]
	ev := int(r.event)
	for ev < len(t.Events) && t.Events[ev].Step <= r.step {
		if !p.steps[keep-1].Barrier && p.timer(t, &t.Events[ev]) {
			break // a barrier follows
		}
		ev++
	}
	return ev
}

// timer reports whether an event belongs to a barrier. OpIdle as a step does not: the step itself
// comes after all that precedes it and before all that follows (Transition.Alone).
func (p *Path) timer(t *trace.Trace, e *trace.Event) bool {
	if p.Tab.procOfGID(e.G) == Timers {
		if e.Step < 0 || t.Steps[e.Step].Op != trace.OpTimerFire {
			return true
		}
		// in free time timers fire in steps, but for those that are never early
		return e.Op == trace.OpTimerFire && e.Partner >= 0 && trace.ArmedOf(t.Events[e.Partner].Arg).Still
	}
	return e.Op == trace.OpIdle && (e.Step < 0 || t.Steps[e.Step].Op != trace.OpIdle)
}

func (p *Path) readEarly(t *trace.Trace) (ev int) {
	p.early = p.early[:0]
	for ; ev < len(t.Events) && t.Events[ev].Step < 0; ev++ {
		if e := &t.Events[ev]; e.Op == trace.OpGo {
			p.early = append(p.early, p.Tab.procOfGID(trace.GID(e.Arg)))
		}
	}
	return ev
}

// resize makes room for all goroutines and objects that have a name.
func (p *Path) resize() {
	for len(p.last) < p.Tab.Procs() {
		p.last, p.starter, p.count, p.open = append(p.last, -1), append(p.starter, -1), append(p.count, 0),
			append(p.open, -1)
		p.waker, p.firsts = append(p.waker, -1), append(p.firsts, noFirsts)
		p.alike, p.calm, p.newest = append(p.alike, 0), append(p.calm, 0), append(p.newest, -1)
	}
	if !p.bare {
		p.clocks.grow(p.Tab.Procs(), p.n)
	}
}

// reserve makes room for n transitions, and for their clocks at once where they are large.
func (p *Path) reserve(n int) {
	if more := n - len(p.steps); more > 0 {
		p.steps, p.rows = append(p.steps, make([]Transition, more)...), append(p.rows, make([]row, more)...)
	}
	if !p.bare {
		p.clocks.reserve(n)
	}
}

// truncate removes all but the first keep transitions.
func (p *Path) truncate(keep int) {
	for i := p.n - 1; i >= keep; i-- {
		s, r := &p.steps[i], &p.rows[i]
		for k := len(s.Accesses) - 1; k >= 0; k-- {
			p.forget(i, &s.Accesses[k])
		}
		for _, c := range s.Starts {
			p.starter[c] = -1
		}
		p.barrier, p.joins = r.barrier, p.joins[:r.joins]
		p.last[s.Proc], p.waker[s.Proc] = r.ownPrev, r.prev
		p.uncount(s.Proc)
		if s.With != NoProc {
			p.last[s.With], p.waker[s.With] = r.ownWith, r.prevWith
			p.uncount(s.With)
		}
	}
	for g := range p.waker {
		if int(p.waker[g]) >= keep {
			p.waker[g] = -1
		}
	}
	p.forgetTimings(keep)
	p.n, p.strays = keep, p.strays[:0]
}

// uncount takes back the last transition of g.
func (p *Path) uncount(g Proc) {
	p.count[g]--
	if k := p.count[g]; k < turns {
		p.firsts[g][k], p.alike[g] = -1, min(p.alike[g], int32(k))
	}
}

func (p *Path) forget(i int, a *Access) {
	us := p.uses[a.Obj]
	p.uses[a.Obj] = us[:len(us)-1]
	if int(a.Obj) < len(p.chans) {
		c := &p.chans[a.Obj]
		if n := len(c.sends); n > 0 && int(c.sends[n-1]) == i {
			c.sends = c.sends[:n-1]
		}
		if n := len(c.recvs); n > 0 && int(c.recvs[n-1]) == i {
			c.recvs = c.recvs[:n-1]
		}
	}
}

// readStep adds the transition of the i-th step, and the barrier after it, if there is one. ev is
// the index of its first event; the result is that of the next step.
func (p *Path) readStep(t *trace.Trace, i, ev int) int {
	st := &t.Steps[i]
	s := p.add(int32(i), int32(ev))
	s.Proc, s.Op, s.Choice = p.Tab.procOfGID(st.G), st.Op, -1
	if st.Op == trace.OpChoose {
		s.Choice, s.Choices = st.Choice, st.With
	} else {
		s.With, s.Case, s.WithCase = p.Tab.procOfGID(trace.GID(st.With)-1), st.Case, st.WithCase
	}
	p.begin()
	for ; ev < len(t.Events) && int(t.Events[ev].Step) <= i; ev++ {
		if p.timer(t, &t.Events[ev]) {
			break
		}
		p.readEvent(t, ev)
	}
	p.leave(t, s.Proc, p.rows[p.n-1].ownPrev)
	p.leave(t, s.With, p.rows[p.n-1].ownWith)
	p.finish()
	if ev < len(t.Events) && int(t.Events[ev].Step) <= i {
		return p.readBarrier(t, i, ev)
	}
	return ev
}

// readBarrier adds a barrier: what happened while no goroutine was enabled.
func (p *Path) readBarrier(t *trace.Trace, i, ev int) int {
	s := p.add(int32(i), int32(ev))
	s.Proc, s.Choice, s.Barrier = Timers, -1, true
	p.begin()
	for ; ev < len(t.Events) && int(t.Events[ev].Step) <= i; ev++ {
		p.readEvent(t, ev)
	}
	p.finish()
	return ev
}

// add appends an empty transition and returns it.
func (p *Path) add(step, ev int32) *Transition {
	if p.n == len(p.steps) {
		p.steps = append(p.steps, Transition{})
		p.rows = append(p.rows, row{})
	}
	s := &p.steps[p.n]
	*s = Transition{With: NoProc, Accesses: s.Accesses[:0], Starts: s.Starts[:0]}
	objects := int32(0)
	if p.n > 0 {
		objects = p.rows[p.n-1].objects
	}
	p.rows[p.n] = row{step: step, event: ev, joins: int32(len(p.joins)), barrier: p.barrier, objects: objects,
		op: -1, opWith: -1}
	p.n++
	return s
}

// begin sets the clock of the newest transition to that of its goroutines' transitions before.
func (p *Path) begin() {
	j := p.n - 1
	s, r := &p.steps[j], &p.rows[j]
	if !p.bare {
		p.clocks.begin(j)
	}
	r.prev, r.ownPrev, r.prevWith, r.ownWith = int32(p.Previous(s.Proc)), p.last[s.Proc], -1, -1
	if s.With != NoProc {
		r.prevWith, r.ownWith = int32(p.Previous(s.With)), p.last[s.With]
	}
	if s.Alone() {
		for g := range p.last {
			p.after(j, p.last[g])
		}
	}
	p.after(j, r.prev)
	p.after(j, r.prevWith)
	p.after(j, r.barrier)
	p.await()
}

// after makes i, unless it is -1, happen before j.
func (p *Path) after(j int, i int32) {
	if i < 0 || int(i) == j || p.bare {
		return
	}
	if p.clocks.at(j, p.steps[i].Proc) < p.rows[i].seq {
		p.clocks.join(j, int(i))
		p.joins = append(p.joins, i)
	}
}

// finish completes the newest transition after all of its events were read.
func (p *Path) finish() {
	j := p.n - 1
	s, r := &p.steps[j], &p.rows[j]
	r.seq = p.counted(s.Proc, j)
	p.last[s.Proc] = int32(j)
	if s.With != NoProc {
		r.seqWith = p.counted(s.With, j)
		p.last[s.With] = int32(j)
	}
	if !p.bare {
		p.clocks.set(j, s.Proc, r.seq)
		if s.With != NoProc {
			p.clocks.set(j, s.With, r.seqWith)
		}
	}
	if s.Alone() {
		p.barrier = int32(j)
	}
}

// counted counts transition j of g, and returns how many there are.
func (p *Path) counted(g Proc, j int) uint32 {
	if k := p.count[g]; k < turns {
		p.firsts[g][k] = int32(j)
		p.compare(g, int(k))
	}
	p.count[g]++
	return p.count[g]
}

// readEvent adds the accesses of one event to the newest transition.
func (p *Path) readEvent(t *trace.Trace, ev int) {
	e := &t.Events[ev]
	j := p.n - 1
	s := &p.steps[j]
	if e.Op == trace.OpGo {
		c := p.Tab.procOfGID(trace.GID(e.Arg))
		s.Starts = append(s.Starts, c)
		p.starter[c] = int32(j)
		return
	}
	if g := p.Tab.procOfGID(e.G); e.Op == trace.OpResume && g != s.Proc {
		p.waker[g] = int32(j) // it announces its next operation now
		return
	}
	if e.Partner >= 0 && (e.Op == trace.OpCondWake || e.Op == trace.OpRecv) {
		// The signal that woke it, or the send of a receive.
		p.after(j, p.transitionOf(t.Events[e.Partner].Step))
	}
	if e.Obj == 0 {
		return
	}
	if t.Objects[e.Obj].Kind == trace.ObjClock {
		p.readTiming(t, ev)
		return
	}
	if e.Quiet && s.Proc != Timers {
		return
	}
	p.rows[j].objects = max(p.rows[j].objects, int32(e.Obj))
	p.keys[e.Obj] = p.Tab.keyOf(t, e.Obj, 0)
	switch e.Op {
	case trace.OpSelect:
		if e.Arg == -1 {
			p.polled(t)
		} else if obj := p.Tab.object(t, e.Obj, 0); !s.sees(obj) {
			p.accessAs(obj, model.Seen, trace.OpSelect, int32(e.Arg))
		}
		return
	case trace.OpSend, trace.OpRecv:
		if s.With != NoProc && len(s.Accesses) > 0 {
			return // the other half of a communication
		}
	case trace.OpArrive:
		if t.Objects[e.Obj].Kind == trace.ObjChan {
			p.Tab.order(p.Tab.object(t, e.Obj, 0))
		}
	}
	obj, op := p.Tab.object(t, e.Obj, MemorySize(e, t.Objects[e.Obj].Kind)), e.Op
	if op == trace.OpAtomicLoad && s.Op == trace.OpAtomicCAS && (compared(t, ev) < 0 || !p.Tab.knows(obj)) {
		op = trace.OpAtomicRMW // it is unknown whether it would fail elsewhere
	}
	p.access(obj, op, int32(min(max(e.Arg, -1<<31), 1<<31-1)))
}

// MemorySize returns the number of bytes that an event on an object of that kind accesses, 0 if it
// is no memory.
func MemorySize(e *trace.Event, kind trace.ObjKind) uint32 {
	switch e.Op {
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		return uint32(e.Bytes())
	case trace.OpAwait:
		if kind == trace.ObjAtomic || kind == trace.ObjMemory {
			return 1 // the loop read it; how many bytes is unknown
		}
	}
	return 0
}

// polled adds accesses to all channels of a select that took its default.
func (p *Path) polled(t *trace.Trace) {
	s := &p.steps[p.n-1]
	step := p.announcedAt(p.n - 1)
	os := offersAt(t, step)
	for i := range os {
		o := &os[i]
		if o.Poll && p.Tab.procOfGID(o.G) == s.Proc {
			op := trace.OpRecv
			if o.Send {
				op = trace.OpSend
			}
			obj := p.Tab.object(t, o.Obj, 0)
			if p.Tab.objects[obj].Cap == 0 {
				p.Tab.order(obj)
			}
			p.accessAs(obj, model.Poll, op, model.NotReady)
		}
	}
}

// accesses reports whether t communicates over obj.
func (t *Transition) accesses(obj Object) bool {
	for i := range t.Accesses {
		if a := &t.Accesses[i]; a.Obj == obj && a.Mode != model.Seen {
			return true
		}
	}
	return false
}

func (t *Transition) sees(obj Object) bool {
	for i := range t.Accesses {
		if a := &t.Accesses[i]; a.Obj == obj && a.Mode == model.Seen {
			return true
		}
	}
	return false
}

// announcedAt returns the index of the step at whose end transition j was announced, -1 if before
// the first.
func (p *Path) announcedAt(j int) int32 {
	if r := p.rows[j].ownPrev; r >= 0 {
		return p.rows[r].step
	}
	return -1
}

// transitionOf returns the transition of a step, -1 if there is none.
func (p *Path) transitionOf(step int32) int32 {
	lo, hi := 0, p.n
	for lo < hi {
		if m := (lo + hi) / 2; p.rows[m].step < step {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == p.n || step < 0 {
		return -1
	}
	return int32(lo)
}

// used returns the accesses of an object so far.
func (p *Path) used(obj Object) []use {
	if int(obj) >= len(p.uses) {
		return nil
	}
	return p.uses[obj]
}

// usedBefore returns the uses of obj by transitions before end.
func (p *Path) usedBefore(obj Object, end int) []use {
	us := p.used(obj)
	if n := len(us); n == 0 || int(us[n-1].at) < end {
		return us
	}
	return us[:sort.Search(len(us), func(k int) bool { return int(us[k].at) >= end })]
}

func (p *Path) access(obj Object, op trace.Op, arg int32) {
	if m, ok := p.Tab.mode(obj, op, arg); ok {
		p.accessAs(obj, m, op, arg)
	}
}

// accessAs adds an access to the newest transition and orders it after those it conflicts with.
func (p *Path) accessAs(obj Object, m model.Mode, op trace.Op, arg int32) {
	j := p.n - 1
	a := Access{obj, m, op, arg}
	for len(p.uses) <= int(obj) {
		p.uses = append(p.uses, nil)
	}
	p.orderAfter(j, obj, m)
	for _, o := range p.Tab.objects[obj].overlaps {
		if int(o) < len(p.uses) {
			p.orderAfter(j, o, m)
		}
		if m == model.Write {
			p.Tab.mark(o, &p.Tab.objects[o].plainly)
		}
	}
	if m == model.Send || m == model.Recv {
		p.orderBuffer(j, obj, m)
	}
	p.steps[j].Accesses = append(p.steps[j].Accesses, a)
	run := int32(len(p.uses[obj]))
	chain := run
	if us := p.uses[obj]; run > 0 {
		last := &us[run-1]
		if !p.bare && p.Before(int(last.at), j) {
			chain = last.chain
		}
		if last.Mode == m {
			run = last.run
		}
	}
	p.uses[obj] = append(p.uses[obj], use{int32(j), run, chain, a})
}

func (p *Path) orderAfter(j int, obj Object, m model.Mode) {
	us := p.uses[obj]
	for k := len(us) - 1; k >= 0; k-- {
		n := us[k].Mode
		if !model.Conflict(m, n) {
			k = int(us[k].run)
			continue
		}
		p.after(j, us[k].at)
		if model.Covers(m, n) {
			return
		}
	}
}

// orderBuffer orders a send after the receive that made room for it.
func (p *Path) orderBuffer(j int, obj Object, m model.Mode) {
	for len(p.chans) <= int(obj) {
		p.chans = append(p.chans, chanOrder{})
	}
	c := &p.chans[obj]
	if m == model.Recv {
		c.recvs = append(c.recvs, int32(j))
		return
	}
	before, _ := trace.OfChanState(p.Tab.Init(obj))
	if k := before + len(c.sends) - int(p.Tab.objects[obj].Cap); k >= 0 && k < len(c.recvs) {
		p.after(j, c.recvs[k])
	}
	c.sends = append(c.sends, int32(j))
}
