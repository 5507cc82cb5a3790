package dpor

import "heddle/explore/transition"

// A wakeup is a node of a wakeup tree (section 6.1 of the paper): a transition
// to execute, and what to execute after it.
type wakeup struct {
	t    transition.Transition
	tree []*wakeup
}

func (s *Strategy) newWakeup(t *transition.Transition) *wakeup {
	if n := len(s.free); n > 0 {
		w := s.free[n-1]
		s.free = s.free[:n-1]
		w.t.Set(t)
		return w
	}
	w := new(wakeup)
	w.t.Set(t)
	return w
}

func (s *Strategy) freeAll(ws []*wakeup) {
	for _, w := range ws {
		s.freeAll(w.tree)
		w.tree = w.tree[:0]
		s.free = append(s.free, w)
	}
}

// initial reports whether q is a weak initial of v: whether some execution that
// continues v is equivalent to one that begins with q. at is its place in v, -1
// if q is not in v but independent of all of it.
func (s *Strategy) initial(q *transition.Transition, v []*transition.Transition) (at int, ok bool) {
	for i, t := range v {
		if q.Meets(t) {
			return i, q.Same(t)
		}
		if s.tab.Dependent(q, t) {
			return 0, false
		}
	}
	return -1, true
}

// asleep reports whether one of the transitions of a sleep set is a weak initial of v.
func (s *Strategy) asleep(sleep []transition.Transition, v []*transition.Transition) bool {
	for i := range sleep {
		if _, ok := s.initial(&sleep[i], v); ok {
			return true
		}
	}
	return false
}

// insert makes sure that an execution is made that begins as the path up to i
// and continues with v, or with something equivalent to a continuation of v
// (definition 6.3 of the paper, and the check before it in its algorithm 2).
func (s *Strategy) insert(i int, v []*transition.Transition) {
	at := &s.nodes[i]
	if _, ok := s.initial(s.path.At(i), v); ok || s.asleep(at.sleep.all(), v) {
		return
	}
	tree := &at.tree
next:
	for _, w := range *tree {
		k, ok := s.initial(&w.t, v)
		if !ok {
			continue
		}
		if len(w.tree) == 0 {
			return
		}
		if k >= 0 {
			v = append(v[:k], v[k+1:]...)
		}
		if len(v) == 0 {
			return
		}
		tree = &w.tree
		goto next
	}
	drawFirst(v)
	for _, t := range v {
		w := s.newWakeup(t)
		*tree = append(*tree, w)
		tree = &w.tree
	}
}

// drawFirst puts a draw whose goroutine's step is not in v first: nothing comes
// between a step and the draws in it.
func drawFirst(v []*transition.Transition) {
	for i, t := range v {
		if t.Choice < 0 {
			continue
		}
		for _, u := range v[:i] {
			if u.Involves(t.Proc) {
				t = nil
				break
			}
		}
		if t != nil {
			copy(v[1:i+1], v[:i])
			v[0] = t
			return
		}
	}
}
