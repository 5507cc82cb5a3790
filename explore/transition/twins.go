package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// Interchangeable goroutines (docs/design/symmetry.md). A goroutine makes its first two steps after
// those of its elder: that it begins, and what it does then. As long as both have learnt the same,
// and left nothing by which one could know them apart, so it is with the steps that follow. An
// order in which it is not so is that of two goroutines which have changed places.

const (
	// turns is how many steps of a goroutine wait for its elder at most.
	turns = 16

	// First is how many of them need no comparison of what was learnt.
	First = 2
)

// twins has, by Proc, what is known of interchangeable goroutines.
type twins struct {
	turns int // so many steps wait at most; 0: no goroutines are taken to be interchangeable
	rows  []twinRow
}

type twinRow struct {
	elder Proc  // NoProc: none
	alone bool  // an execution showed it without an elder, or in another order
	turns int32 // so many of its steps wait at most
}

// Interchange says whether executions are to be read with their Twins: steps are to be First, or
// All. 0: they are not.
func (tab *Table) Interchange(steps int) { tab.twins.turns = steps }

// All is the number for Interchange by which as many steps as can wait do so.
const All = turns

// Paired reports whether some goroutines are taken to be interchangeable.
func (tab *Table) Paired() bool {
	for i := range tab.twins.rows {
		if tab.twins.rows[i].elder != NoProc {
			return true
		}
	}
	return false
}

func (tab *Table) elder(p Proc) Proc {
	if p < 0 || int(p) >= len(tab.twins.rows) {
		return NoProc
	}
	return tab.twins.rows[p].elder
}

// readTwins learns from an execution, whose goroutines have names, which ones are interchangeable.
// Executions that disagree on a goroutine show that it is not.
func (tab *Table) readTwins(t *trace.Trace) {
	if tab.twins.turns == 0 {
		return
	}
	for len(tab.twins.rows) < len(tab.procs) {
		tab.twins.rows = append(tab.twins.rows, twinRow{elder: NoProc, turns: int32(tab.twins.turns)})
	}
	for i := range t.Goroutines {
		e := NoProc
		if i < len(t.Twins) && t.Twins[i] != trace.GID(i) {
			e = tab.procOfGID(t.Twins[i])
		}
		p := tab.procOfGID(trace.GID(i))
		switch r := &tab.twins.rows[p]; {
		case r.elder != NoProc && r.elder != e:
			tab.separate(p, 0)
		case e == NoProc:
			r.alone = true
		case !r.alone:
			r.elder = e
		}
	}
}

// separate lets only k steps of p wait from now on. If these are none of the First, p is
// interchangeable with no goroutine before it.
func (tab *Table) separate(p Proc, k int) {
	r := &tab.twins.rows[p]
	if r.turns = int32(k); k < First {
		*r = twinRow{elder: NoProc, alone: true}
	}
	tab.Changed = true
}

// readCalm reads how far goroutines did nothing but make steps.
func (p *Path) readCalm(t *trace.Trace) {
	clear(p.calm)
	for i, n := range t.Calm {
		p.calm[p.Tab.procOfGID(trace.GID(i))] = n
	}
}

// awaited returns the transition before which g does not make a step, if it has made k before:
// that of its elder; -1 if there is none, p.n if it was not made. A step that both make together
// waits for none.
func (p *Path) awaited(g, with Proc, k int) int32 {
	e := p.Tab.elder(g)
	switch {
	case e == NoProc || e == with || k >= int(p.Tab.twins.rows[g].turns):
		return -1
	case k >= First && (int(p.alike[g]) < k || int(min(p.calm[g], p.calm[e])) < k):
		return -1
	case p.firsts[e][k] < 0:
		return int32(p.n)
	}
	return p.firsts[e][k]
}

// Awaited returns the transition before which g does not make its pending step, the one after
// transition announced, with a partner or NoProc. See awaited.
func (p *Path) Awaited(g, with Proc, announced int) int {
	k := 0
	for f := &p.firsts[g]; k < turns && f[k] >= 0 && int(f[k]) <= announced; {
		k++
	}
	return int(p.awaited(g, with, k))
}

// await orders the newest transition after those of elders.
func (p *Path) await() {
	j := p.n - 1
	s, r := &p.steps[j], &p.rows[j]
	for k, g := range [...]Proc{s.Proc, s.With} {
		r.turn[k] = -1
		if g == NoProc || p.Tab.twins.turns == 0 {
			continue
		}
		at := p.awaited(g, [...]Proc{s.With, s.Proc}[k], int(p.count[g]))
		if int(at) == p.n {
			p.strays = append(p.strays, stray{g, int(p.count[g])})
			continue
		}
		r.turn[k] = at
		p.after(j, at)
	}
}

