package bound

import (
	"encoding/binary"

	"heddle/explore/transition"
)

// An event is a transition with its history: all that happens before it. Executions that have the
// same event agree on everything that happens before it.
type event struct {
	t      transition.Transition // Same only
	counts []int32               // by Proc: the transitions that happen before it, and itself
	runs   []int32               // the executions that have it, ascending
	after  []int32               // events of t.Proc that are next
}

// classes has the classes of executions that were made, as sets of events.
type classes struct {
	events []event // event 0 is none
	number map[string]int32
	runs   [][][]int32 // by execution, Proc: the events of the goroutine, in order

	turns [][]int32 // by Proc: the transitions of the path, in order
	ids   []int32   // by transition of the path
	key   []byte
}

func newClasses() *classes {
	return &classes{events: make([]event, 1), number: map[string]int32{}}
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
	b := c.key[:0]
	for _, x := range [...]int32{int32(t.Proc), int32(t.With), int32(t.Case), int32(t.WithCase), t.Choice,
		int32(t.Op)} {
		b = binary.AppendVarint(b, int64(x))
	}
	for g := range p.Procs() {
		n := p.Knows(i, transition.Proc(g))
		if t.Involves(transition.Proc(g)) {
			n--
		}
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(g))
			b = binary.AppendUvarint(b, uint64(c.ids[c.turns[g][n-1]]))
		}
	}
	c.key = b
	id, ok := c.number[string(b)]
	if ok {
		return id
	}
	id = int32(len(c.events))
	c.number[string(b)] = id
	e := event{counts: make([]int32, p.Procs())}
	e.t.Proc, e.t.With, e.t.Case, e.t.WithCase, e.t.Choice = t.Proc, t.With, t.Case, t.WithCase, t.Choice
	for g := range e.counts {
		e.counts[g] = int32(p.Knows(i, transition.Proc(g)))
	}
	c.events = append(c.events, e)
	before := int32(0)
	if n := len(c.turns[t.Proc]); n > 0 {
		before = c.ids[c.turns[t.Proc][n-1]]
	}
	c.events[before].after = append(c.events[before].after, id)
	return id
}

// add adds the execution that was read. It reports whether it is the first of its class.
func (c *classes) add() bool {
	run := make([][]int32, len(c.turns))
	for g, is := range c.turns {
		for _, i := range is {
			run[g] = append(run[g], c.ids[i])
		}
	}
	v := variant{front: make([]int32, len(c.turns))}
	for g := range run {
		if n := len(run[g]); n > 0 {
			v.front[g] = run[g][n-1]
		}
	}
	if c.has(&v, 0) {
		return false
	}
	n := int32(len(c.runs))
	c.runs = append(c.runs, run)
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

// counts returns how many transitions of g v has, without its last one.
func (c *classes) counts(v *variant, g transition.Proc) int32 {
	if int(g) >= len(v.front) || v.front[g] == 0 {
		return 0
	}
	return c.events[v.front[g]].counts[g]
}

// covered reports whether an execution that was made is equivalent to one that begins with v.
func (c *classes) covered(v *variant) bool {
	for _, id := range c.events[c.before(v)].after {
		if e := &c.events[id]; e.t.Same(&v.last) && c.continues(v, e) && c.has(v, id) {
			return true
		}
	}
	return false
}

// before returns the last event of the goroutine of v.last.
func (c *classes) before(v *variant) int32 {
	if int(v.last.Proc) >= len(v.front) {
		return 0
	}
	return v.front[v.last.Proc]
}

// continues reports whether all that happens before e is in v, as far as counts say.
func (c *classes) continues(v *variant, e *event) bool {
	for g, n := range e.counts {
		if e.t.Involves(transition.Proc(g)) {
			n--
			if n != c.counts(v, transition.Proc(g)) {
				return false
			}
		}
		if n > c.counts(v, transition.Proc(g)) {
			return false
		}
	}
	return true
}

// has reports whether an execution has all events of v, and event id unless that is 0.
func (c *classes) has(v *variant, id int32) bool {
	least := id
	for _, f := range v.front {
		if f != 0 && (least == 0 || len(c.events[f].runs) < len(c.events[least].runs)) {
			least = f
		}
	}
	if least == 0 {
		return len(c.runs) > 0
	}
next:
	for _, n := range c.events[least].runs {
		run := c.runs[n]
		for g, f := range v.front {
			if f != 0 && !has(run, c.events[f].counts, g, f) {
				continue next
			}
		}
		if id == 0 || has(run, c.events[id].counts, int(c.events[id].t.Proc), id) {
			return true
		}
	}
	return false
}

// has reports whether an execution has an event of goroutine g.
func has(run [][]int32, counts []int32, g int, id int32) bool {
	at := int(counts[g]) - 1
	return g < len(run) && at < len(run[g]) && run[g][at] == id
}

// name returns a key that tells variants from each other.
func (c *classes) name(v *variant, other bool) string {
	b := c.key[:0]
	for g, id := range v.front {
		if id != 0 {
			b = binary.AppendUvarint(b, uint64(g))
			b = binary.AppendUvarint(b, uint64(id))
		}
	}
	t := &v.last
	if other {
		b = append(b, 1)
	}
	for _, x := range [...]int32{int32(t.Proc), int32(t.With), int32(t.Case), int32(t.WithCase), t.Choice,
		int32(t.Op)} {
		b = binary.AppendVarint(b, int64(x))
	}
	c.key = b
	return string(b)
}
