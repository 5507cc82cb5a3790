package dpor

import "heddle/explore/transition"

// The encoding of what a Tree and strategies exchange.

// putTrees encodes wakeup trees.
func putTrees(e *transition.Encoder, trees []*wakeup) {
	e.Uint(len(trees))
	for _, w := range trees {
		e.Transition(&w.t)
		e.Uint(int(w.kind))
		putTrees(e, w.tree)
	}
}

func readTrees(d *transition.Decoder) []*wakeup {
	trees := make([]*wakeup, d.Count())
	for i := range trees {
		trees[i] = &wakeup{t: d.Transition(), kind: kind(d.Uint())}
		trees[i].tree = readTrees(d)
	}
	return trees
}

// putSleep encodes a sleep set, as a difference from that of the node before.
func putSleep(e *transition.Encoder, before, ts []transition.Transition) {
	e.Uint(len(ts))
next:
	for i := range ts {
		for k := range before {
			if before[k].Equal(&ts[i]) {
				e.Uint(k + 1)
				continue next
			}
		}
		e.Uint(0)
		e.Transition(&ts[i])
	}
}

func readSleep(d *transition.Decoder, before []transition.Transition) []transition.Transition {
	ts := make([]transition.Transition, d.Count())
	for i := range ts {
		switch k := d.Number(); {
		case k == 0:
			ts[i] = d.Transition()
		case k <= len(before):
			ts[i].Set(&before[k-1])
		default:
			d.Fail()
		}
	}
	return ts
}

func putAbove(e *transition.Encoder, all []above) {
	e.Uint(len(all))
	for _, a := range all {
		e.Uint(a.depth)
		putTrees(e, a.trees)
	}
}

func readAbove(d *transition.Decoder) []above {
	all := make([]above, d.Count())
	for i := range all {
		all[i] = above{d.Number(), readTrees(d)}
	}
	return all
}

// state encodes what is left below the leaf.
func (s *Strategy) state() []byte {
	e := transition.NewEncoder(s.tab)
	e.Uint(s.made)
	e.Uint(s.keep - s.base())
	var last []transition.Transition
	for i := s.base(); i <= s.keep; i++ {
		for len(s.nodes) <= i {
			s.nodes = append(s.nodes, node{})
		}
		at := &s.nodes[i]
		putSleep(e, last, at.sleep.all())
		last = at.sleep.all()
		e.Uint(at.done)
		e.Int(at.since)
		putTrees(e, at.tree)
		if i < s.keep {
			e.Transition(s.at(i))
		}
	}
	e.Uint(len(s.branch))
	for k, w := range s.branch {
		e.Transition(&w.t)
		if k+1 < len(s.branch) {
			putTrees(e, s.nodes[s.keep+k+1].tree)
		}
	}
	return e.B
}

// restore decodes what state encoded into x, whose path leads to its leaf.
func (x *entry) restore(tab *transition.Table) bool {
	d := transition.NewDecoder(tab, x.state)
	x.made = d.Number()
	more := d.Count()
	x.keep = x.base + more
	x.nodes = x.nodes[:x.base]
	var last []transition.Transition
	for i := range more + 1 {
		last = readSleep(d, last)
		n := node{sleep: list{ts: last, n: len(last)}, done: d.Number(), since: d.Int()}
		n.tree = readTrees(d)
		x.nodes = append(x.nodes, n)
		if i < more {
			x.lead = append(x.lead, d.Transition())
		}
	}
	branch := d.Count()
	for k := range branch {
		x.branch = append(x.branch, &wakeup{t: d.Transition()})
		if k+1 < branch {
			x.nodes = append(x.nodes, node{tree: readTrees(d)})
		}
	}
	return !d.Bad && len(d.B) == 0
}

// readEntry decodes what Tree.putEntry encoded.
func readEntry(d *transition.Decoder) *entry {
	x := &entry{base: d.Count()}
	x.keep = x.base
	var last []transition.Transition
	for range x.base {
		last = readSleep(d, last)
		x.nodes = append(x.nodes, node{sleep: list{ts: last, n: len(last)}, others: readTrees(d)})
		x.lead = append(x.lead, d.Transition())
	}
	x.nodes = append(x.nodes, node{})
	x.state = d.Bytes(d.Count())
	return x
}
