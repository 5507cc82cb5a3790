package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/model"
	"heddle/symbolic"
	"heddle/trace"
)

// A reading is the state of adding an execution's operations to the net.
type reading struct {
	trace *trace.Trace
	comm  map[announced]int   // index in Path.Operations
	next  [][]int32           // by Proc: the transitions that it takes part in, in order
	at    []int               // by Proc: how many of them were added
	left  []int               // by Proc: index in Path.Left, or -1
	cond  []transition.Object // by Proc: the Cond of its last Wait
	// by transition: the number of events in run after it; nil if it was not read to its end
	ends []int32

	loops  map[announced]iteration     // the iterations that ended, by moment
	plain  map[int32][]int32           // indices in trace.Plain, by step
	branch map[int32][]symbolic.Branch // by step
	swap   map[int32]*symbolic.Branch  // by step: the branch that decides its CompareAndSwap
	pieces []piece                     // see Strategy.pieces
}

// noTransition stands for the end of a transition at which no goroutine announces a communication.
const noTransition = -2

// announced is the moment of an announcement: the goroutine, and the transition after which it
// came.
type announced struct {
	proc transition.Proc
	at   int
}

// add adds the execution that the path has read (Fig. 8, lines 7 to 15). Its first kept transitions
// are those of the execution before. It returns what there is no net construction for, "" if there
// is nothing.
func (s *Strategy) add(t *trace.Trace, kept int) string {
	s.read.trace = t
	ends := s.read.ends
	s.read.ends = nil
	if why := s.unable(kept); why != "" {
		return why
	}
	s.readCalls(t)
	if why := s.readLoops(t); why != "" {
		return why
	}
	s.readPlain(t)
	if why := s.readBranches(t); why != "" {
		return why
	}
	if kept > 0 {
		ends = ends[:kept]
		s.run.UndoTo(int(ends[kept-1]))
		s.run.Grow()
		s.plan = s.plan[s.run.Len():]
		s.advanceTo(kept)
	} else if why := s.addBegin(); why != "" {
		return why
	} else {
		ends = ends[:0]
	}
	for j := kept; j < s.path.Len(); j++ {
		if s.late() { // the pasts of events in long executions have thousands of events
			return ""
		}
		if why := s.addStep(j); why != "" {
			return why
		}
		ends = append(ends, int32(s.run.Len()))
	}
	s.read.ends = ends
	return ""
}

// addBegin adds what main does before the first transition.
func (s *Strategy) addBegin() string {
	s.run.Begin()
	main := s.net.Root(s.procPlace(transition.Main))
	ps := s.pieces(-1)
	if v := s.then(transition.Main, -1, ps, 0); !s.begun {
		s.net.SetValue(main, v)
		s.find.Begin()
		s.fromGoroutine(main)
	} else if why := s.comeTo(transition.Main, v); why != "" {
		return why
	}
	return s.addPieces(transition.Main, -1, ps)
}

// addStep adds the events of transition j.
func (s *Strategy) addStep(j int) string {
	if s.path.At(j).Barrier {
		if !s.unnoticed(j) {
			s.addJump(j)
		}
		return ""
	}
	return s.addTransition(j)
}

// kept returns the number of transitions that the next execution shares with the last: they are not
// read again. It is 0 with inputs, where an execution may diverge.
func (s *Strategy) kept() int {
	if s.opt.Inputs != nil {
		return 0
	}
	same, last := 0, s.run.Events()
	for same < len(s.plan) && same < len(last) && s.plan[same] == last[same] {
		same++
	}
	k := 0
	for k < len(s.read.ends) && int(s.read.ends[k]) <= same {
		k++
	}
	return k
}

// advanceTo skips the first k transitions.
func (s *Strategy) advanceTo(k int) {
	for j := range k {
		x := s.path.At(j)
		if x.Barrier {
			continue
		}
		s.advance(x.Proc)
		if x.With != transition.NoProc {
			s.advance(x.With)
		}
		if x.Op == trace.OpCondWait {
			s.read.cond[x.Proc] = x.Accesses[0].Obj
		}
	}
}

