package transition

import (
	"slices"
	"unsafe"

	"heddle/trace"
)

// A Record is an execution that can be replayed in any equivalent order: any that has the same
// happens-before.
type Record struct {
	trace  *trace.Trace
	rows   []recordRow // by transition
	turns  [][]int32   // by Proc: its transitions, in order
	clocks vectors     // as in Path
}

type recordRow struct {
	id           Transition // Same and Barrier only
	step         int32      // as in row
	event, after int32      // its events
}

// Record returns t as a Record, which shares its memory. Its errors are those of Path.Read.
func (tab *Table) Record(t *trace.Trace) (*Record, error) {
	p := NewPath(tab)
	if err := p.Read(t, 0); err != nil {
		return nil, err
	}
	r := &Record{trace: t, rows: make([]recordRow, p.n), turns: make([][]int32, tab.Procs()),
		clocks: p.clocks.clone(p.n)}
	for j := range p.n {
		x := &p.steps[j]
		row := &r.rows[j]
		row.id = Transition{Proc: x.Proc, With: x.With, Case: x.Case, WithCase: x.WithCase, Choice: x.Choice,
			Barrier: x.Barrier}
		row.step, row.event, row.after = p.rows[j].step, p.rows[j].event, int32(len(t.Events))
		if j > 0 {
			r.rows[j-1].after = row.event
		}
		r.turns[x.Proc] = append(r.turns[x.Proc], int32(j))
		if x.With != NoProc {
			r.turns[x.With] = append(r.turns[x.With], int32(j))
		}
	}
	return r, nil
}

// Turns counts, by Proc, the transitions that each goroutine took part in.
type Turns []uint32

// Add counts x.
func (n *Turns) Add(x *Transition) {
	for len(*n) <= int(max(x.Proc, x.With)) {
		*n = append(*n, 0)
	}
	(*n)[x.Proc]++
	if x.With != NoProc {
		(*n)[x.With]++
	}
}

func (n Turns) of(p Proc) uint32 {
	if int(p) >= len(n) {
		return 0
	}
	return n[p]
}

// turn returns the transition of p after its first n, -1 if there is none.
func (r *Record) turn(p Proc, n uint32) int {
	if int(p) >= len(r.turns) || int(n) >= len(r.turns[p]) {
		return -1
	}
	return int(r.turns[p][n])
}

// GoesOn reports whether x can come next after a prefix of r, in some order, with the transitions
// that n counts. j is the transition of r that x is.
func (r *Record) GoesOn(n Turns, x *Transition) (j int, ok bool) {
	j = r.turn(x.Proc, n.of(x.Proc))
	if j < 0 {
		return j, false
	}
	y := &r.rows[j].id
	if !x.Same(y) || x.Barrier != y.Barrier || x.With != NoProc && r.turn(x.With, n.of(x.With)) != j {
		return j, false
	}
	for g := range r.turns {
		before := r.clocks.at(j, Proc(g))
		if y.Involves(Proc(g)) {
			before-- // itself
		}
		if before > n.of(Proc(g)) {
			return j, false
		}
	}
	return j, true
}

// Over reports whether n counts all transitions of r.
func (r *Record) Over(n Turns) bool {
	for g := range r.turns {
		if int(n.of(Proc(g))) < len(r.turns[g]) {
			return false
		}
	}
	return true
}

// From returns the execution with the transitions first in that order at its beginning, as GoesOn
// allowed them, and the others after them. The result has what a Path reads; the numbers of
// goroutines and objects stay.
func (r *Record) From(first []int) *trace.Trace {
	t := r.trace
	m := mover{
		from: t, events: make([]int32, len(t.Events)), steps: make([]int32, len(t.Steps)),
		to: &trace.Trace{Verdict: t.Verdict, Goroutines: t.Goroutines, Objects: t.Objects, Crashed: t.Crashed,
			Spun: t.Spun},
	}
	if len(r.rows) == 0 {
		return t
	}
	m.moveEvents(0, r.rows[0].event)
	first = r.withDraws(first)
	moved := make([]bool, len(r.rows))
	for _, j := range first {
		m.move(&r.rows[j])
		moved[j] = true
	}
	for j := range r.rows {
		if !moved[j] {
			m.move(&r.rows[j])
		}
	}
	m.rest()
	return m.to
}

// withDraws inserts draws after the last of some transitions that belong to its step: nothing comes
// in between.
func (r *Record) withDraws(order []int) []int {
	if len(order) == 0 {
		return order
	}
	j := order[len(order)-1]
	p := r.rows[j].id.Proc
	ts := r.turns[p]
	for k := slices.Index(ts, int32(j)) + 1; k < len(ts) && r.rows[ts[k]].id.Choice >= 0; k++ {
		order = append(order, int(ts[k]))
	}
	return order
}

