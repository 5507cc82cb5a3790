package pcr

import (
	"fmt"

	"heddle/explore/mapcov"
	"heddle/order"
	"heddle/trace"
)

// Bounds on the candidates of one trace, if patterns count once (Rule 2).
const (
	maxInstances  = 3       // candidates for one pattern
	maxOfClass    = 4       // accesses of one statement to one variable
	maxConsidered = 500_000 // candidates that are examined
)

// A candidate is a pattern with accesses of a trace that could show it.
type candidate struct {
	n      int
	access [mapcov.MaxSteps]int32 // indices in Accesses.All
	write  [mapcov.MaxSteps]bool  // by step: it counts as a write
	key    mapcov.Key             // of the pattern
	row    uint8                  // of Table 1 that it has; 0: none
	part   bool                   // see order.Goal.Part
}

func (k *candidate) event(c *creation, i int) int { return c.as.All[k.access[i]].Event }

// Pairs of steps, by index, that are consecutive accesses to one variable: of patterns of two and
// of three steps, and of four, by the second step on the first one's variable.
var (
	pairsOf2 = [][2]int{{0, 1}}
	pairsOf3 = [][2]int{{0, 1}, {1, 2}}
	pairsOf4 = [...][][2]int{1: {{0, 1}, {2, 3}}, 2: {{0, 2}, {1, 3}}, 3: {{0, 3}, {1, 2}}}
)

// conflicts returns the pairs of steps that are consecutive accesses to one variable. It allocates
// nothing: it is called for everything that is considered.
func (k *candidate) conflicts(c *creation) [][2]int {
	switch k.n {
	case 2:
		return pairsOf2
	case 3:
		return pairsOf3
	}
	for j := 1; j < 4; j++ {
		if c.as.All[k.access[j]].Var == c.as.All[k.access[0]].Var {
			return pairsOf4[j]
		}
	}
	return nil
}

// A creation is Algorithm 3 on one trace.
type creation struct {
	as      *mapcov.Accesses
	problem *order.Problem
	set     *mapcov.Set
	rules   Rules
	longest int

	partly     []bool  // by variable: accesses are to several sizes of memory, or by atomics and plain
	source     []int32 // by access: the access whose value it found; -1: the initial value
	instances  map[mapcov.Key]int
	found      []candidate
	filtered   map[Rules]int
	considered int
	truncated  bool
	// each, if not nil, is called with all that is considered, and the rule that it breaks. cut, if
	// not nil, gets the variables of which not all accesses are considered.
	each func(k candidate, rule Rules)
	cut  map[int32]bool

	expired func() bool // if not nil: ends the creation when it returns true, and sets over
	over    bool
}

// create returns the candidates of a trace that no rule excludes: patternConstraintCreation.
//
// The paper builds patterns of length 3 and 4 from pairs of patterns of length 2. Here they are
// made from legs, pairs of accesses of one goroutine. That gives the same patterns (TestCreation),
// without those that rules 3 and 5 exclude. Two corrections of the paper: line 19 must add (p1.s1,
// p1.s2, p2.s2), and s_i ≠ s_j compares events, so that goroutines with the same statements match.
func (c *creation) create() []candidate {
	c.instances, c.filtered = make(map[mapcov.Key]int), make(map[Rules]int)
	if c.source == nil {
		c.findSources()
	}
	// Patterns with variables that are no memory come last: they change the orders that memory is
	// accessed in, and the patterns of memory name the order that matters.
	c.createOf(false)
	c.createOf(true)
	return c.found
}

// leftOut reports whether variable v is a lock, and patterns have two steps. mcr is about values
// alone: what sync.Maps and channels have, and how long these are.
func (c *creation) leftOut(v int) bool {
	k := c.set.Names.Kind(c.as.Vars[v].ID)
	return c.longest == MCR().Longest && (k == trace.ObjMutex || k == trace.ObjRWMutex)
}

// createOf adds the candidates of which some variable, or none, is no memory.
func (c *creation) createOf(sync bool) {
	of := func(x, y int) bool {
		return (c.as.Vars[x].Sync || c.as.Vars[y].Sync) == sync && !c.leftOut(x) && !c.leftOut(y)
	}
	for x := range c.as.Vars {
		if c.longest >= 4 {
			for y := range c.as.Vars {
				if x != y && of(x, y) && !c.late() {
					c.quadruples(x, y)
				}
			}
		}
	}
	for x := range c.as.Vars {
		if c.longest >= 3 && of(x, x) {
			c.triples(x)
		}
	}
	for x := range c.as.Vars {
		if of(x, x) {
			c.pairs(x)
		}
	}
}

// late reports whether the time is up: no candidates are added then.
func (c *creation) late() bool {
	c.over = c.over || c.expired != nil && c.expired()
	return c.over
}

// full reports whether no more candidates are examined.
func (c *creation) full() bool { return c.truncated || c.late() }