// unable returns what in the execution, from a transition on, there is no net construction for.
func (s *Strategy) unable(from int) string {
	p := s.path
	if len(p.Early()) > 0 {
		return "goroutines that were started before the first step"
	}
	for i := from; i < p.Len(); i++ {
		t := p.At(i)
		if t.Barrier {
			if why := s.unableJump(i); why != "" {
				return why
			}
			continue
		}
		if t.Op == trace.OpIdle {
			return "a wait for all others (synctest.Wait)"
		}
		for k := range t.Accesses {
			a := &t.Accesses[k]
			kind := s.tab.Kind(a.Obj)
			switch {
			case len(s.tab.Overlaps(a.Obj)) > 0:
				return "memory that overlaps"
			case kind == trace.ObjModel:
				return "a monitor"
			}
		}
	}
	return ""
}

// learnCaps reports whether transitions from an index on show that a channel's capacity is another
// one than was known.
func (s *Strategy) learnCaps(from int) (changed bool) {
	for i := from; i < s.path.Len(); i++ {
		for _, a := range s.path.At(i).Accesses {
			if k := s.tab.Cap(a.Obj); s.tab.Kind(a.Obj) == trace.ObjChan && k > s.caps[a.Obj] {
				s.caps[a.Obj] = k
				changed = changed || int(a.Obj) < len(s.objects) && s.objects[a.Obj].known &&
					s.objects[a.Obj].cap != k
			}
		}
	}
	return changed
}

// readCalls finds the call of every goroutine at every moment.
func (s *Strategy) readCalls(t *trace.Trace) {
	r, p := &s.read, s.path
	n := s.tab.Procs()
	clear(r.comm)
	for len(r.next) < n {
		r.next, r.at, r.left, r.cond = append(r.next, nil), append(r.at, 0), append(r.left, 0),
			append(r.cond, 0)
	}
	for i := range n {
		r.next[i], r.at[i], r.left[i], r.cond[i] = r.next[i][:0], 0, -1, noObject
	}
	for i, ops := 0, p.Operations(); i < len(ops); i++ {
		r.comm[announced{ops[i].Proc, ops[i].Announced}] = i
	}
	for i := range p.Len() {
		x := p.At(i)
		if x.Barrier {
			continue
		}
		r.next[x.Proc] = append(r.next[x.Proc], int32(i))
		if x.With != transition.NoProc {
			r.next[x.With] = append(r.next[x.With], int32(i))
		}
	}
	for i, left := 0, p.Left(); i < len(left); i++ {
		r.left[left[i].Proc] = i
	}
}

// next returns the call that p announced after transition i.
func (s *Strategy) next(p transition.Proc, i int) net.Value {
	if it, ok := s.read.loops[announced{p, i}]; ok {
		return s.awaiting(p, it)
	}
	r := &s.read
	k := -1
	if r.at[p] < len(r.next[p]) {
		k = int(r.next[p][r.at[p]])
	}
	c := call{proc: p, obj: noObject}
	c.site = s.site(p, k)
	if o, ok := r.comm[announced{p, i}]; ok {
		op := &s.path.Operations()[o]
		c.op, c.poll = op.Op, op.Poll
		var sides []side
		s.path.Cases(op, func(obj transition.Object, at int16, send bool) {
			sides = append(sides,
				side{obj, at, send})
		})
		return s.calls.number(c, sides)
	}
	if m, ok := s.receives(p, k); ok {
		return s.awaitsMail(p, m, c.site)
	}
	switch {
	case k >= 0:
		x := s.path.At(k)
		s.describe(&c, x, k)
		if chans := s.arriving(x); c.op == trace.OpArrive && chans != nil {
			c.obj = noObject
			return s.calls.number(c, nil, chans...)
		}
	case r.left[p] >= 0:
		s.describe(&c, &s.path.Left()[r.left[p]], -1)
	default:
		if s.hasCrashed(p) {
			return crashed
		}
		switch s.leftWaiting(p) {
		case trace.OpNone:
			return 0
		case trace.OpCondWait:
			if r.cond[p] == noObject {
				return hidden
			}
			c.op, c.obj = trace.OpCondWake, r.cond[p]
		case trace.OpSleep:
			c.op, c.sleeps = trace.OpResume, true
		default:
			return hidden
		}
	}
	return s.calls.number(c, nil)
}

// site returns the site of p's operation in transition k, or of its leftover (-1).
func (s *Strategy) site(p transition.Proc, k int) trace.Site {
	r := &s.read
	if k < 0 {
		for i := range r.trace.Left {
			if l := &r.trace.Left[i]; s.tab.ProcOf(l.G) == p {
				return l.Site
			}
		}
		return 0
	}
	if s.path.At(k).Proc == p {
		return r.trace.Steps[s.path.Step(k)].Site
	}
	// The site of the partner is that of the step in which it continues.
	if n := r.at[p] + 1; n < len(r.next[p]) && s.path.At(int(r.next[p][n])).Op == trace.OpResume {
		return r.trace.Steps[s.path.Step(int(r.next[p][n]))].Site
	}
	return 0
}

