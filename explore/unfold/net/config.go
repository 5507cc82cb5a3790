package net

import "slices"

// A Config is a causally closed set of events under construction. An event is added with its past,
// and what was added last can be undone. Its cost depends on the pasts of the events that are added
// alone.
type Config struct {
	Added int // the number of events that were added so far: a measure of work

	n     *Net
	state []uint8 // by event: see in
	taken []Event // by condition: the event that takes it; None; kept
	last  []Cond  // by place: its condition after the set, None if it has none yet
	log   []Event // in causal order
	takes []take  // in order of addition
	moves []move  // of last, in order
	keeps []Cond
	reads []read  // in order of addition
	heads []int32 // by condition: index + 1 of its last entry in reads
	marks int     // number of roots at the last call of Grow
	watch []Event // events with a Watches arc
	aside []Event // events that give a condition beside a root
	wants []want  // in order of addition, by event
	late  []int32 // indices in log of events that must happen before an event added earlier

	order []Event // the result of the last search for cycles
	cycle []Event // the cycle that it found
	stack []frame
	preds []Event

	found []Cond // buffer of eachOf
}

type take struct {
	by Event
	of Cond
}

type move struct {
	by    Event
	place Place
	from  Cond
}

type read struct {
	by   Event
	of   Cond
	next int32 // index + 1
}

// kept is the value in Config.taken of a condition that no event may take.
const kept = -2

const (
	out uint8 = iota
	in
	open // on the path of the search for cycles
	done
)

// NewConfig returns the empty set.
func NewConfig(n *Net) *Config { return &Config{n: n} }

// Begin empties the set.
func (c *Config) Begin() {
	c.Undo(Mark{})
	c.Grow()
}

// Grow makes room for conditions and events that were added to the net since Begin.
func (c *Config) Grow() {
	if len(c.state) < c.n.Len() {
		c.state = grown(c.state, c.n.Len(), out)
	}
	if len(c.taken) < len(c.n.conds) {
		c.taken = grown(c.taken, len(c.n.conds), None)
	}
	for len(c.last) < len(c.n.root) {
		c.last = append(c.last, None)
	}
	if c.marks == c.n.marks {
		return
	}
	c.marks = c.n.marks
	for i, r := range c.n.root {
		if c.last[i] == None && r != None && c.n.conds[r].by == None {
			c.last[i] = r
		}
	}
}

// grown returns s with n elements; the new ones are x.
func grown[T any](s []T, n int, x T) []T {
	if n > cap(s) {
		s = append(make([]T, 0, n+n/2), s...)
	}
	for len(s) < n {
		s = append(s, x)
	}
	return s
}

// A Mark is a state of a Config that Undo returns to.
type Mark struct{ events, keeps, wants int }

// Mark returns the present state.
func (c *Config) Mark() Mark { return Mark{len(c.log), len(c.keeps), len(c.wants)} }

// Undo returns to state m.
func (c *Config) Undo(m Mark) {
	for i := len(c.log) - 1; i >= m.events; i-- {
		c.remove(c.log[i])
	}
	c.log = c.log[:m.events]
	for n := len(c.late); n > 0 && int(c.late[n-1]) >= m.events; n-- {
		c.late = c.late[:n-1]
	}
	for _, k := range c.keeps[m.keeps:] {
		c.taken[k] = None
	}
	c.keeps = c.keeps[:m.keeps]
	c.wants = c.wants[:m.wants]
}

// UndoTo removes all but the first n events, and all that is kept.
func (c *Config) UndoTo(n int) {
	k := 0
	for k < len(c.wants) && c.wants[k].by != None && c.wants[k].at < n {
		k++
	}
	c.Undo(Mark{events: n, wants: k})
}

// remove removes e, which was added last. It does not read the net.
func (c *Config) remove(e Event) {
	c.state[e] = out
	for k := len(c.takes) - 1; k >= 0 && c.takes[k].by == e; k-- {
		c.taken[c.takes[k].of] = None
		c.takes = c.takes[:k]
	}
	for k := len(c.moves) - 1; k >= 0 && c.moves[k].by == e; k-- {
		c.last[c.moves[k].place] = c.moves[k].from
		c.moves = c.moves[:k]
	}
	for k := len(c.reads) - 1; k >= 0 && c.reads[k].by == e; k-- {
		c.heads[c.reads[k].of] = c.reads[k].next
		c.reads = c.reads[:k]
	}
	for k := len(c.watch) - 1; k >= 0 && c.watch[k] == e; k-- {
		c.watch = c.watch[:k]
	}
	if k := len(c.aside) - 1; k >= 0 && c.aside[k] == e {
		c.aside = c.aside[:k]
	}
}

// Has reports whether e is in the set.
func (c *Config) Has(e Event) bool { return int(e) < len(c.state) && c.state[e] != out }

// Events returns the events of the set, in causal order. The caller must not change them.
func (c *Config) Events() []Event { return c.log }

