package judge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"heddle/explore/question"
	"heddle/predict"
	"heddle/rt/wire"
	"heddle/trace"
)

// Expected looks in an execution for what is expected of it: none, or the one finding.
func Expected(t *trace.Trace, x *wire.Expectation, resolve func(trace.Site) wire.Place) []wire.Found {
	if x.Ask != nil {
		return reached(t, x, resolve)
	}
	pattern, err := predict.ParseLine(x.Pattern)
	if err != nil {
		return nil
	}
	var spots []predict.Spot
	for _, pl := range x.Places {
		spots = append(spots,
			predict.Spot{G: pl.Goroutine, Site: trace.Site(pl.Site),
				Write: strings.HasPrefix(pl.Op, trace.OpWrite.String())})
	}
	g := predict.NewGraph(t, pattern.Regions)
	nodes := predict.Find(g, pattern, spots)
	if nodes == nil {
		return nil
	}
	f := FindingOf(x)
	for i, n := range nodes { // as this execution has it: a clip may tell less of a site
		f.Places[i].Site = uint64(g.Nodes[n].Site.Loud())
	}
	found := wire.Found{Key: KeyOf(f), Finding: f}
	if len(t.Steps) > longTrace {
		found.Steps = int(g.Nodes[nodes[len(nodes)-1]].Step) + 1
	}
	return []wire.Found{found}
}

// longTrace is from how many steps on what comes after an anomaly is left out.
const longTrace = 5_000

// FindingOf is the finding that shows what was expected.
func FindingOf(x *wire.Expectation) *wire.Finding {
	return &wire.Finding{Kind: x.Kind, Message: x.Message, Pattern: x.Pattern, Places: slices.Clone(x.Places)}
}

// StandsAt reports whether a site is at a place of a question.
func StandsAt(site trace.Site, p *question.Place, resolve func(trace.Site) wire.Place) bool {
	if site.PC() == 0 {
		return slices.Contains(p.Sites, uint64(site.Plain()))
	}
	at := resolve(site)
	return p.File != "" && at.Line == p.Line && (at.File == p.File || endsIn(at.File, p.File))
}

// endsIn reports whether a path ends in another one.
func endsIn(path, end string) bool {
	n := len(path) - len(end)
	return n > 0 && path[n-1] == '/' && path[n:] == end
}

// reached looks for a moment of an execution at which a question holds: after
// some step, or before the first one.
func reached(t *trace.Trace, x *wire.Expectation, resolve func(trace.Site) wire.Place) []wire.Found {
	m := newMoments(t, x.Ask, resolve)
	for m.next() {
		if places, ok := m.holds(); ok {
			f := &wire.Finding{Kind: x.Kind, Message: x.Message, Pattern: x.Pattern, Places: places}
			return []wire.Found{{Key: KeyOf(f), Finding: f, Steps: m.step}}
		}
	}
	return nil
}

// A Variable of a question is an object of an execution, with so many bytes of memory; 0: it is
// none.
type Variable struct {
	Obj  trace.ObjID
	Size uint32
}

// Asked returns the variables of a question in one execution.
func Asked(t *trace.Trace, q *question.Question, resolve func(trace.Site) wire.Place) (vs []Variable) {
	for _, v := range newMoments(t, q, resolve).vars {
		for _, id := range v.objs {
			vs = append(vs, Variable{id, sizeOf(t, id)})
		}
	}
	slices.SortFunc(vs, func(a, b Variable) int { return cmp.Compare(a.Obj, b.Obj) })
	return vs
}

// sizeOf returns how many bytes of memory an object is, 0 if it is none.
func sizeOf(t *trace.Trace, id trace.ObjID) (n uint32) {
	if t.Objects[id].Kind != trace.ObjMemory {
		return 0
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Obj == id && moves(e) {
			n = max(n, uint32(max(e.Arg, 1)))
		}
	}
	return n
}

// moments goes through an execution step by step.
type moments struct {
	resolve func(trace.Site) wire.Place
	t       *trace.Trace
	q       *question.Question
	step    int // how many were made
	event   int // how many of the events were
	started []bool
	steps   [][]int32 // of each goroutine: the steps it makes, in order
	vars    map[string]*variable
}

// A variable of a question, in one execution.
type variable struct {
	objs  []trace.ObjID
	value string
	known bool
	last  wire.Place // of the write that it has its value from
}

func newMoments(t *trace.Trace, q *question.Question, resolve func(trace.Site) wire.Place) *moments {
	m := &moments{resolve: resolve, t: t, q: q, step: -1, started: make([]bool, len(t.Goroutines)),
		steps: make([][]int32, len(t.Goroutines)), vars: map[string]*variable{}}
	m.started[0] = true
	for i := range t.Steps {
		m.steps[t.Steps[i].G] = append(m.steps[t.Steps[i].G], int32(i))
	}
	for i := range q.Terms {
		for _, x := range q.Terms[i].Sum {
			if m.vars[x.Name] == nil {
				m.vars[x.Name] = m.variable(x.Where)
			}
		}
	}
	return m
}