// describe sets the fields of a call from how it was performed in transition k, or would be (-1).
func (s *Strategy) describe(c *call, x *transition.Transition, k int) {
	c.op = x.Op
	if x.Choices > 0 {
		c.choices = x.Choices
		return
	}
	if c.op == trace.OpCondWake {
		c.obj = s.read.cond[c.proc]
		return
	}
	if c.op == trace.OpResume {
		c.sleeps = s.slept(c.proc)
		return
	}
	if len(x.Accesses) == 0 || s.startsTimer(x, &x.Accesses[0]) {
		return
	}
	a := &x.Accesses[0]
	c.obj = a.Obj
	switch c.op {
	case trace.OpWGAdd:
		c.delta = a.Arg
	case trace.OpTimerStop:
		if a.Op == trace.OpTimerStart {
			c.delta = 1 // Reset
		}
	case trace.OpAtomicCAS:
		if k >= 0 && !s.varying[c.obj] {
			c.want, c.compares = s.path.Compared(k)
		}
	}
}

// slept reports whether p, which continues next, does so because time passed, and not because a
// partner communicated with it.
func (s *Strategy) slept(p transition.Proc) bool {
	r := &s.read
	return r.at[p] == 0 || s.path.At(int(r.next[p][r.at[p]-1])).With != p
}

// hasCrashed reports whether a panic or fatal error of p ended the program.
func (s *Strategy) hasCrashed(p transition.Proc) bool {
	return slices.ContainsFunc(s.read.trace.Crashed, func(g trace.GID) bool { return s.tab.ProcOf(g) == p })
}

// leftWaiting returns the operation in which p is left blocked, OpNone if it has ended.
func (s *Strategy) leftWaiting(p transition.Proc) trace.Op {
	for i := range s.read.trace.Left {
		if l := &s.read.trace.Left[i]; s.tab.ProcOf(l.G) == p {
			return l.Op
		}
	}
	return trace.OpNone
}

// addTransition adds the event of transition j (CORRESPONDINGEVENT, Fig. 8 line 9).
func (s *Strategy) addTransition(j int) string {
	x := s.path.At(j)
	t, u := s.run.Last(s.procPlace(x.Proc)), net.Cond(net.None)
	if x.With != transition.NoProc {
		u = s.run.Last(s.procPlace(x.With))
	}
	if t == net.None {
		return "a goroutine without a go statement"
	}
	if s.net.Value(t) == hidden {
		s.net.SetValue(t, s.next(x.Proc, noTransition))
	}
	c, sides := s.callAt(t)
	if c == nil {
		return "an operation that was not announced"
	}
	for i := range x.Accesses {
		if a := &x.Accesses[i]; c.op == trace.OpAwait || s.startsTimer(x, a) ||
			a.Arg == transition.CaseSeen && a.Op == trace.OpSelect || a.Op == trace.OpArrive &&
			s.tab.Kind(a.Obj) == trace.ObjChan {
			continue
		}
		if why := s.access(c, sides, &x.Accesses[i]); why != "" {
			return why
		}
	}
	e := s.expected(t, u, c, x)
	if e == net.None {
		e = s.eventOf(c, sides, t, u, x)
	}
	if e == net.None {
		return "an operation that the net takes for impossible: " + c.op.String()
	}
	s.follow(e)
	if !s.agree(e, x) {
		return "an operation that depends on more than its arcs: " + c.op.String()
	}
	if s.inputs.cut[e] {
		return impossible
	}
	fresh := !s.net.Shown(e)
	var ps []piece
	if fresh || s.opt.Inputs != nil || len(s.quiet.takes) > 0 {
		ps = s.pieces(j)
	}
	s.advance(x.Proc)
	if x.With != transition.NoProc {
		s.advance(x.With)
	}
	if c.op == trace.OpCondWait {
		s.read.cond[c.proc] = c.obj
	}
	if fresh {
		s.show(e, c, t, u, j, ps)
		s.noteValue(e, c, j)
		s.notePlain(e, j, &ps[0])
	}
	s.run.Grow()
	if !s.run.Add(e) {
		return "an operation that the net takes for impossible: " + c.op.String()
	}
	if fresh {
		s.extend(e)
	} else if s.isJoined(e) && !s.likeCall(s.run.Last(s.procPlace(x.Proc)),
		s.then(x.Proc, j, s.pieces(j), 0)) {
		return unmerged
	} else if s.opt.Inputs != nil {
		if why := s.comeTo(x.Proc, s.then(x.Proc, j, ps, 0)); why != "" {
			return why
		}
	}
	return s.addPieces(x.Proc, j, ps)
}

