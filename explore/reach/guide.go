package reach

import (
	"slices"

	"heddle/explore/transition"
	"heddle/rt/splitmix"
	"heddle/trace"
)

// A sleeper is an event that is possible right after a variant and must not happen: its call and
// its receiving event are both old, so the sequences that have it belong to another variant
// (section 7.3: an unmatched receiving event is not synchronised with an old sending event). It may
// happen after an event on which it depends: then it is a new event.
type sleeper struct {
	proc, with transition.Proc
	way        trace.Way
	accesses   []transition.Access
	objs       []object // objects of the running execution, by access
	awake      bool
}

// An object is an object of the running execution. A channel has the name of the table too. Memory
// has none (-1): its name depends on the size of the access.
type object struct {
	id  trace.ObjID
	obj transition.Object
}

// watch finds the sleepers of the variant of n's current row.
func (v *variant) watch(n *node, f *finder, displaced set) {
	n.possible(f, displaced, n.picked(), func(t *transition.Transition) bool {
		if !v.reduced(f) {
			v.sleep(t)
		}
		return true
	})
}

// reduced reports whether the current extension is suppressed.
func (v *variant) reduced(f *finder) bool {
	if f.reduce == nil {
		return false
	}
	f.is(f.h)
	f.fill(&v.asleep, f.own)
	return f.reduce(&v.asleep)
}

// sleep adds t to the sleepers.
func (v *variant) sleep(t *transition.Transition) {
	k := len(v.sleepers)
	if k < cap(v.sleepers) {
		v.sleepers = v.sleepers[:k+1]
	} else {
		v.sleepers = append(v.sleepers, sleeper{})
	}
	s := &v.sleepers[k]
	s.proc, s.with = t.Proc, t.With
	s.way = trace.Way{G: v.numbers.Of(t.Proc), With: int32(v.numbers.Of(t.With)) + 1, Case: t.Case,
		WithCase: t.WithCase}
	s.accesses = append(s.accesses[:0], t.Accesses...)
}

// open reports whether the calls of a shape are not completed once the events of displaced are
// removed.
func (n *node) open(sh *shape, displaced set) bool {
	for _, c := range [...]int32{sh.call, sh.with} {
		if c >= 0 && n.seq.calls[c].done >= 0 && !displaced.has(n.seq.calls[c].done) {
			return false
		}
	}
	return true
}

// A guide chooses in the free part of an execution, among the enabled goroutines, in the given
// Order.
type guide struct {
	tab      *transition.Table
	sleepers []sleeper
	order    Order
	rng      splitmix.Stream // for Random
	names    bool            // goroutines have no numbers before the variant is replayed
	begun    bool
	seen     int // number of events looked at
	partial  bool
	done     []int32          // steps by goroutine, for RoundRobin
	twins    *twins           // nil: no goroutines are vouched for to be interchangeable
	line     *transition.Line // nil: none are known to be
	steps    int
}

// An Order is how the free part of an execution is scheduled.
type Order uint8

const (
	// First continues a goroutine while it is enabled, then takes the oldest.
	First Order = iota
	// RoundRobin takes the goroutine that has made the fewest steps.
	RoundRobin
	// Random takes any enabled goroutine.
	Random
)

func (g *guide) begin(v *variant) {
	g.sleepers = g.sleepers[:0]
	if v != nil {
		g.sleepers = v.sleepers
	}
	g.names = v != nil && v.schedule.Names != nil
	g.begun, g.partial, g.seen, g.steps, g.done = false, false, 0, 0, g.done[:0]
	if g.line != nil {
		g.line.Begin()
	}
}

// Choose implements trace.Guide.
func (g *guide) Choose(t *trace.Trace, prev trace.GID, ways []trace.Way) int {
	if !g.begun {
		g.begun = true
		g.recognise(t, ways)
		g.seen = len(t.Events)
	}
	for ; g.seen < len(t.Events); g.seen++ {
		g.wake(t, &t.Events[g.seen])
	}
	if g.twins != nil {
		g.tab.ReadGoroutines(t)
		g.twins.learn(g.tab, t)
	}
	if g.line != nil {
		g.tab.ReadGoroutines(t)
		g.line.Look(t)
	}
	switch g.order {
	case RoundRobin:
		g.count(t)
		return g.fewest(t, ways)
	case Random:
		return g.atRandom(t, ways)
	}
	best := -1
	for i := range ways {
		if g.barred(t, ways, i) {
			continue
		}
		if ways[i].G == prev {
			return i
		}
		if best < 0 {
			best = i
		}
	}
	g.partial = g.partial || best < 0
	return best
}

