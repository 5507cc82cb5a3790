package bound

import (
	"slices"

	"heddle/explore/transition"
)

// An event is a transition with its history: all that happens before it. Executions that have the
// same event agree on everything that happens before it.
type event struct {
	t      transition.Transition // Same only
	key    []int32               // the transition, then the last event of each goroutine before it
	counts []int32               // by Proc: the transitions that happen before it, and itself
	runs   []int32               // the executions that have it, ascending
	after  []int32               // events of t.Proc that are next
}

// classes has the classes of executions that were made, as sets of events.
type classes struct {
	events []event // event 0 is none
	found  []int32 // events by a hash of their key: open addressing, a power of two, 0 is free
	runs   []run

	turns [][]int32 // by Proc: the transitions of the path, in order
	ids   []int32   // by transition of the path
	key   []int32
	bytes []byte
	some  []int32 // memory for keys and counts of events
	have  []int32 // by Proc: the transitions of a variant, without its last one
	asked map[string]bool
}

// A run is an execution: the events of goroutine 0 in order, then those of goroutine 1, and so on.
type run struct {
	events []int32
	from   []int32 // by Proc, and one more: where its events begin
}

// at returns the n-th event of goroutine g, 0 if there is none.
func (r *run) at(g transition.Proc, n int32) int32 {
	if int(g)+1 >= len(r.from) {
		return 0
	}
	if i := r.from[g] + n; i < r.from[g+1] {
		return r.events[i]
	}
	return 0
}

func newClasses() *classes {
	return &classes{events: make([]event, 1), found: make([]int32, 1<<10), asked: map[string]bool{}}
}

// read finds the events of a path.
func (c *classes) read(p *transition.Path) {
	for len(c.turns) < p.Procs() {
		c.turns = append(c.turns, nil)
	}
	for g := range c.turns {
		c.turns[g] = c.turns[g][:0]
	}
	c.ids = c.ids[:0]
	for i := range p.Len() {
		t := p.At(i)
		c.ids = append(c.ids, c.event(p, i, t))
		c.turns[t.Proc] = append(c.turns[t.Proc], int32(i))
		if t.With != transition.NoProc {
			c.turns[t.With] = append(c.turns[t.With], int32(i))
		}
	}
}

// event returns the number of the event that transition i is.
func (c *classes) event(p *transition.Path, i int, t *transition.Transition) int32 {
	k := append(c.key[:0], int32(t.Proc), int32(t.With), int32(t.Case), int32(t.WithCase), t.Choice,
		int32(t.Op))
	for g := range p.Procs() {
		n := p.Knows(i, transition.Proc(g))
		if t.Involves(transition.Proc(g)) {
			n--
		}
		if n > 0 {
			k = append(k, int32(g), c.ids[c.turns[g][n-1]])
		}
	}
	c.key = k
	at := c.slot(k)
	if id := c.found[at]; id != 0 {
		return id
	}
	id := int32(len(c.events))
	e := event{key: c.keep(k)}
	c.key = c.key[:0]
	for g := range p.Procs() {
		c.key = append(c.key, int32(p.Knows(i, transition.Proc(g))))
	}
	e.counts = c.keep(c.key)
	e.t.Proc, e.t.With, e.t.Case, e.t.WithCase, e.t.Choice = t.Proc, t.With, t.Case, t.WithCase, t.Choice
	c.events = append(c.events, e)
	c.found[at] = id
	if 2*len(c.events) > len(c.found) {
		c.grow()
	}
	before := int32(0)
	if n := len(c.turns[t.Proc]); n > 0 {
		before = c.ids[c.turns[t.Proc][n-1]]
	}
	c.events[before].after = append(c.events[before].after, id)
	return id
}

// keep returns a copy of ns that stays.
func (c *classes) keep(ns []int32) []int32 {
	if cap(c.some)-len(c.some) < len(ns) {
		c.some = make([]int32, 0, 1<<12+len(ns))
	}
	from := len(c.some)
	c.some = append(c.some, ns...)
	return c.some[from:len(c.some):len(c.some)]
}

