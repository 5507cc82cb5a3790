package observe

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// Goroutines that are alike: those that dpor takes as interchangeable (trace.Trace.Twins,
// docs/design/symmetry.md). They have one tree of local states, and two states of the program in
// which they have changed places are one.

// kin knows which goroutines are alike, by Proc. It outlives a search that begins anew.
type kin struct {
	rows    []kinRow
	settled int // how often that has changed
}

type kinRow struct {
	elder transition.Proc // NoProc: none
	first transition.Proc // of all that are alike
	many  bool            // others are like it
	alone bool            // it was shown without an elder, or told apart
}

// read learns from an execution. Executions that disagree on a goroutine show that it is like no
// other. It reports whether what was learned before is wrong.
func (k *kin) read(t *trace.Trace, tab *transition.Table) (wrong bool) {
	for p := len(k.rows); p < tab.Procs(); p++ {
		k.rows = append(k.rows, kinRow{elder: transition.NoProc, first: transition.Proc(p)})
	}
	news := false
	for i := range t.Goroutines {
		e := transition.NoProc
		if i < len(t.Twins) && t.Twins[i] != trace.GID(i) {
			e = tab.ProcOf(t.Twins[i])
		}
		switch r := &k.rows[tab.ProcOf(trace.GID(i))]; {
		case r.elder != transition.NoProc && r.elder != e:
			r.elder, r.alone, wrong = transition.NoProc, true, true
		case e == transition.NoProc:
			r.alone = true
		case !r.alone && r.elder == transition.NoProc:
			r.elder, news = e, true
		}
	}
	if wrong || news {
		k.settle()
	}
	return wrong
}

// separate tells all apart that are like a goroutine.
func (k *kin) separate(p transition.Proc) {
	first := k.first(p)
	for i := range k.rows {
		if r := &k.rows[i]; r.first == first {
			r.elder, r.alone = transition.NoProc, true
		}
	}
	k.settle()
}

func (k *kin) settle() {
	k.settled++
	for i := range k.rows {
		k.rows[i].first, k.rows[i].many = transition.Proc(i), false
	}
	for i := range k.rows {
		r := &k.rows[i]
		for q := r; q.elder != transition.NoProc; {
			r.first = q.elder
			q = &k.rows[q.elder]
		}
		if int(r.first) != i {
			r.many, k.rows[r.first].many = true, true
		}
	}
}

// first returns the first goroutine of those that are like p.
func (k *kin) first(p transition.Proc) transition.Proc {
	if p < 0 || int(p) >= len(k.rows) {
		return p
	}
	return k.rows[p].first
}

// alike reports whether other goroutines are like p.
func (k *kin) alike(p transition.Proc) bool { return p >= 0 && int(p) < len(k.rows) && k.rows[p].many }

// apart notes that a goroutine has to be told apart from those that are like it: the search begins
// anew. What it leaves may show which of them it was, and their local states do not say that.
func (p *program) apart(proc transition.Proc) {
	if p.kin.alike(proc) {
		p.separate = append(p.separate, proc)
	}
}

// leaves notes that the goroutine writes to memory that others may read, at a site. What has a
// basic type follows from the local state. An address may be that of memory which the goroutine
// allocated.
func (l *lesson) leaves(site trace.Site) {
	switch site.Kind() {
	case trace.KindInt, trace.KindUint, trace.KindBool, trace.KindFloat, trace.KindString:
		if !site.Quiet() {
			return
		}
	}
	l.p.apart(l.by)
}

// disputed returns a goroutine that has to be told apart from those that are like it. Between the
// two go statements that start two of them, their parent may access memory, and add to WaitGroups.
// What it does there happens before what the younger one does, and not before what the elder does.
// So no other goroutine may access the same memory in conflict, or wait for such a WaitGroup.
func (p *program) disputed() (transition.Proc, bool) {
	type doings struct {
		parent        transition.Proc
		wrote, groups map[int32]bool // the cells that it accesses, and the WaitGroups to which it adds
	}
	between := map[transition.Proc]doings{} // by the first of those that are alike
	crossed := false                        // a loop that forgets is between two starts
	for k, child := range p.kids {
		if !p.kin.alike(child.proc) {
			continue
		}
		if k.n < 0 { // started before the first step
			return child.proc, true
		}
		first := p.kin.first(child.proc)
		d, ok := between[first]
		if !ok {
			d = doings{p.node(k.node).proc, map[int32]bool{}, map[int32]bool{}}
			between[first] = d
		}
		if _, ok := p.elder(k, child.proc, nil); !ok {
			continue
		}
		p.elder(k, child.proc, func(at, from, to int32) {
			n := p.node(at)
			crossed = crossed || n.joined
			for i := range n.window {
				if a := &n.window[i]; int32(a.starts) >= from && int32(a.starts) < to {
					d.wrote[a.cell] = d.wrote[a.cell] || a.write
				}
			}
			if op := &p.node(n.parent).op; from == 0 && op.op == trace.OpWGAdd {
				d.groups[op.item] = true
			}
		})
		if crossed {
			return first, true
		}
	}
	for first, d := range between {
		for i := int32(1); i < p.known; i++ {
			n := p.node(i)
			if n.proc == d.parent {
				continue
			}
			if n.waits() && d.groups[n.op.item] {
				return first, true
			}
			for j := range n.window {
				if w, ok := d.wrote[n.window[j].cell]; ok && (w || n.window[j].write) {
					return first, true
				}
			}
		}
	}
	return 0, false
}

// elder returns the first node of the goroutine before proc that is like it, where k starts proc.
// passed, if not nil, is called with each node of the parent on the way back there, and with what
// counts of the step that led to the node: what it did after it had started from goroutines, and
// before it had started to. from is 0 but in the last.
func (p *program) elder(k kid, proc transition.Proc, passed func(at, from, to int32)) (first int32, ok bool) {
	if !p.kin.alike(proc) {
		return 0, false
	}
	to := k.n
	for at := k.node; p.sameAs(at, k.node); at = p.node(at).parent {
		from := p.lastLike(at, to, p.kin.first(proc))
		if passed != nil {
			passed(at, from, to)
		}
		if from > 0 {
			return p.kids[kid{at, from}].node, true
		}
		to = 1 << 30
	}
	return 0, false
}

// sameAs reports whether two nodes are of one goroutine.
func (p *program) sameAs(at, of int32) bool { return at != 0 && p.node(at).proc == p.node(of).proc }

// lastLike returns which goroutine that the step to node at started, before the to-th, is the last
// of those that are like first; 0: none.
func (p *program) lastLike(at, to int32, first transition.Proc) (last int32) {
	for j := int32(1); j < to; j++ {
		c, ok := p.kids[kid{at, j}]
		if !ok {
			break
		}
		if p.kin.first(c.proc) == first {
			last = j
		}
	}
	return last
}
