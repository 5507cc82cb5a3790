package reach

import (
	"slices"

	"heddle/explore/transition"
)

// A plan is how the current row of a node is exercised.
type plan uint8

const (
	freely  plan = iota // it makes no old event possible
	behind              // behind a witness
	asleep              // with sleepers: it is not known whether it can be completed
	nothing             // it has no execution
)

// plan decides about the current row of the newest node. With plan behind s.by is the witness.
func (s *Strategy) plan() plan {
	n := s.stack[len(s.stack)-1]
	last := &n.row[len(n.row)-1]
	s.find.look(n)
	if s.paper || s.find.reduce != nil {
		if n.sleeps(&s.find, last.gone, n.picked()) {
			return asleep
		}
		return freely
	}
	row := n.steps()
	if s.quiet(n, last.gone, row) {
		return freely
	}
	how := nothing
	for i := len(s.stack) - 1; i >= 0; i-- {
		a := s.stack[i]
		if len(a.wit) > 0 {
			for _, w := range a.wit[a.named()] {
				gone := s.fits(n, w, row)
				switch {
				case gone == nil:
				case gone.equal(last.gone):
					s.by, s.without = w, gone
					return behind
				case how == nothing:
					s.by, s.without, how = w, gone, behind
				}
			}
		}
		if a.apart {
			break
		}
	}
	return how
}

// A step of a configuration, and its name.
type step struct {
	*transition.Transition
	id id
}

// steps returns the current row of n.
func (n *node) steps() (ss []step) {
	for k := range n.row {
		ss = append(ss, step{n.row[k].transition(), n.idOf(k)})
	}
	return ss
}

// quiet reports whether no event that extends n's sequence or an elder's is possible beside a
// configuration: what is left of n's sequence without gone, and the steps.
func (s *Strategy) quiet(n *node, gone set, steps []step) bool {
	f := &s.find
	f.look(n)
	if n.sleeps(f, gone, transitions(steps)) {
		return false
	}
	if len(n.elders) == 0 {
		return true
	}
	defer f.look(n)
	n.seq.name()
	in := map[id]bool{}
	for _, st := range steps {
		in[st.id] = true
	}
	for i := range n.seq.n {
		if !gone.has(i) {
			in[n.seq.ids[i]] = true
		}
	}
	for _, e := range n.elders {
		var outside []*transition.Transition
		for i := range n.seq.n {
			if _, ok := e.node.seq.index[n.seq.ids[i]]; !ok && !gone.has(i) {
				outside = append(outside, n.seq.At(i))
			}
		}
		for _, st := range steps {
			if _, ok := e.node.seq.index[st.id]; !ok {
				outside = append(outside, st.Transition)
			}
		}
		if e.node.beside(f, func(x id) bool { return in[x] }, outside) != nil {
			return false
		}
	}
	return true
}

func transitions(steps []step) (ts []*transition.Transition) {
	for _, st := range steps {
		ts = append(ts, st.Transition)
	}
	return ts
}

// picked returns the current row of n as transitions.
func (n *node) picked() (ts []*transition.Transition) {
	for k := range n.row {
		ts = append(ts, n.row[k].transition())
	}
	return ts
}

// sleeps reports whether an event that extends n's sequence is possible once gone is removed and
// the steps have happened.
func (n *node) sleeps(f *finder, gone set, steps []*transition.Transition) (any bool) {
	n.possible(f, gone, steps, func(*transition.Transition) bool {
		any = true
		return false
	})
	return any
}

// fits returns the events of n's sequence that cannot happen beside w and n's current row; nil if w
// and the row cannot happen together, or do not exclude all that belongs to other rows.
func (s *Strategy) fits(n *node, w *witness, row []step) set {
	last := &n.row[len(n.row)-1]
	n.seq.name()
	for _, x := range w.ids {
		if i, ok := n.seq.index[x]; ok && last.gone.has(int(i)) {
			return nil
		}
	}
	if w.strays(n) || slices.ContainsFunc(n.elders, func(e elder) bool { return w.strays(e.node) }) {
		return nil
	}
	var steps []step
	for j := range w.events {
		if _, ok := n.seq.index[w.ids[j]]; ok {
			continue
		}
		st := step{&w.events[j], w.ids[j]}
		steps = append(steps, st)
		for k := range row {
			if !w.has[row[k].id] && s.tab.Dependent(st.Transition, row[k].Transition) {
				return nil
			}
		}
	}
	has := func(x id) bool { return w.has[x] }
	gone := n.excluded(s.tab, slices.Clone(last.gone), has, transitions(steps))
	if last.must.meets(gone) {
		return nil
	}
	for k := range row {
		if !w.has[row[k].id] {
			steps = append(steps, row[k])
		}
	}
	if !s.quiet(n, gone, steps) {
		return nil
	}
	return gone
}

// strays reports whether w has an extension of n's sequence that is not in n's current row.
func (w *witness) strays(n *node) bool {
	for j, x := range w.ids {
		if _, ok := n.seq.index[x]; ok || !w.extends(j, n) {
			continue
		}
		in := false
		for k := range n.row {
			in = in || n.idOf(k) == x
		}
		if !in {
			return true
		}
	}
	return false
}

// extends reports whether event j of w, which is not in n's sequence, is an extension of it.
func (w *witness) extends(j int, n *node) bool {
	return !slices.ContainsFunc(w.causes[j], func(c int32) bool {
		_, ok := n.seq.index[w.ids[c]]
		return !ok
	})
}