// A mover writes a trace in another order.
type mover struct {
	from, to *trace.Trace
	steps    []int32 // by old step: its new index
	events   []int32
}

// move appends a transition.
func (m *mover) move(r *recordRow) {
	if !r.id.Barrier {
		m.steps[r.step] = int32(len(m.to.Steps))
		m.to.Steps = append(m.to.Steps, m.from.Steps[r.step])
	}
	m.moveEvents(r.event, r.after)
}

func (m *mover) moveEvents(from, after int32) {
	for i := from; i < after; i++ {
		m.events[i] = int32(len(m.to.Events))
		e := m.from.Events[i]
		e.Step = int32(len(m.to.Steps)) - 1
		m.to.Events = append(m.to.Events, e)
	}
}

func (m *mover) step(i int32) int32 {
	if i < 0 {
		return i
	}
	return m.steps[i]
}

// rest appends the rest of the trace, after all events have their places.
func (m *mover) rest() {
	t, u := m.to, m.from
	for i := range t.Events {
		if e := &t.Events[i]; e.Partner >= 0 {
			e.Partner = m.events[e.Partner]
		}
	}
	t.Offers = slices.Clone(u.Offers)
	for i := range t.Offers {
		o := &t.Offers[i]
		if o.Step = m.step(o.Step); o.After > 0 {
			o.After = m.events[o.After-1] + 1
		}
	}
	slices.SortStableFunc(announcedOffers(t), func(a, b trace.Offer) int { return int(a.Step - b.Step) })
	t.Left = slices.Clone(u.Left)
	for i := range t.Left {
		t.Left[i].Step = m.step(t.Left[i].Step)
	}
	t.Compares = slices.Clone(u.Compares)
	for i := range t.Compares {
		t.Compares[i].Event = m.events[t.Compares[i].Event]
	}
	slices.SortFunc(t.Compares, func(a, b trace.Compare) int { return int(a.Event - b.Event) })
	t.Affects = slices.Clone(u.Affects)
	for i := range t.Affects {
		t.Affects[i].Event = m.events[t.Affects[i].Event]
	}
	slices.SortStableFunc(t.Affects, func(a, b trace.Affect) int { return int(a.Event - b.Event) })
}

// announcedOffers returns the offers of t in the order of their announcements. It leaves out the
// last ones, which say where a goroutine that has not ended was about to arrive.
func announcedOffers(t *trace.Trace) []trace.Offer {
	n := len(t.Offers)
	for n > 0 && t.Offers[n-1].Case == trace.Arriving {
		n--
	}
	return t.Offers[:n]
}

// offersAt returns the offers that were announced at the end of a step.
func offersAt(t *trace.Trace, step int32) []trace.Offer {
	os := announcedOffers(t)
	first, _ := slices.BinarySearchFunc(os, step,
		func(o trace.Offer, step int32) int { return int(o.Step - step) })
	n := first
	for n < len(os) && os[n].Step == step {
		n++
	}
	return os[first:n]
}

// Size returns about how many bytes of memory a Copy takes.
func Size(t *trace.Trace) int {
	return int(unsafe.Sizeof(trace.Event{}))*len(t.Events) + int(unsafe.Sizeof(trace.Step{}))*len(t.Steps) +
		int(unsafe.Sizeof(trace.Object{}))*len(t.Objects) + int(unsafe.Sizeof(trace.Offer{}))*len(t.Offers) +
		int(unsafe.Sizeof(trace.Plain{}))*len(t.Plain)
}

// Copy returns a copy of what a Path reads of t, and of its accesses to memory. Later executions do
// not change it.
func Copy(t *trace.Trace) *trace.Trace {
	c := &trace.Trace{Verdict: t.Verdict, Spun: t.Spun}
	c.Goroutines, c.Objects, c.Steps, c.Events = slices.Clone(t.Goroutines), slices.Clone(t.Objects),
		slices.Clone(t.Steps), slices.Clone(t.Events)
	c.Offers, c.Left, c.Compares, c.Affects, c.Crashed = slices.Clone(t.Offers), slices.Clone(t.Left),
		slices.Clone(t.Compares), slices.Clone(t.Affects), slices.Clone(t.Crashed)
	c.Plain, c.Updates, c.Twins = slices.Clone(t.Plain), slices.Clone(t.Updates), slices.Clone(t.Twins)
	c.Sent, c.Heads = slices.Clone(t.Sent), slices.Clone(t.Heads)
	return c
}