// variable returns what is read or written at some places, with its value before
// the first step as far as its first reading tells it.
func (m *moments) variable(where []question.Place) *variable {
	v := &variable{}
	for i := range m.t.Events {
		e := &m.t.Events[i]
		if !moves(e) || slices.Contains(v.objs, e.Obj) {
			continue
		}
		for k := range where {
			if StandsAt(e.Site, &where[k], m.resolve) {
				v.objs = append(v.objs, e.Obj)
				break
			}
		}
	}
	if len(v.objs) != 1 {
		return v
	}
	if o := &m.t.Objects[v.objs[0]]; o.Kind == trace.ObjAtomic {
		v.value, v.known = strconv.FormatInt(int64(o.Init), 10), true
		return v
	}
	for i := range m.t.Events {
		if e := &m.t.Events[i]; e.Obj == v.objs[0] && moves(e) {
			if e.Op == trace.OpRead && e.Val > 0 {
				v.value, v.known = m.t.Values[e.Val-1], true
			}
			break
		}
	}
	return v
}

// moves reports whether an event reads or writes a variable.
func moves(e *trace.Event) bool {
	switch e.Op {
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		return e.Obj != 0
	}
	return false
}

// next makes a step; false if there is none left.
func (m *moments) next() bool {
	if m.step++; m.step > len(m.t.Steps) {
		return false
	}
	for ; m.event < len(m.t.Events) && int(m.t.Events[m.event].Step) < m.step; m.event++ {
		e := &m.t.Events[m.event]
		if e.Op == trace.OpGo {
			m.started[e.Arg] = true
		}
		if e.Op == trace.OpWrite || e.Op == trace.OpAtomicStore || e.Op == trace.OpAtomicRMW {
			m.write(e)
		}
	}
	return true
}

func (m *moments) write(e *trace.Event) {
	for _, v := range m.vars {
		if len(v.objs) != 1 || v.objs[0] != e.Obj {
			continue
		}
		v.last = placeOf(m.t, e.Site, e.Op.String(), e.G, m.resolve)
		switch {
		case e.Op != trace.OpWrite:
			v.value, v.known = strconv.FormatInt(e.Arg, 10), true
		case e.Val > 0:
			v.value, v.known = m.t.Values[e.Val-1], true
		default:
			v.known = false
		}
	}
}

// holds reports whether the question holds now, and where: which goroutine stands where, and
// what gave the variables their values.
func (m *moments) holds() (places []wire.Place, ok bool) {
	var values []string
	for i := range m.q.Terms {
		t := &m.q.Terms[i]
		if t.At != nil {
			continue
		}
		values = values[:0]
		for _, x := range t.Sum {
			v := m.vars[x.Name]
			if !v.known {
				return nil, false
			}
			values = append(values, v.value)
			if v.last.Op != "" && !slices.Contains(places, v.last) {
				places = append(places, v.last)
			}
		}
		if !t.Holds(values) {
			return nil, false
		}
	}
	return m.stood(0, nil, places)
}

// stood finds a goroutine for every place from the i-th term on, each another one.
func (m *moments) stood(i int, taken []trace.GID, places []wire.Place) ([]wire.Place, bool) {
	for i < len(m.q.Terms) && m.q.Terms[i].At == nil {
		i++
	}
	if i == len(m.q.Terms) {
		return places, true
	}
	t := &m.q.Terms[i]
	for g := range m.t.Goroutines {
		id := trace.GID(g)
		if !m.started[g] || slices.Contains(taken, id) || t.Goroutine != "" && m.t.Name(id) != t.Goroutine {
			continue
		}
		site, op, ok := m.pending(id)
		if !ok || op == trace.OpStart || !StandsAt(site, t.At, m.resolve) {
			continue
		}
		if found, ok := m.stood(i+1, append(taken[:len(taken):len(taken)], id),
			append(places[:len(places):len(places)], placeOf(m.t, site, op.String(), id, m.resolve))); ok {
			return found, true
		}
	}
	return nil, false
}

// pending returns what g is about to do.
func (m *moments) pending(g trace.GID) (trace.Site, trace.Op, bool) {
	k, _ := slices.BinarySearch(m.steps[g], int32(m.step))
	if k < len(m.steps[g]) {
		st := &m.t.Steps[m.steps[g][k]]
		return st.Site, st.Op, true
	}
	for i := range m.t.Left {
		if l := &m.t.Left[i]; l.G == g {
			return l.Site, l.Op, true
		}
	}
	return 0, 0, false
}