// eventOf returns the event of x, by the goroutine at t and perhaps its partner at u; None if the
// net has no way for it.
func (s *Strategy) eventOf(c *call, sides []side, t, u net.Cond, x *transition.Transition) net.Event {
	s.run.Grow()
	e := net.Event(net.None)
	s.ways(c, sides, t, u, x, func(w way) {
		if !s.like(w.label, c, x) || e != net.None {
			return
		}
		if e = s.net.Find(w.label, w.arcs); e == net.None {
			s.Surprise++
			e = s.net.Foresee(w.label, w.arcs, s.besideOf(w.arcs))
		}
	})
	return e
}

// expected returns the event of x if the execution still follows its schedule, so that the event is
// known; else None.
func (s *Strategy) expected(t, u net.Cond, c *call, x *transition.Transition) net.Event {
	if len(s.plan) == 0 {
		return net.None
	}
	e := s.plan[0]
	arcs := s.net.Arcs(e)
	if arcs[0] != net.To(t, net.Takes) || u != net.None && arcs[1] != net.To(u, net.Takes) ||
		!s.like(s.net.Label(e), c, x) {
		return net.None
	}
	return e
}

// follow records that e is the next event of the execution: whether it still follows its schedule.
func (s *Strategy) follow(e net.Event) {
	if len(s.plan) > 0 && s.plan[0] == e {
		s.plan = s.plan[1:]
	} else {
		s.plan = nil
	}
}

func (s *Strategy) advance(p transition.Proc) { s.read.at[p]++ }

// access checks what a transition did to an object against its call.
func (s *Strategy) access(c *call, sides []side, a *transition.Access) string {
	known := a.Obj == c.obj
	for _, x := range sides {
		known = known || x.obj == a.Obj
	}
	if !known {
		return "an operation on several objects: " + c.op.String()
	}
	if o := s.object(a.Obj); !o.begun {
		o.begun = true
		s.begins(o, a)
	}
	return ""
}

// ways calls f with the ways in which x can have been performed, by the goroutine at t and perhaps
// its partner at u.
func (s *Strategy) ways(c *call, sides []side, t, u net.Cond, x *transition.Transition, f func(way)) {
	if len(sides) == 0 {
		s.operation(c, t, s.run, f)
		return
	}
	if u == net.None && c.poll && x.Case == 0 {
		s.byDefault(t, sides, s.run, f)
		return
	}
	for _, y := range sides {
		if y.at != x.Case {
			continue
		}
		if u == net.None {
			s.alone(t, y, s.run, f)
			continue
		}
		for _, z := range s.sidesAt(u) {
			if z.at == x.WithCase && z.obj == y.obj && z.send != y.send {
				s.meeting(t, u, y, z, s.run, f)
			}
		}
	}
}

// agree reports whether e reads and writes objects as transition x did.
func (s *Strategy) agree(e net.Event, x *transition.Transition) bool {
	if x.Op == trace.OpAwait {
		return true // lookedAt has checked it
	}
	for i := range x.Accesses {
		a := &x.Accesses[i]
		if s.startsTimer(x, a) {
			continue
		}
		o := &s.objects[a.Obj]
		if o.kind == trace.ObjChan || o.kind == trace.ObjWaitGroup || o.kind == trace.ObjRWMutex {
			continue
		}
		takes := false
		for _, arc := range s.net.Arcs(e) {
			if s.net.Place(arc.Cond()) == o.state {
				takes = arc.Use() == net.Takes
			}
		}
		if takes != (a.Mode == model.Write) {
			return false
		}
	}
	return true
}

