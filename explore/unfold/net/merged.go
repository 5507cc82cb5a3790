package net

import "slices"

// A merged condition stands for conditions that events need not tell apart, its members. No two of
// them are given in one configuration. An event that follows a merged condition comes after one of
// the members, whichever it is. So it has one history for each, and further members may be added.
//
// Add and AddCond disregard which member that is: a Config has only what all histories of its
// events have in common. Resolve chooses members.
type merged struct {
	of      map[Cond]Cond   // by member
	members map[Cond][]Cond // by merged condition
	usual   map[Cond]int    // index of the member that was chosen last
}

// NewMerged returns a merged condition without members.
func (n *Net) NewMerged(place Place, v Value) Cond {
	if n.merged.of == nil {
		n.merged = merged{map[Cond]Cond{}, map[Cond][]Cond{}, map[Cond]int{}}
	}
	m := n.give(place, None, None, v)
	n.merged.members[m] = nil
	return m
}

// Merge makes c a member of m. An event has given c beside a root.
func (n *Net) Merge(m, c Cond) {
	n.merged.of[c] = m
	n.merged.members[m] = append(n.merged.members[m], c)
}

// Merged returns the merged condition of which c is a member, None if there is none.
func (n *Net) Merged(c Cond) Cond {
	if m, ok := n.merged.of[c]; ok {
		return m
	}
	return None
}

// IsMerged reports whether c is a merged condition.
func (n *Net) IsMerged(c Cond) bool {
	_, ok := n.merged.members[c]
	return ok
}

// Members returns the members of a merged condition. The caller must not change them.
func (n *Net) Members(m Cond) []Cond { return n.merged.members[m] }

// A want is a merged condition that an event of a Config follows, or that Want has added.
type want struct {
	by Event // None: Want
	of Cond
	at int // index of the event in the log
}

// Wants calls f with the merged conditions that events of the set follow, some perhaps more than
// once.
func (c *Config) Wants(f func(m Cond)) {
	for _, w := range c.wants {
		f(w.of)
	}
}

// Want adds a merged condition as if an event followed it, until Undo.
func (c *Config) Want(m Cond) {
	c.wants = append(c.wants, want{None, m, len(c.log)})
}

// wantAll records the merged conditions that e follows.
func (c *Config) wantAll(e Event, arcs []Arc) {
	if len(c.n.merged.members) == 0 {
		return
	}
	for _, a := range arcs {
		if a.Use() == Follows && c.n.IsMerged(a.Cond()) {
			c.wants = append(c.wants, want{e, a.Cond(), len(c.log) - 1})
		}
	}
}

// member returns the member of m that events of the set gave, None if there is none.
func (c *Config) member(m Cond) Cond {
	for _, y := range c.n.merged.members[m] {
		if c.Has(c.n.conds[y].by) {
			return y
		}
	}
	return None
}

// awaited reports whether e gives a member of a merged condition that an event of the set follows.
func (c *Config) awaited(e Event) bool {
	x := c.n.event(e)
	if x.group == None || x.first == None || len(c.wants) == 0 {
		return false
	}
	for k := range Cond(x.given) {
		if m := c.n.Merged(x.first + k); m != None && slices.ContainsFunc(c.wants,
			func(w want) bool { return w.of == m && w.by != None }) {
			return true
		}
	}
	return false
}

// Resolve adds the past of a member of each merged condition that events of the set follow. It
// returns false if members cannot be chosen so that all of it can happen; the caller must Undo
// then. It ends early, with false, when stop returns true.
//
// It backtracks. The conditions at which most choices have failed come first, and after a number of
// failures it begins again with that order (Boussemart, Hemery, Lecoutre, Sais, "Boosting
// systematic search by weighting constraints", ECAI 2004): what has no solution is seen at a few
// conditions, however many others there are.
func (c *Config) Resolve(stop func() bool) bool {
	if len(c.wants) == 0 {
		return true
	}
	r := resolution{Config: c, failed: map[Cond]int{}, stop: stop}
	for most := 16; ; most *= 2 {
		m := c.Mark()
		r.left = most
		if r.resolve() {
			return true
		}
		if r.left > 0 || stop() {
			return false
		}
		c.Undo(m)
	}
}

// A resolution is a search for members.
type resolution struct {
	*Config
	failed map[Cond]int // by merged condition: how often none of its members fitted
	left   int          // failures until the search begins again
	stop   func() bool
}

func (r *resolution) resolve() bool {
	m := r.next()
	if m == None {
		return true
	}
	members := r.n.merged.members[m]
	usual := r.n.merged.usual[m]
	for i := range members {
		k := (usual + i) % len(members)
		at := r.Mark()
		if r.Add(r.n.conds[members[k]].by) && r.resolve() {
			r.n.merged.usual[m] = k
			return true
		}
		r.Undo(at)
		if r.left <= 0 || r.stop() {
			return false
		}
	}
	r.failed[m]++
	r.left--
	return false
}

// next returns the merged condition to choose a member of, None if all have one.
func (r *resolution) next() Cond {
	best := Cond(None)
	for _, w := range r.wants {
		if (best == None || r.failed[w.of] > r.failed[best]) && r.member(w.of) == None {
			best = w.of
		}
	}
	return best
}
