package predict

import (
	"slices"

	"heddle/rt/limit"
	"heddle/trace"
	"heddle/trace/touch"
)

// locations finds the shared memory of a trace: used by at least two goroutines, of which one
// writes.
type locations struct {
	*touch.Variables
	t       *trace.Trace
	users   []user // by memory, as in Objs
	visible map[trace.Site]bool
	private int // number of steps that access memory which is not shared
}

// user has the users of a piece of memory.
type user struct {
	g      trace.GID // the first goroutine + 1
	shared bool      // another goroutine uses it
	writes bool
}

func (u *user) both() bool { return u.shared && u.writes }

// isAccess reports whether e accesses memory in a step of its own.
func isAccess(t *trace.Trace, e *trace.Event) bool {
	return (e.Op == trace.OpRead || e.Op == trace.OpWrite) && e.Step >= 0 && e.Obj > 0 &&
		int(e.Obj) < len(t.Objects) && !e.Quiet
}

// locate reads the accesses of t.
func locate(t *trace.Trace, limit *limit.Limit) *locations {
	l := &locations{t: t, visible: make(map[trace.Site]bool)}
	l.Variables = touch.In(t, func(k trace.ObjKind) bool { return k == trace.ObjMemory })
	l.users = make([]user, len(l.Objs))
	for i := range t.Events {
		limit.Check()
		e := &t.Events[i]
		if !isAccess(t, e) {
			continue
		}
		for p := range l.By(e.Obj, e.Bytes()) {
			u := &l.users[p]
			u.shared = u.shared || u.g != 0 && u.g != e.G+1
			u.g = e.G + 1
			u.writes = u.writes || e.Op == trace.OpWrite
		}
	}
	l.findVisible()
	return l
}

// findVisible collects the sites at which shared memory is accessed.
func (l *locations) findVisible() {
	for i := range l.t.Events {
		e := &l.t.Events[i]
		if !isAccess(l.t, e) || l.visible[e.Site.Plain()] {
			continue
		}
		for p := range l.By(e.Obj, e.Bytes()) {
			if l.users[p].both() {
				l.visible[e.Site.Plain()] = true
				break
			}
		}
	}
	for i := range l.t.Steps {
		if st := &l.t.Steps[i]; accessOf(st.Op) && !l.visible[st.Site.Plain()] {
			l.private++
		}
	}
}

// A location is memory that goroutines share.
type location struct {
	obj   trace.ObjID
	nodes []int32 // the nodes that access it, in order of the trace
}

// index finds accesses to shared memory.
type index struct {
	locs []location
	byG  [][]int32 // by goroutine: its accesses, in order
	of   map[int32][]int32
	one  []int32 // by node: its location; -1: none; -2: several, see of
}

// touches returns the locations that node n touches.
func (x *index) touches(n int32) []int32 {
	switch l := x.one[n]; l {
	case -1:
		return nil
	case -2:
		return x.of[n]
	}
	return x.one[n : n+1]
}

// indexAccesses builds the indices of section 5.1.
func (g *Graph) indexAccesses(l *locations) {
	x := &g.access
	x.byG, x.one = make([][]int32, len(g.seqs)), make([]int32, len(g.Nodes))
	at := make([]int32, len(l.Objs)) // by memory: its location + 1
	for i := range g.Nodes {
		g.Limit.Check()
		n := &g.Nodes[i]
		x.one[i] = -1
		if !accessOf(n.Op) || n.Obj == 0 {
			continue
		}
		for p := range l.By(n.Obj, int64(n.size)) {
			if !l.users[p].both() {
				continue
			}
			if at[p] == 0 {
				x.locs = append(x.locs, location{obj: l.Objs[p]})
				at[p] = int32(len(x.locs))
			}
			x.add(int32(i), at[p]-1)
		}
		if x.one[i] != -1 {
			x.byG[n.G] = append(x.byG[n.G], int32(i))
		}
	}
	for s := range l.visible {
		g.visible = append(g.visible, s)
	}
	slices.Sort(g.visible)
}

func (x *index) add(n, loc int32) {
	l := &x.locs[loc]
	l.nodes = append(l.nodes, n)
	switch x.one[n] {
	case -1:
		x.one[n] = loc
	case -2:
		x.of[n] = append(x.of[n], loc)
	default:
		if x.of == nil {
			x.of = make(map[int32][]int32)
		}
		x.of[n] = []int32{x.one[n], loc}
		x.one[n] = -2
	}
}

// Shared returns the number of locations.
func (g *Graph) Shared() int { return len(g.access.locs) }
