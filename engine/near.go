package engine

import (
	"slices"
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// Near a clip: where the clip of a finding does not show it any more, since the code has changed,
// the executions closest to the clip's come first. The clip's steps are aligned with those that
// the goroutines make now, so its switches come at the nearest operations; then one switch is moved
// by some steps, or the two parts beside it change places; then policies go on from each switch.

const (
	nearRounds   = 3     // alignments, each with the execution that the one before led to
	nearMost     = 100   // executions
	nearAgain    = 6     // of a clip whose bug was judged fixed before
	nearShare    = 8     // of the budget
	nearShift    = 2     // steps that a switch is moved by
	alignLongest = 2_000 // steps of a goroutine that are aligned
)

// nearby is the search near one clip.
type nearby struct {
	e     *exploration
	clip  *wire.Clip
	mine  map[string][]int // steps of the clip by goroutine
	cuts  []int            // switches of the clip, as indices of its steps
	told  wire.Near
	most  int
	until time.Time // zero: no bound
	last  *trace.Trace
}

// near executes what is close to a clip, and tells how far it came. follows: the clip itself can
// still be followed.
func (e *exploration) near(c *wire.Clip, follows bool) {
	n := &nearby{e: e, clip: c, mine: make(map[string][]int), most: nearMost}
	n.told.Path, n.told.Follows = c.Path, follows
	if c.Fixed != "" {
		n.most = nearAgain
	}
	if e.cfg.Runs > 0 {
		n.most = min(n.most, e.cfg.Runs/4)
	}
	if !e.deadline.IsZero() {
		n.until = time.Now().Add(time.Until(e.deadline) / nearShare)
	}
	n.note()
	n.seeing(n.search)
	e.send(&wire.Record{Type: "near", Test: e.test, Near: &n.told})
}

// note notes the steps of each goroutine of the clip, and its switches.
func (n *nearby) note() {
	for i := range n.clip.Steps {
		st := &n.clip.Steps[i]
		n.mine[st.G] = append(n.mine[st.G], i)
		if st.Switch && i > 0 && n.clip.Steps[i-1].G != st.G {
			n.cuts = append(n.cuts, i)
		}
	}
}

// seeing calls search with the clip's memory accesses as steps, beside those that are steps anyway.
func (n *nearby) seeing(search func()) {
	e, before := n.e, slices.Clone(n.e.visible)
	input, early := e.input, e.early
	e.input, e.early = n.clip.Input, n.clip.Early()
	for _, x := range sitesOf(n.clip) {
		e.see(x)
	}
	search()
	e.visible, e.input, e.early = before, input, early
	for _, f := range e.seen {
		e.raceSites(f)
	}
}

func (n *nearby) search() {
	for _, rejoin := range []bool{false, true} {
		s, err := scheduleOf(n.clip, false)
		if err != nil {
			return // it was told
		}
		s.Rejoin = rejoin
		n.run(s, false)
	}
	var s *trace.Schedule
	for range nearRounds {
		if n.over() || n.last == nil {
			return
		}
		m := n.align(n.last)
		if m == nil {
			return
		}
		s = n.moved(m)
		n.run(s, n.possible(m))
	}
	n.around(s)
}

// over reports whether no other execution is to be made.
func (n *nearby) over() bool {
	e := n.e
	return e.ended() || e.late() || n.told.Executions >= n.most ||
		!n.until.IsZero() && time.Now().After(n.until)
}

// run executes a schedule; asked: it has all of the clip's switches.
func (n *nearby) run(s *trace.Schedule, asked bool) {
	e := n.e
	if n.over() {
		return
	}
	ex := e.run(s)
	if e.err != nil || ex.Trace.Verdict.Early() {
		return
	}
	n.told.Executions++
	n.last = ex.Trace.Clone()
	if asked || n.reaches(n.last) {
		n.told.Reached++
	}
}

// around executes schedules that differ from s at one of its switches.
func (n *nearby) around(s *trace.Schedule) {
	ends := bounds(s)
	for _, order := range neighbours(s, ends) {
		if n.over() {
			return
		}
		n.run(order, false)
	}
	for i, at := range ends {
		for k, policy := range samplePolicies {
			t := *s
			t.Steps, t.Names = s.Steps[:at], s.Names[:at]
			t.Policy, t.Depth = policy, n.e.depth()
			t.Seed = mix(n.e.cfg.Seed, uint64(i*len(samplePolicies)+k+1))
			n.run(&t, false)
		}
	}
}

// bounds returns the indices of the steps of s before which another goroutine had its turn.
func bounds(s *trace.Schedule) (at []int) {
	for i := 1; i < len(s.Names); i++ {
		if s.Names[i] != s.Names[i-1] {
			at = append(at, i)
		}
	}
	return at
}

// neighbours returns the schedules that differ from s at one of its bounds: the goroutine before it
// goes on for some steps more, or less, or the two parts beside it change places.
func neighbours(s *trace.Schedule, ends []int) (all []*trace.Schedule) {
	with := func(order []int) {
		t := *s
		t.Steps, t.Names = make([]trace.Step, len(order)), make([]string, len(order))
		for i, k := range order {
			t.Steps[i], t.Names[i] = s.Steps[k], s.Names[k]
		}
		all = append(all, &t)
	}
	whole := make([]int, len(s.Steps))
	for i := range whole {
		whole[i] = i
	}
	for shift := 1; shift <= nearShift; shift++ {
		for b, at := range ends {
			from, to := 0, len(whole)
			if b > 0 {
				from = ends[b-1]
			}
			if b+1 < len(ends) {
				to = ends[b+1]
			}
			if order := later(s, whole, at, shift); order != nil {
				with(order)
			}
			if at-shift >= from && shift < at-from { // the last steps of the part come after the next part
				with(slices.Concat(whole[:at-shift], whole[at:to], whole[at-shift:at], whole[to:]))
			}
			if shift == 1 {
				with(slices.Concat(whole[:from], whole[at:to], whole[from:at], whole[to:]))
			}
		}
	}
	return all
}

// later returns the order in which the goroutine before index at goes on for so many more steps;
// nil if it has not that many.
func later(s *trace.Schedule, whole []int, at, steps int) []int {
	var more, rest []int
	for _, k := range whole[at:] {
		if len(more) < steps && s.Names[k] == s.Names[at-1] {
			more = append(more, k)
		} else {
			rest = append(rest, k)
		}
	}
	if len(more) < steps {
		return nil
	}
	return slices.Concat(whole[:at], more, rest)
}

// An alignment says which steps of an execution stand for those of a clip.
type alignment struct {
	t     *trace.Trace
	names []string         // by goroutine
	of    map[string][]int // steps of the execution by goroutine
	// of each step of the clip, the index of its step in the list of its goroutine; -1: none
	at []int
}

// align aligns the clip with an execution; nil if either is too long for that.
func (n *nearby) align(t *trace.Trace) *alignment {
	m := &alignment{t: t, of: make(map[string][]int), at: make([]int, len(n.clip.Steps))}
	for g := range t.Goroutines {
		m.names = append(m.names, t.Name(trace.GID(g)))
	}
	for i := range t.Steps {
		name := m.name(i)
		m.of[name] = append(m.of[name], i)
	}
	for i := range m.at {
		m.at[i] = -1
	}
	for name, mine := range n.mine {
		now := m.of[name]
		if len(mine) > alignLongest || len(now) > alignLongest {
			return nil
		}
		for i, k := range common(mine, now, func(i, k int) int { return n.alike(i, &t.Steps[k]) }) {
			m.at[mine[i]] = k
		}
	}
	return m
}

// name returns the name of the goroutine of the i-th step.
func (m *alignment) name(i int) string {
	if g := m.t.Steps[i].G; g >= 0 && int(g) < len(m.names) {
		return m.names[g]
	}
	return ""
}

// alike says how much a step of the clip is like one of an execution; 0: not at all.
func (n *nearby) alike(i int, now *trace.Step) int {
	was, _ := trace.ParseOp(n.clip.Steps[i].Op)
	switch {
	case was == now.Op:
		return 3
	case sortOf(was) != 0 && sortOf(was) == sortOf(now.Op):
		return 1
	}
	return 0
}

// sortOf returns a number that operations share which people put in each other's place; 0: none.
func sortOf(op trace.Op) int {
	for i, sort := range [][]trace.Op{
		{trace.OpLock, trace.OpRLock, trace.OpTryLock, trace.OpTryRLock, trace.OpAcquire},
		{trace.OpUnlock, trace.OpRUnlock, trace.OpRelease},
		{trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad},
		{trace.OpWrite, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS, trace.OpMapStore},
		{trace.OpSend, trace.OpRecv, trace.OpSelect, trace.OpClose, trace.OpArrive},
		{trace.OpSignal, trace.OpBroadcast},
	} {
		if slices.Contains(sort, op) {
			return i + 1
		}
	}
	return 0
}

// common aligns two lists without crossings so that what is aligned is alike as much as can be. It
// returns for each index of a that has a partner the partner's index in b.
func common(a, b []int, alike func(x, y int) int) map[int]int {
	w := len(b) + 1
	best := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			most := max(best[(i+1)*w+k], best[i*w+k+1])
			if s := alike(a[i], b[k]); s > 0 {
				most = max(most, best[(i+1)*w+k+1]+int32(s))
			}
			best[i*w+k] = most
		}
	}
	pairs := make(map[int]int)
	for i, k := 0, 0; i < len(a) && k < len(b); {
		s := alike(a[i], b[k])
		switch {
		case s > 0 && best[i*w+k] == best[(i+1)*w+k+1]+int32(s):
			pairs[i] = k
			i, k = i+1, k+1
		case best[i*w+k] == best[(i+1)*w+k]:
			i++
		default:
			k++
		}
	}
	return pairs
}

