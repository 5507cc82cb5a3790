package sched

import (
	"slices"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Interchangeable goroutines: docs/design/symmetry.md has the conditions, and why they suffice. The
// names here: an elder and its younger twin, and the window between their go statements.

// twins is what an execution knows of interchangeable goroutines.
type twins struct {
	on      bool
	windows []window // what parents accessed in windows
	lo, hi  uintptr  // all of them lie there
	links   []windowOf
	groups  []group // WaitGroups that parents added to in windows
	paired  bool    // some goroutine has an elder
	named   bool    // the program looked at what goroutines with other names would see otherwise
}

// A touch is an access of a parent to memory that is on no stack.
type touch struct {
	from, to uintptr
	write    bool
	at       int32 // the number of events before
}

// A window is a touch between two go statements of a parent, or between several such.
type window struct {
	touch
	parent trace.GID
	met    bool // by a conflicting access of another goroutine
}

// A windowOf says that windows[at] is one before the go statement of younger.
type windowOf struct {
	at      int32
	younger trace.GID
}

type group struct {
	obj             trace.ObjID
	parent, younger trace.GID
}

// A kin is what a goroutine has for its twins.
type kin struct {
	closure func() // as its go statement had it
	funcs   []unsafe.Pointer
	args    []any // if they are vouched for
	drew    int32 // how many steps it had made when it first drew a number, or looked at the clock; 0: never
	told    bool  // its name decided something: the order of pointers that it made, as keys of a map
	begun   int32 // the number of events before its go statement

	// As a parent: its accesses since it started a goroutine. lost: where those end that were too
	// many. shut: none is kept until it starts the next goroutine.
	touched []touch
	lost    int32
	shut    bool
}

const (
	mostTouched = 64      // accesses of a parent that are kept
	mostWindows = 64      // different ones in windows
	longWindow  = 1 << 12 // events in a window
	mostKin     = 64      // goroutines that are looked at for an elder
)

func (w *twins) reset(on bool) {
	*w = twins{on: on, windows: w.windows[:0], links: w.links[:0], groups: w.groups[:0], lo: ^uintptr(0)}
}

// noteTwin notes what n is interchangeable with: itself if with nothing.
func (s *Sched) noteTwin(n *G, parent *G) {
	var twin trace.GID
	if s.twins.on {
		twin = s.elder(n, parent)
	} else {
		twin = s.vouched(n, parent.id)
	}
	for len(s.t.Twins) < int(n.id) { // main and the timers
		s.t.Twins = append(s.t.Twins, trace.GID(len(s.t.Twins)))
	}
	s.t.Twins = append(s.t.Twins, twin)
}

// vouched returns the first goroutine that parent started by the same go statement with equal
// arguments.
func (s *Sched) vouched(n *G, parent trace.GID) trace.GID {
	n.kin.args = hook.Args
	for id := trace.GID(0); id < n.id; id++ {
		g, h := &s.t.Goroutines[id], &s.t.Goroutines[n.id]
		if g.Parent == parent && g.Site == h.Site && equalArgs(s.gs[id].kin.args, n.kin.args) {
			return s.t.Twins[id]
		}
	}
	return n.id
}

// elder returns the last goroutine before n that is interchangeable with n.
func (s *Sched) elder(n, parent *G) trace.GID {
	n.kin.closure, n.kin.funcs, n.kin.begun = n.fn, hook.Funcs, int32(len(s.t.Events))
	n.kin.args, parent.kin.shut = hook.Args, false
	if parent == s.timerG {
		return n.id
	}
	for id := n.id - 1; id > 1 && id >= n.id-mostKin; id-- {
		g, h := &s.t.Goroutines[id], &s.t.Goroutines[n.id]
		if x := s.gs[id]; g.Parent == h.Parent && g.Site == h.Site && x.labels == n.labels &&
			sameClosure(&x.kin, &n.kin) {
			if !s.clean(parent, x, n.id) {
				break
			}
			s.twins.paired = true
			return id
		}
	}
	return n.id
}

// clean reports whether parent did nothing between the go statements of x and of the goroutine
// younger, as far as is known by now, that makes them different.
func (s *Sched) clean(parent, x *G, younger trace.GID) bool {
	if parent.kin.lost > x.kin.begun || len(s.t.Events)-int(x.kin.begun) > longWindow {
		return false
	}
	groups := len(s.twins.groups)
	for i := len(s.t.Events) - 1; i > int(x.kin.begun); i-- {
		e := &s.t.Events[i]
		switch {
		case e.G != parent.id, e.Op == trace.OpGo, e.Op == trace.OpRead, e.Op == trace.OpWrite:
		case e.Op == trace.OpWGAdd && e.Arg > 0:
			s.twins.groups = append(s.twins.groups, group{e.Obj, parent.id, younger})
		default:
			s.twins.groups = s.twins.groups[:groups]
			return false
		}
	}
	for _, a := range parent.kin.touched {
		if a.at > x.kin.begun && !s.twins.link(a, parent.id, younger) {
			return false
		}
	}
	return true
}

// link notes an access of parent before the go statement of younger. It reports whether there was
// room for it.
func (w *twins) link(a touch, parent, younger trace.GID) bool {
	at := slices.IndexFunc(w.windows, func(b window) bool {
		return b.parent == parent && b.from == a.from && b.to == a.to && b.write == a.write
	})
	if at < 0 {
		if at = len(w.windows); at == mostWindows {
			return false
		}
		w.windows = append(w.windows, window{touch: a, parent: parent})
		w.lo, w.hi = min(w.lo, a.from), max(w.hi, a.to)
	}
	w.links = append(w.links, windowOf{int32(at), younger})
	return true
}

// twinAccess is told of each access to memory that is on no stack, while twins are looked for.
func (s *Sched) twinAccess(g *G, p, n uintptr, write bool) {
	if w := &s.twins; p < w.hi && w.lo < p+n {
		for i := range w.windows {
			b := &w.windows[i]
			b.met = b.met || b.parent != g.id && (b.write || write) && p < b.to && b.from < p+n
		}
	}
	k := &g.kin
	if g.children == 0 || k.shut {
		return
	}
	a := touch{from: p, to: p + n, write: write, at: int32(len(s.t.Events))}
	for i := range k.touched {
		if b := &k.touched[i]; b.from <= a.from && b.to >= a.to && (b.write || !a.write) {
			b.at = a.at
			return
		}
	}
	if len(k.touched) == mostTouched {
		k.touched, k.lost, k.shut = k.touched[:0], a.at+1, true
		return
	}
	k.touched = append(k.touched, a)
}

// twinDraws is told that the running goroutine draws a number from the execution's generator.
func (s *Sched) twinDraws() {
	if g := s.cur; s.twins.on && g != nil && g.kin.drew == 0 {
		g.kin.drew = int32(min(g.steps, mostTouched))
	}
}

// twinLooks is told that the running goroutine looks at the clock. What it sees depends on how many
// moments led there, which are not those that would have led its twin there. In bubbles it is the
// time alone.
func (s *Sched) twinLooks() {
	if w := &s.twins; w.on && !w.named && !hook.Arming && !hook.Frozen && s.exhaustive() {
		s.twinDraws()
		w.named = w.paired && !s.pcs.forOutput()
	}
}

// eldersFirst returns the goroutine that is to go on where the policy has chosen g: an elder of it
// that has not made more steps, as far as it can. So a search that leaves the rest of an execution
// open gets one of the orders that it means to cover.
func (s *Sched) eldersFirst(g trace.GID) trace.GID {
	if !s.twins.paired {
		return g
	}
	return s.eldest(g)
}

// eldest is eldersFirst where there are pairs.
func (s *Sched) eldest(g trace.GID) trace.GID {
	for s.exhaustive() && s.opt.Schedule.Strict {
		e := s.t.Twins[g]
		if e == g || s.gs[e].state() != gReady || s.gs[e].steps > s.gs[g].steps {
			break
		}
		g = e
	}
	return g
}

// twinTold is told that the place of what g made among other objects matters: it depends on the
// names of g and of the goroutines that led to it.
func (s *Sched) twinTold(g trace.GID) {
	for s.twins.on && g >= 0 && !s.gs[g].kin.told {
		s.gs[g].kin.told = true
		s.twins.named = s.twins.named || g == s.timerG.id // functions of timers begin in the order of names
		g = s.t.Goroutines[g].Parent
	}
}

// twinsLook reports whether accesses of the running goroutine may matter for twins.
func (s *Sched) twinsLook() bool {
	return s.twins.on && (len(s.twins.windows) > 0 || s.cur.children > 0 && !s.cur.kin.shut)
}

// settleTwins takes back what the end of the execution shows to be wrong.
func (s *Sched) settleTwins() {
	w := &s.twins
	if w.paired {
		s.separateTwins()
	}
	for _, g := range s.gs { // the next execution may find memory through them
		g.kin = kin{}
	}
}

func (s *Sched) separateTwins() {
	w := &s.twins
	apart := func(id trace.GID) { s.t.Twins[id] = id }
	for _, l := range w.links {
		if w.windows[l.at].met {
			apart(l.younger)
		}
	}
	for _, g := range w.groups {
		for i := range s.t.Events {
			if e := &s.t.Events[i]; e.Op == trace.OpWGWait && e.Obj == g.obj && e.G != g.parent {
				apart(g.younger)
			}
		}
		for i := range s.t.Left {
			if l := &s.t.Left[i]; l.Op == trace.OpWGWait && l.Obj == g.obj && l.G != g.parent {
				apart(g.younger)
			}
		}
	}
	begins := s.beginnings()
	for id := range begins {
		s.t.Calm = append(s.t.Calm, begins[id].calm)
	}
	for id := range s.t.Twins {
		if x := s.t.Twins[id]; int(x) != id && (w.named || !alike(&begins[x], &begins[id]) ||
			s.gs[x].kin.told || s.gs[id].kin.told) {
			apart(trace.GID(id))
		}
	}
}

// A beginning is what a goroutine did first.
type beginning struct {
	steps  int32
	calm   int32      // see trace.Trace.Calm; so far if not broken
	broken bool       // after more steps it did something else
	site   trace.Site // of its second step, which is its first operation
}

// stir is told of an event that is no step of its own.
func (b *beginning) stir() {
	if !b.broken {
		b.broken, b.calm = true, max(b.steps-1, 0)
	}
}

// beginnings returns how the goroutines began.
func (s *Sched) beginnings() []beginning {
	bs := make([]beginning, len(s.gs))
	ev := 0
	for i := range s.t.Steps {
		st := &s.t.Steps[i]
		with := trace.GID(st.With) - 1
		if st.Op == trace.OpChoose {
			with = -1
		}
		count(bs, st.G, st.Site)
		if with >= 0 {
			count(bs, with, 0)
		}
		own := false
		for ; ev < len(s.t.Events) && int(s.t.Events[ev].Step) <= i; ev++ {
			e := &s.t.Events[ev]
			if int(e.Step) < i {
				continue
			}
			b := &bs[e.G]
			switch {
			case e.G == st.G && e.Op == st.Op && !e.Quiet && !own:
				own = true
			case e.G == with && b.steps == 2 && b.site == 0:
				b.site = e.Site
			case e.Op != trace.OpResume: // what it had announced can go on
				b.stir()
			}
		}
	}
	for id := range bs {
		b, k := &bs[id], &s.gs[id].kin
		if !b.broken {
			b.calm = b.steps
		}
		if k.drew > 0 {
			b.calm = min(b.calm, k.drew-1)
		}
		if b.steps == 1 && s.gs[id].state() != gDone {
			b.site = s.pend[id].Site
		}
	}
	return bs
}

// count counts a step of g.
func count(bs []beginning, g trace.GID, site trace.Site) {
	if bs[g].steps++; bs[g].steps == 2 {
		bs[g].site = site
	}
}

// alike reports whether two goroutines began in the same way, as far as they began.
func alike(x, y *beginning) bool {
	return x.steps == 0 || y.steps == 0 || x.calm > 0 && y.calm > 0 && x.site == y.site
}

func equalArgs(as, bs []any) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !equal(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// equal compares two values. Slices, and what holds some, are never equal; maps
// and functions only if they are one.
func equal(a, b any) (same bool) {
	type words [2]unsafe.Pointer
	if *(*words)(unsafe.Pointer(&a)) == *(*words)(unsafe.Pointer(&b)) {
		return true
	}
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}