// Since reports whether e is in the set and was added after the first k events.
func (c *Config) Since(k int, e Event) bool { return slices.Contains(c.log[k:], e) }

// Len returns how many events are in the set.
func (c *Config) Len() int { return len(c.log) }

// Last returns the condition of a place after the set, None if it has none yet.
func (c *Config) Last(place Place) Cond {
	if int(place) >= len(c.last) { // the place is newer than the last Grow
		return None
	}
	return c.last[place]
}

// Marked reports whether x is marked after the set. x must be a root or given by an event of the
// set.
func (c *Config) Marked(x Cond) bool { return c.taken[x] < 0 }

// Taker returns the event of the set that takes x, None if there is none.
func (c *Config) Taker(x Cond) Event { return max(c.taken[x], None) }

// Keep excludes events that take x. It returns false if the set has one.
func (c *Config) Keep(x Cond) bool {
	switch c.taken[x] {
	case None:
		c.taken[x] = kept
		c.keeps = append(c.keeps, x)
		return true
	case kept:
		return true
	}
	return false
}

// AddCond adds the past of x. It returns false if that is in conflict with the set, or if x is then
// taken; the caller must Undo then.
func (c *Config) AddCond(x Cond) bool {
	if c.Astray(x) {
		return false
	}
	if by := c.n.conds[x].by; by != None && !c.Add(by) {
		return false
	}
	return c.taken[x] < 0
}

// Astray reports whether it is easy to see that x cannot be marked after any extension of the set:
// its place is past it, or on another branch. That excludes most conditions without a look at their
// pasts.
func (c *Config) Astray(x Cond) bool {
	n := c.n
	m := n.position(x)
	if m.up == None { // a root, or beside one
		return false
	}
	now := c.last[m.place]
	if now == None || now == x {
		return false
	}
	d := n.position(now).depth
	return m.depth <= d || n.ancestor(x, d) != now
}

// Add adds e with its past. It returns false as AddCond does.
func (c *Config) Add(e Event) bool {
	k := len(c.log)
	c.cycle = c.cycle[:0]
	return c.add(e) && (len(c.log) == k || c.acyclic(k))
}

// add adds e and its past in causal order. It returns false if a condition would be taken twice.
func (c *Config) add(e Event) bool {
	if c.state[e] != out {
		return true
	}
	arcs := c.n.Arcs(e)
	// most conflicts are found here, before the past is added
	for _, a := range arcs {
		if a.takes() && c.taken[a.Cond()] != None {
			return false
		}
	}
	for _, a := range arcs {
		if by := c.n.conds[a.Cond()].by; by != None && c.state[by] == out && !c.add(by) {
			return false
		}
	}
	for _, a := range arcs {
		y := a.Cond()
		switch {
		case a.takes() && c.taken[y] != None, a.Use() == Joins && c.taken[y] >= 0 && c.sealed(y):
			return false
		case a.Use() == Seals && !c.seals(e, y):
			return false
		}
	}
	c.put(e, arcs)
	return true
}

func (c *Config) put(e Event, arcs []Arc) {
	c.state[e] = in
	c.Added++
	if c.comesLate(arcs) || c.awaited(e) {
		c.late = append(c.late, int32(len(c.log)))
	}
	c.log = append(c.log, e)
	for _, a := range arcs {
		switch y := a.Cond(); {
		case a.takes():
			c.taken[y] = e
			c.takes = append(c.takes, take{e, y})
		case a.Use() == Reads || a.Use() == Joins:
			if len(c.heads) <= int(y) {
				c.heads = grown(c.heads, int(y)+1, 0)
			}
			c.reads = append(c.reads, read{e, y, c.heads[y]})
			c.heads[y] = int32(len(c.reads))
		case a.Use() == Watches:
			c.watch = append(c.watch, e)
		}
	}
	c.wantAll(e, arcs)
	if c.n.event(e).group != None {
		c.aside = append(c.aside, e)
	}
	c.n.eachGiven(e, func(y Cond) {
		place := c.n.conds[y].place
		c.moves = append(c.moves, move{e, place, c.last[place]})
		c.last[place] = y
	})
}

// comesLate reports whether an event with these arcs may have to happen before an event of the set:
// it reads a condition that was taken, or watches one beside which conditions were given.
func (c *Config) comesLate(arcs []Arc) bool {
	for _, a := range arcs {
		switch a.Use() {
		case Reads, Joins:
			if c.taken[a.Cond()] >= 0 {
				return true
			}
		case Watches:
			if len(c.aside) > 0 {
				return true
			}
		}
	}
	return false
}

// lastRead returns the index + 1 of the last read of y in reads, 0 if there is none.
func (c *Config) lastRead(y Cond) int32 {
	if int(y) < len(c.heads) {
		return c.heads[y]
	}
	return 0
}

// sealed reports whether the event that takes y seals it.
func (c *Config) sealed(y Cond) bool {
	for _, a := range c.n.Arcs(c.taken[y]) {
		if a.Cond() == y {
			return a.Use() == Seals
		}
	}
	return false
}

