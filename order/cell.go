package order

import (
	"maps"
	"slices"

	"heddle/trace"
)

// A cell is something that is read and written as a whole: bytes that always have the same
// accesses, an atomic variable, or an object of unknown kind.
type cell struct {
	at      uintptr // of memory and atomics that others overlap: the address of its first byte
	uses    []use
	of      map[int]int         // by event: its use
	initial value               // before all writes, if known
	byValue map[value][]int     // indices in uses of the writes that left a value
	asked   map[int]map[int]lit // by event: see choose
	exact   func(int) bool      // see Options.Exact
}

// A use is what an event does to a cell.
type use struct {
	event  int
	reads  bool
	writes bool
	always bool // the value that it reads always matters, since what it writes depends on it
	source int  // event whose value it read, -1: the initial value
	in     value
	out    value
	unlike value // it is enough that it sees another value than this one: a CompareAndSwap that failed
}

// A value is what is known of a value that was read or written; nothing if text is "". Values of
// accesses to different parts of memory cannot be compared.
type value struct {
	text string
	obj  trace.ObjID
	size int64
}

func (v value) known() bool         { return v.text != "" }
func (v value) equals(w value) bool { return v.known() && v == w }

// note appends a use, in trace order.
func (c *cell) note(u use, last *int, now *value) {
	u.source = *last
	if c.exact != nil {
		u.reads = c.exact(u.event)
		u.always = u.reads
		u.in, u.out, u.unlike = value{}, value{}, value{}
	}
	if u.reads && !u.in.known() {
		u.in = *now
	}
	if u.reads && u.source < 0 && u.in.known() && !c.initial.known() {
		c.initial = u.in
	}
	if u.writes {
		*last, *now = u.event, u.out
	} else if u.reads && u.in.known() && !now.known() {
		*now = u.in
	}
	c.of[u.event] = len(c.uses)
	c.uses = append(c.uses, u)
}

// finish sets the values of writes that were not recorded, from reads, and indexes the writes.
func (c *cell) finish() {
	for i := range c.uses {
		u := &c.uses[i]
		if !u.reads || !u.in.known() || u.source < 0 {
			continue
		}
		if w := &c.uses[c.of[u.source]]; !w.out.known() {
			w.out = u.in
		}
	}
	for i := range c.uses {
		if w := &c.uses[i]; w.writes && w.out.known() {
			c.byValue[w.out] = append(c.byValue[w.out], i)
		}
	}
}

// accepts reports whether u may read from write w; nil is the initial value.
func (c *cell) accepts(u, w *use) bool {
	from, out := -1, c.initial
	if w != nil {
		from, out = w.event, w.out
	}
	return from == u.source || u.in.equals(out) || u.unlike.known() && out.known() && out != u.unlike
}

func (c *cell) check(p *Problem, events []int32) {
	var writes []*use // in the order that is checked
	for _, i := range events {
		u := &c.uses[c.of[int(i)]]
		var now *use
		if len(writes) > 0 {
			now = writes[len(writes)-1]
		}
		if u.reads && !c.accepts(u, now) && (u.always || p.isNeeded(u.event)) {
			c.demand(p, u, writes)
		}
		if u.writes {
			writes = append(writes, u)
		}
	}
}

// maxBetween bounds the writes between a write and a read for which demand adds constraints at
// once.
const maxBetween = 8

// demand constrains a read u that reads a wrong value in the order that is checked. One of the
// writes that u accepts must precede it, and none of the others, of which it takes the latest
// before u, may come between.
func (c *cell) demand(p *Problem, u *use, writes []*use) {
	tag := p.names.tag(DataValidity, u.event)
	from, known := c.asked[u.event]
	if !known {
		from = c.ask(p, u)
	}
	need := c.guard(p, u)
	for _, i := range slices.Sorted(maps.Keys(from)) {
		l := from[i]
		if known && !p.isTrue(l) && l != need {
			continue
		}
		var w *use
		if i >= 0 {
			w = &c.uses[i]
		}
		for n, k := 0, len(writes)-1; k >= 0 && n < maxBetween && writes[k] != w; n, k = n+1, k-1 {
			x := writes[k]
			if c.accepts(u, x) {
				continue
			}
			between := []lit{not(l), p.before(u.event, x.event)}
			if w != nil {
				between = append(between, p.before(x.event, w.event))
			}
			p.add(tag, between...)
		}
	}
}

// ask returns choose's literals for u, and adds its constraints at the first call.
func (c *cell) ask(p *Problem, u *use) map[int]lit {
	from, known := c.asked[u.event]
	if !known {
		from = c.choose(p, p.names.tag(DataValidity, u.event), c.guard(p, u), u)
		c.asked[u.event] = from
	}
	return from
}

// guard returns a literal that is true if the value of u matters.
func (c *cell) guard(p *Problem, u *use) lit {
	if u.always {
		return p.kept(u.event)
	}
	return p.needed(u.event)
}

// choose adds that u reads from one of the writes that it accepts. It returns the literal for each,
// by its index in uses, -1 for the initial value.
func (c *cell) choose(p *Problem, tag int, need lit, u *use) map[int]lit {
	var may []int
	for _, i := range c.candidates(u) {
		if i < 0 {
			may = append(may, i)
		} else if w := &c.uses[i]; w.event != u.event && p.before(w.event, u.event) != no && !c.hidden(p, w,
			u) {
			may = append(may, i)
		}
	}
	from := make(map[int]lit, len(may))
	if len(may) == 1 {
		from[may[0]] = need
		if may[0] >= 0 {
			p.add(tag, not(need), p.before(c.uses[may[0]].event, u.event))
		}
		return from
	}
	lits := []lit{not(need)}
	for _, i := range may {
		l := p.fresh()
		from[i] = l
		lits = append(lits, l)
		if i >= 0 {
			p.add(tag, l.Not(), p.before(c.uses[i].event, u.event))
			if c.uses[i].event == u.source {
				p.s.Prefer(l)
			}
		} else if u.source < 0 {
			p.s.Prefer(l)
		}
	}
	p.add(tag, lits...)
	return from
}

// candidates returns the indices in uses of the writes that u accepts, -1 for the initial value.
func (c *cell) candidates(u *use) (list []int) {
	if c.accepts(u, nil) {
		list = append(list, -1)
	}
	switch {
	case u.unlike.known():
		for i := range c.uses {
			if w := &c.uses[i]; w.writes && c.accepts(u, w) {
				list = append(list, i)
			}
		}
	default:
		if u.in.known() {
			list = append(list, c.byValue[u.in]...)
		}
		if u.source >= 0 && !slices.Contains(list, c.of[u.source]) {
			list = append(list, c.of[u.source])
		}
	}
	return list
}

// hidden reports whether, in every order, a write that u cannot read from comes between w and u. It
// looks only at writes of u's and w's goroutines.
func (c *cell) hidden(p *Problem, w, u *use) bool {
	for i := c.of[u.event] - 1; i >= 0; i-- {
		x := &c.uses[i]
		if x.writes && p.m.events[x.event].G == p.m.events[u.event].G {
			return x != w && !c.accepts(u, x) && p.before(w.event, x.event) == yes
		}
	}
	return false
}