// barred reports whether way i is not to be taken.
func (g *guide) barred(t *trace.Trace, ways []trace.Way, i int) bool {
	return g.asleep(&ways[i]) || g.line != nil && g.line.Waits(t, &ways[i]) ||
		g.twins != nil && g.younger(ways, i)
}

// count counts the steps of goroutines.
func (g *guide) count(t *trace.Trace) {
	for ; g.steps < len(t.Steps); g.steps++ {
		st := &t.Steps[g.steps]
		g.step(st.G)
		if st.Op != trace.OpChoose && st.With > 0 {
			g.step(trace.GID(st.With) - 1)
		}
	}
}

func (g *guide) step(id trace.GID) {
	for int(id) >= len(g.done) {
		g.done = append(g.done, 0)
	}
	g.done[id]++
}

// younger reports whether an older twin is enabled to do the same as way i.
func (g *guide) younger(ways []trace.Way, i int) bool {
	w := &ways[i]
	for k := range ways {
		v := &ways[k]
		if v.Op == w.Op && v.Obj == w.Obj && v.Site == w.Site &&
			g.twins.older(g.tab.ProcOf(v.G), g.tab.ProcOf(w.G)) {
			return true
		}
	}
	return false
}

// fewest chooses a goroutine with the fewest steps.
func (g *guide) fewest(t *trace.Trace, ways []trace.Way) int {
	best, least := -1, int32(0)
	for i := range ways {
		if g.asleep(&ways[i]) || g.line != nil && g.line.Waits(t, &ways[i]) {
			continue
		}
		n := int32(0)
		if id := int(ways[i].G); id < len(g.done) {
			n = g.done[id]
		}
		if best < 0 || n < least {
			best, least = i, n
		}
	}
	g.partial = g.partial || best < 0
	return best
}

// atRandom chooses at random.
func (g *guide) atRandom(t *trace.Trace, ways []trace.Way) int {
	best, awake := -1, uint64(0)
	for i := range ways {
		if g.barred(t, ways, i) {
			continue
		}
		if awake++; g.rng.Next()%awake == 0 {
			best = i
		}
	}
	g.partial = g.partial || best < 0
	return best
}

// recognise finds the objects of the running execution that the sleepers access.
func (g *guide) recognise(t *trace.Trace, ways []trace.Way) {
	if g.names {
		g.renumber(t)
	}
	g.tab.ReadGoroutines(t)
	for i := range g.sleepers {
		s := &g.sleepers[i]
		s.awake, s.objs = false, s.objs[:0]
		for k := range ways {
			w := &ways[k]
			if !s.is(w) {
				continue
			}
			s.objs = append(s.objs, g.object(t, w.Obj))
			if w.Op == trace.OpSelect || w.Op == trace.OpAwait || len(s.accesses) > 1 {
				s.look(g, t)
			}
		}
	}
}

// look adds the other objects on which s depends: channels of other cases, of operations that it
// passes over, of sides that it leaves; for a polling loop what it reads.
func (s *sleeper) look(g *guide, t *trace.Trace) {
	for id := range t.Objects {
		x := g.object(t, trace.ObjID(id))
		if x.obj < 0 || slices.Contains(s.objs, x) {
			continue
		}
		if slices.ContainsFunc(s.accesses, func(a transition.Access) bool { return a.Obj == x.obj }) {
			s.objs = append(s.objs, x)
		}
	}
	for i := range t.Offers {
		if o := &t.Offers[i]; o.Case == trace.LoopWaits && o.G == s.way.G {
			if x := g.object(t, o.Obj); x.obj < 0 {
				s.objs = append(s.objs, x)
			}
		}
	}
}

// object returns an object of t, whose goroutines have names.
func (g *guide) object(t *trace.Trace, id trace.ObjID) object {
	if id == 0 || t.Objects[id].Kind != trace.ObjChan {
		return object{id, -1}
	}
	return object{id, g.tab.ObjectOf(t, id)}
}

// renumber sets the numbers of the sleepers' goroutines once they are known.
func (g *guide) renumber(t *trace.Trace) {
	g.tab.ReadGoroutines(t)
	for i := range g.sleepers {
		s := &g.sleepers[i]
		s.way.G, s.way.With = g.tab.Number(t, s.proc), int32(g.tab.Number(t, s.with))+1
	}
}

func (s *sleeper) is(w *trace.Way) bool {
	return s.way.G == w.G && s.way.With == w.With && s.way.Case == w.Case && s.way.WithCase == w.WithCase
}