// seals reports whether e follows all events that joined y.
func (c *Config) seals(e Event, y Cond) bool {
	for r := c.lastRead(y); r > 0; r = c.reads[r-1].next {
		if slices.Contains(c.n.Arcs(c.reads[r-1].by), To(y, Joins)) && !c.follows(e, c.reads[r-1].by) {
			return false
		}
	}
	return true
}

// follows is Net.Follows.
func (c *Config) follows(e, f Event) bool { return c.n.Follows(e, f) }

// Follows reports whether e follows a condition that f gave, or a merged condition of which f gave
// a member.
func (n *Net) Follows(e, f Event) bool {
	return slices.ContainsFunc(n.Arcs(e), func(a Arc) bool {
		return a.Use() == Follows && (n.conds[a.Cond()].by == f ||
			slices.ContainsFunc(n.merged.members[a.Cond()], func(y Cond) bool { return n.conds[y].by == f }))
	})
}

// Aside calls f with the conditions that events of the set gave beside the root of a place.
func (c *Config) Aside(place Place, f func(Cond)) {
	for _, e := range c.aside {
		x := c.n.event(e)
		if x.group != place {
			continue
		}
		for k := range Cond(x.given) {
			if y := x.first + k; c.n.conds[y].place == place {
				f(y)
			}
		}
	}
}

// Next calls f for every event that can be added and takes x, which is marked. During a call the
// event and its past are in the set.
func (c *Config) Next(x Cond, f func()) {
	c.eachChild(x, func(Cond) { f() })
}

// Versions calls f for every condition that a place can have after an extension of the set, the
// present one first: adjacent ones in turn, as far as they can happen (Lemma 2). During a call the
// past of x is in the set.
func (c *Config) Versions(place Place, f func(x Cond)) {
	x := c.last[place]
	if x == None {
		return
	}
	f(x)
	c.eachChild(x, func(y Cond) {
		if c.last[place] == y {
			c.Versions(place, f)
		}
	})
}

// eachChild calls f for every condition that can replace x. During a call its past is in the set.
func (c *Config) eachChild(x Cond, f func(y Cond)) {
	m := c.n.moreOf(x)
	c.each(m.next, m.waiting, 2, func(y Cond) {
		m := c.Mark()
		if c.Add(c.n.conds[y].by) {
			f(y)
		}
		c.Undo(m)
	})
}

// Waiting calls f with the conditions registered at x by Wait, some perhaps more than once, except
// those that are Astray.
func (c *Config) Waiting(x Cond, f func(waiter Cond)) {
	m := c.n.moreOf(x)
	c.each(m.waiting, m.next, 1, f)
}

// each calls f for the conditions of a list that are not astray. The list has words numbers for
// each condition. others is the other list of the same condition.
func (c *Config) each(l, others list, words int, f func(Cond)) {
	if k := l.crowd(); k != None {
		var other *crowd
		if k := others.crowd(); k != None {
			other = c.n.crowds[k]
		}
		c.eachOf(c.n.crowds[k], other, c.Astray, f)
		return
	}
	for l > 0 {
		b, older := c.n.blocks.at(l)
		for i := len(b) - words; i >= 0; i -= words {
			if !c.Astray(Cond(b[i+words-1])) { // excludes most of those that cannot be marked
				f(Cond(b[i]))
			}
		}
		l = older
	}
	if y := l.only(); y != None {
		f(y)
	}
}

// Given calls f for the conditions of a list whose events are in the set or may be added.
func (c *Config) Given(l *List, f func(Cond)) {
	if l.crowd != nil {
		c.eachOf(l.crowd, l.crowd, func(Cond) bool { return false }, func(x Cond) {
			if !c.astrayEvent(c.n.conds[x].by) {
				f(x)
			}
		})
	}
}

// astrayEvent is Astray for an event: the first condition that it gave, a goroutine's, is on
// another branch than the goroutine's condition.
func (c *Config) astrayEvent(e Event) bool {
	x := c.n.event(e).first
	return !c.n.onOneBranch(c.last[c.n.conds[x].place], x)
}

// eachOf calls f for the conditions of a crowd that are not astray. The histories of the crowd
// others help to choose the place by which a crowd is sorted.
func (c *Config) eachOf(w, others *crowd, astray func(key Cond) bool, f func(Cond)) {
	c.n.sort(w, others)
	if w.place == None {
		rest := w.rest // f may add to it
		for i := len(rest) - 1; i >= 0; i-- {
			if x := rest[i]; !astray(x.key) {
				f(x.cond)
			}
		}
		return
	}
	k := len(c.found)
	c.found = w.top.on(c.n, c.last[w.place], c.found)
	found := c.found[k:]
	slices.Sort(found)
	found = slices.Compact(found)
	for i := len(found) - 1; i >= 0; i-- { // newest first, as in each
		f(found[i])
	}
	c.found = c.found[:k]
}