// A stray is a step of a goroutine that came before that of its elder.
type stray struct {
	g Proc
	k int // how many it had made before
}

// compare is told of the k-th transition of g, the newest one of the path: it notes whether g is
// still like its elder.
func (p *Path) compare(g Proc, k int) {
	if int(p.alike[g]) == k && (k == 0 || p.same(g, k)) {
		p.alike[g]++
	}
}

// same reports whether the k-th transition of g, the newest one, is like that of its elder: the
// same access to the same object, after the same transitions. None of the elder's conflicts with
// it.
func (p *Path) same(g Proc, k int) bool {
	e := p.Tab.elder(g)
	if e == NoProc || p.firsts[e][k] < 0 {
		return false
	}
	i, j := int(p.firsts[e][k]), p.n-1
	a, b := &p.steps[i], &p.steps[j]
	if !a.leavesNothing() || !b.leavesNothing() || a.Op != b.Op || a.Case != b.Case ||
		!slices.Equal(a.Accesses, b.Accesses) {
		return false
	}
	for _, at := range p.firsts[e][1 : k+1] {
		for _, c := range p.steps[at].Accesses {
			for _, d := range b.Accesses {
				if (c.Obj == d.Obj || p.Tab.overlap(c.Obj, d.Obj)) && model.Conflict(c.Mode, d.Mode) {
					return false
				}
			}
		}
	}
	return p.learntSame(g, e, i, j)
}

// leavesNothing reports whether t is an access that may commute with the same one of another
// goroutine, and by which the goroutine learns nothing but what is the same for both.
func (t *Transition) leavesNothing() bool {
	if t.With != NoProc || t.Choice >= 0 || t.Barrier || len(t.Starts) > 0 || len(t.Accesses) > 1 {
		return false
	}
	if len(t.Accesses) == 0 { // of no channel but nil, with a default
		return t.Op == trace.OpSelect
	}
	switch a := &t.Accesses[0]; t.Op {
	case trace.OpAtomicLoad, trace.OpRead, trace.OpMapLoad:
		return a.Mode == model.Read
	case trace.OpRLock, trace.OpRUnlock:
		return a.Mode == model.ReadLock || a.Mode == model.ReadUnlock
	case trace.OpWGAdd, trace.OpWGWait:
		return a.Mode == model.Add || a.Mode == model.Wait
	case trace.OpRecv:
		return a.Mode == model.RecvClosed
	}
	return false
}

// learntSame reports whether the transitions of others before j, which is of g, are those before i,
// which is of e. From the goroutine that started both g may know what that did until it started g.
func (p *Path) learntSame(g, e Proc, i, j int) bool {
	at := p.starter[g]
	return p.clocks.differ(i, j, func(q Proc, _, d uint32) bool {
		return q == g || q == e || at >= 0 && p.steps[at].Proc == q && d == p.rows[at].seq
	})
}

// A Line tells during an execution for which goroutines it is not their turn.
type Line struct {
	tab   *Table
	steps int     // of the execution, that were counted
	made  []int32 // by goroutine: its steps
}

// NewLine returns a Line that goes by tab.
func NewLine(tab *Table) *Line { return &Line{tab: tab} }

// Begin begins with an execution.
func (l *Line) Begin() { l.steps, l.made = 0, l.made[:0] }

// Look counts the steps of t since it was last called. The goroutines of t have names.
func (l *Line) Look(t *trace.Trace) {
	for len(l.made) < len(t.Goroutines) {
		l.made = append(l.made, 0)
	}
	for ; l.steps < len(t.Steps); l.steps++ {
		st := &t.Steps[l.steps]
		l.made[st.G]++
		if st.Op != trace.OpChoose && st.With > 0 {
			l.made[st.With-1]++
		}
	}
}

// Waits reports whether w is not to be taken yet.
func (l *Line) Waits(t *trace.Trace, w *trace.Way) bool {
	return l.waits(t, w.G, trace.GID(w.With)-1) || l.waits(t, trace.GID(w.With)-1, w.G)
}

func (l *Line) waits(t *trace.Trace, g, with trace.GID) bool {
	if g < 0 || int(g) >= len(t.Twins) || t.Twins[g] == g || t.Twins[g] == with || l.made[g] >= First {
		return false
	}
	e := t.Twins[g]
	p := l.tab.procOfGID(g)
	known := int(p) < len(l.tab.twins.rows) && l.tab.twins.rows[p].alone
	return !known && l.made[e] <= l.made[g]
}