func (g *guide) asleep(w *trace.Way) bool {
	for i := range g.sleepers {
		if s := &g.sleepers[i]; !s.awake && s.is(w) {
			return true
		}
	}
	return false
}

// wake wakes the sleepers that depend on event e.
func (g *guide) wake(t *trace.Trace, e *trace.Event) {
	for i := range g.sleepers {
		s := &g.sleepers[i]
		if e.G == s.way.G || e.G == trace.GID(s.way.With)-1 {
			s.awake = true // its goroutine did something else: its next operation is new
		}
		if s.awake || e.Obj == 0 || e.Quiet {
			continue
		}
		for _, o := range s.objs {
			for k := range s.accesses {
				a := &s.accesses[k]
				if o.obj >= 0 && o.obj != a.Obj || o.obj < 0 &&
					!alike(t.Objects[o.id].Kind, g.tab.Kind(a.Obj)) {
					continue
				}
				if b, ok := g.access(t, o, a.Obj, e); ok && g.tab.Conflict(a, &b) {
					s.awake = true
				}
			}
		}
	}
}

// alike reports whether an object of kind k in one execution may have kind l in another: a variable
// is atomic if its first access is.
func alike(k, l trace.ObjKind) bool {
	memory := func(k trace.ObjKind) bool { return k == trace.ObjMemory || k == trace.ObjAtomic }
	return k == l || memory(k) && memory(l)
}

// access returns the access of e to o, which may be obj; ok is false if no other operation can
// observe it.
func (g *guide) access(t *trace.Trace, o object, obj transition.Object, e *trace.Event) (a transition.Access,
	ok bool) {
	switch {
	case e.Op == trace.OpSelect && e.Arg == transition.CaseSeen:
		return transition.SeenOf(obj), e.Obj == o.id
	case e.Op == trace.OpSelect:
		return transition.PollOf(obj), polls(t, e, o.id)
	case e.Obj == o.id || g.overlap(t, o.id, obj, e):
		return g.tab.Access(obj, e.Op, int32(e.Arg))
	case o.obj >= 0 && g.tab.Ordered(o.obj):
		return transition.LeftOf(obj), leaves(t, e, o.id)
	}
	return a, false
}

// announced returns the step at whose end the communication that e completed was announced.
func announced(t *trace.Trace, e *trace.Event) (step int32, ok bool) {
	for i := len(t.Offers) - 1; i >= 0; i-- {
		if o := &t.Offers[i]; o.G == e.G && o.Step < e.Step {
			return o.Step, true
		}
	}
	return 0, false
}

// polls reports whether e is the default of a select with a case of the object.
func polls(t *trace.Trace, e *trace.Event, id trace.ObjID) bool {
	step, ok := announced(t, e)
	for i := len(t.Offers) - 1; ok && i >= 0; i-- {
		if o := &t.Offers[i]; o.G == e.G && o.Step == step && o.Poll && o.Obj == id {
			return true
		}
	}
	return false
}

// leaves reports whether e is a communication elsewhere of a goroutine that had arrived at the
// object, or had waited there while time passed.
func leaves(t *trace.Trace, e *trace.Event, id trace.ObjID) bool {
	if e.Op != trace.OpSend && e.Op != trace.OpRecv {
		return false
	}
	step, ok := announced(t, e)
	jumped := false
	for i := len(t.Events) - 1; ok && i >= 0 && t.Events[i].Step >= step; i-- {
		x := &t.Events[i]
		if x.G == e.G && x.Step == step && x.Op == trace.OpArrive && x.Obj == id {
			return true
		}
		jumped = jumped || x.Step < e.Step && (x.Op == trace.OpTimerFire || x.Op == trace.OpIdle)
	}
	return jumped && offered(t, e.G, step, id)
}

// offered reports whether g announced a waiting case of the object at the end of a step.
func offered(t *trace.Trace, g trace.GID, step int32, id trace.ObjID) bool {
	for i := len(t.Offers) - 1; i >= 0 && t.Offers[i].Step >= step; i-- {
		if o := &t.Offers[i]; o.G == g && o.Step == step && !o.Poll && o.Obj == id {
			return true
		}
	}
	return false
}

// overlap reports whether e accesses memory that overlaps object id of the execution, which may be
// obj.
func (g *guide) overlap(t *trace.Trace, id trace.ObjID, obj transition.Object, e *trace.Event) bool {
	a, b := &t.Objects[id], &t.Objects[e.Obj]
	n, m := g.tab.Size(obj), transition.MemorySize(e, b.Kind)
	return n > 0 && m > 0 && a.Addr < b.Addr+uintptr(m) && b.Addr < a.Addr+uintptr(n)
}