// findSources records for each access the write before it.
func (c *creation) findSources() {
	c.source, c.partly = make([]int32, len(c.as.All)), make([]bool, len(c.as.Vars))
	for v := range c.as.Vars {
		last := int32(-1)
		of := c.part(c.as.Vars[v].All[0])
		for _, i := range c.as.Vars[v].All {
			c.source[i] = last
			c.partly[v] = c.partly[v] || c.part(i) != of
			if c.as.All[i].Write {
				last = i
			}
		}
	}
}

// part is the memory that an access is to: values of two accesses are comparable if it is equal.
type part struct {
	obj   trace.ObjID
	bytes int64
}

func (c *creation) part(i int32) part {
	e := &c.as.Trace.Events[c.as.All[i].Event]
	return part{e.Obj, e.Bytes()}
}

// seen, left and before return values, if they are known: that a read saw, that a write left, that
// a write found. They are texts that are equal only if the values are.
func (c *creation) seen(i int32) string { return c.value(i, false) }
func (c *creation) left(i int32) string { return c.value(i, true) }

func (c *creation) value(i int32, written bool) string {
	v := c.problem.Value(c.as.All[i].Event, written)
	if v != "" && c.partly[c.as.All[i].Var] {
		of := c.part(i)
		v += fmt.Sprint("@", c.as.Objects[of.obj], ":", of.bytes)
	}
	return v
}

func (c *creation) before(i int32) string {
	if s := c.source[i]; s >= 0 {
		return c.left(s)
	}
	return ""
}

// next returns the next access of goroutine g to variable v after i.
func (c *creation) next(v int, g trace.GID, i int32) int32 {
	x := &c.as.Vars[v]
	for k, h := range x.Gs {
		if h != g {
			continue
		}
		list := x.ByG[k]
		lo, hi := 0, len(list)
		for lo < hi {
			if m := (lo + hi) / 2; list[m] > i {
				hi = m
			} else {
				lo = m + 1
			}
		}
		if lo < len(list) {
			return list[lo]
		}
	}
	return int32(len(c.as.All))
}

// A class is accesses that are the same step of patterns.
type class struct {
	thread  int32
	v       int
	site    mapcov.Place
	written bool
}

func (c *creation) classOf(i int32) class {
	a := &c.as.All[i]
	return class{a.Thread, a.Var, a.Site, a.Write}
}

// some returns the accesses to a variable; if patterns count once, the first few of each class.
func (c *creation) some(v int) []int32 {
	if !c.rules.has(Covered) {
		return c.as.Vars[v].All
	}
	n := make(map[class]int)
	var list []int32
	for _, i := range c.as.Vars[v].All {
		k := c.classOf(i)
		if n[k]++; n[k] <= maxOfClass {
			list = append(list, i)
		} else {
			c.cuts(v)
		}
	}
	return list
}

func (c *creation) pairs(x int) {
	all := c.some(x)
	for _, u := range all {
		if c.full() {
			return
		}
		for _, w := range all {
			if c.as.All[u].G != c.as.All[w].G {
				c.consider(u, w)
			}
		}
	}
}

func (c *creation) triples(x int) {
	all := c.some(x)
	for _, a := range c.as.Vars[x].Gs {
		for _, leg := range c.legs(a, x, x) {
			if c.full() {
				return
			}
			for _, m := range all {
				if c.as.All[m].G != a {
					c.consider(leg[0], m, leg[1])
				}
			}
		}
	}
}

func (c *creation) quadruples(x, y int) {
	gs := c.as.Vars[x].Gs
	xy, yx := make([][][2]int32, len(gs)), make([][][2]int32, len(gs))
	for a, g := range gs {
		xy[a], yx[a] = c.legs(g, x, y), c.legs(g, y, x)
	}
	for a := range gs {
		for b := range gs {
			if a == b {
				continue
			}
			for _, leg := range xy[a] {
				if c.full() {
					return
				}
				for _, m := range xy[b] {
					c.consider(leg[0], m[0], m[1], leg[1]) // x x y y
				}
				for _, m := range yx[b] {
					c.consider(leg[0], m[0], m[1], leg[1]) // x y x y
					c.consider(leg[0], m[0], leg[1], m[1]) // x y y x
				}
			}
		}
	}
}

// legs returns pairs of accesses of g, the first to x, the second to y. By rule 3 they have the
// goroutine's order, by rule 5 no access of the pattern's variables is between them.
func (c *creation) legs(g trace.GID, x, y int) (legs [][2]int32) {
	n := make(map[[2]class]int)
	try := func(u, w int32) {
		if c.as.All[u].Event == c.as.All[w].Event {
			return
		}
		k := candidate{n: 2, access: [4]int32{u, w}}
		if c.rules.has(Interrupted) && c.interrupted(&k) {
			c.filtered[Interrupted]++
			return
		}
		key := [2]class{c.classOf(u), c.classOf(w)}
		if n[key]++; n[key] <= maxInstances || !c.rules.has(Covered) {
			legs = append(legs, [2]int32{u, w})
		} else {
			c.cuts(x)
			c.cuts(y)
		}
	}
	for _, u := range c.of(g, x) {
		if c.late() {
			break
		}
		if c.rules.has(Interrupted) && c.rules.has(HappensBefore) { // at most one
			if w := c.next(y, g, u); int(w) < len(c.as.All) {
				try(u, w)
			}
			continue
		}
		for _, w := range c.of(g, y) {
			switch {
			case u < w:
				try(u, w)
			case c.rules.has(HappensBefore):
				c.filtered[HappensBefore]++
			default:
				try(u, w)
			}
		}
	}
	return legs
}