// moved returns the clip's schedule in the steps of the execution that it is aligned with.
func (n *nearby) moved(m *alignment) *trace.Schedule {
	c := n.clip
	s := &trace.Schedule{Policy: "first", Seed: c.Seed, Free: c.Free, Exhaustive: c.Exhaustive, Rejoin: true,
		Names: []string{}}
	made := make(map[string]int)
	for i := range c.Steps {
		name := c.Steps[i].G
		for ; made[name] <= m.at[i]; made[name]++ {
			st := m.t.Steps[m.of[name][made[name]]]
			st.G, st.With, st.Case, st.WithCase = trace.NoG, 0, 0, 0
			if made[name] == m.at[i] && c.Steps[i].Op == st.Op.String() {
				st.Choice = int32(c.Steps[i].Choice)
			}
			if st.Op != trace.OpChoose {
				st.Op = trace.OpNone
			}
			s.Steps, s.Names = append(s.Steps, st), append(s.Names, name)
		}
	}
	return s
}

// Three steps make a switch of a clip: the last of a goroutine, the first of the goroutine that
// comes between, and the next of the former; -1 if it made none.
func (n *nearby) between(cut int) (before, first, after int) {
	p := n.clip.Steps[cut-1].G
	after = -1
	for _, i := range n.mine[p] {
		if i > cut {
			after = i
			break
		}
	}
	return cut - 1, cut, after
}

// possible reports whether all steps that make the clip's switches have steps that stand for them.
func (n *nearby) possible(m *alignment) bool {
	for _, cut := range n.cuts {
		before, first, after := n.between(cut)
		if m.at[before] < 0 || m.at[first] < 0 || after >= 0 && m.at[after] < 0 {
			return false
		}
	}
	return true
}

// reaches reports whether an execution made all switches of the clip, at the nearest operations.
func (n *nearby) reaches(t *trace.Trace) bool {
	m := n.align(t)
	if m == nil || !n.possible(m) {
		return false
	}
	index := func(i int) int { return m.of[n.clip.Steps[i].G][m.at[i]] }
	for _, cut := range n.cuts {
		before, first, after := n.between(cut)
		if index(before) > index(first) || after >= 0 && index(first) > index(after) {
			return false
		}
	}
	return true
}