// slot returns where the event of a key is in found, or is to be.
func (c *classes) slot(key []int32) int {
	h := uint64(len(key))
	for _, n := range key {
		h = (h ^ uint64(uint32(n))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	for at := int(h) & (len(c.found) - 1); ; at = (at + 1) & (len(c.found) - 1) {
		if id := c.found[at]; id == 0 || slices.Equal(c.events[id].key, key) {
			return at
		}
	}
}

func (c *classes) grow() {
	c.found = make([]int32, 2*len(c.found))
	for id := 1; id < len(c.events); id++ {
		c.found[c.slot(c.events[id].key)] = int32(id)
	}
}

// add adds the execution that was read. It reports whether it is the first of its class.
func (c *classes) add() bool {
	r := run{make([]int32, 0, len(c.ids)+8), make([]int32, 1, len(c.turns)+1)}
	v := variant{front: make([]int32, len(c.turns))}
	for g, is := range c.turns {
		for _, i := range is {
			r.events = append(r.events, c.ids[i])
		}
		if len(is) > 0 {
			v.front[g] = r.events[len(r.events)-1]
		}
		r.from = append(r.from, int32(len(r.events)))
	}
	if c.count(&v); c.made(&v) {
		return false
	}
	n := int32(len(c.runs))
	c.runs = append(c.runs, r)
	for _, id := range c.ids {
		c.events[id].runs = append(c.events[id].runs, n)
	}
	return true
}

// A variant is the beginning of an execution: events, then a transition.
type variant struct {
	front []int32 // by Proc: its last event, 0 if it has none
	last  transition.Transition
}

// count makes c.have the numbers of transitions that v has.
func (c *classes) count(v *variant) {
	c.have = c.have[:0]
	for g, id := range v.front {
		n := int32(0)
		if id != 0 {
			n = c.events[id].counts[g]
		}
		c.have = append(c.have, n)
	}
}

// made reports whether an execution that was made has all events of v, whatever comes next.
func (c *classes) made(v *variant) bool {
	least := c.rarest(v)
	if least == 0 {
		return len(c.runs) > 0
	}
	for _, n := range c.events[least].runs {
		if c.begins(&c.runs[n], v) {
			return true
		}
	}
	return false
}

// rarest returns the event of v that the fewest executions have, 0 if it has none.
func (c *classes) rarest(v *variant) (least int32) {
	for _, f := range v.front {
		if f != 0 && (least == 0 || len(c.events[f].runs) < len(c.events[least].runs)) {
			least = f
		}
	}
	return least
}

// begins reports whether an execution has all events of v. count was called with v.
func (c *classes) begins(r *run, v *variant) bool {
	for g, f := range v.front {
		if f != 0 && r.at(transition.Proc(g), c.have[g]-1) != f {
			return false
		}
	}
	return true
}

// covered reports whether an execution that was made is equivalent to one that begins with v. It
// looks at the executions that have the rarest event, or at the events that come next, whichever
// are fewer.
func (c *classes) covered(v *variant) bool {
	c.count(v)
	g, before, n := v.last.Proc, int32(0), int32(0)
	if int(g) < len(v.front) {
		before, n = v.front[g], c.have[g]
	}
	after := c.events[before].after
	if least := c.rarest(v); least != 0 && len(c.events[least].runs) <= len(after) {
		for _, k := range c.events[least].runs {
			r := &c.runs[k]
			if id := r.at(g, n); id != 0 && c.continues(v, id) && c.begins(r, v) {
				return true
			}
		}
		return false
	}
	for _, id := range after {
		if !c.continues(v, id) {
			continue
		}
		for _, k := range c.events[id].runs {
			if c.begins(&c.runs[k], v) {
				return true
			}
		}
	}
	return false
}

// continues reports whether event id is the last transition of v, and all that happens before it is
// in v, as far as counts say.
func (c *classes) continues(v *variant, id int32) bool {
	e := &c.events[id]
	if !e.t.Same(&v.last) {
		return false
	}
	for g, n := range e.counts {
		have := int32(0)
		if g < len(c.have) {
			have = c.have[g]
		}
		if p := transition.Proc(g); p == e.t.Proc || p == e.t.With {
			if n-1 != have {
				return false
			}
		} else if n > have {
			return false
		}
	}
	return true
}

// again reports whether it was asked about v before, with the same other.
func (c *classes) again(v *variant, other bool) bool {
	b := c.bytes[:0]
	put := func(n int32) { b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)) }
	for _, id := range v.front {
		put(id)
	}
	t := &v.last
	for _, n := range [...]int32{int32(t.Proc), int32(t.With), int32(t.Case), int32(t.WithCase), t.Choice,
		int32(t.Op)} {
		put(n)
	}
	if put(0); other {
		put(1)
	}
	c.bytes = b
	if c.asked[string(b)] {
		return true
	}
	c.asked[string(b)] = true
	return false
}