// show adds the conditions that e gives: of the goroutines that take part or are started, of the
// objects that it changes, and beside them.
func (s *Strategy) show(e net.Event, c *call, t, u net.Cond, j int, ps []piece) {
	n, x := s.net, s.path.At(j)
	values := make([]net.Value, 0, 4)
	values = append(values, s.then(x.Proc, j, ps, 0))
	if u != net.None {
		values = append(values, s.next(x.With, j))
	}
	for _, p := range ps[0].starts {
		values = append(values, s.next(p, j))
	}
	n.Show(e)
	s.timed(n.Give(e, n.Place(t), t, values[0]))
	values = values[1:]
	if u != net.None {
		s.timed(n.Give(e, n.Place(u), u, values[0]))
		values = values[1:]
	}
	for i, p := range ps[0].starts {
		s.timed(n.Give(e, s.procPlace(p), net.None, values[i]))
	}
	for _, a := range n.Arcs(e) {
		if y := a.Cond(); y != t && y != u && (a.Use() == net.Takes || a.Use() == net.Seals) {
			n.Give(e, n.Place(y), y, s.after(c, n.Value(y), j))
		}
	}
	s.startTimers(e, j, &ps[0])
	s.sendMail(e, j, &ps[0])
	s.noteSwap(e, j)
	if c.op == trace.OpUnlock && !s.opt.NoDeadlocks && s.objects[c.obj].kind == trace.ObjMutex {
		s.noteUnlock(t, n.Arcs(e)[1].Cond())
	}
	if c.sleeps {
		s.clock.used = true
	}
	if c.obj != noObject {
		if o := s.object(c.obj); s.aside(c, o, n.Arcs(e)) != 0 {
			x := n.Aside(e, o.beside, s.aside(c, o, n.Arcs(e)))
			o.tokens = append(o.tokens, x)
			o.given.Add(x)
			s.gather(e, x, c.obj)
		}
	}
}

// extend adds the possible extensions after e, which was just shown (Fig. 10).
func (s *Strategy) extend(e net.Event) {
	if s.late() {
		return
	}
	first, k := s.net.Given(e)
	in := s.find
	past := s.findPast(e)
	for y := first; y < first+net.Cond(k); y++ {
		in.Undo(past)
		switch o := s.ownerOf(y); {
		case s.isClock(s.net.Place(y)):
			s.fromObject(y)
		case s.isGoroutine(s.net.Place(y)):
			s.fromGoroutine(y)
			if s.net.Up(y) != net.None {
				in.Undo(past)
				s.fromObject(y)
			}
		case s.mailboxOf(y) != nil:
			s.fromAside(y, s.mailboxOf(y).waiting)
		case o.kind == trace.ObjTimer && s.net.Up(y) == net.None: // no goroutine can know it yet
		case s.net.Up(y) == net.None && s.net.Merged(y) != net.None:
			s.fromAdd(y, o.waiting)
		case s.net.Up(y) == net.None:
			s.fromAside(y, o.waiting)
		default:
			s.fromObject(y)
		}
	}
	for y := first; y < first+net.Cond(k); y++ { // the waiters at what e has locked are known now
		if s.isGoroutine(s.net.Place(y)) && !s.isClock(s.net.Place(y)) {
			in.Undo(past)
			s.deadlocked(y)
		}
	}
}

// A past is the number of events in the past of an event, itself included.
type past struct {
	of net.Event
	n  int
}

// findPast makes s.find the past of e, and returns its mark. Usually e comes after the event that
// was extended last, so s.find has that past already: it has as many events, is causally closed,
// and has that event last.
func (s *Strategy) findPast(e net.Event) net.Mark {
	in := s.find
	if !s.aimed || e != s.target { // the schedule has made the target's past
		in.UndoTo(s.sharedWith(e))
	}
	s.aimed = false
	in.Grow()
	in.Add(e)
	s.pasts = append(s.pasts, past{e, in.Len()})
	return in.Mark()
}

// sharedWith returns how many of the first events of s.find are known to be in the past of e.
func (s *Strategy) sharedWith(e net.Event) int {
	in := s.find
	for k := len(s.pasts) - 1; k >= 0; k-- {
		if p := s.pasts[k]; p.n <= in.Len() && in.Events()[p.n-1] == p.of && s.comesAfter(e, p.of) {
			return p.n
		}
		s.pasts = s.pasts[:k]
	}
	return 0
}

// comesAfter reports whether e takes, reads or follows a condition that f gave.
func (s *Strategy) comesAfter(e, f net.Event) bool {
	return slices.ContainsFunc(s.net.Arcs(e), func(a net.Arc) bool { return s.net.By(a.Cond()) == f })
}

// isGoroutine reports whether a place is a goroutine's.
func (s *Strategy) isGoroutine(k net.Place) bool {
	return int(k) < len(s.procOf) && s.procOf[k] != transition.NoProc
}
