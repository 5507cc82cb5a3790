package predict

import (
	"cmp"
	"slices"

	"heddle/trace"
)

// Predicted deadlocks: goroutines each of which holds the lock that the next one wants (Havelund's
// GoodLock, for cycles of any length). This is beyond the paper, by the same recipe: the lock order
// of one execution gives candidates, and an execution must show them.

// LockCycle is the pattern of Deadlocks. Its instances are operations that wait for a lock, of
// goroutines that hold what the others want.
var LockCycle = &Pattern{Name: "lock order", Kind: "deadlock"}

// maxCycleSteps bounds the search for cycles.
const maxCycleSteps = 1 << 20

// A wish is an operation that takes a lock while its goroutine holds others.
type wish struct {
	node  int32
	g     trace.GID
	site  trace.Site
	held  lockset
	want  int32 // entry of a lockset
	locks int32 // the lockset, by the graph's number
}

// The door of an RWMutex is what a waiting writer holds, and what readers must pass.
const door = 1 << 28

// Deadlocks returns the cycles in the lock order of the trace: of different goroutines, without a
// lock that all hold, and of operations that are not ordered. Cycles at the same sites are one
// candidate.
func (g *Graph) Deadlocks() []Candidate {
	c := &cycles{g: g, byHeld: make(map[int32][]int32), left: maxCycleSteps}
	c.collect()
	for i := range c.wishes {
		if g.Limit.Spent() {
			break
		}
		c.path = append(c.path[:0], int32(i))
		c.extend()
	}
	return c.out
}

type cycles struct {
	g      *Graph
	wishes []wish
	byHeld map[int32][]int32 // by lock: the wishes of goroutines that hold it
	path   []int32
	left   int
	out    []Candidate
}

// collect makes the wishes of the trace: one for each goroutine, site and lockset.
func (c *cycles) collect() {
	type key struct {
		g     trace.GID
		site  trace.Site
		locks int32
		want  int32
	}
	known := map[key]int{}
	for _, e := range c.g.effects {
		if c.g.Limit.Spent() {
			return
		}
		if e.kind != effLock && e.kind != effRLock && e.kind != effAwait {
			continue
		}
		n := &c.g.Nodes[e.node]
		if n.G != e.g {
			continue
		}
		write := int32(0)
		if e.kind == effLock {
			write = 1
		}
		rw := int(e.obj) < len(c.g.Trace.Objects) && c.g.Trace.Objects[e.obj].Kind == trace.ObjRWMutex
		add := func(held lockset, want int32) {
			k := key{n.G, n.Site, n.locks, want}
			if len(held) == 0 || known[k] == maxInstances {
				return
			}
			known[k]++
			for _, h := range held {
				c.byHeld[h>>1] = append(c.byHeld[h>>1], int32(len(c.wishes)))
			}
			c.wishes = append(c.wishes, wish{e.node, n.G, n.Site, held, want, n.locks})
		}
		held := c.g.locksets[n.locks]
		if rw && write == 1 {
			held = append(slices.Clone(held), (int32(e.obj)|door)<<1|1)
		}
		add(held, int32(e.obj)<<1|write)
		if rw && write == 0 {
			add(held, (int32(e.obj)|door)<<1)
		}
	}
}

// extend adds to the path wishes of goroutines that hold what its last one wants.
func (c *cycles) extend() {
	w := &c.wishes[c.path[len(c.path)-1]]
	for _, i := range c.byHeld[w.want>>1] {
		if c.left--; c.left < 0 || c.g.Limit.Spent() {
			return
		}
		if i == c.path[0] && len(c.path) > 1 && c.waitsFor(w, &c.wishes[i]) {
			c.add()
			continue
		}
		if i <= c.path[0] || !c.waitsFor(w, &c.wishes[i]) || !c.joins(i) {
			continue
		}
		c.path = append(c.path, i)
		c.extend()
		c.path = c.path[:len(c.path)-1]
	}
}

// waitsFor reports whether v holds the lock that w wants, in a way that blocks w.
func (c *cycles) waitsFor(w, v *wish) bool {
	return slices.ContainsFunc(v.held, func(h int32) bool {
		return h>>1 == w.want>>1 &&
			(h&1 == 1 || w.want&1 == 1)
	})
}

// joins reports whether wish i may hold together with those of the path.
func (c *cycles) joins(i int32) bool {
	w := &c.wishes[i]
	for _, j := range c.path {
		v := &c.wishes[j]
		if v.g == w.g || v.held.excludes(w.held) || c.g.mustCome(v.node, w.node) ||
			c.g.mustCome(w.node, v.node) {
			return false
		}
	}
	return true
}

// mustCome reports whether node a must be performed before the goroutine of node b, of another
// goroutine, can be next to perform b. What b itself waits for does not count: it may wait.
func (g *Graph) mustCome(a, b int32) bool {
	nb := &g.Nodes[b]
	if nb.epoch > g.Nodes[a].epoch {
		return true
	}
	before := g.births[nb.G]
	if nb.Pos > 0 {
		before = g.seqs[nb.G][nb.Pos-1]
	}
	return before >= 0 && (a == before || g.Before(a, before))
}

func (c *cycles) add() {
	a := Anomaly{Pattern: LockCycle}
	var sites []trace.Site
	for _, i := range c.path {
		a.Nodes = append(a.Nodes, c.wishes[i].node)
		sites = append(sites, c.wishes[i].site)
	}
	slices.SortFunc(sites, func(x, y trace.Site) int { return cmp.Compare(x, y) })
	for i := range c.out {
		if slices.Equal(c.out[i].Sites, sites) {
			if len(c.out[i].Instances) < maxInstances {
				c.out[i].Instances = append(c.out[i].Instances, a)
			}
			return
		}
	}
	c.out = append(c.out, Candidate{Pattern: LockCycle, Sites: sites, Instances: []Anomaly{a}})
}