// of returns the accesses of g to x.
func (c *creation) of(g trace.GID, x int) []int32 {
	v := &c.as.Vars[x]
	for k, h := range v.Gs {
		if h == g {
			return v.ByG[k]
		}
	}
	return nil
}

// consider adds accesses in this order as a candidate unless a rule excludes it, once for each way
// in which accesses that read and write can count.
func (c *creation) consider(accesses ...int32) {
	if c.rules.has(Covered) && c.considered > maxConsidered {
		c.truncated = true
		return
	}
	if c.considered++; c.over || c.considered%256 == 0 && c.late() {
		return
	}
	k := candidate{n: len(accesses)}
	copy(k.access[:], accesses)
	c.roles(&k, 0)
}

func (c *creation) roles(k *candidate, i int) {
	if i < k.n {
		a := &c.as.All[k.access[i]]
		for _, write := range [2]bool{false, true} {
			if write && a.Write || !write && a.Read {
				k.write[i] = write
				c.roles(k, i+1)
			}
		}
		return
	}
	for _, x := range k.conflicts(c) {
		if !k.write[x[0]] && !k.write[x[1]] {
			return // pairs that are no patterns begin no longer ones
		}
	}
	k.key, k.row = c.as.Key(k.access[:k.n], k.write[:k.n])
	if c.rules.has(Covered) && c.instances[k.key] >= maxInstances {
		for i := range k.n {
			c.cuts(c.as.All[k.access[i]].Var)
		}
		return
	}
	rule := c.broken(k)
	if c.each != nil {
		c.each(*k, rule)
	}
	if rule != 0 {
		c.filtered[rule]++
		return
	}
	c.instances[k.key]++
	c.found = append(c.found, *k)
	if c.parts(k) {
		k.part = true
		c.found = append(c.found, *k)
		k.part = false
	}
}

// parts reports whether a read is to see another value in a part of its bytes alone, as well. By
// steps of both kinds all values come about that several writes leave together.
func (c *creation) parts(k *candidate) bool {
	if c.rules.has(Covered) || k.n != 2 {
		return false
	}
	i := c.another(k, [2]int{0, 1})
	if i < 0 {
		return false
	}
	v := c.as.All[k.access[i]].Var
	return c.partly[v] && !c.as.Vars[v].Sync
}

// cuts notes that not all accesses to a variable are considered.
func (c *creation) cuts(v int) {
	if c.cut != nil {
		c.cut[c.as.Vars[v].ID] = true
	}
}

// goal returns what a schedule must bring about to show the first n accesses of the candidate:
// their order, the last of them next. With newState, a read that rule 4 requires to see another
// value sees exactly the value of the write before it, or the value that the write after it found
// in the trace.
func (c *creation) goal(k *candidate, n int, newState bool) order.Goal {
	last := n - 1
	g := order.Goal{At: []int{k.event(c, last)}}
	if n > 1 {
		g.Keep = []int{k.event(c, 0)}
	}
	for i := 1; i < last; i++ {
		g.Before = append(g.Before, [2]int{k.event(c, i-1), k.event(c, i)})
	}
	if !newState {
		return g
	}
	if k.part {
		g.Part = c.as.Vars[c.as.All[k.access[0]].Var].Obj
	}
	for _, x := range k.conflicts(c) {
		if c.another(k, x) < 0 || c.another(k, x) > last {
			continue
		}
		if u, w := x[0], x[1]; k.write[u] {
			g.Sees = append(g.Sees, [2]int{k.event(c, w), k.event(c, u)})
		} else {
			from := -1
			if s := c.source[k.access[w]]; s >= 0 {
				from = c.as.All[s].Event
			}
			g.Sees = append(g.Sees, [2]int{k.event(c, u), from})
		}
	}
	return g
}

// another returns which access of a pair is a read that rule 4 requires to see another value, -1 if
// none is.
func (c *creation) another(k *candidate, x [2]int) int {
	switch {
	case k.write[x[0]] && k.write[x[1]] || !c.changed(k, x):
		return -1
	case k.write[x[0]]:
		return x[1]
	}
	return x[0]
}

// certain returns how many of a candidate's accesses are sure to come: up to the first one that
// sees another value. What its goroutine does afterwards may depend on the value.
func (c *creation) certain(k *candidate) int {
	n := k.n
	for _, x := range k.conflicts(c) {
		if i := c.another(k, x); i >= 0 {
			n = min(n, i+1)
		}
	}
	return n
}
