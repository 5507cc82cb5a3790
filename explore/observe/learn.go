package observe

import (
	"math"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// A lesson is the reading of one execution: it follows the execution in a state, and adds what the
// program did not know.
type lesson struct {
	p    *program
	s    *state
	x    *search
	t    *trace.Trace
	path *transition.Path

	turns [][]int32 // by Proc: the transitions in which it takes part
	pos   []int     // by Proc: how many of them were read
	ops   [][]int32 // by transition: the communications that it performed
	event int
	plain int
	old   int32 // nodes from here on are new
	list  []step
	seg   segment
	spots []spot

	// the cells of maps of which the segment looks at how much they grow
	growths []int32
	partner segment         // of the other side of a communication
	from    int             // of the transition: the event that is read next
	along   []along         // the timers that fire in the step of another one
	turn    int32           // of segments
	by      transition.Proc // what is read is its
	news    bool            // the execution showed an edge that was not known

	// finer: words turned out to be accessed in parts, or memory of one goroutine by another one.
	// The search begins anew, and tells their bytes apart, unless it is settled by then.
	finer, settled bool

	last lastRead

	alarms  map[transition.Proc]*alarm // by the name of the timer
	sleeper transition.Proc            // for which timer the goroutine sleeps whose operation is announced

	head    int    // how many of the trace's were read
	inTurn  turn   // of the running segment
	sent    int    // how many of the trace's were read
	updates int    // how many of the trace's were read
	wrong   string // why the program cannot be described, found while a segment was read
}

// A spot says, of a cell, in which segment it was read and written last, and where in the segment's
// writes it is.
type spot struct{ read, wrote, at int32 }

// A segment is what a goroutine accessed in a step.
type segment struct {
	reads   []reading
	writes  []writing
	updates []updating
	starts  []transition.Proc
	timings []timing
	quiet   []quietly
	window  window
	reach   reach
}

// learn adds an execution, whose path was read. It returns the reason why the program cannot be
// described, "" if it can.
func (l *lesson) learn(t *trace.Trace, path *transition.Path) (reason string) {
	p := l.p
	l.t, l.path, l.event, l.plain, l.old, l.news = t, path, 0, 0, p.known, false
	l.head, l.updates, l.sent, l.wrong, l.alarms = 0, 0, 0, "", map[transition.Proc]*alarm{}
	p.old, p.separate = l.old, p.separate[:0]
	p.turn++
	l.index()
	for i := range t.Objects { // before the accesses to the memory that they are in
		if o := &t.Objects[i]; o.Kind == trace.ObjAtomic {
			if item, at, ok := l.allocation(o); ok {
				p.atomic(item, uint32(at))
			}
		}
	}
	for l.plain < len(t.Plain) && t.Plain[l.plain].Step < 0 {
		l.plain++ // before the first step: always the same
	}
	same := l.common()
	if l.own(l.readsAnew(same)); l.finer {
		return ""
	}
	l.s.begin(p, path.Early())
	for proc, n := range l.s.at {
		if n != 0 {
			if reason := l.announce(n, transition.Proc(proc)); reason != "" {
				return reason
			}
		}
	}
	climbed := p.climbed
	same, reason = l.startShared(same)
	if reason != "" {
		return reason
	}
	for j := same; j < path.Len(); j++ {
		if reason := l.transition(j); reason != "" {
			return reason
		}
		if p.climbed-climbed > mostClimbed {
			return "too many local states"
		}
	}
	p.settle(l.old)
	l.remember()
	return ""
}

// mostClimbed bounds the nodes that an execution makes the program go through to tell them what may
// be accessed from there on: a few seconds. An execution of 60,000 steps that has few objects takes
// a million of them, one of 26,000 steps with an object for each a hundred million.
const mostClimbed = 1 << 23

// index lists the transitions of each goroutine.
func (l *lesson) index() {
	for len(l.turns) < l.p.tab.Procs() {
		l.turns, l.pos = append(l.turns, nil), append(l.pos, 0)
	}
	for i := range l.turns {
		l.turns[i], l.pos[i] = l.turns[i][:0], 0
	}
	for j := range l.path.Len() {
		tr, proc := l.path.At(j), l.actor(j, l.path.Event(j))
		l.turns[proc] = append(l.turns[proc], int32(j))
		if tr.With != transition.NoProc {
			l.turns[tr.With] = append(l.turns[tr.With], int32(j))
		}
	}
	for len(l.ops) < l.path.Len() {
		l.ops = append(l.ops, nil)
	}
	for j := range l.ops {
		l.ops[j] = l.ops[j][:0]
	}
	for k, o := range l.path.Operations() {
		if o.Done < l.path.Len() {
			l.ops[o.Done] = append(l.ops[o.Done], int32(k))
		}
	}
}

// transition follows transition j. While no goroutine can go on, timers may fire at several moments
// in one: each of these is a step.
func (l *lesson) transition(j int) (reason string) {
	l.from = l.path.Event(j)
	for {
		if reason := l.step(j); reason != "" || !l.path.At(j).Barrier || l.from == l.lastEvent(j) {
			return reason
		}
	}
}

// step follows transition j from event l.from on.
func (l *lesson) step(j int) (reason string) {
	tr, s, proc := l.path.At(j), l.s, l.actor(j, l.from)
	s.resize()
	if l.sendings(j, tr); l.finer {
		return anew
	}
	x, reason := l.match(tr, proc)
	if reason == "" && s.local[proc].op.class == idling {
		reason = l.idled(j, proc, &x)
	}
	if reason != "" {
		return reason
	}
	if reason := l.segment(j, tr); reason != "" {
		return reason
	}
	l.looksQuietly(proc)
	s.resize()
	at := [2]int32{s.at[proc], 0}
	if x.with != transition.NoProc {
		at[1], x.message = s.at[x.with], s.meets(&x)
		mine, theirs := x.sides()
		x.withEdge, reason = l.edge(at[1], x.withBy, theirs, x.given(theirs), &l.partner)
		if reason != "" {
			return reason
		}
		x.edge, reason = l.edge(at[0], x.by, mine, x.given(mine), &l.seg)
	} else {
		x.edge, reason = l.edge(at[0], x.by, x.outcome, x.message, &l.seg)
	}
	if reason != "" {
		return reason
	}
	for i := range l.along {
		a := &l.along[i]
		if _, reason = l.edge(s.at[a.timer], 0, 0, 0, &a.seg); reason != "" {
			return reason
		}
	}
	s.resize()
	s.take(&x)
	l.keepStep(j, &x, at)
	l.x.races(s, &x) // it shows these
	l.pos[proc]++
	l.sleeper = l.sleepsOn()
	if reason := l.announce(s.at[proc], proc); reason != "" {
		return reason
	}
	l.sleeper = transition.NoProc
	if x.with != transition.NoProc {
		l.pos[x.with]++
		if reason := l.announce(s.at[x.with], x.with); reason != "" {
			return reason
		}
	}
	if reason := l.begun(proc, l.seg.starts); reason != "" {
		return reason
	}
	for i := range l.along {
		a := &l.along[i]
		if reason := l.announce(s.at[a.timer], a.timer); reason != "" {
			return reason
		}
		if reason := l.begun(a.timer, a.seg.starts); reason != "" {
			return reason
		}
	}
	return ""
}

// begun announces what the goroutines and timers do first that a step of proc has started.
func (l *lesson) begun(proc transition.Proc, starts []transition.Proc) (reason string) {
	for k, c := range starts {
		l.inherit(l.s.at[proc], l.s.at[c], int16(k+1))
		if a := l.alarms[c]; a != nil {
			reason = l.announceTimer(l.s.at[c], a)
		} else {
			reason = l.announce(l.s.at[c], c)
		}
		if reason != "" {
			return reason
		}
	}
	return ""
}

// inherit makes the first step of the k-th goroutine that a step started depend on what that step
// had accessed before: from then on others may come after it.
func (l *lesson) inherit(from, to int32, k int16) {
	var before reach
	for _, a := range l.p.node(from).window {
		if a.starts < k {
			before.add(l.p.cells[a.cell].item, a.write)
		}
	}
	if l.p.node(to).before.join(&before) && to < l.old {
		l.p.grown = true
	}
}

// match returns the step of the state that a transition is.
func (l *lesson) match(tr *transition.Transition, proc transition.Proc) (x step, reason string) {
	op := &l.s.local[proc].op
	l.list = l.s.steps(l.list[:0], proc)
	if tr.Barrier || op.class == idling {
		x, ok, _ := l.s.atRest()
		if !ok || x.proc != proc {
			return x, "time passes while goroutines wait at channels, or for several timers at once"
		}
		l.list = append(l.list, x)
	}
	for _, x := range l.list {
		if x.with != tr.With || op.class == comm && op.op == trace.OpSelect && x.by != chosen(tr.Case) ||
			tr.With != transition.NoProc && x.withBy != tr.WithCase {
			continue
		}
		if op.class == ruled && op.op != trace.OpArrive && x.outcome != negative &&
			(len(tr.Accesses) == 0 || x.outcome != tr.Accesses[0].Arg) {
			return x, "an outcome that the model does not expect: " + tr.Op.String()
		}
		return x, ""
	}
	return x, "a step that the model does not expect: " + tr.Op.String()
}

// chosen returns the case of a select as edges have it.
func chosen(at int16) int16 {
	if at == 0 {
		return -1
	}
	return at
}

// segment reads what transition j accesses.
func (l *lesson) segment(j int, tr *transition.Transition) (reason string) {
	g := &l.seg
	*g = segment{reads: g.reads[:0], writes: g.writes[:0], updates: g.updates[:0], starts: nil,
		window: g.window[:0], timings: g.timings[:0], quiet: g.quiet[:0]}
	l.partner, l.along = segment{}, l.along[:0]
	l.growths = l.growths[:0]
	l.turn++
	at := int32(l.path.Step(j))
	first := l.path.Event(j)
	last := first
	l.takeHeads(tr.Proc, l.path.Step(j))
	if a := l.firedIn(j, l.from); a != nil {
		for l.plain < len(l.t.Plain) && l.t.Plain[l.plain].Step <= at {
			l.plain++
		}
		return l.fire(j, a)
	}
	for end := l.lastEvent(j); last < end; {
		e := &l.t.Events[last]
		if p := l.p.tab.ProcOf(e.G); p != tr.Proc && p != tr.With {
			return "an event of another goroutine: " + e.Op.String()
		}
		if l.p.free && l.timing(last) {
			last++
			continue
		}
		switch e.Op {
		case trace.OpGo:
			g.starts = append(g.starts, l.p.tab.ProcOf(trace.GID(e.Arg)))
		case trace.OpChoose, trace.OpNow, trace.OpSleep, trace.OpNative:
			return "it has no rule for " + e.Op.String()
		}
		if e.Quiet && e.Obj != 0 && l.t.Objects[e.Obj].Kind == trace.ObjChan && !l.quiet(e) {
			return "two goroutines meet inside the standard library"
		}
		l.inTurn.after = last >= l.inTurn.event
		if !l.effectOf(e, tr, l.update(last)) {
			return "memory whose allocation is unknown"
		}
		last++
	}
	l.by = tr.Proc
	if len(g.starts) > 0 || len(g.timings) > 0 {
		l.p.apart(l.by)
	}
	for ; l.plain < len(l.t.Plain) && l.t.Plain[l.plain].Step <= at; l.plain++ {
		a := &l.t.Plain[l.plain]
		if l.p.tab.ProcOf(a.G) != tr.Proc {
			return "an access of another goroutine"
		}
		starts := int16(0)
		for ev := first; ev < last && ev < int(a.After); ev++ {
			if l.startsOne(ev) {
				starts++
			}
		}
		l.inTurn.after = l.plain >= l.inTurn.access
		named := l.memory(a, starts)
		if !named && a.Write {
			l.p.apart(tr.Proc)
			l.altersOwn(&a.Mem, math.MaxInt32, word{}, false)
		}
		if !named && !l.p.nameless(tr.Proc, a) {
			return "memory whose allocation is unknown"
		}
	}
	l.inTurn.after = len(l.inTurn.heads) > 0
	l.settleEntries()
	return l.wrong
}

// lastEvent returns the index of the first event after those of transition j.
func (l *lesson) lastEvent(j int) int {
	if j+1 < l.path.Len() {
		return l.path.Event(j + 1)
	}
	return len(l.t.Events)
}

// startsOne reports whether an event starts a goroutine, or a timer.
func (l *lesson) startsOne(ev int) bool {
	e := &l.t.Events[ev]
	return e.Op == trace.OpGo || l.p.free && e.Op == trace.OpTimerStart && e.Obj != 0 &&
		l.t.Objects[e.Obj].Kind == trace.ObjClock
}

// edge returns the edge of node n for a step, which it adds if the node does not have it.
func (l *lesson) edge(n int32, at int16, outcome, message int32, g *segment) (e *edge, reason string) {
	p := l.p
	if e := l.s.find(n, at, outcome, message); e != nil {
		if l.differs(e.writes, g.writes) {
			return e, anew
		}
		if !same(e.reads, g.reads) || !same(e.writes, g.writes) || !same(e.updates, g.updates) ||
			!slices.Equal(e.starts, g.starts) || !slices.Equal(e.timings, g.timings) ||
			!slices.Equal(e.quiet, g.quiet) {
			return e, "a goroutine that observed the same did something else"
		}
		return e, ""
	}
	l.news = true
	y := p.node(n)
	y.edges = append(y.edges, edge{at: at, outcome: outcome, message: message,
		reads: p.readings.keep(g.reads), writes: p.writings.keep(g.writes),
		updates: slices.Clone(g.updates), starts: slices.Clone(g.starts),
		quiet: slices.Clone(g.quiet), timings: slices.Clone(g.timings)})
	e = &y.edges[len(y.edges)-1]
	l.lead(e, n, g)
	x := p.node(e.to)
	y.next.join(&g.reach)
	next := y.next
	p.passed(n, &next, l.old)
	var bare reach
	p.guards(x, &g.reach, &bare)
	p.expose(n, &bare, l.old)
	p.keep(x)
	next = x.next
	p.grow(e.to, &next, l.old)
	return e, ""
}

// same reports whether a and b have the same elements, each of them once.
func same[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	if slices.Equal(a, b) {
		return true
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}
